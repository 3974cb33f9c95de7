// What the server prints goes to KEYRANK_DATA_DIR/postgres.log, not to us: it outlives us when we are killed.
import { copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../domain/error-code.ts';

/** Two files of this size at most, the second one being postgres.log.1, plus what is printed between two looks. */
const LOG_MAX_BYTES = 8 * 1024 * 1024;

const TAIL_MAX_BYTES = 4096;

export function serverLogPath(dataDirectory: string): string {
  return join(dataDirectory, 'postgres.log');
}

/** Appending is what lets boundServerLog cut the file under the running server. */
export function openServerLog(path: string): Promise<FileHandle> {
  return open(path, 'a', 0o600);
}

export async function boundServerLog(path: string, maxBytes = LOG_MAX_BYTES): Promise<void> {
  if ((await sizeOf(path)) <= maxBytes) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

export async function sizeOf(path: string): Promise<number> {
  const { size } = await stat(path).catch(ifMissing({ size: 0 }));
  return size;
}

/** The end of what was printed after the given place: the reason why a server did not start. */
export async function readServerLog(path: string, fromByte: number): Promise<string> {
  const end = await sizeOf(path);
  const start = Math.max(fromByte, end - TAIL_MAX_BYTES);
  if (end <= start) return '';
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}
