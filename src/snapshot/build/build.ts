// Building a snapshot: the columns that the engine searches, from the segments and dictionaries that were published. A
// build continues from the generation before when its periods are still the same, so that its cost follows the new period
// and not the history; otherwise it starts from nothing and publishes one period after the other.
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { comparePeriods, type Frequency, type Period, periodKey } from '../../domain/period.ts';
import { PLANS, visiblePeriods } from '../../domain/plan.ts';
import type { RankSource } from '../../domain/store.ts';
import {
  DamagedSnapshotError,
  type DictionaryNames,
  findManifest,
  formatManifest,
  MANIFEST_NAME,
  SNAPSHOT_FORMAT,
  type SnapshotFile,
  type SnapshotManifest,
} from '../format/format.ts';
import { type BuildProgress, type BuildState, emptyState, readState, verifyUnread } from './build-state.ts';
import {
  addBrandTexts,
  addProductTexts,
  addTermTexts,
  type DictionaryPaths,
  readCategories,
} from './dictionary-texts.ts';
import { orderTies } from './document-order.ts';
import { ParquetReader } from './parquet-reader.ts';
import { dropOldestPeriod, openSlotMaps, publishPeriod } from './publish-period.ts';
import { addSlotWords } from './slot-words.ts';
import { writeColumns } from './write-columns.ts';

export interface SnapshotPeriodSource {
  readonly period: Period;
  /** The file name identifies the content: a revision has another name. */
  readonly segmentPath: string;
}

export interface BuildSnapshotOptions {
  readonly marketplace: string;
  readonly frequency: Frequency;
  readonly source: RankSource;
  readonly periods: readonly SnapshotPeriodSource[];
  /** All deltas of the marketplace, oldest first. */
  readonly dictionaries: DictionaryPaths;
  /** The directory of an earlier snapshot of the same set, from which unchanged work is taken over. */
  readonly previous?: string;
  /** Created; must not exist yet. Complete when snapshot.json is in it. */
  readonly outputDirectory: string;
  /** Called with the path of each segment and delta before it is read; rejects when the file is damaged. */
  readonly beforeRead?: (path: string) => Promise<void>;
  /** Called when the earlier snapshot is damaged; then nothing is taken over from it. */
  readonly onDamaged?: (error: Error) => void;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: BuildProgress) => void;
}

const DUCKDB_MEMORY_MB = 768;
/** Terms and products that no visible period names any more may fill half of the slots, then the build starts anew. */
const MIN_LIVE_SHARE = 0.5;
const MIN_COMPACTED_SLOTS = 100_000;

export async function buildSnapshot(options: BuildSnapshotOptions): Promise<readonly SnapshotFile[]> {
  const { previous, ...fromNothing } = options;
  if (previous === undefined) return await build(options);
  try {
    return await build(options);
  } catch (error) {
    if (!(error instanceof DamagedSnapshotError)) throw error;
    options.onDamaged?.(error);
    await rm(options.outputDirectory, { recursive: true, force: true });
    return await build(fromNothing);
  }
}

async function build(options: BuildSnapshotOptions): Promise<readonly SnapshotFile[]> {
  const { outputDirectory, dictionaries, signal, onProgress } = options;
  const wanted = wantedPeriods(options);
  const state = await openState(options, wanted);
  // Beside the reading of segments, which leaves the disk and this thread idle most of the time.
  const verifying = verifyUnread(state);
  verifying.catch(() => {});
  const { beforeRead = async () => {} } = options;
  await using reader = await ParquetReader.open({ memoryLimitMb: DUCKDB_MEMORY_MB, beforeRead });
  const maps = openSlotMaps(state);
  for (const [done, { period, segmentPath }] of wanted.slice(state.periods.length).entries()) {
    signal?.throwIfAborted();
    onProgress?.({ step: 'period', done, total: wanted.length - state.periods.length + done });
    const rows = await reader.readSegment(segmentPath);
    publishPeriod(state, { key: periodKey(period), segment: basename(segmentPath), rows, maps });
  }
  signal?.throwIfAborted();
  onProgress?.({ step: 'texts', done: 0, total: 1 });
  await addTermTexts(state, { reader, maps, paths: dictionaries });
  await addBrandTexts(state, { reader, maps, paths: dictionaries });
  await addProductTexts(state, { reader, maps, paths: dictionaries });
  const categories = await readCategories(reader, dictionaries.categories);
  signal?.throwIfAborted();
  onProgress?.({ step: 'words', done: 0, total: 1 });
  addSlotWords(state);
  orderTies(state);
  await verifying;
  await mkdir(outputDirectory, { recursive: true });
  const windows = narrowWindows(wanted);
  const columns = await writeColumns({ state, directory: outputDirectory, windows, signal, onProgress });
  const manifest: SnapshotManifest = {
    format: SNAPSHOT_FORMAT,
    marketplace: options.marketplace,
    frequency: options.frequency,
    source: options.source,
    periods: state.periods.map(({ key, segment, documentCount }) => ({ key, segment, documentCount })),
    dictionaries: namesOf(dictionaries),
    documentCount: state.documentCount,
    categories,
    windows,
    columns,
  };
  return [...Object.values(columns).flat(), await writeManifest(outputDirectory, manifest)];
}

