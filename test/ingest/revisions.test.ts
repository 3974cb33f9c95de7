import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isoWeekOf, parseIsoDate } from '../../src/domain/period.ts';
import { verifyFiles } from '../../src/ingest/publish/verification.ts';
import { changeRevision, planRestoration, planWithdrawal } from '../../src/ingest/revision-change.ts';
import { ServedRanks } from '../../src/snapshot/served-ranks.ts';
import { SnapshotStore } from '../../src/snapshot/snapshot-store.ts';
import { currentReport, fixtureRows, writeReport } from './report-fixture.ts';
import { KEEP_REVISIONS_MS, openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
beforeEach(() => bench.reset());
afterAll(() => bench[Symbol.asyncDispose]());

async function importWeek(date: string, rows: number, options: { replacesSmaller?: boolean; isDryRun?: boolean } = {}) {
  const text = currentReport(fixtureRows(rows).map((row) => ({ ...row, date }))).replace(/^.*\n/, '');
  const name = `US_Top_Search_Terms_Simple_Week_${date.replaceAll('-', '_')}.csv`;
  return await bench.importOne(await writeReport(bench.reports, name, text), options);
}

function week(date: string) {
  const day = parseIsoDate(date);
  if (!day) throw new Error(date);
  return { marketplace: 'US', source: 'search', period: isoWeekOf(day) } as const;
}

const WEEK = week('2026-07-11');

async function published() {
  const { periods } = await bench.manifest();
  return periods.map(({ endDate, revision, keywords }) => [endDate, revision, keywords]);
}

async function kept() {
  const { keptRevisions } = await bench.manifest();
  return keptRevisions.map(({ published, reason }) => [published.endDate, published.revision, reason]);
}

async function auditRows() {
  const { rows } = await bench.database.operator.query(
    'SELECT action, organization_id, details FROM audit_log ORDER BY occurred_at',
  );
  return rows;
}

describe('a report with less than half of the keywords that are published', () => {
  it('is refused with both counts, in a dry run too, and nothing changes', async () => {
    await importWeek('2026-07-11', 10);
    const before = await bench.manifest();
    for (const isDryRun of [true, false]) {
      const { status, error } = await importWeek('2026-07-11', 4, { isDryRun });
      expect({ status, error }).toEqual({
        status: 'failed',
        error: {
          message:
            'The file has 4 keywords for US weekly 28-2026 search, less than half of the 10 that are published as revision 1.',
          hint: 'Nothing was changed. If the file is right, import it with --replace-smaller.',
        },
      });
    }
    expect(await bench.manifest()).toEqual(before);
  });

  it('replaces the period when that is asked for', async () => {
    await importWeek('2026-07-11', 10);
    expect(await importWeek('2026-07-11', 4, { replacesSmaller: true })).toMatchObject({ status: 'done' });
    expect(await published()).toEqual([['2026-07-11', 2, 4]]);
  });

  it('is what the file is for one of its periods, and none of them is published', async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `weekly,28-2026,term ${n},${n + 1}`);
    const write = (name: string, rows: readonly string[]) =>
      writeReport(bench.reports, name, ['period_type,period,search_term,rank', ...rows, ''].join('\n'));
    await bench.importOne(await write('ten.csv', lines(10)));
    const before = await bench.manifest();
    const mixed = await write('mixed.csv', ['weekly,27-2026,a term,1', ...lines(4)]);
    expect(await bench.importOne(mixed)).toMatchObject({ status: 'failed', periods: [] });
    expect(await bench.manifest()).toEqual(before);
  });

  it('is none when it has exactly half of them', async () => {
    await importWeek('2026-07-11', 10);
    expect(await importWeek('2026-07-11', 5)).toMatchObject({ status: 'done' });
  });
});

