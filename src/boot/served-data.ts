import { ClickHouseStore } from '../clickhouse/clickhouse-store.ts';
import { ClickHouse } from '../clickhouse/connection.ts';
import type { Config } from '../config.ts';
import { StoreFault } from '../domain/file-store.ts';
import { holdsSet } from '../domain/held-marketplaces.ts';
import { type PublishedPeriod, type RankSet, type RankStore, rankSetKey } from '../domain/store.ts';
import { checkStorage } from '../ingest/publish/claimed-storage.ts';
import {
  type RebuildRequest,
  rebuildDamagedSnapshots,
  rebuildOutdatedSnapshots,
} from '../ingest/publish/outdated-snapshots.ts';
import { checkStore } from '../ingest/publish/rank-stores.ts';
import type { Pool } from '../postgres/pool.ts';
import type { ResourceStack } from '../resource-stack.ts';
import { buildSnapshot } from '../snapshot/build/build.ts';
import { DamagedSnapshotError } from '../snapshot/format/format.ts';
import type { Manifest } from '../snapshot/manifest/manifest.ts';
import { followVersions, loadManifest, loadManifestVersion } from '../snapshot/manifest/manifest-rows.ts';
import { ServedRanks, type ServedRanksOptions } from '../snapshot/served-ranks.ts';
import { SnapshotStore } from '../snapshot/snapshot-store.ts';
import { openStorage } from '../storage/object-store.ts';
import type { StartingService } from './starting-service.ts';

/** Searches that may wait for a thread; beyond it callers are asked to come again. */
const MAX_QUEUED_SEARCHES = 256;
/** Questions that a cluster answers at a time for one server; each takes memory and threads of every node. */
const CLUSTER_TURNS = { maxRunning: 32, maxQueued: MAX_QUEUED_SEARCHES } as const;

/** The published rank data, following the manifest from now on. */
export async function openRanks(starting: StartingService, workerFolder: URL | undefined): Promise<ServedRanks> {
  const { config, jobPool: pool, listener, opened } = starting;
  const ranks =
    config.rankStore === 'clickhouse'
      ? opened.use(await openClickHouseRanks(starting))
      : opened.use(await openRanksInMemory(starting, workerFolder));
  const loadVersion = () => loadManifestVersion(pool);
  const following = await followVersions({ loadVersion, listener, onVersion: (version) => ranks.hear(version) });
  opened.defer(() => following[Symbol.dispose]());
  return ranks;
}

/** Nothing is fetched or kept: the nodes of the cluster have it all. */
async function openClickHouseRanks({ config, jobPool: pool, opened, logger }: StartingService): Promise<ServedRanks> {
  return await ServedRanks.open({
    store: openClickHouseStore(config, opened),
    dataDirectory: config.dataDirectory,
    loadManifest: () => loadManifestFor(config, pool),
    isHeld: (set) => holdsSet(set, { held: config.marketplaces, ...config }),
    onError: (error, { afterMs }) =>
      logger.error({ err: error, afterMs }, 'newer data cannot be served; it is tried again'),
  });
}

function openClickHouseStore(config: Config, opened: ResourceStack): ClickHouseStore {
  if (!config.clickHouse) throw new Error('no cluster is named');
  const clickHouse = opened.use(new ClickHouse(config.clickHouse));
  const { dataDirectory } = config;
  return opened.use(new ClickHouseStore({ clickHouse, dataDirectory, ...CLUSTER_TURNS }));
}

async function openRanksInMemory(
  { config, jobPool: pool, opened, logger }: StartingService,
  workerFolder: URL | undefined,
): Promise<ServedRanks> {
  const store = opened.use(
    new SnapshotStore({
      workerCount: config.workers,
      maxQueued: MAX_QUEUED_SEARCHES,
      onThreadDeath: (error) => logger.error({ err: error }, 'a worker thread died; another takes its place'),
      ...(workerFolder ? { workerFolder } : {}),
    }),
  );
  const storage = openStorage(config);
  const isHeld = (set: RankSet) => holdsSet(set, { held: config.marketplaces, ...config });
  const rebuild: RebuildRequest = {
    storage,
    // What is fetched only to look at it would be too much.
    ...(storage.location !== null && { isHeld }),
    pool,
    dataDirectory: config.dataDirectory,
    buildSnapshot,
    now: () => new Date(),
    onRebuild: (sets) =>
      logger.warn({ sets }, 'building snapshots anew: they are damaged, missing, or of another version'),
    onWarning: (message) => logger.warn(message),
  };
  const options: ServedRanksOptions = {
    store,
    dataDirectory: config.dataDirectory,
    storage,
    loadManifest: () => loadManifestFor(config, pool),
    isHeld,
    repair: () => rebuildDamagedSnapshots(rebuild),
    onError: (error, { afterMs }) =>
      logger.error({ err: error, afterMs }, 'newer data cannot be loaded; it is tried again'),
  };
  checkStore(await loadManifest(pool), 'memory');
  await rebuildOutdatedSnapshots(rebuild);
  return await openOrRepair(options);
}

/** The published rank data of one set, as it is now, for a process that asks for nothing else: the others may be large. */
export async function openRankSet(parts: {
  readonly config: Config;
  readonly pool: Pool;
  readonly set: RankSet;
  readonly opened: ResourceStack;
}): Promise<RankStore> {
  const { config, pool, set, opened } = parts;
  const isInMemory = config.rankStore === 'memory';
  return opened.use(
    await ServedRanks.open({
      store: isInMemory
        ? opened.use(new SnapshotStore({ workerCount: 1, maxQueued: 4 }))
        : openClickHouseStore(config, opened),
      dataDirectory: config.dataDirectory,
      ...(isInMemory && { storage: openStorage(config) }),
      loadManifest: () => loadManifestFor(config, pool),
      isHeld: (other) => rankSetKey(other) === rankSetKey(set),
    }),
  );
}

async function loadManifestFor(config: Config, pool: Pool): Promise<Manifest> {
  const manifest = await loadManifest(pool);
  checkStore(manifest, config.rankStore);
  checkStorage(manifest, openStorage(config));
  return manifest;
}

/** A snapshot that turns out to be damaged is no reason not to start: everything in it stands in the segments too. */
async function openOrRepair(options: ServedRanksOptions): Promise<ServedRanks> {
  try {
    return await ServedRanks.open(options);
  } catch (error) {
    const isDamage = error instanceof DamagedSnapshotError || (error instanceof StoreFault && error.kind === 'lost');
    if (!isDamage) throw error;
    options.onError?.(error, { afterMs: 0 });
    await options.repair?.();
    return await ServedRanks.open(options);
  }
}

/** Retail search ranks that are published now, whether this server has loaded them or not. */
export async function listPublishedSearches(pool: Pool): Promise<readonly PublishedPeriod[]> {
  return (await loadManifest(pool)).periods.filter(({ source }) => source === 'search');
}