/** Oldest first; only those that some plan can see. */
function wantedPeriods({ frequency, periods }: BuildSnapshotOptions): readonly SnapshotPeriodSource[] {
  const newestFirst = periods
    .map((source) => ({ frequency, source }))
    .sort((a, b) => comparePeriods(b.source.period, a.source.period));
  const widest = PLANS.map((plan) => visiblePeriods(plan, newestFirst)).sort((a, b) => b.length - a.length)[0] ?? [];
  return widest.map(({ source }) => source).reverse();
}

/** The plan windows that do not show all periods, by their number of periods. */
function narrowWindows(wanted: readonly SnapshotPeriodSource[]): readonly number[] {
  const periods = wanted.map(({ period }) => period);
  const sizes = PLANS.map((plan) => visiblePeriods(plan, periods).length);
  return [...new Set(sizes)].filter((size) => size < wanted.length);
}

/** The earlier generation without the periods that are no longer wanted, or an empty state when it does not lead here. */
async function openState(
  { previous: directory, dictionaries, ...set }: BuildSnapshotOptions,
  wanted: readonly SnapshotPeriodSource[],
): Promise<BuildState> {
  const previous = directory === undefined ? undefined : await findManifest(directory);
  const isSameSet =
    previous?.marketplace === set.marketplace && previous.frequency === set.frequency && previous.source === set.source;
  if (directory === undefined || !previous || !isSameSet || !isGrown(previous.dictionaries, namesOf(dictionaries))) {
    return emptyState();
  }
  const droppedCount = countDropped(previous, wanted);
  if (droppedCount === undefined) return emptyState();
  const state = await readState(directory, previous);
  for (let i = 0; i < droppedCount; i += 1) dropOldestPeriod(state);
  const slotCount = state.slotTermIds.count;
  return slotCount > MIN_COMPACTED_SLOTS && state.documentCount < slotCount * MIN_LIVE_SHARE ? emptyState() : state;
}

/** How many of the oldest periods must go so that the rest begins the wanted list; undefined when no number does. */
function countDropped(previous: SnapshotManifest, wanted: readonly SnapshotPeriodSource[]): number | undefined {
  const first = wanted[0];
  if (!first) return undefined;
  const dropped = previous.periods.findIndex(({ key }) => key === periodKey(first.period));
  if (dropped < 0 || previous.periods.length - dropped > wanted.length) return undefined;
  const isPrefix = previous.periods.slice(dropped).every(({ key, segment }, i) => {
    const target = wanted[i];
    return target && key === periodKey(target.period) && segment === basename(target.segmentPath);
  });
  return isPrefix ? dropped : undefined;
}

function isGrown(older: DictionaryNames, newer: DictionaryNames): boolean {
  return (['terms', 'products', 'brands', 'categories'] as const).every((kind) =>
    older[kind].every((name, i) => newer[kind][i] === name),
  );
}

function namesOf(paths: DictionaryPaths): DictionaryNames {
  return {
    terms: paths.terms.map((path) => basename(path)),
    products: paths.products.map((path) => basename(path)),
    brands: paths.brands.map((path) => basename(path)),
    categories: paths.categories.map((path) => basename(path)),
  };
}

/** Written last and synced with its directory: a snapshot with a manifest is complete. */
async function writeManifest(directory: string, manifest: SnapshotManifest): Promise<SnapshotFile> {
  const text = formatManifest(manifest);
  await writeFile(join(directory, MANIFEST_NAME), text, { flag: 'wx', flush: true });
  await using handle = await open(directory, 'r');
  await handle.sync();
  const bytes = Buffer.from(text);
  return { name: MANIFEST_NAME, sizeBytes: bytes.length, crc32: crc32(bytes) };
}