describe('a period that is withdrawn', () => {
  it('is gone from the manifest and from the snapshot, with an audit row', async () => {
    await importWeek('2026-07-11', 3);
    await importWeek('2026-07-18', 4);
    const { version } = await bench.manifest();
    await bench.withdraw(week('2026-07-18'));
    const manifest = await bench.manifest();
    expect(manifest).toMatchObject({ version: version + 1, totalDataPoints: 3 * 7 });
    expect(await published()).toEqual([['2026-07-11', 1, 3]]);
    expect(await kept()).toEqual([['2026-07-18', 1, 'withdrawn']]);
    expect((await auditRows()).at(-1)).toEqual({
      action: 'period.withdraw',
      organization_id: null,
      details: { marketplace: 'US', source: 'search', type: 'weekly', period: '29-2026', revision_before: 1 },
    });
    expect(await servedPeriods()).toEqual([{ set: 'US/weekly/search', periods: [28] }]);
  });

  it('takes its set along when it was the only one', async () => {
    await importWeek('2026-07-11', 3);
    await bench.withdraw(WEEK);
    expect(await bench.manifest()).toMatchObject({ periods: [], snapshots: [], totalDataPoints: 0 });
    await bench.sweep();
    expect(await servedPeriods()).toEqual([]);
  });

  it('disappears from a server that is running', async () => {
    await importWeek('2026-07-11', 3);
    await using store = new SnapshotStore({ workerCount: 1, maxQueued: 1, workerFolder: WORKERS });
    const ranks = await openRanks(store);
    await bench.withdraw(WEEK);
    await ranks.refresh();
    expect(ranks.openView(SET)).toBeUndefined();
    await bench.restore(WEEK);
    await ranks.refresh();
    using view = ranks.openView(SET);
    expect(view?.periods).toHaveLength(1);
  });

  it('can be imported again, as a new revision', async () => {
    await importWeek('2026-07-11', 3);
    await bench.withdraw(WEEK);
    expect((await importWeek('2026-07-11', 3)).periods).toMatchObject([{ status: 'published', revision: 2 }]);
    expect(await verify()).toEqual([]);
  });

  it('must be published, and unchanged since it was looked at', async () => {
    await expect(bench.withdraw(WEEK)).rejects.toThrow('US weekly 28-2026 search is not published.');
    await importWeek('2026-07-11', 3);
    const plan = planWithdrawal(await bench.manifest(), WEEK);
    await importWeek('2026-07-11', 4);
    const before = await bench.manifest();
    await expect(changeRevision({ publisher: bench.publisher(), onStage: () => {} }, plan)).rejects.toThrow(
      'was changed meanwhile',
    );
    expect(await bench.manifest()).toEqual(before);
  });
});

