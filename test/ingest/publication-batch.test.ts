// The steps between prepared periods and a manifest that names them, with snapshots of one small file.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PublicationBatch } from '../../src/ingest/publication-batch.ts';
import { writeDurably } from '../../src/ingest/publish/durable-file.ts';
import type {
  PreparedPeriod,
  PublishedPeriod,
  SnapshotRequest,
  StoredFile,
} from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const NOW = new Date('2026-02-03T04:05:06Z');
const LARGE_BYTES = 64_000_000;

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let connection: pg.PoolClient;
let requests: SnapshotRequest[];
let underWay: number;
let mostUnderWay: number;
let warnings: string[];
beforeAll(async () => {
  directory = await openTemporaryDirectory();
  database = await makeDatabase();
  // As with the import lock, all happens on one connection.
  connection = await database.operator.connect();
});
afterAll(async () => {
  connection.release();
  await directory[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await database.owner.query(`DELETE FROM rank_periods; DELETE FROM kept_revisions; DELETE FROM dictionary_deltas;
    DELETE FROM snapshot_files; DELETE FROM publications; DELETE FROM audit_log;
    UPDATE rank_statistics SET version = 0, computed_at = NULL, total_data_points = 0`);
  requests = [];
  warnings = [];
  underWay = 0;
  mostUnderWay = 0;
});

/** Reads what it is given, and writes one file. */
async function buildSmall(request: SnapshotRequest): Promise<readonly { readonly name: string }[]> {
  requests.push(request);
  underWay += 1;
  mostUnderWay = Math.max(mostUnderWay, underWay);
  for (const { segmentPath } of request.periods) await request.beforeRead?.(segmentPath);
  for (const path of Object.values(request.dictionaries).flat()) await request.beforeRead?.(path);
  await mkdir(request.outputDirectory);
  await writeFile(join(request.outputDirectory, 'columns'), 'snapshot');
  underWay -= 1;
  return [{ name: 'columns' }];
}

interface OpenOptions {
  readonly signal?: AbortSignal;
  readonly build?: typeof buildSmall;
}

function openBatch({ signal, build = buildSmall }: OpenOptions = {}) {
  return PublicationBatch.open({
    connection,
    dataDirectory: directory.path,
    buildSnapshot: build,
    now: () => NOW,
    onWarning: (message) => void warnings.push(message),
    signal,
  });
}

async function write(path: string): Promise<StoredFile> {
  return await writeDurably({ dataDirectory: directory.path, path }, (temporary) => writeFile(temporary, path));
}

async function prepare(
  change: Partial<PublishedPeriod> & { readonly month?: number; readonly sizeBytes?: number } = {},
): Promise<PreparedPeriod> {
  const { month = 1, sizeBytes, ...given } = change;
  const segment = await write(`segments/${given.marketplace ?? 'US'}-${given.source ?? 'search'}-${month}`);
  const period: PublishedPeriod = {
    marketplace: 'US',
    source: 'search',
    period: { frequency: 'monthly', year: 2026, number: month },
    revision: 1,
    startDate: '2026-01-01' as PublishedPeriod['startDate'],
    endDate: '2026-01-31' as PublishedPeriod['endDate'],
    keywords: 1,
    dataPoints: 1,
    publishedAt: new Date(0),
    sourceFile: 'report.csv',
    warnings: [],
    digest: segment.path,
    ...given,
    segment: sizeBytes === undefined ? segment : { ...segment, sizeBytes },
  };
  return { period, dictionaries: [] };
}

const load = () => loadManifest(database.operator);
const noStage = () => {};

describe('a batch of periods', () => {
  it('is published in one step, with a snapshot for each of its sets', async () => {
    const batch = await openBatch();
    const [january, february, german] = [
      await prepare(),
      await prepare({ month: 2 }),
      await prepare({ marketplace: 'DE' }),
    ];
    const social = await prepare({ source: 'social' });
    const terms = { marketplace: 'US', kind: 'terms', sequence: 1, nextId: 1, file: await write('terms') } as const;
    batch.add([{ ...january, dictionaries: [terms] }, february]);
    batch.add([german, social]);
    expect(batch.draft.periods).toHaveLength(4);
    expect((await load()).periods).toEqual([]);
    const stages: string[] = [];
    await batch.publish((stage) => stages.push(stage));
    expect(stages).toEqual(['snapshot', 'publishing']);
    const manifest = await load();
    expect(manifest).toMatchObject({ version: 1, computedAt: NOW });
    expect(manifest.periods).toHaveLength(4);
    expect(batch.draft).toMatchObject({ version: 1, computedAt: NOW, snapshots: manifest.snapshots });
    const absolute = ({ path }: StoredFile) => join(directory.path, path);
    expect(requests).toHaveLength(3);
    expect(requests).toContainEqual(
      expect.objectContaining({
        marketplace: 'US',
        source: 'search',
        frequency: 'monthly',
        periods: [january, february].map(({ period }) => ({
          period: period.period,
          segmentPath: absolute(period.segment),
        })),
        dictionaries: { terms: [absolute(terms.file)], products: [], brands: [], categories: [] },
      }),
    );
    expect(requests.every((request) => !('previous' in request) && !('signal' in request))).toBe(true);
    const [german1, search1, social1] = manifest.snapshots;
    expect([german1?.marketplace, search1?.source, social1?.source]).toEqual(['DE', 'search', 'social']);
    for (const { files } of manifest.snapshots) {
      expect(files).toEqual([
        {
          path: expect.stringMatching(/^snapshots\/.+\.[0-9a-f]{8}\/columns$/),
          sizeBytes: 8,
          sha256: expect.any(String),
        },
      ]);
      expect(await readFile(absolute(files[0] as StoredFile), 'utf8')).toBe('snapshot');
    }
    // There is nothing left to publish.
    await batch.publish((stage) => stages.push(stage));
    expect(stages).toHaveLength(2);
    expect((await load()).version).toBe(1);
  });

  it('hands on the snapshot that it replaces, and that of no other set', async () => {
    const batch = await openBatch();
    batch.add([await prepare(), await prepare({ source: 'social' })]);
    await batch.publish(noStage);
    const [search] = (await load()).snapshots;
    const { signal } = new AbortController();
    const next = await openBatch({ signal });
    next.add([await prepare({ month: 2 })]);
    await next.publish(noStage);
    expect(requests).toHaveLength(3);
    expect(requests[2]).toMatchObject({ previous: join(directory.path, search?.files[0]?.path ?? '', '..'), signal });
    expect(requests[2]?.periods).toHaveLength(2);
    expect(requests[2]?.outputDirectory).toMatch(/2\.[0-9a-f]{8}$/);
  });

  it('may withdraw periods; a set without any gets no snapshot', async () => {
    const batch = await openBatch();
    const [january, february, social] = [
      await prepare(),
      await prepare({ month: 2 }),
      await prepare({ source: 'social' }),
    ];
    batch.add([january, february, social]);
    await batch.publish(noStage);
    requests = [];
    const published = (await load()).periods;
    for (const period of published.filter((each) => each.period.number !== 2)) batch.withdraw(period);
    expect(batch.draft.periods).toHaveLength(1);
    const action = { action: 'period.withdraw', details: { why: 'wrong' } } as const;
    await batch.publish(noStage, action);
    expect((await load()).periods.map(({ period }) => period.number)).toEqual([2]);
    expect((await load()).snapshots).toHaveLength(1);
    expect(requests.map(({ source, periods }) => [source, periods.length])).toEqual([['search', 1]]);
    expect((await database.owner.query('SELECT action, details FROM audit_log')).rows).toEqual([action]);
    expect(batch.draft).toEqual(await load());
  });

  it('builds small sets at once, and large ones one after the other', async () => {
    const sets = [{ marketplace: 'US' }, { marketplace: 'DE' }, { marketplace: 'FR' }];
    const add = async (sizeBytes: number) => {
      const batch = await openBatch({
        build: async (request) => {
          requests.push(request);
          underWay += 1;
          mostUnderWay = Math.max(mostUnderWay, underWay);
          await mkdir(request.outputDirectory);
          await new Promise((resolve) => setTimeout(resolve, 20));
          underWay -= 1;
          return [];
        },
      });
      batch.add(await Promise.all(sets.map((set) => prepare({ ...set, month: (sizeBytes % 11) + 1, sizeBytes }))));
      await batch.publish(noStage);
    };
    await add(LARGE_BYTES - 1);
    expect([requests.length, mostUnderWay]).toEqual([3, 3]);
    requests = [];
    mostUnderWay = 0;
    await database.owner.query('DELETE FROM rank_periods');
    await add(LARGE_BYTES);
    expect([requests.length, mostUnderWay]).toEqual([3, 1]);
  });

  it('verifies files that were published before, and not its own', async () => {
    const batch = await openBatch();
    const [january, february] = [await prepare(), await prepare({ month: 2 })];
    batch.add([january]);
    // Its own are known to be whole, whatever lies there now.
    await writeFile(join(directory.path, january.period.segment.path), 'damaged');
    await batch.publish(noStage);
    const next = await openBatch();
    next.add([february]);
    await expect(next.publish(noStage)).rejects.toThrow(`The published file ${january.period.segment.path} has`);
    expect((await load()).version).toBe(1);
  });

  it('says when a snapshot was damaged', async () => {
    const batch = await openBatch({
      build: (request) => {
        request.onDamaged?.(new Error('A file is damaged.'));
        return buildSmall(request);
      },
    });
    batch.add([await prepare()]);
    await batch.publish(noStage);
    expect(warnings).toEqual(['A file is damaged. The snapshot was built from the segments again.']);
  });

  it('publishes nothing once it is told to stop', async () => {
    const controller = new AbortController();
    const batch = await openBatch({
      signal: controller.signal,
      build: (request) => {
        controller.abort(new Error('stopped'));
        return buildSmall(request);
      },
    });
    batch.add([await prepare()]);
    await expect(batch.publish(noStage)).rejects.toThrow('stopped');
    expect((await load()).version).toBe(0);
  });

  it('rebuilds a snapshot without a change that anyone could see', async () => {
    const batch = await openBatch();
    batch.add([await prepare()]);
    await batch.publish(noStage);
    const before = await load();
    await database.owner.query(`UPDATE rank_statistics SET computed_at = '2025-01-01T00:00:00Z'`);
    const again = await openBatch();
    const set = { marketplace: 'US', source: 'search', frequency: 'monthly' } as const;
    await again.rebuild([set]);
    const after = await load();
    expect(after).toMatchObject({ version: 2, computedAt: new Date('2025-01-01T00:00:00Z'), periods: before.periods });
    expect(after.snapshots[0]?.files[0]?.path).not.toBe(before.snapshots[0]?.files[0]?.path);
    expect(again.draft).toEqual(after);
  });
});
