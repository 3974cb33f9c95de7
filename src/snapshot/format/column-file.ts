// Writing and reading the part files of a column. Every part is checksummed when it is written and again when it is read.
import { type FileHandle, link, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { errorCode } from '../../domain/error-code.ts';
import { DamagedSnapshotError, type ElementType, type SnapshotFile } from './format.ts';

export type Column = Uint8Array | Uint16Array | Uint32Array;

/** Small enough that checksumming one piece leaves the event loop free (a quarter of a millisecond), large enough to read at disk speed. */
const PIECE_BYTES = 512 * 1024;
/** Builds take more at a time: nobody waits for their event loop, and each piece is handed to another thread and back. */
const BUILD_PIECE_BYTES = 2 * PIECE_BYTES;
/** Copied within memory at a time, in about a millisecond. */
const COPY_BYTES = 4 * 1024 * 1024;
/**
 * Forced to disk after so many bytes. With hundreds of megabytes at once whoever else waits for the disk, as every search does for its
 * history, would wait for all of them.
 */
const FLUSH_BYTES = 8 * 1024 * 1024;
/** Above this many parts the last ones of a growing column are merged, so that the number of files stays bounded. */
const MAX_PARTS = 16;
/** Merging goes on while the part before is not larger than this many times what is merged: each byte is rewritten a few times at most. */
const MERGED_SIZE_FACTOR = 2;

export function bytesOf(column: Column): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

export function columnOf({ buffer, byteOffset, byteLength }: Uint8Array, type: ElementType): Column {
  if (type === 'u8') return new Uint8Array(buffer, byteOffset, byteLength);
  if (type === 'u16') return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** Parts of a column in a directory. */
export interface ColumnParts {
  readonly directory: string;
  readonly parts: readonly SnapshotFile[];
}

interface NamedFile {
  readonly directory: string;
  readonly name: string;
}

export async function writeColumn({ column, ...file }: NamedFile & { readonly column: Column }): Promise<SnapshotFile> {
  return await writeBlocks(file, [bytesOf(column)]);
}

/** Shares the older parts by hard link and writes what is new as the last part. */
export async function writeGrownColumn({
  directory,
  name,
  older,
  added,
}: NamedFile & { readonly older: ColumnParts; readonly added: readonly Column[] }): Promise<readonly SnapshotFile[]> {
  const addedBytes = added.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const isUnchanged = addedBytes === 0 && older.parts.length > 0;
  const kept = older.parts.slice(0, isUnchanged ? older.parts.length : countKept(older.parts, addedBytes));
  for (const part of kept) await sharePart({ from: older.directory, to: directory, part });
  if (isUnchanged) return kept;
  const merged = { directory: older.directory, parts: older.parts.slice(kept.length) };
  const part = await writeBlocks({ directory, name: `${name}.${nextNumber(kept)}.bin` }, readBlocks(merged, added));
  return [...kept, part];
}

/** How many of the parts stay as they are when so many bytes are added. */
function countKept(parts: readonly SnapshotFile[], addedBytes: number): number {
  if (parts.length < MAX_PARTS) return parts.length;
  let count = parts.length - 1;
  let mergedBytes = addedBytes + (parts[count]?.sizeBytes ?? 0);
  for (; count > 0; count -= 1) {
    const before = parts[count - 1]?.sizeBytes ?? 0;
    if (before > MERGED_SIZE_FACTOR * mergedBytes) break;
    mergedBytes += before;
  }
  return count;
}

/** A number that no part has in its name. */
function nextNumber(parts: readonly SnapshotFile[]): number {
  return parts.reduce((next, { name }) => Math.max(next, Number(/\.([0-9]+)\.bin$/.exec(name)?.[1] ?? -1) + 1), 0);
}

/** A part that another generation wrote; on file systems without hard links it is copied. */
export async function sharePart({
  from,
  to,
  part,
}: {
  readonly from: string;
  readonly to: string;
  readonly part: SnapshotFile;
}): Promise<void> {
  try {
    await link(join(from, part.name), join(to, part.name));
  } catch {
    const bytes = new Uint8Array(await readParts({ directory: from, parts: [part] }));
    await writeColumn({ directory: to, name: part.name, column: bytes });
  }
}

/** The first parts of a column, as they are in memory already. */
export interface KnownParts {
  readonly buffer: SharedArrayBuffer;
  readonly parts: readonly SnapshotFile[];
}

/** All parts of a column, one behind the other, in memory that worker threads can share. Known ones are copied instead of read. */
export async function readParts({
  directory,
  parts,
  known = { buffer: new SharedArrayBuffer(0), parts: [] },
}: ColumnParts & { readonly known?: KnownParts }): Promise<SharedArrayBuffer> {
  const buffer = new SharedArrayBuffer(sizeOf(parts));
  const start = sizeOf(known.parts);
  await copyPieces({ from: known.buffer, to: buffer, sizeBytes: start });
  await readInto(new Uint8Array(buffer, start), { directory, parts: parts.slice(known.parts.length) });
  return buffer;
}

/** The parts, one behind the other, to the front of a block. */
export async function readInto(block: Uint8Array, { directory, parts }: ColumnParts): Promise<void> {
  let start = 0;
  for (const part of parts) {
    const target = block.subarray(start, start + part.sizeBytes);
    const roomAt = (offset: number): Uint8Array => target.subarray(offset, offset + PIECE_BYTES);
    for await (const _ of readPart({ directory, part, roomAt }));
    start += part.sizeBytes;
  }
}

/** The bytes of a column, piece by piece: each is valid until the next is asked for, and verified once all of its part were. */
export async function* readPieces({ directory, parts }: ColumnParts): AsyncGenerator<Uint8Array> {
  const rooms = [Buffer.allocUnsafeSlow(BUILD_PIECE_BYTES), Buffer.allocUnsafeSlow(BUILD_PIECE_BYTES)] as const;
  // One is read into while the other is looked at.
  const roomAt = (offset: number): Uint8Array => rooms[(offset / BUILD_PIECE_BYTES) % 2 === 0 ? 0 : 1];
  for (const part of parts) yield* readPart({ directory, part, roomAt });
}

export function sizeOf(parts: readonly SnapshotFile[]): number {
  return parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

async function copyPieces({
  from,
  to,
  sizeBytes,
}: {
  readonly from: SharedArrayBuffer;
  readonly to: SharedArrayBuffer;
  readonly sizeBytes: number;
}): Promise<void> {
  for (let offset = 0; offset < sizeBytes; offset += COPY_BYTES) {
    const length = Math.min(COPY_BYTES, sizeBytes - offset);
    new Uint8Array(to, offset, length).set(new Uint8Array(from, offset, length));
    await setImmediate();
  }
}

/** Reads parts without keeping them, to see that they are as they were written. */
export async function verifyParts(column: ColumnParts): Promise<void> {
  for await (const _ of readPieces(column));
}

/** That they are there, and as long as they were written. */
export async function verifySizes({ directory, parts }: ColumnParts): Promise<void> {
  for (const part of parts) await findPart(directory, part);
}

/** Piece by piece, each into the room that is given for it. While one is checksummed and looked at the next is read. */
async function* readPart({
  directory,
  part,
  roomAt,
}: {
  readonly directory: string;
  readonly part: SnapshotFile;
  readonly roomAt: (offset: number) => Uint8Array;
}): AsyncGenerator<Uint8Array> {
  await using file = await openPart(directory, part);
  async function read(offset: number): Promise<Uint8Array> {
    const piece = roomAt(offset).subarray(0, part.sizeBytes - offset);
    for (let at = 0; at < piece.length; ) {
      const { bytesRead } = await file.read(piece, at, piece.length - at, offset + at);
      if (bytesRead === 0) throw damaged(join(directory, part.name), 'ended while it was read');
      at += bytesRead;
    }
    return piece;
  }
  let checksum = 0;
  let reading = read(0);
  for (let offset = 0; offset < part.sizeBytes; ) {
    const piece = await reading;
    offset += piece.length;
    reading = read(offset);
    // Awaited in the next round, if there is one.
    reading.catch(() => {});
    checksum = crc32(piece, checksum);
    yield piece;
  }
  if (checksum === part.crc32) return;
  throw damaged(join(directory, part.name), 'does not have the checksum that it was written with');
}

async function openPart(directory: string, part: SnapshotFile): Promise<FileHandle> {
  return await open(await findPart(directory, part), 'r');
}

/** Its path. */
async function findPart(directory: string, part: SnapshotFile): Promise<string> {
  const path = join(directory, part.name);
  const { size } = await stat(path).catch((error: unknown) => {
    throw errorCode(error) === 'ENOENT' ? damaged(path, 'is not there') : error;
  });
  if (size !== part.sizeBytes) throw damaged(path, `has ${size} bytes instead of ${part.sizeBytes}`);
  return path;
}

async function* readBlocks(merged: ColumnParts, added: readonly Column[]): AsyncGenerator<Uint8Array> {
  yield* readPieces(merged);
  for (const column of added) yield bytesOf(column);
}

/** The blocks one behind the other; each is written before the next is asked for. */
export async function writeBlocks(
  { directory, name }: NamedFile,
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<SnapshotFile> {
  await using file = await open(join(directory, name), 'wx');
  let checksum = 0;
  let sizeBytes = 0;
  let unflushedBytes = 0;
  let flushing = Promise.resolve();
  for await (const bytes of blocks) {
    for (let offset = 0; offset < bytes.length; offset += BUILD_PIECE_BYTES) {
      const piece = bytes.subarray(offset, offset + BUILD_PIECE_BYTES);
      const writing = writeAll(file, piece);
      checksum = crc32(piece, checksum);
      await writing;
      unflushedBytes += piece.length;
      if (unflushedBytes < FLUSH_BYTES) continue;
      // The disk takes these while the next ones are computed; it never has more than two times as many to take.
      await flushing;
      flushing = file.datasync();
      flushing.catch(() => {});
      unflushedBytes = 0;
    }
    sizeBytes += bytes.length;
  }
  await flushing;
  await file.sync();
  return { name, sizeBytes, crc32: checksum };
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, offset, bytes.length - offset);
    offset += bytesWritten;
  }
}

function damaged(path: string, fault: string): DamagedSnapshotError {
  return new DamagedSnapshotError(`The snapshot file ${path} ${fault}.`);
}
