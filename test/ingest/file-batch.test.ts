// The steps between the rows of periods and a manifest that names their files, with snapshots of one small file.
import { link, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IsoDate } from '../../src/domain/period.ts';
import { listPeriods } from '../../src/domain/rank-publisher.ts';
import type { PublishedPeriod, RankSet } from '../../src/domain/store.ts';
import type { StoredFile } from '../../src/domain/stored-file.ts';
import { SharedDuckDb } from '../../src/ingest/duckdb.ts';
import { DuckDbSession } from '../../src/ingest/duckdb-session.ts';
import { SLOTS } from '../../src/ingest/formats/report-format.ts';
import { FileBatch, type FileBatchOptions } from '../../src/ingest/publish/file-batch.ts';
import { selectPeriod } from '../../src/ingest/reading/period-rows.ts';
import { SessionRows } from '../../src/ingest/session-rows.ts';
import {
  DICTIONARY_KINDS,
  type DictionaryKind,
  listDictionary,
  type Manifest,
  type SnapshotRequest,
} from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const NOW = new Date('2026-02-03T04:05:06Z');
const BEFORE = new Date('2025-01-01T00:00:00Z');
const US_MONTHS: RankSet = { marketplace: 'US', source: 'search', frequency: 'monthly' };
/** Of all segments of a set; see SMALL_SET_BYTES. */
const LARGE_BYTES = 64_000_000;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let connection: pg.PoolClient;
let duckDb: SharedDuckDb;
let sessions: DuckDbSession[];
let requests: SnapshotRequest[];
let stages: string[];

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  database = await makeDatabase();
  // As with the import lock, all happens on one connection.
  connection = await database.operator.connect();
  duckDb = new SharedDuckDb({
    memoryLimitBytes: 100_000_000,
    threads: 1,
    temporaryDirectory: join(directory.path, 'spill'),
    maxTemporaryBytes: 1_000_000,
  });
});
afterAll(async () => {
  await duckDb[Symbol.asyncDispose]();
  connection.release();
  await directory[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.owner.query(`DELETE FROM rank_periods; DELETE FROM kept_revisions; DELETE FROM dictionary_deltas;
    DELETE FROM snapshot_files; DELETE FROM publications; DELETE FROM audit_log;
    UPDATE rank_statistics SET version = 0, computed_at = NULL, total_data_points = 0`);
  [sessions, requests, stages] = [[], [], []];
});
afterEach(async () => {
  for (const session of sessions) await session[Symbol.asyncDispose]();
});

/** Reads what it is given, and writes one file. */
async function buildSmall(request: SnapshotRequest): Promise<readonly { readonly name: string }[]> {
  requests.push(request);
  for (const { segmentPath } of request.periods) await request.beforeRead?.(segmentPath);
  for (const path of Object.values(request.dictionaries).flat()) await request.beforeRead?.(path);
  await mkdir(request.outputDirectory);
  await writeFile(join(request.outputDirectory, 'columns'), 'snapshot');
  return [{ name: 'columns' }];
}

function openBatch(given: Partial<FileBatchOptions> = {}): Promise<FileBatch> {
  const { path: dataDirectory } = directory;
  return FileBatch.open({ connection, dataDirectory, buildSnapshot: buildSmall, now: () => NOW, ...given });
}

const onStage = (stage: string) => void stages.push(stage);
const load = () => loadManifest(database.operator);
const absolute = ({ path }: Pick<StoredFile, 'path'>) => join(directory.path, path);

/** A report with one row. */
async function openRows(term: string, { hasProducts = false } = {}): Promise<SessionRows> {
  const session = await DuckDbSession.open(await duckDb.openDatabase());
  sessions.push(session);
  const text = hasProducts ? `'${term}'` : 'NULL::VARCHAR';
  const columns = SLOTS.map(
    (slot) => `${text} AS asin_${slot}, ${text} AS title_${slot}, ${text} AS brand_${slot}, ${text} AS category_${slot},
      1::SMALLINT AS click_share_${slot}, 1::SMALLINT AS conversion_share_${slot}`,
  );
  await session.run(`CREATE TABLE report_rows AS SELECT '${term}' AS normalized, NULL::VARCHAR AS original,
    NULL::VARCHAR AS mark, 1::UINTEGER AS rank, ${columns.join(', ')}`);
  await selectPeriod(session, { period: { frequency: 'monthly', year: 2026, number: 1 } });
  return new SessionRows(session, { hasProducts });
}

type PeriodChange = Partial<PublishedPeriod> & { readonly month?: number };

function periodOf({ month = 1, ...change }: PeriodChange = {}): PublishedPeriod {
  const revision = change.revision ?? 1;
  return {
    marketplace: 'US',
    source: 'search',
    period: { frequency: 'monthly', year: 2026, number: month },
    revision,
    startDate: '2026-01-01' as IsoDate,
    endDate: '2026-01-31' as IsoDate,
    keywords: 1,
    dataPoints: 1,
    publishedAt: new Date(0),
    sourceFile: 'report.csv',
    warnings: [],
    digest: `digest ${revision}`,
    ...change,
  };
}

async function add(batch: FileBatch, change: PeriodChange = {}, rows?: SessionRows): Promise<void> {
  await batch.add(periodOf(change), rows ?? (await openRows('term')), { onStage });
}

/** Publishes periods in one batch. */
async function publish(...changes: readonly PeriodChange[]): Promise<Manifest> {
  const batch = await openBatch();
  for (const change of changes) await add(batch, change);
  await batch.publish({ onStage });
  return await load();
}

function onlyOne<T>([item, ...others]: readonly T[]): T {
  if (item === undefined || others.length > 0) throw new Error(`${others.length} more than one`);
  return item;
}

async function damage(...files: readonly Pick<StoredFile, 'path'>[]): Promise<void> {
  for (const file of files) await writeFile(absolute(file), 'damaged');
}

describe('a batch of periods', () => {
  it('is published in one step, with a snapshot for each of its sets', async () => {
    const batch = await openBatch();
    const rows = await openRows('first');
    expect(await batch.add(periodOf(), rows, { onStage })).toEqual({ newTerms: 1 });
    expect(await batch.add(periodOf({ month: 2 }), rows, { onStage })).toEqual({ newTerms: 0 });
    await add(batch, { marketplace: 'DE' });
    await add(batch, { source: 'social' }, await openRows('second', { hasProducts: true }));
    await add(batch, { period: { frequency: 'weekly', year: 2026, number: 1 } });
    expect(batch.draft.periods).toHaveLength(5);
    expect(await load()).toMatchObject({ version: 0, periods: [], dictionaries: [] });
    stages = [];
    await batch.publish({ onStage });
    expect(stages).toEqual(['snapshot', 'publishing']);
    const manifest = await load();
    expect(manifest).toMatchObject({ version: 1, computedAt: NOW });
    expect(manifest.periods).toHaveLength(5);
    expect(batch.draft).toMatchObject({ version: 1, computedAt: NOW, snapshots: manifest.snapshots });
    const setOf = ({ marketplace, source, frequency }: RankSet) => `${marketplace} ${source} ${frequency}`;
    const sets = ['DE search monthly', 'US search monthly', 'US search weekly', 'US social monthly'];
    expect(requests.map(setOf).sort()).toEqual(sets);
    expect(manifest.snapshots.map(setOf)).toEqual(sets);
    const pathsOf = (kind: DictionaryKind) =>
      listDictionary(manifest, { marketplace: 'US', kind }).map(({ file }) => absolute(file));
    const [terms, products, brands, categories] = DICTIONARY_KINDS.map(pathsOf);
    expect([terms, products, brands, categories].map((paths) => paths?.length)).toEqual([3, 1, 1, 1]);
    expect(requests).toContainEqual(
      expect.objectContaining({
        ...US_MONTHS,
        periods: listPeriods(manifest, US_MONTHS).map(({ period, segment }) => ({
          period,
          segmentPath: absolute(segment),
        })),
        dictionaries: { terms, products, brands, categories },
      }),
    );
    expect(requests.filter((request) => 'previous' in request || 'signal' in request)).toEqual([]);
    for (const { files, ...set } of manifest.snapshots) {
      const file = onlyOne(files);
      expect(file.path).toMatch(
        new RegExp(`^snapshots/${set.marketplace}/${set.source}-${set.frequency}-1\\.[0-9a-f]{8}/columns$`),
      );
      expect(file.sizeBytes).toBe('snapshot'.length);
      expect(await readFile(absolute(file), 'utf8')).toBe('snapshot');
    }
  });

  it('has nothing left to publish afterwards', async () => {
    const batch = await openBatch();
    await batch.publish({ onStage });
    expect([stages, (await load()).version]).toEqual([[], 0]);
    await add(batch);
    await batch.publish({ onStage });
    batch.withdraw(onlyOne(batch.draft.periods));
    await batch.publish({ onStage });
    await add(batch);
    await batch.publish({ onStage });
    // What was withdrawn once stays withdrawn no longer than until it is published again.
    expect(onlyOne((await load()).periods)).toMatchObject(periodOf({ publishedAt: NOW }));
    stages = [];
    await batch.publish({ onStage });
    expect([stages, (await load()).version]).toEqual([[], 3]);
  });

  it('replaces an older snapshot of the same set, which it hands on with what is known of its files', async () => {
    const before = await publish({}, { source: 'social' });
    const [file] = before.snapshots[0]?.files ?? [];
    if (!file) return expect.unreachable();
    const { signal } = new AbortController();
    const batch = await openBatch({
      signal,
      buildSnapshot: async (request) => {
        requests = [request];
        await mkdir(request.outputDirectory);
        await link(join(request.previous ?? '', 'columns'), join(request.outputDirectory, 'columns'));
        return [{ name: 'columns' }];
      },
    });
    await add(batch, { month: 2 });
    // What is linked is not read again.
    await damage(file);
    await batch.publish({ onStage });
    expect(requests).toMatchObject([{ previous: dirname(absolute(file)), signal }]);
    const [search, social] = (await load()).snapshots;
    expect(search?.files).toEqual([{ ...file, path: expect.stringMatching(/-2\.[0-9a-f]{8}\/columns$/) }]);
    expect(social).toEqual(before.snapshots[1]);
  });

  it('may withdraw periods; a set without any gets no snapshot', async () => {
    await publish({}, { month: 2 }, { source: 'social' });
    const batch = await openBatch();
    for (const period of batch.draft.periods.filter((each) => each.period.number !== 2)) batch.withdraw(period);
    expect(onlyOne(batch.draft.periods).period.number).toBe(2);
    expect(() => batch.withdraw(periodOf())).toThrow('a period that is not there');
    requests = [];
    const action = { action: 'period.withdraw', details: { why: 'wrong' } } as const;
    await batch.publish({ onStage, action });
    expect(requests.map(({ source, periods }) => [source, periods.length])).toEqual([['search', 1]]);
    const manifest = await load();
    expect(onlyOne(manifest.periods).period.number).toBe(2);
    expect(onlyOne(manifest.snapshots).source).toBe('search');
    expect((await database.owner.query('SELECT action, details FROM audit_log')).rows).toEqual([action]);
    expect(batch.draft).toEqual(manifest);
  });

  it('may bring back any revision that is kept, when its rows are whole', async () => {
    for (const revision of [1, 2, 3]) await publish({ revision });
    const { keptRevisions } = await load();
    expect(keptRevisions.map(({ published }) => published.revision)).toEqual([1, 2]);
    const [first, second] = keptRevisions;
    if (!first || !second) return expect.unreachable();
    const batch = await openBatch();
    await damage(first.published.segment);
    await expect(batch.restore(first, 4)).rejects.toThrow(`The published file ${first.published.segment.path} has`);
    await batch.restore(second, 4);
    const restored = { ...second.published, revision: 4 };
    expect(batch.draft.periods).toEqual([restored]);
    await batch.publish({ onStage });
    const { periods, keptRevisions: left } = await load();
    expect(periods).toEqual([{ ...restored, publishedAt: NOW }]);
    expect(left.map(({ published }) => published.revision)).toEqual([1, 3]);
    await expect(batch.restore(second, 5)).rejects.toThrow('a period that is not there');
  });

  it('knows whether a published period is stored whole', async () => {
    await publish({}, { month: 2 });
    const batch = await openBatch();
    const [january, february] = batch.draft.periods;
    if (!january || !february) return expect.unreachable();
    await damage(february.segment);
    const rows = await openRows('term');
    expect(await batch.isIntact(january, rows)).toBe(true);
    expect(await batch.isIntact(february, rows)).toBe(false);
    await expect(batch.isIntact(periodOf({ month: 3 }), rows)).rejects.toThrow('a period that is not there');
  });

  it('verifies files that were published before, and not its own', async () => {
    const batch = await openBatch();
    await add(batch);
    const [period, delta] = [onlyOne(batch.draft.periods), onlyOne(batch.draft.dictionaries)];
    await damage(period.segment, delta.file);
    await batch.publish({ onStage });
    const next = await openBatch();
    await add(next, { marketplace: 'DE' });
    await next.publish({ onStage });
    await expect(next.rebuild([US_MONTHS])).rejects.toThrow(`The published file ${period.segment.path} has`);
    expect((await load()).version).toBe(2);
  });

  it('may begin with rows before they are added, and does that part once', async () => {
    await publish({});
    const { file } = onlyOne((await load()).dictionaries);
    const batch = await openBatch();
    const rows = await openRows('other');
    const tables = `SELECT table_oid FROM duckdb_tables() WHERE database_name = current_database() AND table_name = 'seen_terms'`;
    const numberedOf = async () => (await rows.session.row(tables)).table_oid;
    await batch.expect(periodOf({ month: 2 }), rows);
    const numbered = await numberedOf();
    expect(await batch.add(periodOf({ month: 2 }), rows, { onStage })).toEqual({ newTerms: 1 });
    expect(await numberedOf()).toBe(numbered);
    await damage(file);
    const later = await openBatch();
    await expect(later.expect(periodOf({ month: 3 }), rows)).rejects.toThrow(`The published file ${file.path} has`);
  });

  it('takes periods as soon as the directory is ready, at once unless told otherwise', async () => {
    await (await openBatch()).ready;
    const ready = Promise.resolve();
    expect((await openBatch({ ready })).ready).toBe(ready);
  });

  it('says when a snapshot was damaged, to whoever listens', async () => {
    const buildSnapshot = (request: SnapshotRequest) => {
      request.onDamaged?.(new Error('A file is damaged.'));
      return buildSmall(request);
    };
    const warnings: string[] = [];
    const onWarning = (message: string) => void warnings.push(message);
    for (const options of [{ buildSnapshot, onWarning }, { buildSnapshot }]) {
      const batch = await openBatch(options);
      await add(batch);
      await batch.publish({ onStage });
    }
    expect(warnings).toEqual(['A file is damaged. The snapshot was built from the segments again.']);
    expect((await load()).version).toBe(2);
  });

  it('publishes nothing once it is told to stop', async () => {
    const controller = new AbortController();
    const batch = await openBatch({
      signal: controller.signal,
      buildSnapshot: (request) => {
        controller.abort(new Error('stopped'));
        return buildSmall(request);
      },
    });
    await add(batch);
    await expect(batch.publish({ onStage })).rejects.toThrow('stopped');
    expect((await load()).version).toBe(0);
  });
});

describe('snapshots that are built again', () => {
  const SETS = ['US', 'DE', 'FR'].map((marketplace) => ({ ...US_MONTHS, marketplace }));

  it('replace those of the same content, without a change that anyone could see', async () => {
    await (await openBatch()).rebuild([]);
    expect(await load()).toMatchObject({ version: 1, computedAt: NOW });
    const before = await publish({}, { source: 'social' });
    await database.owner.query('UPDATE rank_statistics SET computed_at = $1', [BEFORE]);
    const batch = await openBatch();
    await batch.rebuild([US_MONTHS]);
    const after = await load();
    expect(after).toEqual({ ...before, version: 3, computedAt: BEFORE, snapshots: expect.anything() });
    const paths = ({ snapshots }: Manifest) => snapshots.map(({ files }) => onlyOne(files).path);
    expect(paths(after)[0]).not.toBe(paths(before)[0]);
    expect(paths(after)[1]).toBe(paths(before)[1]);
    expect(batch.draft).toEqual(after);
  });

  it('are built at once when all of them are small', async () => {
    await publish(...SETS.flatMap(({ marketplace }) => [{ marketplace }, { marketplace, month: 2 }]));
    await database.owner.query('UPDATE rank_periods SET size_bytes = $1 - number', [LARGE_BYTES / 2 + 1]);
    let underWay = 0;
    const batch = await openBatch({
      buildSnapshot: async (request) => {
        underWay += 1;
        while (underWay < SETS.length) await sleep(1);
        await mkdir(request.outputDirectory);
        return [];
      },
    });
    await batch.rebuild(SETS);
  });

  it('are built one after the other when they are large, after the small ones', async () => {
    await publish(...SETS.flatMap(({ marketplace }) => [{ marketplace }, { marketplace, month: 2 }]));
    await database.owner.query(`UPDATE rank_periods SET size_bytes = CASE marketplace WHEN 'DE' THEN 1 ELSE $1 END`, [
      LARGE_BYTES / 2,
    ]);
    const steps: string[] = [];
    const batch = await openBatch({
      buildSnapshot: async (request) => {
        steps.push(`${request.marketplace} begins`);
        await sleep(20);
        await mkdir(request.outputDirectory);
        steps.push(`${request.marketplace} ends`);
        return [];
      },
    });
    await batch.rebuild(SETS);
    expect(steps).toEqual(['DE begins', 'DE ends', 'US begins', 'US ends', 'FR begins', 'FR ends']);
    expect((await load()).snapshots).toEqual([]);
  });
});
