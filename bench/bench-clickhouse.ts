// How much slower the same questions are on a ClickHouse cluster than in memory, with one shard and with several, over the same segments in one
// run; and what publishing and refilling take. The answers are compared first.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { print } from '../src/cli/output.ts';
import { ClickHouseStore } from '../src/clickhouse/clickhouse-store.ts';
import { openBuild } from '../src/clickhouse/fill/build.ts';
import { name, sql } from '../src/clickhouse/sql.ts';
import type { RankView } from '../src/domain/store.ts';
import { ResourceStack } from '../src/resource-stack.ts';
import { buildSnapshot } from '../src/snapshot/build/build.ts';
import { loadSnapshot, residentBytes } from '../src/snapshot/format/load.ts';
import { type SnapshotView, viewSnapshot } from '../src/snapshot/format/snapshot-view.ts';
import type { BuildSnapshot, SnapshotRequest } from '../src/snapshot/manifest/manifest.ts';
import {
  GIVEN_NODES,
  NO_CLICKHOUSE,
  openTestClickHouse,
  startCluster,
  type TestClickHouse,
} from '../test/support/clickhouse.ts';
import { parseCount } from './bench-import.ts';
import {
  type BuildTimes,
  type ClickHouseBench,
  type ClusterBench,
  presentClickHouseBench,
} from './clickhouse/clickhouse-bench-report.ts';
import { compareStores } from './clickhouse/store-comparison.ts';
import { type SyntheticSources, writeSyntheticSegments } from './data/synthetic-segments.ts';

const SET = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
const NODE_MEMORY_BYTES = 6_000_000_000;

interface Flags {
  readonly rows: number;
  readonly periods: number;
  readonly shards: readonly number[];
  readonly runs: number;
  readonly scratch?: string;
  readonly json?: boolean;
}

export function registerBenchClickHouse(bench: Command): void {
  bench
    .command('clickhouse')
    .description('compare searches, publishing and refilling in memory and on ClickHouse')
    .option('--rows <count>', 'terms of each month', parseCount, 100_000)
    .option('--periods <count>', 'months, at least 4', parseCount, 24)
    .option('--shards <counts>', 'processes on this machine that each hold a part, in turn', parseCounts, [1, 2])
    .option('--runs <count>', 'rounds per question', parseCount, 7)
    .option('--scratch <dir>', 'where the segments are made; removed afterwards')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nKEYRANK_TEST_CLICKHOUSE_URL names all nodes of a cluster to measure instead, KEYRANK_TEST_CLICKHOUSE_CLUSTER the cluster.',
    )
    .action(async (flags: Flags) => {
      const result = await runBench(flags);
      print(result, { json: flags.json, lines: presentClickHouseBench(result) });
    });
}

async function runBench({ rows, periods, shards, runs, scratch: parent = tmpdir() }: Flags): Promise<ClickHouseBench> {
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, 'keyrank-bench-'));
  try {
    note(`writing ${periods} months`);
    const sources = await writeSyntheticSegments({
      directory: join(scratch, 'segments'),
      termsPerPeriod: rows,
      periodCount: Math.max(4, periods),
    });
    const built = await buildTwice(sources, buildSnapshot, join(scratch, 'memory'));
    const loaded = await loadSnapshot({ directory: built.directory });
    const view = viewSnapshot(loaded.manifest, loaded.buffers);
    const clusters: ClusterBench[] = [];
    const counts = NO_CLICKHOUSE ? [] : GIVEN_NODES ? [GIVEN_NODES.length] : shards;
    for (const count of counts) {
      clusters.push(await measureCluster({ sources, view, count, runs, scratch }));
    }
    return {
      keywords: view.documentCount,
      points: rows * sources.periods.length,
      periods: sources.periods.length,
      memory: { ...built, residentBytes: residentBytes(loaded) },
      clusters,
      leftOut: NO_CLICKHOUSE,
    };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function measureCluster(given: {
  readonly sources: SyntheticSources;
  readonly view: SnapshotView;
  readonly count: number;
  readonly runs: number;
  readonly scratch: string;
}): Promise<ClusterBench> {
  const { sources, view, count, runs, scratch } = given;
  await using opened = new ResourceStack();
  const cluster = await startCluster({ shards: count, memoryBytes: NODE_MEMORY_BYTES });
  opened.defer(async () => {
    for (const node of cluster.nodes) await node.remove();
  });
  const test = opened.use(await openTestClickHouse(cluster));
  const { clickHouse } = test;
  const build = openBuild({ clickHouse, dataDirectory: scratch, threads: availableParallelism() });
  const built = await buildTwice(sources, build, join(scratch, `shards-${count}`));
  const store = opened.use(new ClickHouseStore({ clickHouse, dataDirectory: scratch, maxRunning: 8, maxQueued: 8 }));
  (await store.prepare(built.directory)).publish();
  using remote: RankView = store.openView(SET) ?? missing();
  const onCase = (name: string): void => note(`${count} shards: ${name}`);
  const cases = await compareStores({ view, remote, rounds: runs, onCase });
  return { ...built, shards: cluster.urls.length, storedBytes: await weigh(test), cases };
}

/** Everything but the newest period first, which is what a refill does; then that one on top. */
async function buildTwice(
  sources: SyntheticSources,
  build: BuildSnapshot,
  directory: string,
): Promise<BuildTimes & { readonly directory: string }> {
  const before = join(directory, 'before');
  const last = join(directory, 'last');
  const refillMs = await timed(() => build(requestOf(sources, { without: 1, outputDirectory: before })));
  note(`${directory}: filled after ${Math.round(refillMs / 1000)} s`);
  const publishMs = await timed(() =>
    build({ ...requestOf(sources, { without: 0, outputDirectory: last }), previous: before }),
  );
  note(`${directory}: one more period after ${Math.round(publishMs / 1000)} s`);
  return { refillMs, publishMs, directory: last };
}

function requestOf(
  { periods, dictionaries }: SyntheticSources,
  { without, outputDirectory }: { readonly without: number; readonly outputDirectory: string },
): SnapshotRequest {
  const end = periods.length - without;
  const { terms, products } = dictionaries;
  return {
    ...SET,
    periods: periods.slice(0, end),
    dictionaries: { ...dictionaries, terms: terms.slice(0, end), products: products.slice(0, end) },
    outputDirectory,
  };
}

async function weigh({ clickHouse }: TestClickHouse): Promise<Readonly<Record<string, number>>> {
  const parts = await clickHouse.rows<{ table: string; bytes: number }>(
    sql`SELECT table, sum(bytes_on_disk) AS bytes FROM cluster(${name(clickHouse.cluster)}, system.parts)
      WHERE active AND database = ${clickHouse.database} GROUP BY table ORDER BY bytes DESC`,
  );
  return Object.fromEntries(parts.map(({ table, bytes }) => [table, bytes]));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

function missing(): never {
  throw new Error('nothing was published');
}

function note(text: string): void {
  console.error(text);
}

function parseCounts(text: string): readonly number[] {
  return text.split(',').map(parseCount);
}
