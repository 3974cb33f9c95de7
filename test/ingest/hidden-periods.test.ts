// The window promise from reports to answers: what a plan cannot see might as well never have been imported, in whatever order the
// reports came, with whatever titles and spellings, and whatever they replaced.
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Frequency, type Period, periodDates, periodKey } from '../../src/domain/period.ts';
import { OWNER, type Plan, PRO, STUDIO, visibleWindow } from '../../src/domain/plan.ts';
import { loadSnapshot } from '../../src/snapshot/format/load.ts';
import { viewSnapshot } from '../../src/snapshot/format/snapshot-view.ts';
import { findSnapshot, type Manifest } from '../../src/snapshot/manifest/manifest.ts';
import { enginePage } from '../snapshot/engine.ts';
import { planAsins, planKeywords } from '../store/search-fixture.ts';
import { SEED } from '../support/seed.ts';
import { currentReport, type FixtureRow, fixtureRow, writeReport } from './report-fixture.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const TERMS = [
  'red shoes',
  'Red Shoes',
  'RED SHOES',
  'café',
  'Cafe\u0301',
  'usb hub',
  'USB hub',
  'mini case',
  'only once',
];
const ASINS = ['B000000001', 'B000000002', 'B000000003', 'B000000004'];
const TITLES = ['Plain', 'PLAIN', 'Crème', 'Retitled', 'Sale!', ''];
const BRANDS = ['Nike', 'NIKE', 'nike', 'Élan', 'ÉLAN', ''];
const CATEGORIES = ['Toys', 'TOYS', 'Beauty', ''];

interface Report {
  readonly period: Period;
  readonly rows: readonly FixtureRow[];
}

/** More months and weeks than plans can see. */
const PERIODS: readonly Period[] = [
  ...Array.from({ length: 26 }, (_, i) => period('monthly', { year: 2024 + Math.floor(i / 12), number: 1 + (i % 12) })),
  ...Array.from({ length: 8 }, (_, i) => period('weekly', { year: 2026, number: 1 + i })),
];

function period(frequency: Frequency, at: { readonly year: number; readonly number: number }): Period {
  return { frequency, ...at };
}

const product = fc.record({
  asin: fc.constantFrom(...ASINS),
  title: fc.constantFrom(...TITLES),
  click: fc.constantFrom('1', '20.5', ''),
  conversion: fc.constantFrom('0.25', ''),
});

const row = fc
  .record({
    term: fc.constantFrom(...TERMS),
    brands: fc.tuple(...[1, 2, 3].map(() => fc.constantFrom(...BRANDS))),
    categories: fc.tuple(...[1, 2, 3].map(() => fc.constantFrom(...CATEGORIES))),
    products: fc.tuple(product, product, product),
  })
  .map((given) => fixtureRow(1, given));

function reportOf(of: Period): fc.Arbitrary<Report> {
  const rows = fc.uniqueArray(row, {
    minLength: 2,
    maxLength: 5,
    selector: ({ term }) => term.normalize().toLowerCase(),
  });
  return rows.map((each) => ({ period: of, rows: each.map((given, i) => ({ ...given, rank: String(i + 1) })) }));
}

const histories = fc.record({
  reports: fc
    .shuffledSubarray([...PERIODS], { minLength: PERIODS.length })
    .chain((all) => fc.tuple(...all.map(reportOf))),
  superseded: fc
    .shuffledSubarray([...PERIODS], { minLength: 3, maxLength: 3 })
    .chain((all) => fc.tuple(...all.map(reportOf))),
});

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

async function writeReports(reports: readonly Report[]): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const { period: of, rows } of reports) {
    const date = periodDates(of).end;
    const span = of.frequency === 'weekly' ? 'Week' : 'Month';
    const name = `US_Top_Search_Terms_Simple_${span}_${date.replaceAll('-', '_')}.csv`;
    const text = currentReport(rows.map((each) => ({ ...each, date }))).replace(/^.*\n/, '');
    paths.push(await writeReport(bench.reports, name, text));
  }
  return paths;
}

/** The answers of a plan to searches of every kind, from the snapshots as they were published. */
async function answers(plan: Plan): Promise<readonly string[]> {
  const manifest = await bench.manifest();
  const found: string[] = [];
  for (const frequency of ['monthly', 'weekly'] as const) {
    const view = await openPublished(manifest, frequency);
    const data = { frequency, periods: view.periods.map((of) => ({ period: of, rows: [] })) };
    const pages = [
      planKeywords(data, { queries: ['shoes', 'cafe', 'hub', 'case', 'once', 'shooes'], orderBy: 'fts_rank' }, plan),
      planKeywords(data, { queries: ['shoes', 'cafe', 'hub'], brands: ['nike', 'élan'] }, plan),
      planKeywords(data, { queries: ['shoes', 'cafe', 'hub'], asins: ['B000000001'], categories: ['Toys'] }, plan),
      planAsins(data, { asins: ASINS, orderBy: 'click_share' }, plan),
    ];
    found.push(...pages.map((page) => JSON.stringify(enginePage(view, page))));
  }
  return found;
}

async function openPublished(manifest: Manifest, frequency: Frequency) {
  const [file] = findSnapshot(manifest, { marketplace: 'US', source: 'search', frequency })?.files ?? [];
  const loaded = await loadSnapshot({ directory: dirname(join(bench.dataDirectory, file?.path ?? '')) });
  return viewSnapshot(loaded.manifest, loaded.buffers);
}

async function publish(reports: readonly Report[]): Promise<void> {
  const files = (await writeReports(reports)).map((path) => ({ path, source: 'search' as const }));
  const outcomes = await bench.importTogether(files, { replacesSmaller: true });
  expect(outcomes.map(({ error }) => error)).toEqual(reports.map(() => undefined));
}

it('answers the same, byte for byte, as if the hidden periods had never been imported', async () => {
  const [history] = fc.sample(histories, { seed: SEED, numRuns: 1 });
  if (!history) throw new Error('no history');
  await bench.reset();
  await publish(history.superseded);
  await publish(history.reports);
  const drawn = fc.record({ months: fc.integer({ min: 1, max: 26 }), weeks: fc.integer({ min: 1, max: 8 }) });
  const plans = [
    PRO,
    STUDIO,
    ...fc.sample(drawn, { seed: SEED, numRuns: 4 }).map((window) => ({ ...OWNER, ...window })),
  ];
  const expected = new Map<Plan, readonly string[]>();
  for (const plan of plans) expected.set(plan, await answers(plan));

  for (const plan of plans) {
    const visible = (['monthly', 'weekly'] as const).flatMap((frequency) =>
      visibleWindow({ plan, frequency, published: PERIODS }).map((of) => `${frequency} ${periodKey(of)}`),
    );
    const kept = history.reports.filter(({ period: of }) => visible.includes(`${of.frequency} ${periodKey(of)}`));
    await bench.reset();
    // Oldest first this time.
    const inOrder = kept.toSorted((a, b) => (periodDates(a.period).end < periodDates(b.period).end ? -1 : 1));
    await publish(inOrder);
    expect(await answers(plan)).toEqual(expected.get(plan));
  }
}, 240_000);
