// How fast a term's past, product pages and the keywords of a product are, beside PostgreSQL and DuckDB over the same rows, as ratios
// within one run. The answers are compared first.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { print, tabulate } from '../src/cli/output.ts';
import {
  type HeldOrder,
  MAX_COMPARED,
  planComparison,
  planHeldKeywords,
  planHolder,
  planTermHistory,
} from '../src/domain/holder.ts';
import { periodKey } from '../src/domain/period.ts';
import { OWNER } from '../src/domain/plan.ts';
import { ResourceStack } from '../src/resource-stack.ts';
import { buildSnapshot } from '../src/snapshot/build/build.ts';
import type { SnapshotManifest } from '../src/snapshot/format/format.ts';
import { loadSnapshot } from '../src/snapshot/format/load.ts';
import { closeRowFiles, openRowFiles } from '../src/snapshot/format/row-files.ts';
import { type SnapshotView, viewSnapshot } from '../src/snapshot/format/snapshot-view.ts';
import { readText } from '../src/snapshot/format/text-column.ts';
import { compareProducts } from '../src/snapshot/holders/comparison.ts';
import { listHeldKeywords } from '../src/snapshot/holders/held-keywords.ts';
import { findHolder } from '../src/snapshot/holders/holder-summary.ts';
import { listTermPeriods } from '../src/snapshot/holders/term-periods.ts';
import { parseCount } from './bench-import.ts';
import { checkNamed } from './data/bench-snapshot.ts';
import { type ChurningSources, writeChurningSegments } from './data/churning-segments.ts';
import { nameCommonProducts } from './data/common-products.ts';
import { compareTimes } from './peers/compared-times.ts';
import { type HolderPeer, openHolderPeers } from './peers/holder-peer.ts';
import { quoteSql } from './peers/peer.ts';

const RUNS = 300;
/** Of questions that take longer than this, fewer: the figure is a median. */
const LONG_MS = 20;
const LONG_RUNS = 20;
const PEER_RUNS = 10;
const CHURN = 0.25;
const PAGE = 50;
const OPTIONS = { throwIfCancelled: () => {} };

interface Flags {
  readonly rows: number;
  readonly periods: number;
  readonly snapshot?: string;
  readonly common?: boolean;
  readonly scratch?: string;
  readonly json?: boolean;
}

interface HolderCase {
  readonly name: string;
  readonly run: () => unknown;
  /** What both must agree on. */
  readonly figure: () => number;
  readonly sql: string;
  readonly peerFigure: (rows: readonly (readonly unknown[])[]) => number;
  readonly detail?: () => unknown;
  readonly peerDetail?: (rows: readonly (readonly unknown[])[]) => unknown;
}

export function registerBenchProducts(bench: Command): void {
  bench
    .command('products')
    .description("measure a term's past, product pages and keywords of products against PostgreSQL and DuckDB")
    .option('--rows <count>', 'terms of each period', parseCount, 100_000)
    .option('--periods <count>', 'periods', parseCount, 24)
    .option('--snapshot <dir>', 'ask the snapshot in this directory instead, and no peers')
    .option('--common', 'with ten products that each stand in a quarter to a third of all keywords')
    .option('--scratch <dir>', 'where the data is made; removed afterwards')
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      const result = await runBench(flags);
      print(result, { json: flags.json, lines: linesOf(result) });
    });
}

async function runBench(flags: Flags) {
  await using opened = new ResourceStack();
  const parent = flags.scratch ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, 'keyrank-bench-'));
  opened.defer(() => rm(scratch, { recursive: true, force: true }));
  const sources = flags.snapshot === undefined ? await writeSources(flags, join(scratch, 'segments')) : undefined;
  const directory = sources ? await build(sources, join(scratch, 'snapshot')) : await checkNamed(flags.snapshot ?? '');
  const { manifest, buffers } = await loadSnapshot({ directory });
  const rowFiles = await openRowFiles(directory, manifest);
  opened.defer(() => closeRowFiles(rowFiles));
  const view = viewSnapshot(manifest, buffers, rowFiles);
  const peers = sources ? await openHolderPeers(sources, scratch) : [];
  for (const peer of peers) opened.defer(() => peer[Symbol.asyncDispose]());
  const cases = [];
  for (const each of listCases(view)) cases.push(await measure(each, peers));
  return {
    rowCount: view.ranks.reduce((sum, { valueCount }) => sum + valueCount, 0),
    periods: view.periods.length,
    rowBytes: sizeOf(manifest, 'rows-'),
    indexBytes: sizeOf(manifest, 'row-index-'),
    cases,
  };
}

async function writeSources({ rows, periods, common }: Flags, directory: string): Promise<ChurningSources> {
  const usual = await writeChurningSegments({ directory, terms: rows, weeks: periods, churn: CHURN });
  return common ? await nameCommonProducts(usual, directory) : usual;
}

