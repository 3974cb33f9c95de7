// Columns under construction that only grow. `savedCount` tells a build what the generation before has already written.
import { NONE_32 } from '../format/format.ts';
import type { TextColumn } from '../format/text-column.ts';

export interface GrowingNumbers<T extends Uint8Array | Uint32Array> {
  values: T;
  count: number;
  readonly savedCount: number;
}

export interface GrowingText {
  bytes: Buffer;
  byteCount: number;
  readonly savedByteCount: number;
  readonly ends: GrowingNumbers<Uint32Array>;
  /** How much of the saved part is not held here, for texts that a build never looks at. */
  readonly skippedByteCount: number;
}

const MAX_TEXT_BYTES = NONE_32;

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

export function growText({ bytes, ends }: { readonly bytes: Uint8Array; readonly ends: Uint32Array }): GrowingText {
  const total = ends.at(-1) ?? 0;
  return {
    bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    byteCount: total,
    savedByteCount: total,
    ends: growNumbers(ends),
    skippedByteCount: total - bytes.byteLength,
  };
}

/** Returns the index of the text. */
export function pushText(column: GrowingText, text: string): number {
  const at = reserveBytes(column, text.length * 3);
  return endText(column, column.bytes.write(text, at, 'utf8'));
}

/** Appends UTF-8 bytes as they are. Returns the index of the text. */
export function pushBytes(
  column: GrowingText,
  source: Buffer,
  { start, end }: { readonly start: number; readonly end: number },
): number {
  const at = reserveBytes(column, end - start);
  return endText(column, source.copy(column.bytes, at, start, end));
}

function endText(column: GrowingText, addedBytes: number): number {
  column.byteCount += addedBytes;
  if (column.byteCount > MAX_TEXT_BYTES) throw new RangeError('a text column holds more than 4 GiB');
  pushNumber(column.ends, column.byteCount);
  return column.ends.count - 1;
}

export function addedBytes(column: GrowingText): Uint8Array {
  const skipped = column.skippedByteCount;
  return column.bytes.subarray(column.savedByteCount - skipped, column.byteCount - skipped);
}

/** The column as it stands, for lookups; only of texts that are held wholly. */
export function currentText(column: GrowingText): TextColumn {
  return { bytes: column.bytes, ends: column.ends.values };
}

function reserveNumbers<T extends Uint8Array | Uint32Array>(column: GrowingNumbers<T>, count: number): void {
  const capacity = Math.max(1024, count, Math.ceil(column.values.length * 1.5));
  const grown = column.values instanceof Uint8Array ? new Uint8Array(capacity) : new Uint32Array(capacity);
  grown.set(column.values.subarray(0, column.count));
  column.values = grown as T;
}

/** Returns where the next bytes go. */
function reserveBytes(column: GrowingText, roomBytes: number): number {
  const used = column.byteCount - column.skippedByteCount;
  if (column.bytes.length - used >= roomBytes) return used;
  const capacity = Math.max(4096, used + roomBytes, Math.ceil(column.bytes.length * 1.5));
  const grown = Buffer.from(new ArrayBuffer(capacity));
  grown.set(column.bytes.subarray(0, used));
  column.bytes = grown;
  return used;
}
