// The publisher of the engine that has files: files come first, the manifest last, in one transaction (docs/data.md).
import { errorMessage } from '../../domain/error-code.ts';
import { DATA_DIRECTORY_ALONE, type FileStore } from '../../domain/file-store.ts';
import type {
  BatchOptions,
  PublicationBatch,
  RankFiles,
  RankPublisher,
  RevisionCatalog,
  Verification,
} from '../../domain/rank-publisher.ts';
import { withFreeImportLock, withImportLock } from '../../postgres/import-lock.ts';
import type { Pool, Queryable } from '../../postgres/pool.ts';
import { listStoredFiles } from '../../snapshot/manifest/manifest.ts';
import { announceManifest, loadManifest, saveStorage } from '../../snapshot/manifest/manifest-rows.ts';
import type { SessionRows } from '../session-rows.ts';
import type { BuiltElsewhere } from './built-elsewhere.ts';
import { checkStorage, claimObjects, findLeftObjects } from './claimed-storage.ts';
import {
  claimDataDirectory,
  emptyDataDirectory,
  findLeftovers,
  type Leftovers,
  openDataDirectory,
  removeFiles,
  writeOwners,
} from './data-directory.ts';
import type { FileBatchOptions } from './file-batch.ts';
import { checkStore } from './rank-stores.ts';
import { verifyFiles } from './verification.ts';

export interface FilePublisherOptions
  extends Pick<FileBatchOptions, 'dataDirectory' | 'storage' | 'buildSnapshot' | 'now'> {
  /** Of the operator. */
  readonly pool: Pool;
  /** How long revisions that were replaced or withdrawn can be restored. */
  readonly keepRevisionsMs: number;
  /** Of a store that keeps elsewhere what is built. */
  readonly elsewhere?: BuiltElsewhere | undefined;
}

export class FilePublisher implements RankPublisher<SessionRows, Queryable> {
  readonly #options: FilePublisherOptions & { readonly storage: FileStore };
  readonly files: RankFiles<Queryable>;

  constructor(options: FilePublisherOptions) {
    const { pool, dataDirectory, storage = DATA_DIRECTORY_ALONE } = options;
    this.#options = { ...options, storage };
    this.files = {
      list: async (transaction) => {
        const manifest = await loadManifest(transaction);
        checkStorage(manifest, storage);
        return listStoredFiles(manifest);
      },
      fetch: (files) => storage.ensure(files),
      restore: (transaction, steps) => restoreFiles(transaction, { ...steps, dataDirectory, storage }),
      claimRestored: async () => {
        const manifest = await loadManifest(pool);
        await claimDataDirectory({ dataDirectory, manifest });
        await claimObjects({ storage, manifest });
      },
    };
  }

  async readCatalog(): Promise<RevisionCatalog> {
    return await loadManifest(this.#options.pool);
  }

  async openBatch<T>(options: BatchOptions, work: (batch: PublicationBatch<SessionRows>) => Promise<T>): Promise<T> {
    const { pool, elsewhere } = this.#options;
    const { onWarning, signal } = options;
    const { FileBatch } = await import('./file-batch.ts');
    return await withImportLock(pool, options, async (connection) => {
      const leftovers = await openDataDirectory(connection, this.#options);
      const manifest = await loadManifest(connection);
      checkStore(manifest, elsewhere?.store ?? 'memory');
      await elsewhere?.sweep(manifest);
      // A disk takes its time over large files: the first report is read meanwhile, and prepared when they are gone.
      await using sweep = startSweep(this.#options, leftovers);
      const buildSnapshot = elsewhere?.buildSnapshot ?? this.#options.buildSnapshot;
      const opened = { ...this.#options, buildSnapshot, onWarning, signal, connection, ready: sweep.done };
      const result = await work(await FileBatch.open(opened));
      // What is published is so already; the next batch announces it if this one cannot.
      await elsewhere?.announce(await loadManifest(connection)).catch((error) => onWarning?.(errorMessage(error)));
      return result;
    });
  }

  async verify({ onItem }: { readonly onItem: (name: string) => void }): Promise<Verification> {
    const { pool, ...places } = this.#options;
    const manifest = await loadManifest(pool);
    checkStorage(manifest, places.storage);
    const verified = await verifyFiles({ ...places, manifest, onFile: ({ path }) => onItem(path) });
    const faults = (await places.elsewhere?.verify(manifest, onItem)) ?? [];
    return { ...verified, faults: [...verified.faults, ...faults] };
  }
}

/**
 * Removes what interrupted imports left behind and revisions that were kept long enough, and returns the files that are gone.
 * A server calls it as it starts; while an import is under way there is nothing to do, because that import sweeps by itself.
 */
export async function sweepLeftovers(
  request: Pick<FilePublisherOptions, 'pool' | 'dataDirectory' | 'storage' | 'keepRevisionsMs' | 'now'>,
): Promise<readonly string[]> {
  const places = { ...request, storage: request.storage ?? DATA_DIRECTORY_ALONE };
  const swept = await withFreeImportLock(request.pool, async (connection) => {
    const leftovers = await openDataDirectory(connection, places);
    await removeLeftovers(places, leftovers);
    return [...leftovers.files, ...leftovers.objects];
  });
  return swept ?? [];
}

/** Removes from a cache what the manifest names no more; undefined while an import is under way. */
export async function sweepCache({
  pool,
  dataDirectory,
}: Pick<FilePublisherOptions, 'pool' | 'dataDirectory'>): Promise<readonly string[] | undefined> {
  return await withFreeImportLock(pool, async (connection) => {
    const files = await findLeftovers({ dataDirectory, readManifest: () => loadManifest(connection) });
    await removeFiles(dataDirectory, files);
    return files;
  });
}

async function removeLeftovers(
  { dataDirectory, storage }: { readonly dataDirectory: string; readonly storage: FileStore },
  { files, objects }: Leftovers,
): Promise<void> {
  await removeFiles(dataDirectory, files);
  await storage.remove(objects);
}

async function restoreFiles(
  transaction: Queryable,
  {
    dataDirectory,
    storage,
    fillTables,
    copyFiles,
  }: Parameters<RankFiles<Queryable>['restore']>[1] & { readonly dataDirectory: string; readonly storage: FileStore },
): Promise<void> {
  const before = await loadManifest(transaction);
  await claimDataDirectory({ dataDirectory, manifest: before });
  const readManifest = async () => before;
  await removeFiles(dataDirectory, await findLeftovers({ dataDirectory, readManifest }));
  await claimObjects({ storage, manifest: before });
  await storage.remove(await findLeftObjects({ storage, readManifest }));
  try {
    await fillTables();
    const manifest = await loadManifest(transaction);
    await writeOwners(dataDirectory, [before.id, manifest.id]);
    await storage.writeOwners([before.id, manifest.id]);
    await copyFiles();
    await storage.put(listStoredFiles(manifest));
    await saveStorage(transaction, storage.location);
    await announceManifest(transaction, manifest.version);
  } catch (error) {
    await emptyDataDirectory(dataDirectory);
    throw error;
  }
}

/** Whatever becomes of the import, the sweep has ended when it gives back the lock. */
function startSweep(
  places: { readonly dataDirectory: string; readonly storage: FileStore },
  leftovers: Leftovers,
): AsyncDisposable & { readonly done: Promise<void> } {
  const done = removeLeftovers(places, leftovers);
  const ended = done.catch(() => {});
  return { done, [Symbol.asyncDispose]: () => ended };
}
