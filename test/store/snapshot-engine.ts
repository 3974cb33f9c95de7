// The snapshot engine for tests: real segments and dictionaries, real builds, and the threads of the service.
import { join, relative } from 'node:path';
import { type Period, periodKey } from '../../src/domain/period.ts';
import type { RankSet } from '../../src/domain/store.ts';
import { FilePublisher } from '../../src/ingest/publish/file-publisher.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import { MANIFEST_NAME } from '../../src/snapshot/format/format.ts';
import type { BuildSnapshot, Manifest, PublishedSnapshot } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { ServedRanks } from '../../src/snapshot/served-ranks.ts';
import { SnapshotStore } from '../../src/snapshot/snapshot-store.ts';
import { makeDatabase } from '../support/database.ts';
import { dictionariesOf, type TestData, type WrittenData, writeRankData } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import type { PublishingStore, StoreData, TestStore } from './engines.ts';
import { listPublished } from './oracle-store.ts';

const WORKER_FOLDER = new URL('../../dist/snapshot/threads/', import.meta.url);
/** How a set is built, and the file that is left of it. */
export interface SetBuild {
  readonly build: BuildSnapshot;
  readonly fileName: string;
}

const NO_FILE = { path: '', sizeBytes: 0, sha256: '' };

function openThreads(): SnapshotStore {
  return new SnapshotStore({ workerCount: 1, maxQueued: 1000, workerFolder: WORKER_FOLDER });
}

type Publishing = Pick<StoreData, 'steps' | 'superseded'>;

/** Writes the data of a set, builds its snapshots, one after each step, and returns the directory of the last. */
export async function buildSet(
  directory: string,
  set: RankSet,
  data: TestData,
  publishing: Publishing = {},
  build: BuildSnapshot = buildSnapshot,
): Promise<string> {
  const written = await writeSet(directory, data, publishing);
  return await buildWritten(directory, set, { data, publishing, written, build });
}

async function writeSet(
  directory: string,
  data: TestData,
  { superseded = [] }: Publishing,
  earlier?: WrittenData,
): Promise<WrittenData> {
  const imported = { ...data, periods: [...superseded, ...data.periods] };
  return await writeRankData(join(directory, 'source'), imported, earlier);
}

async function buildWritten(
  directory: string,
  set: RankSet,
  {
    data,
    publishing: { steps = [], superseded = [] },
    written: { periods },
    earlier,
    build,
  }: {
    readonly data: TestData;
    readonly publishing: Publishing;
    readonly written: WrittenData;
    /** Another set of the marketplace. */
    readonly earlier?: WrittenData | undefined;
    readonly build: BuildSnapshot;
  },
): Promise<string> {
  let previous: string | undefined;
  for (const [i, stepCount] of [...steps, data.periods.length].entries()) {
    const outputDirectory = join(directory, `snapshot-${i}`);
    const written = periods.slice(0, superseded.length + stepCount);
    const revisions = written.map((each) => [periodKey(each.period), each] as const);
    await build({
      ...set,
      periods: [...new Map(revisions).values()],
      dictionaries: dictionariesOf(earlier ? [earlier, ...written] : written),
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

export async function serve(ranks: ServedRanks, version: number): Promise<void> {
  if (ranks.catalog.version >= version) return;
  const served = new Promise<void>((resolve) => ranks.subscribe(resolve));
  ranks.hear(version);
  await served;
}

export async function writeManifest(
  directory: string,
  data: StoreData,
  version: number,
  { build, fileName }: SetBuild = { build: buildSnapshot, fileName: MANIFEST_NAME },
): Promise<Manifest> {
  const snapshots: PublishedSnapshot[] = [];
  let earlier: WrittenData | undefined;
  for (const source of ['search', 'social'] as const) {
    const ranks = data[source];
    if (!ranks || ranks.periods.length === 0) continue;
    const set: RankSet = { marketplace: 'US', frequency: ranks.frequency, source };
    const path = `${source}-${version}`;
    const publishing = source === 'search' ? data : {};
    const written = await writeSet(join(directory, path), ranks, publishing, earlier);
    const parts = { data: ranks, publishing, written, earlier, build };
    const built = await buildWritten(join(directory, path), set, parts);
    earlier = written;
    const file = { ...NO_FILE, path: relative(directory, join(built, fileName)) };
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
