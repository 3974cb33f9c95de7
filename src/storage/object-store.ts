// The data directory is a cache of what lies in a bucket. Names of objects are those of the files, below the prefix.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../domain/error.ts';
import { ifMissing } from '../domain/error-code.ts';
import {
  DATA_DIRECTORY_ALONE,
  type FileStore,
  objectOf,
  type StoredObject,
  StoreFault,
  type TransferOptions,
} from '../domain/file-store.ts';
import type { StorageFault } from '../domain/rank-publisher.ts';
import type { StoredFile } from '../domain/stored-file.ts';
import { fetchFile } from './fetched-file.ts';
import { S3Client, type S3Options } from './s3-client.ts';
import { nameLocation, type S3Location, type StorageSettings } from './s3-location.ts';
import { sendFile } from './sent-file.ts';

const FOLDERS = ['segments/', 'dictionaries/', 'snapshots/'] as const;
const OWNERS_NAME = 'rank-data-id';
/** A snapshot is some eighty files, most of them small: their round trips go side by side. */
const CONCURRENT_TRANSFERS = 6;
const PART_BYTES = 64 * 1024 * 1024;

export interface ObjectStoreOptions extends S3Options {
  readonly dataDirectory: string;
  /** Larger files are sent in parts of this size. */
  readonly partBytes?: number;
}

export class ObjectStore implements FileStore {
  readonly #options: ObjectStoreOptions;
  readonly #client: S3Client;

  constructor(options: ObjectStoreOptions) {
    this.#options = options;
    this.#client = new S3Client(options);
  }

  get location(): string {
    return this.#client.location;
  }

  async put(files: readonly StoredFile[], options: TransferOptions = {}): Promise<void> {
    const { dataDirectory, partBytes = PART_BYTES } = this.#options;
    const byObject = new Map(files.map((file) => [objectOf(file), file]));
    await forEach([...byObject.values()], options, (file, shared) =>
      sendFile({ ...shared, client: this.#client, file, path: join(dataDirectory, file.path), partBytes }),
    );
  }

  async ensure(
    files: readonly StoredFile[],
    options: TransferOptions & { readonly anew?: boolean } = {},
  ): Promise<void> {
    const { dataDirectory } = this.#options;
    await forEach(files, options, async (file, shared) => {
      const target = join(dataDirectory, file.path);
      const found = options.anew ? undefined : await stat(target).catch(ifMissing(undefined));
      if (found?.size === file.sizeBytes) return;
      await fetchFile({ ...shared, client: this.#client, file, target });
    });
  }

  async findFault(file: StoredFile): Promise<StorageFault | undefined> {
    const { path, sizeBytes, sha256 } = file;
    try {
      return await this.#client.retry(async () => {
        const name = objectOf(file);
        const { body } = await this.#client.open(name, { fromByte: 0, sizeBytes });
        const hash = createHash('sha256');
        let size = 0;
        try {
          for await (const chunk of body as AsyncIterable<Buffer>) {
            hash.update(chunk);
            size += chunk.length;
          }
        } catch (error) {
          throw this.#client.noAnswer(name, error);
        }
        if (size !== sizeBytes) return { path, fault: 'size', message: `has ${size} bytes instead of ${sizeBytes}` };
        if (hash.digest('hex') === sha256) return undefined;
        return { path, fault: 'checksum', message: 'has other content than published' };
      });
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error;
      if (error.kind === 'lost') return { path, fault: 'missing', message: 'is not in the object storage' };
      if (error.kind === 'refused') throw error;
      return { path, fault: 'unreadable', message: error.message };
    }
  }

  async list(prefixes: readonly string[] = FOLDERS): Promise<readonly StoredObject[]> {
    const found: StoredObject[] = [];
    for (const prefix of prefixes) found.push(...(await this.#client.list(prefix)));
    return found;
  }

  async remove(names: readonly string[]): Promise<void> {
    await forEach(names, {}, (name) => this.#client.remove(name));
  }

  async readOwners(): Promise<readonly string[]> {
    return ((await this.#client.find(OWNERS_NAME)) ?? '').split('\n').filter(Boolean);
  }

  async writeOwners(manifestIds: readonly string[]): Promise<void> {
    const bytes = Buffer.from(manifestIds.map((id) => `${id}\n`).join(''));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await this.#client.put(OWNERS_NAME, { open: () => bytes, sizeBytes: bytes.length, sha256 });
  }
}

/** What the settings ask for, or another location with the same access. */
export function openStorage(
  { dataDirectory, storageLocation, storageAccess: access }: StorageSettings & { readonly dataDirectory: string },
  location: S3Location | null = storageLocation,
): FileStore {
  if (!location) return DATA_DIRECTORY_ALONE;
  if (access) return new ObjectStore({ dataDirectory, location, access });
  throw new OperatorError(`There are no keys for ${nameLocation(location)}.`, {
    hint: 'Set KEYRANK_STORAGE_ACCESS_KEY_ID and KEYRANK_STORAGE_SECRET_ACCESS_KEY, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  });
}

/** Some at a time. When one fails the others are given up, and have ended when this throws. */
async function forEach<Item>(
  items: readonly Item[],
  { signal, onBytes }: TransferOptions,
  work: (item: Item, shared: TransferOptions) => Promise<void>,
): Promise<void> {
  const failing = new AbortController();
  const shared = { onBytes, signal: signal ? AbortSignal.any([signal, failing.signal]) : failing.signal };
  const waiting = [...items].reverse();
  let failure: { readonly error: unknown } | undefined;
  const workNext = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined && !failure; item = waiting.pop()) {
      try {
        await work(item, shared);
      } catch (error) {
        failure ??= { error };
        failing.abort();
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_TRANSFERS }, workNext));
  if (failure) throw failure.error;
}
