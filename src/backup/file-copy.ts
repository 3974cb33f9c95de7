import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError } from '../domain/error.ts';
import type { RankFiles } from '../domain/rank-publisher.ts';
import type { StoredFile } from '../domain/stored-file.ts';
import { makeDirectory, PRIVATE_FILE_MODE } from '../ingest/publish/durable-file.ts';
import type { DatabaseServer } from '../postgres/connection.ts';
import type { Pool, Queryable } from '../postgres/pool.ts';

const PIECE_BYTES = 1024 * 1024;

/** What a backup and a restore are both asked with. */
export interface CopyRequest {
  readonly server: DatabaseServer;
  readonly pool: Pool;
  /** Undefined where the engine has none. */
  readonly files: RankFiles<Queryable> | undefined;
  readonly dataDirectory: string;
  /** Of the backup. */
  readonly directory: string;
  readonly onWait: () => void;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface CopyProgress {
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

/** Copies files from one directory to another, under the same paths. */
export async function copyFiles(
  files: readonly StoredFile[],
  order: Pick<CopyOrder, 'from' | 'to' | 'isPrivate'> &
    Pick<CopyRequest, 'onProgress' | 'signal'> & { readonly fetch?: RankFiles<Queryable>['fetch'] | undefined },
): Promise<void> {
  const { from, to, onProgress, fetch, ...options } = order;
  const bytesTotal = files.reduce((sum, file) => sum + file.sizeBytes, 0);
  let bytesDone = 0;
  const onBytes = (count: number): void => {
    bytesDone += count;
    onProgress({ bytesDone, bytesTotal });
  };
  for (const file of files) {
    await fetch?.([file]);
    const { path, ...expected } = file;
    await copyVerified({ ...options, from: within(from, path), to: within(to, path), expected, onBytes });
  }
}

interface CopyOrder {
  readonly from: string;
  readonly to: string;
  /** What the copy must be, byte for byte. */
  readonly expected: Omit<StoredFile, 'path'>;
  /** For its owner alone; otherwise as the umask has it. */
  readonly isPrivate: boolean;
  readonly onBytes: (count: number) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Copies a file and forces it to disk. What was read is hashed on the way: a damaged file is refused, not passed on. */
async function copyVerified({ from, to, expected, isPrivate, onBytes, signal }: CopyOrder): Promise<void> {
  await makeDirectory(dirname(to), { isPrivate });
  await using source = await open(from, 'r').catch((cause) => {
    throw new OperatorError(`${from} cannot be read: ${cause.message}.`, { cause });
  });
  await using target = isPrivate ? await openPrivately(to) : await open(to, 'w');
  const hash = createHash('sha256');
  const piece = Buffer.alloc(PIECE_BYTES);
  let sizeBytes = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await source.read(piece, 0, PIECE_BYTES);
    if (bytesRead === 0) break;
    const bytes = piece.subarray(0, bytesRead);
    hash.update(bytes);
    await target.writeFile(bytes);
    sizeBytes += bytesRead;
    onBytes(bytesRead);
  }
  if (sizeBytes !== expected.sizeBytes || hash.digest('hex') !== expected.sha256) {
    throw new OperatorError(`${from} is damaged: it is not what its checksum says.`, {
      hint: 'Nothing was changed. keyrank verify lists the damaged files of a data directory.',
    });
  }
  await target.sync();
}

/** A new file that nobody else can read at any moment, whatever the umask. */
export async function openPrivately(path: string): Promise<FileHandle> {
  const file = await open(path, 'wx', PRIVATE_FILE_MODE);
  await file.chmod(PRIVATE_FILE_MODE);
  return file;
}

export function within(directory: string, path: string): string {
  return join(directory, ...path.split('/'));
}
