// What a column of texts or words holds for some of very many slots. The column goes by piece by piece and is verified, and only what was
// asked for stays in memory.
import { bytesOf, type Column, readPieces } from '../format/column-file.ts';
import { type TextColumn, viewText } from '../format/text-column.ts';
import { type BuildState, partsOf, type SavedColumns } from './build-state.ts';
import { addedBytes, addedNumbers } from './growing.ts';
import { sortPairs } from './key-order.ts';

/** Of each slot that was asked for, in that order: its bytes, one behind the other. */
interface SlotRanges {
  readonly bytes: Uint8Array;
  /** In bytes. */
  readonly ends: Uint32Array;
}

interface RangeSource {
  /** By slot, modulo 2³². */
  readonly ends: AsyncIterable<Uint8Array>;
  readonly blocks: AsyncIterable<Uint8Array>;
  readonly elementBytes: number;
}

/** The terms in these slots. */
export async function gatherTerms({ saved, terms }: BuildState, slots: Uint32Array): Promise<TextColumn> {
  const { bytes, ends } = await gatherRanges(
    {
      ends: wholeColumn(saved, 'term-ends', [addedNumbers(terms.ends)]),
      blocks: wholeColumn(saved, 'term-text', addedBytes(terms)),
      elementBytes: 1,
    },
    slots,
  );
  return viewText(bytes.buffer, ends);
}

/** The words of the terms in these slots, and where those of each end. */
export async function gatherWords(
  { saved, slotWords, slotWordEnds }: BuildState,
  slots: Uint32Array,
): Promise<{ readonly words: Uint32Array; readonly ends: Uint32Array }> {
  const elementBytes = Uint32Array.BYTES_PER_ELEMENT;
  const { bytes, ends } = await gatherRanges(
    {
      ends: wholeColumn(saved, 'slot-word-ends', [addedNumbers(slotWordEnds)]),
      blocks: wholeColumn(saved, 'slot-words', [addedNumbers(slotWords)]),
      elementBytes,
    },
    slots,
  );
  return { words: new Uint32Array(bytes.buffer), ends: ends.map((end) => end / elementBytes) };
}

/** What is saved, and what this build adds. */
async function* wholeColumn(saved: SavedColumns, name: string, added: readonly Column[]): AsyncGenerator<Uint8Array> {
  yield* readPieces(partsOf(saved, name));
  for (const column of added) yield bytesOf(column);
}

async function gatherRanges({ ends, blocks, elementBytes }: RangeSource, slots: Uint32Array): Promise<SlotRanges> {
  const sorted = sortPairs({ numbers: Uint32Array.from(slots.keys()), keys: slots });
  const { starts, lengths } = await findRanges(ends, sorted.keys);
  const placeEnds = new Uint32Array(slots.length);
  for (const [i, place] of sorted.numbers.entries()) placeEnds[place] = (lengths[i] ?? 0) * elementBytes;
  let sizeBytes = 0;
  for (let place = 0; place < placeEnds.length; place += 1) {
    sizeBytes += placeEnds[place] ?? 0;
    placeEnds[place] = sizeBytes;
  }
  const bytes = new Uint8Array(sizeBytes);
  let next = 0;
  let blockStart = 0;
  for await (const block of blocks) {
    const blockEnd = blockStart + block.length;
    for (; next < starts.length; next += 1) {
      const length = (lengths[next] ?? 0) * elementBytes;
      const start = (starts[next] ?? 0) * elementBytes;
      if (start >= blockEnd && length > 0) break;
      const from = Math.max(start, blockStart);
      const to = Math.min(start + length, blockEnd);
      const target = (placeEnds[sorted.numbers[next] ?? 0] ?? 0) - length + from - start;
      for (let at = from; at < to; at += 1) bytes[target + at - from] = block[at - blockStart] ?? 0;
      // The rest of it is in the next block.
      if (start + length > blockEnd) break;
    }
    blockStart = blockEnd;
  }
  return { bytes, ends: placeEnds };
}

/** Where each of the slots, which ascend, begins in its column, and how long it is: in elements. */
async function findRanges(
  ends: AsyncIterable<Uint8Array>,
  slots: Uint32Array,
): Promise<{ readonly starts: Float64Array; readonly lengths: Uint32Array }> {
  const starts = new Float64Array(slots.length);
  const lengths = new Uint32Array(slots.length);
  let next = 0;
  let slot = 0;
  let offset = 0;
  let last = 0;
  for await (const bytes of ends) {
    const piece = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    for (let i = 0; i < piece.length; i += 1, slot += 1) {
      const end = piece[i] ?? 0;
      const length = (end - last) >>> 0;
      if (slots[next] === slot) {
        starts[next] = offset;
        lengths[next] = length;
        next += 1;
      }
      offset += length;
      last = end;
    }
  }
  return { starts, lengths };
}
