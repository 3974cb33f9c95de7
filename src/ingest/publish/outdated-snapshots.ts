// Snapshots are made from segments and dictionaries, so one that is missing or damaged, or that another version of keyrank wrote, is
// no loss: it is built again before anything is served.
import { basename, dirname, join } from 'node:path';
import { DATA_DIRECTORY_ALONE, StoreFault } from '../../domain/file-store.ts';
import type { RankSet } from '../../domain/store.ts';
import type { StoredFile } from '../../domain/stored-file.ts';
import { withImportLock } from '../../postgres/import-lock.ts';
import type { Pool } from '../../postgres/pool.ts';
import { DamagedSnapshotError, findManifest, MANIFEST_NAME } from '../../snapshot/format/format.ts';
import { verifySnapshot } from '../../snapshot/format/load.ts';
import type { Manifest } from '../../snapshot/manifest/manifest.ts';
import { loadManifest } from '../../snapshot/manifest/manifest-rows.ts';
import { checkStorage } from './claimed-storage.ts';
import { FileBatch, type FileBatchOptions } from './file-batch.ts';
import { findFault } from './verification.ts';

export interface RebuildRequest extends Omit<FileBatchOptions, 'connection' | 'ready' | 'signal'> {
  /** Of the operator. */
  readonly pool: Pool;
  /** Called when there is something to do, which may take minutes. */
  readonly onRebuild: (sets: readonly RankSet[]) => void;
  /** Sets that this process serves; of the others nothing is fetched to look at it. All unless given. */
  readonly isHeld?: (set: RankSet) => boolean;
}

/** Rebuilds what cannot be used by its look: snapshots without a whole manifest of this format. Takes no time otherwise. */
export async function rebuildOutdatedSnapshots(request: RebuildRequest): Promise<void> {
  const { storage = DATA_DIRECTORY_ALONE } = request;
  await rebuildWhere(request, async ({ directory, files }) => {
    await storage.ensure(files.filter(({ path }) => basename(path) === MANIFEST_NAME));
    return (await findManifest(directory)) !== undefined;
  });
}

/** Rebuilds snapshots of which any file is missing or damaged; reads all of them. What a storage has whole is fetched from it instead. */
export async function rebuildDamagedSnapshots(request: RebuildRequest): Promise<void> {
  const { storage = DATA_DIRECTORY_ALONE, dataDirectory } = request;
  await rebuildWhere(request, async ({ directory, files }) => {
    if (storage.location) {
      for (const file of files) if (await findFault(dataDirectory, file)) await storage.ensure([file], { anew: true });
    }
    return await verifySnapshot(directory);
  });
}

interface LookedAt {
  readonly directory: string;
  readonly files: readonly StoredFile[];
}

async function rebuildWhere(
  request: RebuildRequest,
  isUsable: (snapshot: LookedAt) => Promise<boolean>,
): Promise<void> {
  const { pool, dataDirectory, storage = DATA_DIRECTORY_ALONE, isHeld = () => true } = request;
  const listUnusable = async (manifest: Manifest): Promise<readonly RankSet[]> => {
    checkStorage(manifest, storage);
    const unusable: RankSet[] = [];
    for (const { files, ...set } of manifest.snapshots) {
      if (!isHeld(set)) continue;
      const directory = dirname(join(dataDirectory, files[0]?.path ?? ''));
      if (!(await isUsable({ directory, files }).catch(falseIfDamaged))) unusable.push(set);
    }
    return unusable;
  };
  if ((await listUnusable(await loadManifest(pool))).length === 0) return;
  await withImportLock(pool, { onWait: () => {} }, async (connection) => {
    // Another server may have been faster.
    const sets = await listUnusable(await loadManifest(connection));
    if (sets.length === 0) return;
    request.onRebuild(sets);
    const batch = await FileBatch.open({ ...request, connection });
    await batch.rebuild(sets);
  });
}

function falseIfDamaged(error: unknown): boolean {
  if (error instanceof DamagedSnapshotError) return false;
  if (error instanceof StoreFault && error.kind === 'lost') return false;
  throw error;
}
