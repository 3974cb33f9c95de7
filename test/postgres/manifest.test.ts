import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Listener } from '../../src/postgres/listener.ts';
import type {
  DictionaryDelta,
  PreparedPeriod,
  PublishedSnapshot,
  StoredPeriod,
} from '../../src/snapshot/manifest/manifest.ts';
import {
  followVersions,
  forgetRevisions,
  loadManifest,
  loadManifestVersion,
  MANIFEST_CHANNEL,
  publish,
} from '../../src/snapshot/manifest/manifest-rows.ts';
import { endListeners, makeDatabase, type TestDatabase } from '../support/database.ts';

const AT = new Date('2026-02-03T04:05:06.789Z');
const LATER = new Date('2026-03-04T05:06:07.891Z');

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() =>
  database.owner.query(`DELETE FROM rank_periods; DELETE FROM kept_revisions; DELETE FROM dictionary_deltas;
    DELETE FROM snapshot_files; DELETE FROM publications; DELETE FROM audit_log;
    UPDATE rank_statistics SET version = 0, computed_at = NULL, total_data_points = 0`),
);

type PeriodChange = Partial<Omit<StoredPeriod, 'period'>> & { readonly month?: number; readonly year?: number };

function periodOf({ month = 1, year = 2026, ...change }: PeriodChange = {}): StoredPeriod {
  const revision = change.revision ?? 1;
  const { marketplace = 'US', source = 'search' } = change;
  return {
    marketplace,
    source,
    period: { frequency: 'monthly', year, number: month },
    revision,
    startDate: `${year}-01-01` as StoredPeriod['startDate'],
    endDate: `${year}-01-31` as StoredPeriod['endDate'],
    keywords: 7,
    dataPoints: 49,
    publishedAt: AT,
    sourceFile: 'report.csv',
    warnings: ['one', 'two'],
    digest: `digest ${revision}`,
    segment: fileOf(`segments/${marketplace}-${source}-${year}-${month}-r${revision}`),
    ...change,
  };
}

function fileOf(path: string) {
  return { path, sizeBytes: path.length, sha256: createHash('sha256').update(path).digest('hex') };
}

function deltaOf(kind: DictionaryDelta['kind'], sequence: number, marketplace = 'US'): DictionaryDelta {
  return { marketplace, kind, sequence, nextId: 10 * sequence, file: fileOf(`${marketplace}-${kind}-${sequence}`) };
}

function snapshotOf(name: string, change: Partial<PublishedSnapshot> = {}): PublishedSnapshot {
  const files = ['a', 'b'].map((file) => fileOf(`snapshots/${name}/${file}`));
  return { marketplace: 'US', source: 'search', frequency: 'monthly', files, ...change };
}

const prepare = (...periods: readonly StoredPeriod[]): readonly PreparedPeriod[] =>
  periods.map((period) => ({ period, dictionaries: [] }));

/** Publishes on a connection of its own, as whoever holds the import lock does. */
async function publishNow(publication: Partial<Parameters<typeof publish>[1]>): Promise<number> {
  const connection = await database.operator.connect();
  try {
    return await publish(connection, { prepared: [], snapshots: [], publishedAt: AT, ...publication });
  } finally {
    connection.release();
  }
}

const load = () => loadManifest(database.service);

