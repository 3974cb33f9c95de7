// The snapshot engine for tests: real segments and dictionaries, real builds, and the threads of the service.
import { join } from 'node:path';
import { type Period, periodKey } from '../../src/domain/period.ts';
import type { RankSet } from '../../src/domain/store.ts';
import { FilePublisher } from '../../src/ingest/publish/file-publisher.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import type { Manifest, PublishedSnapshot } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { ServedRanks } from '../../src/snapshot/served-ranks.ts';
import { SnapshotStore } from '../../src/snapshot/snapshot-store.ts';
import { makeDatabase } from '../support/database.ts';
import { type TestData, writeRankData } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import type { PublishingStore, StoreData, TestStore } from './engines.ts';
import { listPublished } from './oracle-store.ts';

const WORKER_FOLDER = new URL('../../dist/snapshot/threads/', import.meta.url);
const NO_FILE = { path: '', sizeBytes: 0, sha256: '' };

function openThreads(): SnapshotStore {
  return new SnapshotStore({ workerCount: 1, maxQueued: 1000, workerFolder: WORKER_FOLDER });
}

/** Builds the snapshots of a set, one after each step, and returns the directory of the last. */
export async function buildSet(
  directory: string,
  set: RankSet,
  data: TestData,
  { steps = [], superseded = [] }: Pick<StoreData, 'steps' | 'superseded'> = {},
): Promise<string> {
  const imported = { ...data, periods: [...superseded, ...data.periods] };
  const { periods, dictionaries } = await writeRankData(join(directory, 'source'), imported);
  let previous: string | undefined;
  for (const [i, stepCount] of [...steps, data.periods.length].entries()) {
    const outputDirectory = join(directory, `snapshot-${i}`);
    const count = superseded.length + stepCount;
    const revisions = periods.slice(0, count).map((each) => [periodKey(each.period), each] as const);
    await buildSnapshot({
      ...set,
      periods: [...new Map(revisions).values()],
      dictionaries: {
        terms: dictionaries.terms.slice(0, count),
        products: dictionaries.products.slice(0, count),
        brands: dictionaries.brands.slice(0, count),
        categories: dictionaries.categories.slice(0, count),
      },
      outputDirectory,
      ...(previous === undefined ? {} : { previous }),
    });
    previous = outputDirectory;
  }
  return previous ?? directory;
}

export async function openSnapshotEngine(data: StoreData): Promise<TestStore> {
  const directory = await openTemporaryDirectory();
  const threads = openThreads();
  let manifest = await writeManifest(directory.path, data, 1);
  const ranks = await ServedRanks.open({
    store: threads,
    dataDirectory: directory.path,
    loadManifest: async () => manifest,
  });
  const replace = async (next: StoreData) => {
    manifest = await writeManifest(directory.path, next, manifest.version + 1);
    await serve(ranks, manifest.version);
  };
  return {
    store: ranks,
    replace,
    [Symbol.asyncDispose]: async () => {
      await ranks[Symbol.asyncDispose]();
      await threads[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function serve(ranks: ServedRanks, version: number): Promise<void> {
  if (ranks.catalog.version >= version) return;
  const served = new Promise<void>((resolve) => ranks.subscribe(resolve));
  ranks.hear(version);
  await served;
}

async function writeManifest(directory: string, data: StoreData, version: number): Promise<Manifest> {
  const snapshots: PublishedSnapshot[] = [];
  for (const source of ['search', 'social'] as const) {
    const ranks = data[source];
    if (!ranks || ranks.periods.length === 0) continue;
    const set: RankSet = { marketplace: 'US', frequency: ranks.frequency, source };
    const path = `${source}-${version}`;
    const built = await buildSet(join(directory, path), set, ranks, source === 'search' ? data : {});
    const file = { ...NO_FILE, path: `${path}/${built.split('/').at(-1)}/snapshot.json` };
    snapshots.push({ ...set, files: [file] });
  }
  const periods = [...listPublished(data.search, 'search'), ...listPublished(data.social, 'social')]
    .map(({ meta }) => ({ ...meta, segment: NO_FILE }))
    .toSorted((a, b) => place(a.period) - place(b.period));
  const totalDataPoints = periods.reduce((sum, { dataPoints }) => sum + dataPoints, 0);
  const nothing = { id: '', storage: null, dictionaries: [], keptRevisions: [] };
  return { ...nothing, version, computedAt: new Date(), totalDataPoints, periods, snapshots };
}

function place({ year, number }: Period): number {
  return year * 100 + number;
}

export async function openSnapshotPublisher(): Promise<PublishingStore> {
  const database = await makeDatabase();
  const directory = await openTemporaryDirectory();
  const threads = openThreads();
  const { path: dataDirectory } = directory;
  const pool = database.operator;
  const ranks = await ServedRanks.open({ store: threads, dataDirectory, loadManifest: () => loadManifest(pool) });
  const now = () => new Date();
  return {
    store: ranks,
    publisher: new FilePublisher({ pool, dataDirectory, buildSnapshot, keepRevisionsMs: 3_600_000, now }),
    dataDirectory,
    settle: async () => serve(ranks, (await loadManifest(pool)).version),
    [Symbol.asyncDispose]: async () => {
      await ranks[Symbol.asyncDispose]();
      await threads[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
