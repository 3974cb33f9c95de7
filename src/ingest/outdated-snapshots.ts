// Snapshots are made from segments and dictionaries, so one that is missing, or that another version of keyrank wrote, is no
// loss: it is built again before anything is served.
import { dirname, join } from 'node:path';
import type { BuildSnapshot, Manifest } from '../domain/manifest.ts';
import type { RankSet } from '../domain/store.ts';
import { withImportLock } from '../postgres/import-lock.ts';
import { loadManifest } from '../postgres/manifest.ts';
import type { Pool } from '../postgres/pool.ts';
import { findManifest } from '../snapshot/format.ts';
import { PublicationBatch } from './publication-batch.ts';

export interface RebuildRequest {
  /** Of the operator. */
  readonly pool: Pool;
  readonly dataDirectory: string;
  readonly buildSnapshot: BuildSnapshot;
  readonly now: () => Date;
  /** Called when there is something to do, which may take minutes. */
  readonly onRebuild: (sets: readonly RankSet[]) => void;
}

export async function rebuildOutdatedSnapshots(request: RebuildRequest): Promise<void> {
  const { pool, dataDirectory } = request;
  if ((await listOutdated(await loadManifest(pool), dataDirectory)).length === 0) return;
  await withImportLock(pool, { onWait: () => {} }, async (connection) => {
    // Another server may have been faster.
    const sets = await listOutdated(await loadManifest(connection), dataDirectory);
    if (sets.length === 0) return;
    request.onRebuild(sets);
    const batch = await PublicationBatch.open({ ...request, connection });
    await batch.rebuild(sets);
  });
}

async function listOutdated({ snapshots }: Manifest, dataDirectory: string): Promise<readonly RankSet[]> {
  const outdated: RankSet[] = [];
  for (const { files, ...set } of snapshots) {
    const directory = dirname(join(dataDirectory, files[0]?.path ?? ''));
    if (!(await findManifest(directory))) outdated.push(set);
  }
  return outdated;
}
