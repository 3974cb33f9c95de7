// A file comes from the object storage: under a name of its own until it is whole and has its checksum. What was cut is continued where
// it ended, also by the next process.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ifMissing } from '../domain/error-code.ts';
import { objectOf, PART_ENDING, StoreFault, type TransferOptions } from '../domain/file-store.ts';
import type { StoredFile } from '../domain/stored-file.ts';
import type { S3Client } from './s3-client.ts';

/** Nobody writes to a part that is older: a transfer that is silent for so long is given up. */
const ABANDONED_MS = 120_000;
/** An attempt that brought as much has got on. */
const PROGRESS_BYTES = 1024 * 1024;
/** Of a file whose bytes are not those of its checksum: on the way, or for good. */
const MAX_WRONG = 3;

export interface FetchRequest extends TransferOptions {
  readonly client: S3Client;
  readonly file: StoredFile;
  /** The absolute path of the finished file. */
  readonly target: string;
}

export async function fetchFile({ client, file, target, signal, onBytes }: FetchRequest): Promise<void> {
  for (let wrong = 1; ; wrong += 1) {
    await mkdir(dirname(target), { recursive: true });
    const part = await takePart(target);
    try {
      await fillPart({ client, file, part, signal, onBytes });
      if (await hasContent(part, file)) {
        await syncAndRename(part, target);
        return;
      }
    } catch (error) {
      // What has come is of use to whoever tries again, unless it is not what it should be.
      if (error instanceof StoreFault && error.kind === 'lost') await rm(part, { force: true });
      throw error;
    }
    await rm(part, { force: true });
    if (wrong < MAX_WRONG) continue;
    throw new StoreFault('lost', `${client.location}/${objectOf(file)} does not have the checksum of ${file.path}.`, {
      hint: 'Restore it from a backup, or import its report again. keyrank verify lists all damaged files.',
    });
  }
}

/** What another process began and does not go on with, or a new one. Renaming it takes it: nobody else can. */
async function takePart(target: string): Promise<string> {
  const own = `${target}.${randomBytes(4).toString('hex')}${PART_ENDING}`;
  const names = await readdir(dirname(target));
  for (const name of names) {
    if (!name.startsWith(`${basename(target)}.`) || !name.endsWith(PART_ENDING)) continue;
    const path = join(dirname(target), name);
    const found = await stat(path).catch(ifMissing(undefined));
    if (!found || Date.now() - found.mtimeMs < ABANDONED_MS) continue;
    if (await rename(path, own).then(() => true, ifMissing(false))) return own;
  }
  return own;
}

async function fillPart({
  client,
  file,
  part,
  signal,
  onBytes,
}: Omit<FetchRequest, 'target'> & { readonly part: string }): Promise<void> {
  const name = objectOf(file);
  await using target = await open(part, 'a');
  let have = (await target.stat()).size;
  if (have > file.sizeBytes) {
    await target.truncate(0);
    have = 0;
  }
  onBytes?.(have);
  let since = have;
  const gotOn = () => {
    const isFurther = have - since >= PROGRESS_BYTES;
    since = have;
    return isFurther;
  };
  const attempt = async (): Promise<void> => {
    if (have === file.sizeBytes) return;
    const { fromByte, body } = await client.open(name, { fromByte: have, sizeBytes: file.sizeBytes, signal });
    if (fromByte !== have) {
      await target.truncate(0);
      onBytes?.(-have);
      have = 0;
    }
    const pieces = body.iterator({ destroyOnReturn: true }) as AsyncIterable<Buffer>;
    try {
      for await (const piece of pieces) {
        if (have + piece.length > file.sizeBytes)
          throw new StoreFault('lost', `${client.location}/${name} is longer than ${file.path}.`);
        await target.write(piece);
        have += piece.length;
        onBytes?.(piece.length);
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof StoreFault || isOfDisk(error)) throw error;
      throw client.noAnswer(name, error);
    }
    if (have < file.sizeBytes) throw client.noAnswer(name, new Error(`${have} of ${file.sizeBytes} bytes came`));
  };
  await client.retry(attempt, { signal, gotOn });
}

async function hasContent(path: string, { sha256 }: StoredFile): Promise<boolean> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Buffer);
  return hash.digest('hex') === sha256;
}

async function syncAndRename(part: string, target: string): Promise<void> {
  await using file = await open(part, 'r+');
  await file.sync();
  await rename(part, target);
}

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && /^(open|write|ftruncate)/.test(String(error.syscall));
}
