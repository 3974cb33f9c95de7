// Columns under construction that only grow. `savedCount` tells a build what the generation before has already written.
import type { Column } from '../format/column-file.ts';
import { NO_LIMIT, type TextColumn, viewOf, viewText } from '../format/text-column.ts';

export interface GrowingNumbers<T extends Column> {
  /** From the number `first` on, with room behind the last one. */
  values: T;
  readonly first: number;
  /** With those before the first. */
  count: number;
  readonly savedCount: number;
}

/** What is saved stays where it is; texts that are added go into parts of their own. */
export interface GrowingText {
  readonly first: GrowingPart;
  last: GrowingPart;
  byteCount: number;
  readonly ends: GrowingNumbers<Uint32Array>;
}

interface GrowingPart extends TextColumn {
  bytes: Buffer;
  view: DataView;
  ends: Uint32Array;
  limit: number;
  next: GrowingPart | undefined;
  /** Of its bytes, those that are texts. */
  usedBytes: number;
  readonly isSaved: boolean;
}

const MAX_ADDED_PART_BYTES = 2 ** 30;

/** Continues numbers of which `savedCount` are saved; there may be room behind them. */
export function growNumbers<T extends Column>(saved: T, savedCount: number = saved.length): GrowingNumbers<T> {
  return { values: saved, first: 0, count: savedCount, savedCount };
}

/** Continues numbers that a build never looks at. */
export function continueNumbers(savedCount: number): GrowingNumbers<Uint32Array> {
  return { values: new Uint32Array(0), first: savedCount, count: savedCount, savedCount };
}

export function pushNumber<T extends Column>(column: GrowingNumbers<T>, value: number): void {
  const at = column.count - column.first;
  if (at === column.values.length) reserveNumbers(column, at + 1);
  column.values[at] = value;
  column.count += 1;
}

/** All that are in memory. */
export function usedNumbers<T extends Column>({ values, first, count }: GrowingNumbers<T>): T {
  return values.subarray(0, count - first) as T;
}

/** Makes it so many numbers, with zeros behind those that there are. */
export function extendNumbers<T extends Column>(column: GrowingNumbers<T>, count: number): void {
  if (count - column.first > column.values.length) reserveNumbers(column, count - column.first);
  column.count = count;
}

export function addedNumbers(
  column: GrowingNumbers<Uint8Array> | GrowingNumbers<Uint32Array>,
): Uint8Array | Uint32Array {
  return column.values.subarray(column.savedCount - column.first, column.count - column.first);
}

/** Continues saved texts; there may be room behind their ends. */
export function growText(saved: {
  readonly block: ArrayBufferLike;
  readonly ends: Uint32Array;
  readonly count?: number;
}): GrowingText {
  const { block, ends, count = ends.length } = saved;
  const numbers = growNumbers(ends, count);
  const added = newPart({ first: count, base: block.byteLength % 2 ** 32, ends });
  let first = added;
  const parts: TextColumn[] = [];
  const savedEnds = ends.subarray(0, count);
  for (let part = count > 0 ? viewText(block, savedEnds) : undefined; part; part = part.next) parts.push(part);
  for (const part of parts.reverse()) {
    first = { ...part, ends, limit: first.first, next: first, usedBytes: part.bytes.length, isSaved: true };
  }
  return { first, last: added, byteCount: block.byteLength, ends: numbers };
}

/** Continues texts that a build never looks at: they are only counted, and `currentText` has those that were added, from 0 on. */
export function continueText({
  byteCount,
  count,
}: {
  readonly byteCount: number;
  readonly count: number;
}): GrowingText {
  const ends = continueNumbers(count);
  const added = newPart({ first: 0, base: byteCount % 2 ** 32, ends: ends.values });
  return { first: added, last: added, byteCount, ends };
}

export function emptyText(): GrowingText {
  return continueText({ byteCount: 0, count: 0 });
}

/** Returns the index of the text. */
export function pushText(column: GrowingText, text: string): number {
  const part = reserveBytes(column, text.length * 3);
  return endText(column, part.bytes.write(text, part.usedBytes, 'utf8'));
}

/** Appends UTF-8 bytes as they are. Returns the index of the text. */
export function pushBytes(
  column: GrowingText,
  source: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
): number {
  const part = reserveBytes(column, end - start);
  return endText(column, source.copy(part.bytes, part.usedBytes, start, end));
}

function endText(column: GrowingText, addedBytes: number): number {
  column.last.usedBytes += addedBytes;
  column.byteCount += addedBytes;
  pushNumber(column.ends, column.byteCount % 2 ** 32);
  return column.ends.count - 1;
}

/** What was added, in order. */
export function addedBytes({ first }: GrowingText): readonly Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let part: GrowingPart | undefined = first; part; part = part.next) {
    if (!part.isSaved) blocks.push(part.bytes.subarray(0, part.usedBytes));
  }
  return blocks;
}

/** The column as it stands, for lookups. Valid until the next text is added. */
export function currentText({ first, last, ends }: GrowingText): TextColumn {
  if (last.ends !== ends.values) {
    for (let part: GrowingPart | undefined = first; part; part = part.next) part.ends = ends.values;
  }
  return first;
}

/** Makes room for so many numbers. */
export function reserveNumbers<T extends Column>(column: GrowingNumbers<T>, count: number): void {
  const capacity = Math.max(1024, count, Math.ceil(column.values.length * 1.5));
  const NumbersOfType = column.values.constructor as new (length: number) => T;
  const grown = new NumbersOfType(capacity);
  grown.set(column.values.subarray(0, column.count - column.first));
  column.values = grown;
}

/** The part that has room for so many more bytes. */
function reserveBytes(column: GrowingText, roomBytes: number): GrowingPart {
  let part = column.last;
  if (part.bytes.length - part.usedBytes >= roomBytes) return part;
  if (part.usedBytes > 0 && part.usedBytes + roomBytes > MAX_ADDED_PART_BYTES) {
    part = newPart({
      first: column.ends.count - column.ends.first,
      base: column.byteCount % 2 ** 32,
      ends: column.ends.values,
    });
    column.last.limit = part.first;
    column.last.next = part;
    column.last = part;
  }
  const capacity = Math.max(4096, part.usedBytes + roomBytes, Math.ceil(part.bytes.length * 1.5));
  const grown = Buffer.from(new ArrayBuffer(capacity));
  grown.set(part.bytes.subarray(0, part.usedBytes));
  part.bytes = grown;
  part.view = viewOf(grown);
  return part;
}

function newPart(given: Pick<GrowingPart, 'first' | 'base' | 'ends'>): GrowingPart {
  const bytes = Buffer.alloc(0);
  return { ...given, bytes, view: viewOf(bytes), limit: NO_LIMIT, next: undefined, usedBytes: 0, isSaved: false };
}
