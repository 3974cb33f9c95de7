// Which of the rank stores the published data is made for. All sets are for one; the file that a build leaves says for which.
import { basename } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { withImportLock } from '../../postgres/import-lock.ts';
import type { Pool } from '../../postgres/pool.ts';
import type { Manifest } from '../../snapshot/manifest/manifest.ts';
import { loadManifest } from '../../snapshot/manifest/manifest-rows.ts';
import type { BuiltElsewhere } from './built-elsewhere.ts';
import type { FileBatchOptions } from './file-batch.ts';

export const RANK_STORES = ['memory', 'clickhouse'] as const;
export type RankStoreName = (typeof RANK_STORES)[number];

/** Left by a build in ClickHouse. */
export const GENERATION_FILE = 'clickhouse.json';

/** Undefined while nothing is published. */
export function storeOf({ snapshots }: Pick<Manifest, 'snapshots'>): RankStoreName | undefined {
  const [first] = snapshots.flatMap(({ files }) => files);
  return first && (basename(first.path) === GENERATION_FILE ? 'clickhouse' : 'memory');
}

/** Throws when what is published was made for another store. */
export function checkStore(manifest: Manifest, wanted: RankStoreName): void {
  const published = storeOf(manifest);
  if (published === undefined || published === wanted) return;
  throw new OperatorError(`What is published is for KEYRANK_RANK_STORE=${published}, and the setting is ${wanted}.`, {
    hint: `Set KEYRANK_RANK_STORE=${published}, or run keyrank publish --to ${wanted} once.`,
  });
}

interface PublishRequest extends Omit<FileBatchOptions, 'connection' | 'ready'> {
  readonly pool: Pool;
  readonly elsewhere?: BuiltElsewhere | undefined;
  readonly onWait: () => void;
  /** Called with the number of sets before they are made. */
  readonly onStart: (sets: number) => void;
}

/** Makes all that is published again, beside what is served, and shows it in one step. Returns how many sets there are. */
export async function publishAgain({ pool, elsewhere, onWait, onStart, ...options }: PublishRequest): Promise<number> {
  const { signal } = options;
  return await withImportLock(pool, { onWait, signal }, async (connection) => {
    const manifest = await loadManifest(connection);
    const { snapshots } = manifest;
    await elsewhere?.sweep(manifest);
    onStart(snapshots.length);
    if (snapshots.length === 0) return 0;
    const { FileBatch } = await import('./file-batch.ts');
    const batch = await FileBatch.open({ ...options, connection });
    await batch.rebuild(snapshots.map(({ files: _, ...set }) => set));
    await elsewhere?.announce(await loadManifest(connection));
    return snapshots.length;
  });
}