async function build({ periods, dictionaries: all }: ChurningSources, outputDirectory: string): Promise<string> {
  const dictionaries = all.at(-1);
  if (!dictionaries) throw new RangeError('there are no periods');
  const set = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
  await buildSnapshot({ ...set, periods, dictionaries, outputDirectory });
  return outputDirectory;
}

function sizeOf({ columns }: SnapshotManifest, prefix: string): number {
  const files = Object.entries(columns).flatMap(([name, parts]) => (name.startsWith(prefix) ? parts : []));
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function listCases(view: SnapshotView): readonly HolderCase[] {
  const newestCount = view.periodEnds[0] ?? 0;
  const terms = [0, newestCount >> 1].map((document) => readText(view.terms, view.documentSlots[document] ?? 0));
  const { most, usual, largest } = pickProducts(view);
  const histories = terms.map((term, i) =>
    historyCase(view, `history of ${i === 0 ? 'the first' : 'a middling'} term`, term),
  );
  return [
    ...histories,
    pageCase(view, 'page of a usual product', usual),
    pageCase(view, 'page of the largest product', most),
    ...(['search_rank', 'click_share', 'share_change'] as const).map((order) => listCase(view, order, most)),
    compareCase(view, largest),
  ];
}

/** The products with the most keywords in the newest period, and one in the middle. */
function pickProducts({ productPostingEnds, asins }: SnapshotView) {
  const counts = Array.from(productPostingEnds, (end, slot) => ({
    slot,
    count: end - (slot === 0 ? 0 : (productPostingEnds[slot - 1] ?? 0)),
  })).sort((a, b) => b.count - a.count);
  const named = counts.filter(({ count }) => count > 0);
  const asinOf = (at: number) => readText(asins, named[at]?.slot ?? 0);
  const largest = Array.from({ length: MAX_COMPARED }, (_, at) => asinOf(at));
  return { most: asinOf(0), usual: asinOf(named.length >> 1), largest };
}

function contextOf(view: SnapshotView) {
  return { plan: OWNER, frequency: 'monthly', published: view.periods } as const;
}

function historyCase(view: SnapshotView, name: string, term: string): HolderCase {
  const plan = planTermHistory(term, contextOf(view));
  return {
    name,
    run: () => listTermPeriods(view, plan),
    figure: () => listTermPeriods(view, plan).reduce((sum, { products }) => sum + products.length, 0),
    sql: `SELECT n.period, n.rank, n.place, p.asin, p.title, n.click, n.conversion
      FROM terms t JOIN by_term n ON n.term_id = t.id JOIN products p ON p.id = n.product_id
      WHERE t.term = ${quoteSql(term)} ORDER BY n.period, n.place`,
    peerFigure: (rows) => rows.length,
  };
}

function pageCase(view: SnapshotView, name: string, asin: string): HolderCase {
  const plan = planHolder({ kind: 'product', asin }, contextOf(view));
  const periodsOf = () => findHolder(view, plan, OPTIONS)?.periods ?? [];
  return {
    name,
    run: periodsOf,
    figure: () => periodsOf().reduce((sum, period) => sum + (period?.places.reduce((a, b) => a + b) ?? 0), 0),
    sql: `SELECT n.period, count(*), sum(CASE WHEN place = 1 THEN 1 ELSE 0 END), sum(CASE WHEN place = 2 THEN 1 ELSE 0 END),
        sum(click), avg(click), min(rank)
      FROM by_product n WHERE n.product_id IN (SELECT id FROM products WHERE asin = ${quoteSql(asin)})
      GROUP BY n.period ORDER BY n.period`,
    peerFigure: (rows) => rows.reduce((sum, row) => sum + Number(row[1]), 0),
  };
}

/** The start of an unbroken run is that of periods and their numbers, counted from the newest on, that go down together. */
function listCase(view: SnapshotView, order: HeldOrder, asin: string): HolderCase {
  const query = {
    periodKey: undefined,
    queries: [],
    offset: 0,
    limit: PAGE,
    orderDirection: undefined,
    status: 'held',
  } as const;
  const plan = planHeldKeywords({ ...query, holder: { kind: 'product', asin }, orderBy: order }, contextOf(view));
  const newest = view.periods.length - 1;
  const keys = { search_rank: 'n.rank', click_share: 'n.click DESC', share_change: 'n.click - b.click DESC' };
  const ordered = keys[order as keyof typeof keys];
  const list = () => listHeldKeywords(view, plan, OPTIONS);
  const indexes = new Map(view.periodKeys.map((key, index) => [key, index]));
  return {
    name: `keywords of the largest product by ${order}`,
    run: list,
    figure: () => list()?.totalCount ?? 0,
    sql: `WITH ids AS (SELECT id FROM products WHERE asin = ${quoteSql(asin)}),
        page AS (SELECT n.term_id, n.rank, n.place, n.click, n.conversion, b.rank AS old_rank, b.place AS old_place,
            b.click AS old_click, b.conversion AS old_conversion, t.term, count(*) OVER () AS total,
            row_number() OVER (ORDER BY ${ordered} NULLS LAST, n.rank, t.term) AS nth
          FROM by_product n JOIN terms t ON t.id = n.term_id LEFT JOIN by_product b
            ON b.term_id = n.term_id AND b.period = ${newest - 1} AND b.product_id IN (SELECT id FROM ids)
          WHERE n.product_id IN (SELECT id FROM ids) AND n.period = ${newest}),
        shown AS (SELECT * FROM page WHERE nth <= ${PAGE}),
        held AS (SELECT DISTINCT term_id, period FROM by_product
          WHERE product_id IN (SELECT id FROM ids) AND term_id IN (SELECT term_id FROM shown)),
        counted AS (SELECT *, period + row_number() OVER (PARTITION BY term_id ORDER BY period DESC) AS run FROM held),
        runs AS (SELECT term_id, min(period) AS since FROM counted WHERE run = ${newest + 1} GROUP BY term_id)
      SELECT shown.*, since FROM shown JOIN runs ON runs.term_id = shown.term_id ORDER BY nth`,
    peerFigure: (rows) => Number(rows[0]?.[10] ?? 0),
    detail: () => (list()?.rows ?? []).map(({ since }) => indexes.get(periodKey(since))),
    peerDetail: (rows) => rows.map((row) => Number(row[12])),
  };
}

function compareCase(view: SnapshotView, asins: readonly string[]): HolderCase {
  const query = { periodKey: undefined, queries: [], offset: 0, limit: PAGE, orderDirection: undefined } as const;
  const plan = planComparison({ ...query, asins, mode: 'any' }, contextOf(view));
  const places = asins.map((asin, i) => `min(CASE WHEN p.asin = ${quoteSql(asin)} THEN n.place END) AS place_${i}`);
  return {
    name: 'comparison of the ten largest',
    run: () => compareProducts(view, plan, OPTIONS),
    figure: () => compareProducts(view, plan, OPTIONS).totalCount,
    sql: `WITH named AS (SELECT n.term_id, min(n.rank) AS rank, ${places.join(', ')}
        FROM by_product n JOIN products p ON p.id = n.product_id
        WHERE p.asin IN (${asins.map(quoteSql).join(', ')}) AND n.period = ${view.periods.length - 1} GROUP BY n.term_id)
      SELECT t.term, n.*, count(*) OVER () AS total FROM named n JOIN terms t ON t.id = n.term_id
      ORDER BY n.rank, t.term LIMIT ${PAGE}`,
    peerFigure: (rows) => Number(rows[0]?.at(-1) ?? 0),
  };
}

async function measure(each: HolderCase, peers: readonly HolderPeer[]) {
  const figure = each.figure();
  for (const { name, ask } of peers) {
    const rows = await ask(each.sql);
    const found = each.peerFigure(rows);
    if (found !== figure) throw new Error(`${each.name}: ${figure} here, and ${found} in ${name}`);
    assert.deepEqual(each.peerDetail?.(rows), each.detail?.(), `${each.name} in ${name}`);
  }
  const startMs = performance.now();
  each.run();
  const runs = performance.now() - startMs > LONG_MS ? LONG_RUNS : RUNS;
  const [own] = await compareTimes([each.run], runs);
  const times = await compareTimes(
    peers.map(
      ({ ask }) =>
        () =>
          ask(each.sql).then(() => undefined),
    ),
    PEER_RUNS,
  );
  const ownMs = own?.medianMs ?? 0;
  const peerMs = Object.fromEntries(peers.map(({ name }, i) => [name, times[i]?.medianMs ?? 0]));
  return { name: each.name, figure, ownMs, peerMs, ratio: Math.min(...Object.values(peerMs)) / ownMs };
}

function linesOf({
  rowCount,
  periods,
  rowBytes,
  indexBytes,
  cases,
}: Awaited<ReturnType<typeof runBench>>): readonly string[] {
  const perRow = (bytes: number) => (bytes / rowCount).toFixed(1);
  return [
    `${rowCount.toLocaleString('en-US')} rows in ${periods} periods; medians in milliseconds, × is the best peer by keyrank`,
    `rows: ${perRow(rowBytes)} bytes of file for each row, and ${perRow(indexBytes)} in memory`,
    ...tabulate(
      ['question', 'found', 'keyrank', ...Object.keys(cases[0]?.peerMs ?? {}), '×'],
      cases.map(({ name, figure, ownMs, peerMs, ratio }) => [
        name,
        figure.toLocaleString('en-US'),
        ownMs.toFixed(3),
        ...Object.values(peerMs).map((ms) => ms.toFixed(2)),
        Number.isFinite(ratio) ? ratio.toFixed(0) : '–',
      ]),
    ),
  ];
}
