// How fast the trend lists are, as ratios within one run: against PostgreSQL over the same data, and against the least that
// any engine must do for them.
import { mkdtemp, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { ensureDemoData } from '../src/cli/demo-data.ts';
import { asOperator, type Operator } from '../src/cli/operator.ts';
import { print, tabulate } from '../src/cli/output.ts';
import { OperatorError } from '../src/domain/error.ts';
import type { RankSource } from '../src/domain/store.ts';
import { ResourceStack } from '../src/resource-stack.ts';
import { loadSnapshot } from '../src/snapshot/format/load.ts';
import { type SnapshotView, viewSnapshot } from '../src/snapshot/format/snapshot-view.ts';
import { findSnapshot, type Manifest } from '../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../src/snapshot/manifest/manifest-rows.ts';
import { parseCount } from './bench-import.ts';
import { compareTimes } from './peers/compared-times.ts';
import { openTunedPostgres } from './peers/postgres-peer.ts';
import { fillTrendPeer } from './peers/trend-peer.ts';
import { pickWords } from './search/picked-words.ts';
import { listTrendCases, type TrendCase } from './trends/trend-cases.ts';

const RUNS = 40;
/** Of lists that take less than a millisecond: in fewer runs their code is not yet compiled, and that would be measured. */
const SHORT_RUNS = 1000;
const PEER_RUNS = 3;

interface TrendFlags {
  readonly rows: number;
  readonly periods: number;
  readonly json?: boolean;
}

interface TrendTimes {
  readonly name: string;
  readonly totalCount: number;
  readonly floorMs: number;
  readonly listMs: number;
  readonly peerMs: number;
}

export function registerBenchTrends(bench: Command): void {
  bench
    .command('trends')
    .description('measure the trend lists against PostgreSQL, over what the data directory holds or over demo data')
    .option('--rows <count>', 'terms per period, when the data directory is empty', parseCount, 200_000)
    .option('--periods <count>', 'months, when the data directory is empty', parseCount, 4)
    .option('--json', 'print JSON')
    .action(async (flags: TrendFlags) => {
      const result = await asOperator((operator) => runBench(operator, flags));
      print(result, { json: flags.json, lines: linesOf(result) });
    });
}

async function runBench(operator: Operator, flags: TrendFlags) {
  const size = { terms: flags.rows, months: flags.periods, weeks: 0, socialTerms: Math.min(flags.rows, 10_000) };
  await ensureDemoData(operator, { size, onStart: (count) => console.error(`Making demo data: ${count} reports …`) });
  const manifest = await loadManifest(operator.pool);
  const retail = await openSnapshot(operator, { manifest, source: 'search' });
  if (!retail) throw new OperatorError('There is no monthly search data to measure with.');
  const social = await openSnapshot(operator, { manifest, source: 'social' });
  const cases = listTrendCases({
    retail,
    social,
    word: pickWords(retail).medium.word,
    category: largeCategory(retail),
  });
  const directory = await mkdtemp(join(operator.config.dataDirectory, 'bench-'));
  await using opened = new ResourceStack();
  opened.defer(() => rm(directory, { recursive: true, force: true }));
  const { client, close } = await openTunedPostgres(directory);
  opened.defer(close);
  console.error('Filling PostgreSQL with the same data …');
  await fillTrendPeer(client, { retail, social });
  const lists: TrendTimes[] = [];
  for (const each of cases) lists.push(await measure(each, async () => (await client.query(each.sql)).rows));
  return { terms: retail.periodEnds[0] ?? 0, periods: retail.periods.length, lists };
}

async function openSnapshot(
  { config }: Operator,
  { manifest, source }: { readonly manifest: Manifest; readonly source: RankSource },
): Promise<SnapshotView | undefined> {
  const marketplace = config.defaultMarketplace;
  const file = findSnapshot(manifest, { marketplace, source, frequency: 'monthly' })?.files[0];
  if (!file) return undefined;
  const loaded = await loadSnapshot({ directory: join(config.dataDirectory, dirname(file.path)) });
  return viewSnapshot(loaded.manifest, loaded.buffers);
}

/** Minima: what else the machine does only ever makes a run longer. */
async function measure(each: TrendCase, ask: () => Promise<readonly object[]>): Promise<TrendTimes> {
  const startMs = performance.now();
  const { totalCount, rows } = each.list();
  const runs = performance.now() - startMs < 1 ? SHORT_RUNS : RUNS;
  checkPeer(each, { found: await ask(), totalCount, rowCount: rows.length });
  const [floor, list] = await compareTimes([each.floor, each.list], runs);
  const [peer] = await compareTimes([ask], PEER_RUNS);
  const [floorMs, listMs, peerMs] = [floor, list, peer].map((times) => times?.minMs ?? 0);
  return { name: each.name, totalCount, floorMs: floorMs ?? 0, listMs: listMs ?? 0, peerMs: peerMs ?? 0 };
}

/** Stemmers and typo rules differ by a few terms; anything else means that the two lists are not the same. */
function checkPeer(
  each: TrendCase,
  { found, totalCount, rowCount }: { found: readonly object[]; totalCount: number; rowCount: number },
): void {
  const total = Number((found[0] as { total?: unknown } | undefined)?.total ?? 0);
  if (rowCount === 0) return;
  const isNear = Math.abs(total - totalCount) <= totalCount * (each.name.includes('query') ? 0.05 : 0);
  if (found.length !== rowCount || !isNear) {
    throw new Error(`${each.name}: ${totalCount} listed, but PostgreSQL lists ${total}`);
  }
}

function largeCategory(view: SnapshotView): string {
  const counts = new Map<string, number>();
  for (const category of view.categories[0].subarray(0, 10_000)) {
    const name = view.categoryNames[category];
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 'Other';
}

function linesOf({ terms, periods, lists }: Awaited<ReturnType<typeof runBench>>): readonly string[] {
  const ms = (value: number) => (value < 1 ? value.toFixed(3) : value.toFixed(1));
  const rows = lists.map(({ name, totalCount, floorMs, listMs, peerMs }) => [
    name,
    totalCount.toLocaleString('en-US'),
    ms(floorMs),
    ms(listMs),
    (listMs / floorMs).toFixed(1),
    ms(peerMs),
    (peerMs / listMs).toFixed(0),
  ]);
  return [
    `${terms.toLocaleString('en-US')} terms in the newest of ${periods} periods; milliseconds, the fastest of ${RUNS} runs, of short lists ${SHORT_RUNS} (PostgreSQL: ${PEER_RUNS})`,
    ...tabulate(['list', 'total', 'floor', 'keyrank', '× floor', 'PostgreSQL', '× faster'], rows),
  ];
}
