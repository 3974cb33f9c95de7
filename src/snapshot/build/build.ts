// Building a snapshot: the columns that the engine searches, from the segments and dictionaries that were published. A
// build continues from the generation before when its periods are still the same, so that its cost follows the new period
// and not the history; otherwise it starts from nothing and publishes one period after the other.
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { comparePeriods, periodKey } from '../../domain/period.ts';
import { rankSetKey } from '../../domain/store.ts';
import {
  DamagedSnapshotError,
  findManifest,
  formatManifest,
  MANIFEST_NAME,
  SNAPSHOT_FORMAT,
  type SnapshotFile,
  type SnapshotManifest,
} from '../format/format.ts';
import { DICTIONARY_KINDS, type DictionaryFiles, type SnapshotRequest } from '../manifest/manifest.ts';
import { type BuildState, emptyState, readColumn, readState, verifyUnread } from './build-state.ts';
import { addTexts, readCategories } from './dictionary-texts.ts';
import { planChanges } from './document-changes.ts';
import { type OrderedDocuments, orderDocuments } from './document-columns.ts';
import { orderTies } from './document-order.ts';
import { ParquetReader } from './parquet-reader.ts';
import { writeNewestRows } from './period-rows-encoder.ts';
import { lowerCounts, openSlotMaps, publishPeriod } from './publish-period.ts';
import { addSlotWords } from './slot-words.ts';
import { writeColumns } from './write-columns.ts';

const DUCKDB_MEMORY_MB = 768;

export async function buildSnapshot(options: SnapshotRequest): Promise<readonly SnapshotFile[]> {
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

async function build(options: SnapshotRequest): Promise<readonly SnapshotFile[]> {
  const { marketplace, frequency, source, outputDirectory, dictionaries, signal } = options;
  const wanted = options.periods.toSorted((a, b) => comparePeriods(a.period, b.period));
  const state = await openState(options, wanted);
  // Beside the reading of segments, which leaves the disk and this thread idle most of the time.
  const verifying = verifyUnread(state);
  verifying.catch(() => {});
  const { beforeRead = async () => {} } = options;
  await using reader = await ParquetReader.open({ memoryLimitMb: DUCKDB_MEMORY_MB, beforeRead });
  await mkdir(outputDirectory, { recursive: true });
  const maps = openSlotMaps(state);
  for (const { period, segmentPath } of wanted.slice(state.periods.length)) {
    signal?.throwIfAborted();
    const rows = await reader.readSegment(segmentPath);
    publishPeriod(state, { key: periodKey(period), segment: basename(segmentPath), rows, maps });
    await writeNewestRows(state, outputDirectory);
  }
  signal?.throwIfAborted();
  await addTexts(state, { reader, maps, paths: dictionaries });
  const categories = await readCategories(reader, dictionaries.categories);
  signal?.throwIfAborted();
  addSlotWords(state);
  await orderTies(state);
  const documents = await changeDocuments(state);
  const columns = await writeColumns({ state, documents, directory: outputDirectory, signal });
  await verifying;
  const manifest: SnapshotManifest = {
    format: SNAPSHOT_FORMAT,
    marketplace,
    frequency,
    source,
    periods: state.periods.map(({ key, segment, documentCount }) => ({ key, segment, documentCount })),
    dictionaries: namesOf(dictionaries),
    documentCount: documents.slots.length,
    categories,
    columns,
  };
  return [...Object.values(columns).flat(), await writeManifest(outputDirectory, manifest)];
}

/** What becomes of the documents of the earlier generation. */
async function changeDocuments(state: BuildState): Promise<OrderedDocuments> {
  const savedSlots = await readColumn(state.saved, 'document-slot');
  const changes = planChanges({ freshCount: state.freshCount, slots: savedSlots, renewed: state.renewed });
  lowerCounts(state.periods.slice(0, state.savedPeriodCount), changes.removed);
  return orderDocuments(state, { changes, savedSlots });
}

/** The earlier generation, or an empty state when it does not lead here. */
async function openState(
  { previous: directory, dictionaries, ...set }: SnapshotRequest,
  wanted: SnapshotRequest['periods'],
): Promise<BuildState> {
  const previous = directory === undefined ? undefined : await findManifest(directory);
  const isSameSet = previous && rankSetKey(previous) === rankSetKey(set);
  if (directory === undefined || !isSameSet || !isGrown(previous.dictionaries, namesOf(dictionaries))) {
    return await emptyState();
  }
  return startsWith(wanted, previous) ? await readState(directory, previous) : await emptyState();
}

/** Whether the wanted periods begin with those of the earlier generation, in the same revisions. */
function startsWith(wanted: SnapshotRequest['periods'], previous: SnapshotManifest): boolean {
  return previous.periods.every(({ key, segment }, i) => {
    const target = wanted[i];
    return target && key === periodKey(target.period) && segment === basename(target.segmentPath);
  });
}

function isGrown(older: DictionaryFiles, newer: DictionaryFiles): boolean {
  return DICTIONARY_KINDS.every((kind) => older[kind].every((name, i) => newer[kind][i] === name));
}

function namesOf(paths: DictionaryFiles): DictionaryFiles {
  const names = DICTIONARY_KINDS.map((kind) => [kind, paths[kind].map((path) => basename(path))]);
  return Object.fromEntries(names);
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
