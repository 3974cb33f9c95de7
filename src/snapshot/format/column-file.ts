// Writing and reading the part files of a column. Every part is checksummed when it is written and again when it is read.
import { type FileHandle, link, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { DamagedSnapshotError, type ElementType, type SnapshotFile } from './format.ts';

export type Column = Uint8Array | Uint16Array | Uint32Array;

/** Small enough that checksumming one piece leaves the event loop free (a quarter of a millisecond), large enough to read at disk speed. */
const PIECE_BYTES = 512 * 1024;
/**
 * Forced to disk after so many bytes. With hundreds of megabytes at once whoever else waits for the disk, as every search does for its
 * history, would wait for all of them.
 */
const FLUSH_BYTES = 8 * 1024 * 1024;
/** Above this many parts a growing column is rewritten as one, so that the number of files stays bounded. */
const MAX_PARTS = 16;

export function bytesOf(column: Column): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

export function columnOf(buffer: ArrayBufferLike, type: ElementType): Column {
  if (type === 'u8') return new Uint8Array(buffer);
  return type === 'u16' ? new Uint16Array(buffer) : new Uint32Array(buffer);
}

export async function writeColumn({
  directory,
  name,
  column,
}: {
  readonly directory: string;
  readonly name: string;
  readonly column: Column;
}): Promise<SnapshotFile> {
  await using file = await open(join(directory, name), 'wx');
  const bytes = bytesOf(column);
  const checksum = await writeBytes({ file, bytes, checksum: 0 });
  await file.sync();
  return { name, sizeBytes: bytes.byteLength, crc32: checksum };
}

/** Shares the older parts by hard link and writes what is new as the last part. */
export async function writeGrownColumn({
  directory,
  name,
  older,
  added,
}: {
  readonly directory: string;
  readonly name: string;
  readonly older: { readonly directory: string; readonly parts: readonly SnapshotFile[] };
  readonly added: Column;
}): Promise<readonly SnapshotFile[]> {
  if (older.parts.length >= MAX_PARTS) return [await mergeParts({ directory, name, older, added })];
  for (const part of older.parts) await sharePart({ from: older.directory, to: directory, part });
  if (added.length === 0 && older.parts.length > 0) return older.parts;
  const part = await writeColumn({ directory, name: `${name}.${older.parts.length}.bin`, column: added });
  return [...older.parts, part];
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

/** All parts of a column, one behind the other, in memory that worker threads can share. */
export async function readParts({
  directory,
  parts,
}: {
  readonly directory: string;
  readonly parts: readonly SnapshotFile[];
}): Promise<SharedArrayBuffer> {
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
  const buffer = new SharedArrayBuffer(sizeBytes);
  let offset = 0;
  for (const part of parts) {
    await readPart({ directory, part, target: new Uint8Array(buffer, offset, part.sizeBytes) });
    offset += part.sizeBytes;
  }
  return buffer;
}

async function readPart({
  directory,
  part,
  target,
}: {
  readonly directory: string;
  readonly part: SnapshotFile;
  readonly target: Uint8Array;
}): Promise<void> {
  await using file = await openPart(directory, part);
  let checksum = 0;
  for (let offset = 0; offset < target.length; ) {
    const length = Math.min(PIECE_BYTES, target.length - offset);
    const { bytesRead } = await file.read(target, offset, length, offset);
    if (bytesRead === 0) throw damaged(join(directory, part.name), 'ended while it was read');
    checksum = crc32(target.subarray(offset, offset + bytesRead), checksum);
    offset += bytesRead;
  }
  checkChecksum(directory, part, checksum);
}

/** Reads parts without keeping them, to see that they are as they were written. */
export async function verifyParts({
  directory,
  parts,
}: {
  readonly directory: string;
  readonly parts: readonly SnapshotFile[];
}): Promise<void> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (const part of parts) {
    await using file = await openPart(directory, part);
    let checksum = 0;
    for (let offset = 0; offset < part.sizeBytes; ) {
      const { bytesRead } = await file.read(piece, 0, PIECE_BYTES, offset);
      if (bytesRead === 0) throw damaged(join(directory, part.name), 'ended while it was read');
      checksum = crc32(piece.subarray(0, bytesRead), checksum);
      offset += bytesRead;
    }
    checkChecksum(directory, part, checksum);
  }
}

async function openPart(directory: string, part: SnapshotFile): Promise<FileHandle> {
  const path = join(directory, part.name);
  const size = await stat(path).then(
    (found) => found.size,
    (cause: unknown) => {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') throw damaged(path, 'is not there');
      throw cause;
    },
  );
  if (size !== part.sizeBytes) throw damaged(path, `has ${size} bytes instead of ${part.sizeBytes}`);
  return await open(path, 'r');
}

function checkChecksum(directory: string, part: SnapshotFile, checksum: number): void {
  if (checksum === part.crc32) return;
  throw damaged(join(directory, part.name), 'does not have the checksum that it was written with');
}

async function mergeParts({
  directory,
  name,
  older,
  added,
}: {
  readonly directory: string;
  readonly name: string;
  readonly older: { readonly directory: string; readonly parts: readonly SnapshotFile[] };
  readonly added: Column;
}): Promise<SnapshotFile> {
  const partName = `${name}.0.bin`;
  await using file = await open(join(directory, partName), 'wx');
  let checksum = 0;
  let sizeBytes = 0;
  for (const part of older.parts) {
    const bytes = new Uint8Array(await readParts({ directory: older.directory, parts: [part] }));
    checksum = await writeBytes({ file, bytes, checksum });
    sizeBytes += bytes.byteLength;
  }
  checksum = await writeBytes({ file, bytes: bytesOf(added), checksum });
  await file.sync();
  return { name: partName, sizeBytes: sizeBytes + added.byteLength, crc32: checksum };
}

async function writeBytes({
  file,
  bytes,
  checksum,
}: {
  readonly file: FileHandle;
  readonly bytes: Uint8Array;
  readonly checksum: number;
}): Promise<number> {
  let running = checksum;
  let flushed = 0;
  for (let offset = 0; offset < bytes.length; ) {
    const piece = bytes.subarray(offset, offset + PIECE_BYTES);
    const { bytesWritten } = await file.write(piece);
    running = crc32(piece.subarray(0, bytesWritten), running);
    offset += bytesWritten;
    if (offset - flushed < FLUSH_BYTES) continue;
    await file.datasync();
    flushed = offset;
  }
  return running;
}

function damaged(path: string, fault: string): DamagedSnapshotError {
  return new DamagedSnapshotError(`The snapshot file ${path} ${fault}.`);
}
