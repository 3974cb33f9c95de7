// A column of the generation before with some of its elements left out and others put in between: what a build does to columns in the
// order of documents and to posting lists. They go through memory piece by piece, so that a build takes no more of it with a long history.
import { bytesOf, type Column, columnOf } from '../format/column-file.ts';
import type { ElementType } from '../format/format.ts';
import { growNumbers, pushNumber, usedNumbers } from './growing.ts';

/** Numbers in threes, in the order of the column: so many are put in, so many of the saved ones stay, and so many are left out. */
export type Edits = Uint32Array;

const PUT = 0;
const SKIP = 2;
const STEPS = 3;

/** Below this many elements a loop is faster than a call. */
const SHORT_RUN = 48;
const OUT_ELEMENTS = 256 * 1024;

/** Elements that are put in before the saved one at a place; places ascend. */
export interface Puts {
  readonly places: Uint32Array;
  readonly counts: Uint32Array;
}

/** From what is put in and the places of what is left out, ascending. */
export function planEdits(
  savedCount: number,
  { puts, removed }: { readonly puts: Puts; readonly removed: Uint32Array },
): Edits {
  const edits = growNumbers(new Uint32Array(0));
  const { places, counts } = puts;
  let done = 0;
  let put = 0;
  for (let next = 0, out = 0; next < places.length || out < removed.length; ) {
    const putAt = next < places.length ? (places[next] ?? 0) : savedCount;
    let outAt = out < removed.length ? (removed[out] ?? 0) : savedCount;
    if (next < places.length && putAt <= outAt) {
      pushNumber(edits, put);
      pushNumber(edits, putAt - done);
      pushNumber(edits, 0);
      put = counts[next] ?? 0;
      done = putAt;
      next += 1;
      continue;
    }
    pushNumber(edits, put);
    pushNumber(edits, outAt - done);
    const first = outAt;
    // What stands side by side goes together.
    for (; out < removed.length && removed[out] === outAt && (outAt === first || outAt < putAt); out += 1) outAt += 1;
    pushNumber(edits, outAt - first);
    put = 0;
    done = outAt;
  }
  for (const number of [put, savedCount - done, 0]) pushNumber(edits, number);
  return usedNumbers(edits);
}

/** The edited column, in blocks that are valid until the next is asked for. */
export async function* editColumn({
  saved,
  type,
  edits,
  fresh,
}: {
  readonly saved: AsyncIterable<Uint8Array>;
  readonly type: ElementType;
  readonly edits: Edits;
  readonly fresh: Column;
}): AsyncGenerator<Uint8Array> {
  const out = newColumn(type, OUT_ELEMENTS);
  const editor = new ColumnEditor({ edits, fresh, out });
  function* written(): Generator<Uint8Array> {
    while (editor.advance() === 'full') {
      yield bytesOf(out);
      editor.used = 0;
    }
  }
  yield* written();
  for await (const bytes of saved) {
    editor.feed(columnOf(bytes, type));
    yield* written();
  }
  if (!editor.isDone) throw new Error('a saved column is shorter than the number of its elements');
  yield bytesOf(out.subarray(0, editor.used));
}

/** The same in memory. */
export function editArray<T extends Column>(saved: T, options: { edits: Edits; fresh: T; out: T }): T {
  const editor = new ColumnEditor(options);
  editor.feed(saved);
  editor.advance();
  return options.out;
}

class ColumnEditor {
  /** Of `out`. */
  used = 0;
  isDone = false;
  readonly #edits: Edits;
  readonly #fresh: Column;
  readonly #out: Column;
  #piece: Column = new Uint8Array(0);
  #pieceAt = 0;
  #freshAt = 0;
  #next = 0;
  #step = SKIP;
  #left = 0;

  constructor({ edits, fresh, out }: { readonly edits: Edits; readonly fresh: Column; readonly out: Column }) {
    this.#edits = edits;
    this.#fresh = fresh;
    this.#out = out;
  }

  feed(piece: Column): void {
    this.#piece = piece;
    this.#pieceAt = 0;
  }

  /** Goes on until there is no more room, or a piece is at its end, or all is done. */
  advance(): 'full' | 'hungry' | 'done' {
    for (;;) {
      if (this.#left === 0) {
        if (this.#next === this.#edits.length) {
          this.isDone = true;
          return 'done';
        }
        this.#step = this.#next % STEPS;
        this.#left = this.#edits[this.#next] ?? 0;
        this.#next += 1;
        continue;
      }
      const isPut = this.#step === PUT;
      const source = isPut ? this.#fresh : this.#piece;
      const from = isPut ? this.#freshAt : this.#pieceAt;
      if (from === source.length) return 'hungry';
      let count = Math.min(this.#left, source.length - from);
      if (this.#step !== SKIP) {
        count = Math.min(count, this.#out.length - this.used);
        if (count === 0) return 'full';
        copyElements(source, from, { count, to: this.#out, at: this.used });
        this.used += count;
      }
      this.#left -= count;
      if (isPut) this.#freshAt += count;
      else this.#pieceAt += count;
    }
  }
}

function copyElements(
  source: Column,
  from: number,
  { count, to, at }: { readonly count: number; readonly to: Column; readonly at: number },
): void {
  if (count >= SHORT_RUN) {
    to.set(source.subarray(from, from + count), at);
    return;
  }
  for (let i = 0; i < count; i += 1) to[at + i] = source[from + i] ?? 0;
}

function newColumn(type: ElementType, count: number): Column {
  if (type === 'u8') return new Uint8Array(count);
  return type === 'u16' ? new Uint16Array(count) : new Uint32Array(count);
}