describe('a revision that is restored', () => {
  it('comes back under a new number, and the one it replaces is kept', async () => {
    const first = await importWeek('2026-07-11', 10);
    await importWeek('2026-07-11', 12);
    await bench.restore(WEEK);
    expect(await published()).toEqual([['2026-07-11', 3, 10]]);
    expect(await kept()).toEqual([['2026-07-11', 2, 'replaced']]);
    expect((await bench.manifest()).periods[0]?.digest).toBe(first.periods[0]?.digest);
    expect((await auditRows()).at(-1)).toMatchObject({
      action: 'period.restore-revision',
      details: { period: '28-2026', revision_before: 2, restored_revision: 1, revision: 3 },
    });
    expect((await bench.storedRows()).length).toBe(10);
    expect(await verify()).toEqual([]);
  });

  it('is unchanged by its own file, and replaced by that of the other revision', async () => {
    await importWeek('2026-07-11', 10);
    await importWeek('2026-07-11', 12);
    await bench.restore(WEEK);
    expect((await importWeek('2026-07-11', 10)).periods).toMatchObject([{ status: 'unchanged', revision: 3 }]);
    expect((await importWeek('2026-07-11', 12)).periods).toMatchObject([{ status: 'published', revision: 4 }]);
    expect(await kept()).toEqual([
      ['2026-07-11', 2, 'replaced'],
      ['2026-07-11', 3, 'replaced'],
    ]);
    await bench.sweep();
    expect(await verify()).toEqual([]);
  });

  it('may be any that is kept, and restoring can be undone', async () => {
    for (const rows of [10, 11, 12]) await importWeek('2026-07-11', rows);
    await bench.restore(WEEK, 1);
    await bench.restore(WEEK);
    expect(await published()).toEqual([['2026-07-11', 5, 12]]);
    expect(await kept()).toEqual([
      ['2026-07-11', 2, 'replaced'],
      ['2026-07-11', 4, 'replaced'],
    ]);
    await expect(bench.restore(WEEK, 3)).rejects.toThrow('Revision 3 of US weekly 28-2026 search is not kept.');
  });

  it('tells webhooks of one publication, with the new number', async () => {
    await importWeek('2026-07-11', 10);
    await importWeek('2026-07-11', 12);
    await bench.database.operator.query('DELETE FROM publications');
    await bench.restore(WEEK);
    await bench.withdraw(WEEK);
    const { rows } = await bench.database.operator.query('SELECT revision, keywords FROM publications');
    expect(rows).toEqual([{ revision: 3, keywords: 10 }]);
  });

  it('is refused when its segment is damaged, and nothing changes', async () => {
    await importWeek('2026-07-11', 10);
    await importWeek('2026-07-11', 12);
    const before = await bench.manifest();
    const path = before.keptRevisions[0]?.published.segment.path ?? '';
    await writeFile(join(bench.dataDirectory, path), 'damaged');
    await expect(bench.restore(WEEK)).rejects.toThrow(`The published file ${path}`);
    expect(await bench.manifest()).toEqual(before);
    expect(await verify()).toMatchObject([{ path }]);
  });

  it('is kept no longer than it is to be', async () => {
    await importWeek('2026-07-11', 10);
    await importWeek('2026-07-11', 12);
    const [ended] = (await bench.manifest()).keptRevisions;
    const at = (ms: number) => new Date((ended?.endedAt.getTime() ?? 0) + KEEP_REVISIONS_MS + ms);
    const segments = () => readdir(join(bench.dataDirectory, 'segments/US'));
    await bench.sweep(at(0));
    expect((await segments()).toSorted()).toEqual([
      expect.stringContaining('search-weekly-2026-28-r1.'),
      expect.stringContaining('search-weekly-2026-28-r2.'),
    ]);
    await bench.sweep(at(1));
    expect(await segments()).toEqual([expect.stringContaining('search-weekly-2026-28-r2.')]);
    await expect(bench.restore(WEEK)).rejects.toThrow('No earlier revision of US weekly 28-2026 search is kept.');
    expect(await verify()).toEqual([]);
  });

  it('has other content than what is published', async () => {
    for (const rows of [10, 12, 10]) await importWeek('2026-07-11', rows);
    const manifest = await bench.manifest();
    expect(() => planRestoration(manifest, WEEK, 1)).toThrow('has the content that is published as revision 3');
  });

  it('is not published when the snapshot fails', async () => {
    await importWeek('2026-07-11', 10);
    await importWeek('2026-07-11', 12);
    const before = await bench.manifest();
    const broken = async () => {
      throw new Error('no snapshot');
    };
    await expect(
      bench.restore(WEEK, undefined, { publisher: bench.publisher({ buildSnapshot: broken }) }),
    ).rejects.toThrow('no snapshot');
    await expect(
      bench.withdraw(WEEK, { publisher: bench.publisher({ buildSnapshot: broken }) }),
    ).resolves.toBeUndefined();
    await bench.restore(WEEK, 2);
    expect((await bench.manifest()).periods[0]?.digest).toBe(before.periods[0]?.digest);
  });
});

const SET = { marketplace: 'US', frequency: 'weekly', source: 'search' } as const;
const WORKERS = new URL('../../dist/snapshot/threads/', import.meta.url);

function openRanks(store: SnapshotStore) {
  return ServedRanks.open({
    store,
    dataDirectory: bench.dataDirectory,
    loadManifest: () => bench.manifest(),
  });
}

async function servedPeriods() {
  await using store = new SnapshotStore({ workerCount: 1, maxQueued: 1, workerFolder: WORKERS });
  const ranks = await openRanks(store);
  const { snapshots } = await bench.manifest();
  return snapshots.map(({ files: _, ...set }) => {
    using view = ranks.openView(set);
    return {
      set: `${set.marketplace}/${set.frequency}/${set.source}`,
      periods: view?.periods.map(({ number }) => number),
    };
  });
}

async function verify() {
  const { faults } = await verifyFiles({
    manifest: await bench.manifest(),
    dataDirectory: bench.dataDirectory,
    onFile: () => {},
  });
  return faults;
}
