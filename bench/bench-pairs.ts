// How fast lists of changes between any two periods are, beside DuckDB over the same ranks. Each question is the first for its pair, in a thread that
// has answered others: of a view of its own, of which nothing is known. The answers are compared first.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { Command } from 'commander';
import { print, tabulate } from '../src/cli/output.ts';
import { periodKey } from '../src/domain/period.ts';
import { OWNER } from '../src/domain/plan.ts';
import { CHANGE_ORDERS, type ChangePlan, planChanges } from '../src/domain/trend.ts';
import { ResourceStack } from '../src/resource-stack.ts';
import { buildSnapshot } from '../src/snapshot/build/build.ts';
import { loadSnapshot } from '../src/snapshot/format/load.ts';
import { type SnapshotView, viewSnapshot } from '../src/snapshot/format/snapshot-view.ts';
import { listChanges } from '../src/snapshot/trends/trends.ts';
import { parseCount } from './bench-import.ts';
import { type ChurningSources, writeChurningSegments } from './data/churning-segments.ts';
import { compareTimes } from './peers/compared-times.ts';
import { changeSql } from './peers/trend-peer.ts';
import { CHANGE_SQL } from './trends/trend-cases.ts';

const RUNS = 20;
const PEER_RUNS = 5;
const CHURN = 0.25;
const PAGE = { frequency: 'monthly', queries: [], threshold: 100, direction: undefined, limit: 50, offset: 0 } as const;
const OPTIONS = { throwIfCancelled: () => {} };

interface Flags {
  readonly rows: number;
  readonly periods: number;
  readonly scratch?: string;
  readonly json?: boolean;
}

interface PairCase {
  readonly name: string;
  readonly plan: ChangePlan;
  readonly sql: string;
}

export function registerBenchPairs(bench: Command): void {
  bench
    .command('pairs')
    .description('measure lists of changes between periods that are not the two newest, against DuckDB')
    .option('--rows <count>', 'terms of each period', parseCount, 300_000)
    .option('--periods <count>', 'periods, at least 4', parseCount, 23)
    .option('--scratch <dir>', 'where the data is made; removed afterwards')
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      const result = await runBench(flags);
      print(result, { json: flags.json, lines: linesOf(result) });
    });
}

async function runBench({ rows, periods: wanted, scratch: parent = tmpdir() }: Flags) {
  const periods = Math.max(4, wanted);
  await using opened = new ResourceStack();
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, 'keyrank-bench-'));
  opened.defer(() => rm(scratch, { recursive: true, force: true }));
  const directory = join(scratch, 'segments');
  const sources = await writeChurningSegments({ directory, terms: rows, weeks: periods, churn: CHURN });
  const dictionaries = sources.dictionaries.at(-1);
  if (!dictionaries) throw new RangeError('there are no periods');
  const set = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
  const outputDirectory = join(scratch, 'snapshot');
  await buildSnapshot({ ...set, periods: sources.periods, dictionaries, outputDirectory });
  const { manifest, buffers } = await loadSnapshot({ directory: outputDirectory });
  const open = () => viewSnapshot(manifest, buffers);
  const instance = await DuckDBInstance.create(':memory:');
  const peer = await instance.connect();
  opened.defer(() => {
    peer.closeSync();
    instance.closeSync();
  });
  const cases = listCases(open(), periods);
  await fillPeer(peer, sources);
  const lists = [];
  for (const each of cases) lists.push(await measure(each, { open, peer }));
  return { rows, periods, lists };
}

/** From the oldest period, to the newest and to one in the middle. */
function listCases(view: SnapshotView, periods: number): readonly PairCase[] {
  const [oldest] = view.periods;
  if (!oldest) throw new RangeError('there are no periods');
  return [periods - 1, periods >> 1].flatMap((to) =>
    CHANGE_ORDERS.map((orderBy) => {
      const orderDirection = orderBy === 'query' || orderBy === 'current_rank' ? 'asc' : 'desc';
      const period = periodKey(view.periods[to] ?? oldest);
      const compareTo = { periodKey: periodKey(oldest) };
      const plan = planChanges(
        { ...PAGE, period, compareTo, orderBy, orderDirection },
        { plan: OWNER, published: view.periods },
      );
      const page = { ...PAGE, where: `abs(p.rank - c.rank) > ${PAGE.threshold}` };
      const order = `${CHANGE_SQL[orderBy]} ${orderDirection}, c.rank, t.term`;
      const sql = changeSql({ newest: to, previous: 0 }, { ...page, orderBy: order });
      return { name: `to ${to === periods - 1 ? 'the newest' : `number ${to + 1}`}, by ${orderBy}`, plan, sql };
    }),
  );
}

/** One table per column of ranks, as a column store wants it, and all terms. */
async function fillPeer(peer: DuckDBConnection, { periods, dictionaries }: ChurningSources): Promise<void> {
  const terms = (dictionaries.at(-1)?.terms ?? []).map((file) => `'${file}'`);
  await peer.run(`CREATE TABLE bench_terms AS SELECT id, term FROM read_parquet([${terms.join(', ')}]) ORDER BY id`);
  await peer.run('CREATE TABLE bench_ranks (period INTEGER, term_id INTEGER, rank INTEGER)');
  for (const period of new Set([0, periods.length >> 1, periods.length - 1])) {
    const rows = `SELECT ${period}, term_id, rank FROM '${periods[period]?.segmentPath}' ORDER BY term_id`;
    await peer.run(`INSERT INTO bench_ranks ${rows}`);
  }
}

async function measure(
  { name, plan, sql }: PairCase,
  { open, peer }: { readonly open: () => SnapshotView; readonly peer: DuckDBConnection },
) {
  const ask = async () => (await peer.runAndReadAll(sql)).getRows();
  const { totalCount, rows } = listChanges(open(), plan, OPTIONS);
  const found = await ask();
  const isSame = rows.every(({ previousRank, currentRank }, i) => {
    const [, previous, current] = found[i] ?? [];
    return previous === previousRank && current === currentRank;
  });
  if (!isSame || Number(found[0]?.[3] ?? 0) !== totalCount) throw new Error(`${name}: DuckDB lists something else`);
  const views = Array.from({ length: RUNS }, open);
  const [listed] = await compareTimes([() => listChanges(views.pop() ?? open(), plan, OPTIONS)], RUNS);
  const [asked] = await compareTimes([() => ask().then(() => undefined)], PEER_RUNS);
  return { name, totalCount, ownMs: listed?.minMs ?? 0, peerMs: asked?.minMs ?? 0 };
}

function linesOf({ rows, periods, lists }: Awaited<ReturnType<typeof runBench>>): readonly string[] {
  const times = (ms: number) => (ms < 1 ? ms.toFixed(3) : ms.toFixed(1));
  return [
    `${rows.toLocaleString('en-US')} terms in each of ${periods} periods, changes from the oldest; milliseconds, the fastest of ${RUNS} runs (DuckDB: ${PEER_RUNS}), × is DuckDB by keyrank`,
    ...tabulate(
      ['list', 'listed', 'keyrank', 'DuckDB', '×'],
      lists.map(({ name, totalCount, ownMs, peerMs }) => [
        name,
        totalCount.toLocaleString('en-US'),
        ...[ownMs, peerMs].map(times),
        (peerMs / ownMs).toFixed(1),
      ]),
    ),
  ];
}
