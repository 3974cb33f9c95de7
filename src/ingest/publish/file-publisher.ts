// The publisher of the engine that has files: files come first, the manifest last, in one transaction (docs/data.md).
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
import { announceManifest, loadManifest } from '../../snapshot/manifest/manifest-rows.ts';
import type { SessionRows } from '../session-rows.ts';
import {
  claimDataDirectory,
  emptyDataDirectory,
  findLeftovers,
  openDataDirectory,
  removeLeftovers,
  writeOwners,
} from './data-directory.ts';
import type { FileBatchOptions } from './file-batch.ts';
import { verifyFiles } from './verification.ts';

export interface FilePublisherOptions extends Pick<FileBatchOptions, 'dataDirectory' | 'buildSnapshot' | 'now'> {
  /** Of the operator. */
  readonly pool: Pool;
  /** How long revisions that were replaced or withdrawn can be restored. */
  readonly keepRevisionsMs: number;
}

export class FilePublisher implements RankPublisher<SessionRows, Queryable> {
  readonly #options: FilePublisherOptions;
  readonly files: RankFiles<Queryable>;

  constructor(options: FilePublisherOptions) {
    const { pool, dataDirectory } = options;
    this.#options = options;
    this.files = {
      list: async (transaction) => listStoredFiles(await loadManifest(transaction)),
      restore: (transaction, steps) => restoreFiles(transaction, { ...steps, dataDirectory }),
      claimRestored: async () => claimDataDirectory({ dataDirectory, manifest: await loadManifest(pool) }),
    };
  }

  async readCatalog(): Promise<RevisionCatalog> {
    return await loadManifest(this.#options.pool);
  }

  async openBatch<T>(options: BatchOptions, work: (batch: PublicationBatch<SessionRows>) => Promise<T>): Promise<T> {
    const { pool, dataDirectory } = this.#options;
    const { onWarning, signal } = options;
    const { FileBatch } = await import('./file-batch.ts');
    return await withImportLock(pool, options, async (connection) => {
      const leftovers = await openDataDirectory(connection, this.#options);
      // A disk takes its time over large files: the first report is read meanwhile, and prepared when they are gone.
      await using sweep = startSweep(dataDirectory, leftovers);
      return await work(await FileBatch.open({ ...this.#options, onWarning, signal, connection, ready: sweep.done }));
    });
  }

  async verify({ onItem }: { readonly onItem: (name: string) => void }): Promise<Verification> {
    const { pool, dataDirectory } = this.#options;
    return await verifyFiles({ manifest: await loadManifest(pool), dataDirectory, onFile: ({ path }) => onItem(path) });
  }
}

/**
 * Removes what interrupted imports left behind and revisions that were kept long enough, and returns the files that are gone.
 * A server calls it as it starts; while an import is under way there is nothing to do, because that import sweeps by itself.
 */
export async function sweepLeftovers(
  request: Pick<FilePublisherOptions, 'pool' | 'dataDirectory' | 'keepRevisionsMs' | 'now'>,
): Promise<readonly string[]> {
  const swept = await withFreeImportLock(request.pool, async (connection) => {
    const leftovers = await openDataDirectory(connection, request);
    await removeLeftovers(request.dataDirectory, leftovers);
    return leftovers;
  });
  return swept ?? [];
}

async function restoreFiles(
  transaction: Queryable,
  {
    dataDirectory,
    fillTables,
    copyFiles,
  }: Parameters<RankFiles<Queryable>['restore']>[1] & { readonly dataDirectory: string },
): Promise<void> {
  const before = await loadManifest(transaction);
  await claimDataDirectory({ dataDirectory, manifest: before });
  await removeLeftovers(dataDirectory, await findLeftovers({ dataDirectory, readManifest: async () => before }));
  try {
    await fillTables();
    const manifest = await loadManifest(transaction);
    await writeOwners(dataDirectory, [before.id, manifest.id]);
    await copyFiles();
    await announceManifest(transaction, manifest.version);
  } catch (error) {
    await emptyDataDirectory(dataDirectory);
    throw error;
  }
}

/** Whatever becomes of the import, the sweep has ended when it gives back the lock. */
function startSweep(
  dataDirectory: string,
  leftovers: readonly string[],
): AsyncDisposable & { readonly done: Promise<void> } {
  const done = removeLeftovers(dataDirectory, leftovers);
  const ended = done.catch(() => {});
  return { done, [Symbol.asyncDispose]: () => ended };
}
