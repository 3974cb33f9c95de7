// Snapshots are made from segments and dictionaries, so one that is missing or damaged, or that another version of keyrank wrote, is
// no loss: it is built again before anything is served.
import { dirname, join } from 'node:path';
import type { RankSet } from '../../domain/store.ts';
import { withImportLock } from '../../postgres/import-lock.ts';
import type { Pool } from '../../postgres/pool.ts';
import { DamagedSnapshotError, findManifest } from '../../snapshot/format/format.ts';
import { verifySnapshot } from '../../snapshot/format/load.ts';
import type { Manifest } from '../../snapshot/manifest/manifest.ts';
import { loadManifest } from '../../snapshot/manifest/manifest-rows.ts';
import { FileBatch, type FileBatchOptions } from './file-batch.ts';

export interface RebuildRequest extends Omit<FileBatchOptions, 'connection' | 'ready' | 'signal'> {
  /** Of the operator. */
  readonly pool: Pool;
  /** Called when there is something to do, which may take minutes. */
  readonly onRebuild: (sets: readonly RankSet[]) => void;
}

/** Rebuilds what cannot be used by its look: snapshots without a whole manifest of this format. Takes no time otherwise. */
export async function rebuildOutdatedSnapshots(request: RebuildRequest): Promise<void> {
  await rebuildWhere(request, async (directory) => (await findManifest(directory)) !== undefined);
}

/** Rebuilds snapshots of which any file is missing or damaged; reads all of them. */
export async function rebuildDamagedSnapshots(request: RebuildRequest): Promise<void> {
  await rebuildWhere(request, verifySnapshot);
}

async function rebuildWhere(request: RebuildRequest, isUsable: (directory: string) => Promise<boolean>): Promise<void> {
  const { pool, dataDirectory } = request;
  const listUnusable = async ({ snapshots }: Manifest): Promise<readonly RankSet[]> => {
    const unusable: RankSet[] = [];
    for (const { files, ...set } of snapshots) {
      const directory = dirname(join(dataDirectory, files[0]?.path ?? ''));
      if (!(await isUsable(directory).catch(falseIfDamaged))) unusable.push(set);
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
  throw error;
}