describe('a manifest', () => {
  it('is empty before anything was published', async () => {
    expect(await load()).toEqual({
      id: expect.any(String),
      storage: null,
      version: 0,
      computedAt: null,
      totalDataPoints: 0,
      periods: [],
      dictionaries: [],
      snapshots: [],
      keptRevisions: [],
    });
    expect(await loadManifestVersion(database.service)).toBe(0);
  });

  it('has all that was published, in order, with the time of its publication', async () => {
    const periods = [
      periodOf({ month: 2 }),
      periodOf({ month: 12, year: 2025, dataPoints: 1 }),
      periodOf({ marketplace: 'DE' }),
      periodOf({ source: 'social', publishedAt: new Date(0) }),
    ];
    const deltas = [deltaOf('terms', 2), deltaOf('terms', 1), deltaOf('brands', 1), deltaOf('terms', 1, 'DE')];
    const snapshots = [
      snapshotOf('one'),
      snapshotOf('two', { source: 'social' }),
      snapshotOf('three', { marketplace: 'DE' }),
      snapshotOf('four', { frequency: 'weekly' }),
    ];
    const prepared = periods.map((period, i) => ({ period, dictionaries: i === 0 ? deltas : [] }));
    expect(await publishNow({ prepared, snapshots })).toBe(1);
    const [february, december, german, social] = periods;
    expect(await load()).toEqual({
      id: expect.any(String),
      storage: null,
      version: 1,
      computedAt: AT,
      totalDataPoints: 3 * 49 + 1,
      periods: [german, december, february, { ...social, publishedAt: AT }],
      dictionaries: [deltas[3], deltas[2], deltas[1], deltas[0]],
      snapshots: [snapshots[2], snapshots[0], snapshots[3], snapshots[1]],
      keptRevisions: [],
    });
    expect(await publishNow({ publishedAt: LATER })).toBe(2);
    expect(await load()).toMatchObject({ version: 2, computedAt: LATER });
    expect(await loadManifestVersion(database.service)).toBe(2);
  });

  it('keeps a revision that other content replaces, and not one of the same content', async () => {
    const others = [
      periodOf({ month: 2 }),
      periodOf({ year: 2025 }),
      periodOf({ marketplace: 'DE' }),
      periodOf({ source: 'social' }),
    ];
    const first = periodOf();
    await publishNow({ prepared: prepare(first, ...others) });
    const second = periodOf({
      revision: 2,
      startDate: '2026-01-02' as StoredPeriod['startDate'],
      endDate: '2026-01-30' as StoredPeriod['endDate'],
      keywords: 8,
      dataPoints: 50,
      sourceFile: 'other.csv',
      warnings: [],
    });
    await publishNow({ prepared: prepare(second), publishedAt: LATER });
    const kept = { published: first, endedAt: LATER, reason: 'replaced' };
    const { periods, keptRevisions } = await load();
    expect(periods).toContainEqual({ ...second, publishedAt: LATER });
    expect(periods).toHaveLength(1 + others.length);
    expect(keptRevisions).toEqual([kept]);
    // The same content was damaged: there is nothing to keep.
    await publishNow({ prepared: prepare({ ...second, segment: fileOf('mended') }), publishedAt: LATER });
    expect((await load()).keptRevisions).toEqual([kept]);
    // One that comes back is kept no more.
    await publishNow({ prepared: prepare({ ...first, revision: 3, digest: 'third' }), publishedAt: LATER });
    expect((await load()).keptRevisions.map(({ published }) => published.revision)).toEqual([2]);
  });

  it('loses a period that is withdrawn, keeps it, and drops the snapshot of a set that has none left', async () => {
    const months = [periodOf(), periodOf({ month: 2 })];
    const week = {
      ...periodOf({ segment: fileOf('week') }),
      period: { frequency: 'weekly', year: 2026, number: 1 } as const,
    };
    const others = [periodOf({ marketplace: 'DE' }), periodOf({ source: 'social' })];
    const snapshots = [
      snapshotOf('us'),
      snapshotOf('de', { marketplace: 'DE' }),
      snapshotOf('so', { source: 'social' }),
    ];
    await publishNow({
      prepared: prepare(...months, ...others, week),
      snapshots: [...snapshots, snapshotOf('we', { frequency: 'weekly' })],
    });
    const [january, february] = months;
    if (!january || !february) return expect.unreachable();
    await publishNow({ withdrawn: [february], publishedAt: LATER });
    expect(await load()).toMatchObject({ totalDataPoints: 4 * 49 });
    const { periods, snapshots: left, keptRevisions } = await load();
    expect(periods).toEqual([others[0], january, week, others[1]]);
    expect(left).toHaveLength(4);
    expect(keptRevisions).toEqual([{ published: february, endedAt: LATER, reason: 'withdrawn' }]);
    await publishNow({ withdrawn: [january], publishedAt: LATER });
    expect((await load()).snapshots.map(({ files }) => files[0]?.path)).toEqual([
      'snapshots/de/a',
      'snapshots/we/a',
      'snapshots/so/a',
    ]);
  });

  it('has one snapshot for each set, the newest', async () => {
    const weekly = snapshotOf('weekly', { frequency: 'weekly' });
    await publishNow({
      snapshots: [
        snapshotOf('old'),
        weekly,
        snapshotOf('de', { marketplace: 'DE' }),
        snapshotOf('so', { source: 'social' }),
      ],
    });
    await publishNow({ snapshots: [snapshotOf('new')] });
    const { snapshots } = await load();
    expect(snapshots).toHaveLength(4);
    expect(snapshots).toContainEqual(snapshotOf('new'));
    expect(snapshots).toContainEqual(weekly);
  });

  it('forgets revisions that ended before an instant', async () => {
    const [first, second] = [periodOf(), periodOf({ month: 2 })];
    await publishNow({ prepared: prepare(first, second) });
    await publishNow({ withdrawn: [first], publishedAt: AT });
    await publishNow({ withdrawn: [second], publishedAt: LATER });
    await forgetRevisions(database.operator, { before: LATER });
    expect((await load()).keptRevisions.map(({ published }) => published)).toEqual([second]);
  });

  it('is changed with the news for those who watch, the record of what an operator did, and word to the servers', async () => {
    const client = new pg.Client(database.server.connection('keyrank_owner'));
    await client.connect();
    const heard: unknown[] = [];
    client.on('notification', ({ payload }) => heard.push(payload));
    try {
      await client.query(`LISTEN ${MANIFEST_CHANNEL}`);
      await publishNow({ publishedAt: AT });
      expect((await load()).totalDataPoints).toBe(0);
      const action = { action: 'period.withdraw', details: { period: '01-2026' } } as const;
      await publishNow({
        prepared: prepare(periodOf({ revision: 2 }), periodOf({ month: 2 })),
        publishedAt: LATER,
        action,
      });
      while (heard.length < 2) await sleep(5);
      expect(heard).toEqual(['1', '2']);
      const { rows } = await database.owner.query(
        `SELECT marketplace, source, frequency, year, number, revision, start_date::text, end_date::text, keywords, published_at,
           manifest_version, attempts, next_attempt_at <= now() AS is_due FROM publications ORDER BY id`,
      );
      const news = {
        ...{ marketplace: 'US', source: 'search', frequency: 'monthly', year: 2026, number: 1, revision: 2 },
        ...{ start_date: '2026-01-01', end_date: '2026-01-31', keywords: 7, published_at: LATER, manifest_version: 2 },
        ...{ attempts: 0, is_due: true },
      };
      expect(rows).toEqual([news, { ...news, number: 2, revision: 1 }]);
      const audit = await database.owner.query('SELECT action, details FROM audit_log');
      expect(audit.rows).toEqual([action]);
    } finally {
      await client.end();
    }
  });

  it('stays as it was when a publication fails, and the connection is of use again', async () => {
    await publishNow({ prepared: prepare(periodOf()) });
    const before = await load();
    const connection = await database.operator.connect();
    try {
      const failing = publish(connection, {
        prepared: [{ period: periodOf({ month: 2 }), dictionaries: [deltaOf('terms', 1), deltaOf('terms', 1)] }],
        snapshots: [],
        publishedAt: LATER,
      });
      await expect(failing).rejects.toThrow('duplicate key');
      expect((await connection.query('SELECT pg_current_xact_id_if_assigned() AS id')).rows).toEqual([{ id: null }]);
    } finally {
      connection.release();
    }
    expect(await load()).toEqual(before);
  });
});

