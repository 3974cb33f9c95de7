// Reports are imported into every engine, by the importer and through the contract alone, and mean the same in all of them.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RankPublisher } from '../../src/domain/rank-publisher.ts';
import type { PublishedPeriod } from '../../src/domain/store.ts';
import { importReports } from '../../src/ingest/importer.ts';
import { changeRevision, planRestoration, planWithdrawal } from '../../src/ingest/revision-change.ts';
import type { SessionRows } from '../../src/ingest/session-rows.ts';
import { currentReport, fixtureRow, fixtureRows, writeReport } from '../ingest/report-fixture.ts';
import { TEST_OPTIONS } from '../ingest/workbench.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { ENGINES, OTHER_ENGINES, type PublishingStore, viewOf } from './engines.ts';
import { planKeywords } from './search-fixture.ts';

const WEEK = { marketplace: 'US', source: 'search', period: { frequency: 'weekly', year: 2026, number: 28 } } as const;

/** Imports reports of some numbers of rows, one for each of the weeks that end on these days. */
async function importWeeks(
  { publisher, dataDirectory, settle }: PublishingStore,
  weeks: Readonly<Record<string, number>>,
  { publishTogether = false, signal }: { readonly publishTogether?: boolean; readonly signal?: AbortSignal } = {},
) {
  await using reports = await openTemporaryDirectory();
  await mkdir(dataDirectory, { recursive: true });
  const files = await Promise.all(
    Object.entries(weeks).map(async ([date, rows]) => {
      const name = `US_Week_${date.replaceAll('-', '_')}.csv`;
      const text = currentReport([
        ...fixtureRows(rows).map((row) => ({ ...row, date })),
        fixtureRow(rows + 1, { term: 'Crème  BRÛLÉE', date }),
      ]).replace(/^.*\n/, '');
      return { path: await writeReport(reports.path, name, text), source: 'search' as const };
    }),
  );
  const outcomes = await importReports({
    files,
    options: TEST_OPTIONS,
    publisher: publisher as RankPublisher<SessionRows>,
    dataDirectory: join(dataDirectory),
    onProgress: () => {},
    now: () => new Date('2026-08-01'),
    publishTogether,
    signal,
  });
  await settle();
  return outcomes;
}

/** All that a store shows of its weeks, without what depends on the moment. */
async function shownBy({ store }: PublishingStore) {
  const { version, totalDataPoints, periods } = store.catalog;
  const lasting = periods.map(({ publishedAt: _, ...period }: PublishedPeriod & { segment?: unknown }) => {
    const { segment: _segment, ...shown } = period;
    return shown;
  });
  if (periods.length === 0) return { version, totalDataPoints, periods: lasting, found: undefined };
  using view = viewOf(store, { frequency: 'weekly' });
  const data = { frequency: 'weekly', periods: view.periods.map((period) => ({ period, rows: [] })) } as const;
  const terms = [...Array.from({ length: 40 }, (_, i) => fixtureRow(i + 1).term), 'crème brûlée'];
  const found = await view.search(planKeywords(data, { queries: terms, method: 'exact', orderBy: 'latest_rank' }));
  return { version, totalDataPoints, periods: lasting, found };
}

describe.each(OTHER_ENGINES)('$name', ({ openPublisher }) => {
  it('shows what was imported, revised, withdrawn and restored exactly as the oracle does', async () => {
    const [oracle] = ENGINES;
    await using expected = (await oracle?.openPublisher()) ?? (await openPublisher());
    await using engine = await openPublisher();
    const steps: readonly ((target: PublishingStore) => Promise<unknown>)[] = [
      (target) => importWeeks(target, { '2026-07-11': 9 }),
      (target) => importWeeks(target, { '2026-07-11': 9 }),
      (target) => importWeeks(target, { '2026-07-04': 12, '2026-07-18': 8 }, { publishTogether: true }),
      (target) => importWeeks(target, { '2026-07-11': 11 }),
      async (target) => {
        const plan = planWithdrawal(await target.publisher.readCatalog(), WEEK);
        await changeRevision({ publisher: target.publisher, onStage: () => {} }, plan);
        await target.settle();
      },
      async (target) => {
        const plan = planRestoration(await target.publisher.readCatalog(), WEEK, 1);
        await changeRevision({ publisher: target.publisher, onStage: () => {} }, plan);
        await target.settle();
      },
    ];
    for (const [i, step] of steps.entries()) {
      await step(expected);
      await step(engine);
      const shown = await shownBy(engine);
      expect(shown, `step ${i}`).toEqual(await shownBy(expected));
      expect(shown.found?.totalCount).toBeGreaterThan(5);
      expect((await engine.publisher.verify({ onItem: () => {} })).faults).toEqual([]);
    }
  }, 180_000);
});

describe.each(ENGINES)('$name', ({ openPublisher }) => {
  it('publishes several reports in one step, and the same report no second time', async () => {
    await using engine = await openPublisher();
    expect(engine.store.catalog.version).toBe(0);
    let heard = 0;
    engine.store.subscribe(() => {
      heard += 1;
    });
    await importWeeks(engine, { '2026-07-04': 5, '2026-07-11': 6 }, { publishTogether: true });
    expect(engine.store.catalog).toMatchObject({ version: 1, periods: [{ keywords: 6 }, { keywords: 7 }] });
    const [outcome] = await importWeeks(engine, { '2026-07-11': 6 });
    expect(outcome?.periods).toMatchObject([{ status: 'unchanged', revision: 1 }]);
    expect(engine.store.catalog.version).toBe(1);
    expect(heard).toBe(1);
  }, 120_000);

  it('keeps a view as it was through an import, and the catalog through one that fails', async () => {
    await using engine = await openPublisher();
    await importWeeks(engine, { '2026-07-11': 5 });
    using view = viewOf(engine.store, { frequency: 'weekly' });
    await importWeeks(engine, { '2026-07-18': 7 });
    expect(view.periods).toHaveLength(1);
    using current = viewOf(engine.store, { frequency: 'weekly' });
    expect(current.periods).toHaveLength(2);
    const before = engine.store.catalog;
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(importWeeks(engine, { '2026-07-25': 9 }, { signal })).rejects.toThrow('stopped');
    await engine.settle();
    expect(engine.store.catalog).toEqual(before);
  }, 120_000);

  it('opens one batch at a time', async () => {
    await using engine = await openPublisher();
    const publisher: RankPublisher<never> = engine.publisher;
    const open = { count: 0, most: 0 };
    const work = async () => {
      open.count += 1;
      open.most = Math.max(open.most, open.count);
      await new Promise((resolve) => setTimeout(resolve, 50));
      open.count -= 1;
    };
    await Promise.all([1, 2, 3].map(() => publisher.openBatch({ onWait: () => {} }, work)));
    expect(open).toEqual({ count: 0, most: 1 });
  }, 60_000);
});
