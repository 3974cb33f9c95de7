// Columns under construction that only grow. `savedCount` tells a build what the generation before has already written.
import { NO_LIMIT, type TextColumn, viewOf, viewText } from '../format/text-column.ts';

export interface GrowingNumbers<T extends Uint8Array | Uint32Array> {
  values: T;
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

export function growNumbers<T extends Uint8Array | Uint32Array>(saved: T): GrowingNumbers<T> {
  return { values: saved, count: saved.length, savedCount: saved.length };
}

export function pushNumber<T extends Uint8Array | Uint32Array>(column: GrowingNumbers<T>, value: number): void {
  if (column.count === column.values.length) reserveNumbers(column, column.count + 1);
  column.values[column.count] = value;
  column.count += 1;
}

export function addedNumbers(
  column: GrowingNumbers<Uint8Array> | GrowingNumbers<Uint32Array>,
): Uint8Array | Uint32Array {
  return column.values.subarray(column.savedCount, column.count);
}

/** Continues saved texts. Without their block they are only counted, for texts that a build never looks at. */
export function growText({
  block,
  ends,
  byteCount,
}: {
  readonly block: ArrayBufferLike | undefined;
  readonly ends: Uint32Array;
  /** Of all saved texts. */
  readonly byteCount: number;
}): GrowingText {
  const numbers = growNumbers(ends);
  const added = newPart({ first: ends.length, base: byteCount % 2 ** 32, ends });
  let first = added;
  const saved: TextColumn[] = [];
  for (let part = block && ends.length > 0 ? viewText(block, ends) : undefined; part; part = part.next)
    saved.push(part);
  for (const part of saved.reverse()) {
    first = { ...part, limit: first.first, next: first, usedBytes: part.bytes.length, isSaved: true };
  }
  return { first, last: added, byteCount, ends: numbers };
}

export function emptyText(): GrowingText {
  return growText({ block: undefined, ends: new Uint32Array(0), byteCount: 0 });
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

/** The column as it stands, for lookups; only of texts that are held wholly. Valid until the next text is added. */
export function currentText({ first, last, ends }: GrowingText): TextColumn {
  if (last.ends !== ends.values) {
    for (let part: GrowingPart | undefined = first; part; part = part.next) part.ends = ends.values;
  }
  return first;
}

function reserveNumbers<T extends Uint8Array | Uint32Array>(column: GrowingNumbers<T>, count: number): void {
  const capacity = Math.max(1024, count, Math.ceil(column.values.length * 1.5));
  const grown = column.values instanceof Uint8Array ? new Uint8Array(capacity) : new Uint32Array(capacity);
  grown.set(column.values.subarray(0, column.count));
  column.values = grown as T;
}

/** The part that has room for so many more bytes. */
function reserveBytes(column: GrowingText, roomBytes: number): GrowingPart {
  let part = column.last;
  if (part.bytes.length - part.usedBytes >= roomBytes) return part;
  if (part.usedBytes > 0 && part.usedBytes + roomBytes > MAX_ADDED_PART_BYTES) {
    part = newPart({ first: column.ends.count, base: column.byteCount % 2 ** 32, ends: column.ends.values });
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