describe('whoever follows publications', () => {
  let listener: Listener;
  let looks: number;
  let seen: number[];
  let isReachable: boolean;
  beforeEach(async () => {
    listener = await Listener.open({ server: database.server, onError: () => {} });
    [looks, seen, isReachable] = [0, [], true];
  });
  afterEach(async () => {
    vi.useRealTimers();
    await listener[Symbol.asyncDispose]();
  });

  const follow = () =>
    followVersions({
      listener,
      loadVersion: async () => {
        looks += 1;
        if (!isReachable) throw new Error('the database is not there');
        return await loadManifestVersion(database.service);
      },
      onVersion: (version) => void seen.push(version),
    });

  it('is told of the newest version at once, when one is announced, and every ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const following = await follow();
    expect(seen).toEqual([0]);
    await publishNow({});
    while (seen.length < 2) await sleep(5);
    expect([seen, looks]).toEqual([[0, 1], 2]);
    // What was announced may not have been heard.
    await database.owner.query('UPDATE rank_statistics SET version = 7');
    vi.advanceTimersByTime(9_999);
    expect(looks).toBe(2);
    isReachable = false;
    vi.advanceTimersByTime(1);
    expect(looks).toBe(3);
    isReachable = true;
    vi.advanceTimersByTime(10_000);
    while (seen.length < 3) await sleep(5);
    expect(seen).toEqual([0, 1, 7]);
    following[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is told again when the listener was lost and is back', async () => {
    using _following = await follow();
    await database.owner.query('UPDATE rank_statistics SET version = 7');
    await endListeners(database);
    while (seen.length < 2) await sleep(5);
    expect(seen).toEqual([0, 7]);
  });
});
