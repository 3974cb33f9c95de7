// Many texts in one block of UTF-8 with the end of each: millions of strings without millions of objects.

export interface TextColumn {
  readonly bytes: Buffer;
  /** Where each text ends, counted in bytes from the start of the block. */
  readonly ends: Uint32Array;
}

export function textStart(text: TextColumn, index: number): number {
  return index === 0 ? 0 : (text.ends[index - 1] ?? 0);
}

export function textEnd(text: TextColumn, index: number): number {
  return text.ends[index] ?? 0;
}

export function readText(text: TextColumn, index: number): string {
  return text.bytes.toString('utf8', textStart(text, index), textEnd(text, index));
}

/** By UTF-8 bytes, which is the order of code points. */
export function compareTexts(text: TextColumn, [a, b]: readonly [number, number]): number {
  return text.bytes.compare(text.bytes, textStart(text, b), textEnd(text, b), textStart(text, a), textEnd(text, a));
}

/** A block as workers share it. */
export function viewText(bytes: Uint8Array, ends: Uint32Array): TextColumn {
  return { bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), ends };
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

/** An index of the first `count` texts. An index of fewer is taken over when it still has room. */
export function buildTextIndex(
  text: TextColumn,
  count: number,
  saved?: { readonly index: TextIndex; readonly count: number },
): TextIndex {
  const cells = indexCells(count);
  const isRoomy = saved?.index.length === cells;
  const index = isRoomy ? saved.index.slice() : new Uint32Array(cells);
  for (let entry = isRoomy ? saved.count : 0; entry < count; entry += 1) {
    insertEntry(index, {
      hash: hashBytes(text.bytes, { start: textStart(text, entry), end: textEnd(text, entry) }),
      entry,
    });
  }
  return index;
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
  const entryStart = textStart(text, entry);
  let same = textEnd(text, entry) - entryStart === end - start ? 0 : -1;
  // Byte by byte: most texts differ early, and a call costs more than a short text.
  while (same >= 0 && same < end - start) same = text.bytes[entryStart + same] === bytes[start + same] ? same + 1 : -1;
  return same >= 0;
}
