// The engine's files for whoever copies them away and back (backup/). They belong to the state of the tables in a transaction.
import type { StoredFile } from '../../domain/stored-file.ts';
import type { Pool, Queryable } from '../../postgres/pool.ts';
import { listStoredFiles } from '../../snapshot/manifest/manifest.ts';
import { announceManifest, loadManifest } from '../../snapshot/manifest/manifest-rows.ts';
import {
  claimDataDirectory,
  emptyDataDirectory,
  findLeftovers,
  removeLeftovers,
  writeOwners,
} from './data-directory.ts';

export async function listFiles(transaction: Queryable): Promise<readonly StoredFile[]> {
  return listStoredFiles(await loadManifest(transaction));
}

/**
 * Puts tables and files in the place of nothing, in a transaction that sees no published period. Files of an empty database are
 * what a restore that was killed left behind, and go; those of another one are not touched.
 */
export async function restoreData(
  transaction: Queryable,
  {
    dataDirectory,
    fillTables,
    copyFiles,
  }: {
    readonly dataDirectory: string;
    readonly fillTables: () => Promise<void>;
    readonly copyFiles: () => Promise<void>;
  },
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

/** The transaction is committed: the directory belongs to what was restored alone. */
export async function claimRestored(pool: Pool, dataDirectory: string): Promise<void> {
  await claimDataDirectory({ dataDirectory, manifest: await loadManifest(pool) });
}
