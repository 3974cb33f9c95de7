// Many texts in one block of UTF-8 with the end of each: millions of strings without millions of objects. Ends have 32 bits and count
// on from 0 behind 4 GiB; a longer block is seen in parts, none of which is longer, and no text lies in two of them.

/** A column is its first part. */
export interface TextColumn {
  readonly bytes: Buffer;
  /** The same bytes, for copying four at a time. */
  readonly view: DataView;
  /** Where each text of the whole column ends, counted in bytes from the start of the block, modulo 2³². */
  readonly ends: Uint32Array;
  /** The first text of the part, and the first behind it. */
  readonly first: number;
  readonly limit: number;
  /** Where the part begins in the block, modulo 2³². */
  readonly base: number;
  readonly next: TextColumn | undefined;
}

/** Behind every text. */
export const NO_LIMIT = 2 ** 32;
const MAX_PART_BYTES = 2 ** 32 - 1;

/** The part that holds the text. */
export function partOf(text: TextColumn, index: number): TextColumn {
  let part = text;
  while (index >= part.limit && part.next) part = part.next;
  return part;
}

/** Of a text in its part. */
export function textStart({ ends, first, base }: TextColumn, index: number): number {
  return index === first ? 0 : ((ends[index - 1] ?? 0) - base) >>> 0;
}

export function textEnd({ ends, base }: TextColumn, index: number): number {
  return ((ends[index] ?? 0) - base) >>> 0;
}

export function readText(text: TextColumn, index: number): string {
  const part = partOf(text, index);
  return part.bytes.toString('utf8', textStart(part, index), textEnd(part, index));
}

/** By UTF-8 bytes, which is the order of code points. */
export function compareTexts(text: TextColumn, [a, b]: readonly [number, number]): number {
  const partA = partOf(text, a);
  const partB = partOf(text, b);
  return partA.bytes.compare(
    partB.bytes,
    textStart(partB, b),
    textEnd(partB, b),
    textStart(partA, a),
    textEnd(partA, a),
  );
}

/** A block as workers share it. */
export function viewText(block: ArrayBufferLike, ends: Uint32Array): TextColumn {
  const starts = block.byteLength <= MAX_PART_BYTES ? [] : splitBlock(ends);
  let next: TextColumn | undefined;
  let limit = NO_LIMIT;
  let blockEnd = block.byteLength;
  for (const { first, start } of [{ first: 0, start: 0 }, ...starts].reverse()) {
    const bytes = Buffer.from(block, start, blockEnd - start);
    next = { bytes, view: viewOf(bytes), ends, first, limit, base: start % 2 ** 32, next };
    limit = first;
    blockEnd = start;
  }
  if (!next) throw new Error('a column has at least one part');
  return next;
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Where parts behind the first begin. */
function splitBlock(ends: Uint32Array): readonly { readonly first: number; readonly start: number }[] {
  const starts: { first: number; start: number }[] = [];
  let partStart = 0;
  let end = 0;
  for (let index = 0; index < ends.length; index += 1) {
    const start = end;
    end += ((ends[index] ?? 0) - (index === 0 ? 0 : (ends[index - 1] ?? 0))) >>> 0;
    if (end - partStart <= MAX_PART_BYTES) continue;
    partStart = start;
    starts.push({ first: index, start });
  }
  return starts;
}

/**
 * An open-addressing hash table over a text column: a power of two of cells, each 0 or an index + 1. The hash is FNV-1a of
 * the UTF-8 bytes in 32 bits, its low bits choose the cell, and a taken cell sends on to the next one. Equal texts may
 * stand in several cells.
 */
export type TextIndex = Uint32Array;

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export function hashBytes(bytes: Uint8Array, { start, end }: ByteRange): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i += 1) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193);
  return hash >>> 0;
}

/** An index of the first `count` texts. */
export function buildTextIndex(text: TextColumn, count: number): TextIndex {
  const index = new Uint32Array(indexCells(count));
  insertTexts(index, text, { from: 0, to: count });
  return index;
}

/** Puts in some of the texts, as entries with numbers that are higher by `shift`. */
export function insertTexts(
  index: TextIndex,
  text: TextColumn,
  { from, to, shift = 0 }: { readonly from: number; readonly to: number; readonly shift?: number },
): void {
  for (let i = from; i < to; i += 1) {
    const part = partOf(text, i);
    const range = { start: textStart(part, i), end: textEnd(part, i) };
    insertEntry(index, { hash: hashBytes(part.bytes, range), entry: i + shift });
  }
}

export function insertEntry(
  index: TextIndex,
  { hash, entry }: { readonly hash: number; readonly entry: number },
): void {
  const mask = index.length - 1;
  let cell = hash & mask;
  while (index[cell] !== 0) cell = (cell + 1) & mask;
  index[cell] = entry + 1;
}

/** The least power of two that leaves three cells in ten free. */
export function indexCells(count: number): number {
  let cells = 16;
  while (cells * 0.7 < count) cells *= 2;
  return cells;
}

/** Every entry that may have the text: those in the run of cells behind its hash. */
export function* listCandidates(index: TextIndex, hash: number): Generator<number> {
  const mask = index.length - 1;
  for (let cell = hash & mask; index[cell] !== 0; cell = (cell + 1) & mask) yield (index[cell] ?? 0) - 1;
}

/** The entry with exactly this text. */
export function findEntry(index: TextIndex, text: TextColumn, key: string): number | undefined {
  const bytes = Buffer.from(key, 'utf8');
  return findBytes(index, text, { bytes, start: 0, end: bytes.length });
}

/** Every entry with exactly this text. */
export function listEntries(index: TextIndex, text: TextColumn, key: string): readonly number[] {
  const bytes = Buffer.from(key, 'utf8');
  const range = { bytes, start: 0, end: bytes.length };
  return [...listCandidates(index, hashBytes(bytes, range))].filter((entry) => hasBytes(text, entry, range));
}

/** The entry with exactly these bytes of another text. */
export function findBytes(
  index: TextIndex,
  text: TextColumn,
  range: ByteRange & { readonly bytes: Buffer },
): number | undefined {
  const mask = index.length - 1;
  for (let cell = hashBytes(range.bytes, range) & mask; index[cell] !== 0; cell = (cell + 1) & mask) {
    const entry = (index[cell] ?? 0) - 1;
    if (hasBytes(text, entry, range)) return entry;
  }
  return undefined;
}

function hasBytes(
  text: TextColumn,
  entry: number,
  { bytes, start, end }: ByteRange & { readonly bytes: Buffer },
): boolean {
  const part = partOf(text, entry);
  const entryStart = textStart(part, entry);
  let same = textEnd(part, entry) - entryStart === end - start ? 0 : -1;
  // Byte by byte: most texts differ early, and a call costs more than a short text.
  while (same >= 0 && same < end - start) same = part.bytes[entryStart + same] === bytes[start + same] ? same + 1 : -1;
  return same >= 0;
}
