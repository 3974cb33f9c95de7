// Posting lists in one block, and how a new generation takes over those of the one before. Publishing a period moves its
// keywords to the front and keeps the order of all others, so the new list of a stem is its list among the new documents
// followed by its old list, renumbered: one walk through the old block, piece by piece, instead of a search for every word.
import { bytesOf } from '../format/column-file.ts';
import { type DocumentChanges, numberOf } from './document-changes.ts';
import { type Edits, planEdits } from './edited-column.ts';
import { growNumbers, pushNumber, reserveNumbers, usedNumbers } from './growing.ts';

/** The entries of fresh documents alone, by list, then document. */
export interface FreshEntries {
  /** The list of each entry. */
  readonly lists: Uint32Array;
  readonly documents: Uint32Array;
}

const OUT_ENTRIES = 256 * 1024;

/**
 * Lists of the new documents, each followed by what is left of the saved one. Which documents are left is unpredictable: each is
 * written down, and the next one over it unless it counts.
 */
export class PostingMerger {
  /** Where each list ends in the block: before it is merged in the saved one, then in the new one. */
  readonly ends: Uint32Array;
  readonly #savedCount: number;
  readonly #fresh: FreshEntries;
  readonly #shifts: Int32Array;
  /** The last saved document that is taken out, and what is added to the numbers of all behind it. */
  readonly #lastRemoved: number;
  readonly #lastShift: number;
  /** Places in the saved block of entries that are left out. */
  readonly #dropped = growNumbers(new Uint32Array(0));
  /** Where fresh entries are put in, and how many. */
  readonly #putPlaces = growNumbers(new Uint32Array(0));
  readonly #putCounts = growNumbers(new Uint32Array(0));
  readonly #out = new Uint32Array(OUT_ENTRIES);
  #used = 0;
  /** Entries that have left `out`. */
  #writtenCount = 0;
  #list = 0;
  #freshAt = 0;
  /** Entries of the saved block before the ones that come next, and how many of these are in the list. */
  #savedAt = 0;
  #savedLeft = 0;

  /** `ends` has room for all lists; in front are those of the saved ones. */
  constructor(
    { ends, savedCount }: { readonly ends: Uint32Array; readonly savedCount: number },
    { fresh, changes }: { readonly fresh: FreshEntries; readonly changes: DocumentChanges },
  ) {
    this.ends = ends;
    this.#savedCount = savedCount;
    this.#fresh = fresh;
    this.#shifts = changes.shifts;
    this.#lastRemoved = changes.removed.at(-1) ?? -1;
    this.#lastShift = changes.freshCount - changes.removed.length;
    this.#savedLeft = this.#savedLength(0);
  }

  /** The new block, in pieces that are valid until the next is asked for. */
  async *merge(saved: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    yield* this.#take(new Uint32Array(0));
    for await (const bytes of saved) {
      yield* this.#take(new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4));
    }
    if (this.#list < this.ends.length) throw new Error('saved posting lists are shorter than their ends say');
    yield bytesOf(this.#out.subarray(0, this.#used));
  }

  /** What was done to the saved block; for the columns beside it. */
  planEdits(): Edits {
    return planEdits(this.#savedAt, {
      puts: { places: usedNumbers(this.#putPlaces), counts: usedNumbers(this.#putCounts) },
      removed: usedNumbers(this.#dropped),
    });
  }

  *#take(piece: Uint32Array): Generator<Uint8Array> {
    for (let at = 0; ; ) {
      at = this.#advance(piece, at);
      if (this.#used < OUT_ENTRIES) return;
      yield bytesOf(this.#out);
      this.#writtenCount += OUT_ENTRIES;
      this.#used = 0;
    }
  }

  /** Until there is no more room, or the piece is at its end, or all lists are done; returns where it is in the piece. */
  #advance(piece: Uint32Array, from: number): number {
    const { lists, documents } = this.#fresh;
    let at = from;
    for (; this.#list < this.ends.length; this.#list += 1) {
      const first = this.#freshAt;
      for (; lists[this.#freshAt] === this.#list && this.#used < OUT_ENTRIES; this.#freshAt += 1) {
        this.#out[this.#used] = documents[this.#freshAt] ?? 0;
        this.#used += 1;
      }
      if (this.#freshAt > first) this.#notePut(this.#freshAt - first);
      if (lists[this.#freshAt] === this.#list) return at;
      while (this.#savedLeft > 0) {
        const count = Math.min(this.#savedLeft, piece.length - at, OUT_ENTRIES - this.#used);
        if (count === 0) return at;
        this.#takeSaved(piece, at, count);
        at += count;
      }
      this.ends[this.#list] = this.#writtenCount + this.#used;
      this.#savedLeft = this.#savedLength(this.#list + 1);
    }
    return at;
  }

  #takeSaved(piece: Uint32Array, from: number, count: number): void {
    const end = from + count;
    const behind = this.#takeChanged(piece, from, end);
    const out = this.#out;
    const used = this.#used - behind;
    const shift = this.#lastShift;
    for (let at = behind; at < end; at += 1) out[used + at] = (piece[at] ?? 0) + shift;
    this.#used = used + end;
    this.#savedAt += count;
    this.#savedLeft -= count;
  }

  /** As long as documents behind them are taken out; returns where the others begin, all of which move by as much. */
  #takeChanged(piece: Uint32Array, from: number, end: number): number {
    const dropped = this.#dropped;
    if (dropped.values.length < dropped.count + end - from) reserveNumbers(dropped, dropped.count + end - from);
    const { values } = dropped;
    const shifts = this.#shifts;
    const lastRemoved = this.#lastRemoved;
    const out = this.#out;
    const shift = this.#savedAt - from;
    let droppedCount = dropped.count;
    let used = this.#used;
    let at = from;
    for (; at < end; at += 1) {
      const document = piece[at] ?? 0;
      if (document > lastRemoved) break;
      const number = numberOf(shifts, document);
      out[used] = number;
      used += 1 + (number >> 31);
      values[droppedCount] = at + shift;
      droppedCount += number >>> 31;
    }
    this.#used = used;
    dropped.count = droppedCount;
    return at;
  }

  #notePut(count: number): void {
    pushNumber(this.#putPlaces, this.#savedAt);
    pushNumber(this.#putCounts, count);
  }

  /** Of a list whose end, and those behind it, are still the saved ones. */
  #savedLength(list: number): number {
    return list < this.#savedCount ? (this.ends[list] ?? 0) - this.#savedAt : 0;
  }
}

/** Counts as the ends of the lists. */
export function endsOf(counts: Uint32Array): Uint32Array {
  const ends = new Uint32Array(counts.length);
  let total = 0;
  for (let i = 0; i < counts.length; i += 1) {
    total += counts[i] ?? 0;
    ends[i] = total;
  }
  return ends;
}

export function startsOf(ends: Uint32Array): Uint32Array {
  const starts = new Uint32Array(ends.length);
  if (ends.length > 0) starts.set(ends.subarray(0, -1), 1);
  return starts;
}
