// What a deep history costs: bytes per keyword and per rank beside those of plain columns on the same data, and what the last period takes
// to publish beside the tenth.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { print, tabulate } from '../src/cli/output.ts';
import { buildSnapshot } from '../src/snapshot/build/build.ts';
import { decodeText } from '../src/snapshot/format/coded-text.ts';
import { type LoadedSnapshot, loadSnapshot, residentBytes } from '../src/snapshot/format/load.ts';
import { viewSnapshot } from '../src/snapshot/format/snapshot-view.ts';
import { parseCount } from './bench-import.ts';
import { type ChurningSources, writeChurningSegments } from './data/churning-segments.ts';
import { type ColumnSize, listColumnSizes } from './search/column-sizes.ts';

const SAMPLE_MS = 50;
const SHOWN_COLUMNS = 20;

interface Flags {
  readonly rows: number;
  readonly periods: number;
  readonly churn: number;
  readonly scratch?: string;
  readonly keep?: string;
  readonly json?: boolean;
}

interface DeepBench {
  readonly periods: number;
  readonly rows: number;
  readonly keywords: number;
  readonly points: number;
  readonly rankBytes: number;
  readonly plainRankBytes: number;
  readonly allBytes: number;
  readonly plainAllBytes: number;
  readonly publish: { readonly early: number; readonly earlyMs: number; readonly lastMs: number };
  readonly load: { readonly wholeMs: number; readonly takenOverMs: number };
  readonly peakBytes: number;
  readonly columns: readonly ColumnSize[];
}

export function registerBenchDeep(bench: Command): void {
  bench
    .command('deep')
    .description('measure a deep history: its size beside plain columns, and its last period beside the tenth')
    .option('--rows <count>', 'terms of each period', parseCount, 1_000_000)
    .option('--periods <count>', 'periods, at least 4', parseCount, 104)
    .option('--churn <share>', 'share of new terms in each period, up to 0.5', parseShare, 0.25)
    .option('--scratch <dir>', 'where the data is made, 60 MB per million rows; removed afterwards')
    .option('--keep <dir>', 'keep the snapshot in this new directory, for "bench search --snapshot"')
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      const result = await runBench(flags);
      print(result, { json: flags.json, lines: presentDeepBench(result) });
    });
}

async function runBench(flags: Flags): Promise<DeepBench> {
  const periods = Math.max(4, flags.periods);
  const parent = flags.scratch ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, 'keyrank-bench-'));
  try {
    const sources = await writeChurningSegments({
      directory: join(scratch, 'segments'),
      terms: flags.rows,
      weeks: periods,
      churn: flags.churn,
      onPeriod: (number) => {
        if (number % 10 === 0) console.error(`written: ${number} of ${periods} periods`);
      },
    });
    return await measure({ scratch, sources, periods, rows: flags.rows, keep: flags.keep });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function measure({
  scratch,
  sources,
  periods,
  rows,
  keep,
}: {
  readonly scratch: string;
  readonly sources: ChurningSources;
  readonly periods: number;
  readonly rows: number;
  readonly keep: string | undefined;
}): Promise<DeepBench> {
  let peakBytes = 0;
  const sampler = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
  }, SAMPLE_MS);
  const early = Math.min(10, periods - 2);
  const directories = { last: keep ?? join(scratch, 'last'), before: join(scratch, 'before') };
  await build(sources, early - 1, { to: join(scratch, 'first') });
  const earlyMs = await build(sources, early, { from: join(scratch, 'first'), to: join(scratch, 'early') });
  await rm(join(scratch, 'first'), { recursive: true });
  await build(sources, periods - 1, { from: join(scratch, 'early'), to: directories.before });
  await rm(join(scratch, 'early'), { recursive: true });
  const lastMs = await build(sources, periods, { from: directories.before, to: directories.last });
  clearInterval(sampler);
  const before = await loadSnapshot({ directory: directories.before });
  const takenOverMs = await timed(() => loadSnapshot({ directory: directories.last, findOlder: () => before }));
  return {
    ...(await weigh(directories.last, takenOverMs)),
    periods,
    rows,
    publish: { early, earlyMs, lastMs },
    peakBytes,
  };
}

/** The snapshot of the first so many periods. */
async function build(
  sources: ChurningSources,
  count: number,
  { from, to }: { readonly from?: string; readonly to: string },
): Promise<number> {
  console.error(`building ${count} periods`);
  const dictionaries = sources.dictionaries[count - 1];
  if (!dictionaries) throw new RangeError(`there are no ${count} periods`);
  return await timed(() =>
    buildSnapshot({
      marketplace: 'US',
      frequency: 'monthly',
      source: 'search',
      periods: sources.periods.slice(0, count),
      dictionaries,
      ...(from === undefined ? {} : { previous: from }),
      outputDirectory: to,
    }),
  );
}

async function weigh(directory: string, takenOverMs: number) {
  let loaded: LoadedSnapshot | undefined;
  const wholeMs = await timed(async () => {
    loaded = await loadSnapshot({ directory });
  });
  if (!loaded) throw new Error('nothing was loaded');
  const view = viewSnapshot(loaded.manifest, loaded.buffers);
  const rankBytes = view.periodKeys.reduce((sum, key) => sum + (loaded?.buffers[`rank-${key}`]?.byteLength ?? 0), 0);
  // Four bytes for every term that was known when the period was published.
  const plainRankBytes = view.ranks.reduce((sum, { length }) => sum + 4 * length, 0);
  const sizeOf = (name: string): number => loaded?.buffers[name]?.byteLength ?? 0;
  const codedBytes = sizeOf('title-text') + sizeOf('title-word-text') + sizeOf('title-word-ends');
  let titleBytes = 0;
  for (let i = 0; i < view.titles.codes.ends.length; i += 1) titleBytes += decodeText(view.titles, i).length;
  const allBytes = residentBytes(loaded);
  return {
    keywords: view.documentCount,
    points: view.ranks.reduce((sum, { valueCount }) => sum + valueCount, 0),
    rankBytes,
    plainRankBytes,
    allBytes,
    plainAllBytes:
      allBytes - rankBytes + plainRankBytes - codedBytes + titleBytes - sizeOf('original') + 4 * view.documentCount,
    load: { wholeMs, takenOverMs },
    columns: listColumnSizes(loaded),
  };
}

function presentDeepBench(bench: DeepBench): readonly string[] {
  const { keywords, points, rankBytes, plainRankBytes, allBytes, plainAllBytes, publish, load } = bench;
  const per = (bytes: number, count: number): string => (bytes / count).toFixed(1);
  const row = (name: string, ours: number, plain: number, goal: string): readonly string[] => [
    name,
    per(ours, keywords),
    per(plain, keywords),
    per(ours, points),
    per(plain, points),
    `${(ours / plain).toFixed(2)} ×`,
    goal,
  ];
  const header = ['', 'bytes per keyword', 'plain columns', 'per point', 'plain columns', 'ratio', 'goal'];
  return [
    `${bench.periods} periods of ${count(bench.rows)} terms: ${count(keywords)} keywords, ${count(points)} ranks`,
    '',
    ...tabulate(header, [
      row('ranks', rankBytes, plainRankBytes, 'at most 0.33 ×'),
      row('all columns', allBytes, plainAllBytes, 'at most 0.50 ×'),
    ]),
    '',
    `Snapshot of period ${publish.early}: ${seconds(publish.earlyMs)}; of period ${bench.periods}: ${seconds(publish.lastMs)}, ` +
      `${(publish.lastMs / publish.earlyMs).toFixed(2)} × (goal for the 104th against the 10th: at most 1.3 ×)`,
    `Loading all of it: ${seconds(load.wholeMs)}; by a server that has the period before: ${seconds(load.takenOverMs)}`,
    `Peak resident memory of the builds: ${count(Math.round(bench.peakBytes / 1e6))} MB`,
    '',
    ...tabulate(
      ['in memory', 'MB', 'bytes per keyword'],
      bench.columns
        .slice(0, SHOWN_COLUMNS)
        .map(({ column, sizeBytes, bytesPerKeyword }) => [
          column,
          count(Math.round(sizeBytes / 1e6)),
          bytesPerKeyword.toFixed(1),
        ]),
    ),
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function parseShare(text: string): number {
  const share = Number(text);
  if (/^0?\.[0-9]{1,6}$/.test(text) && share > 0 && share <= 0.5) return share;
  throw new InvalidArgumentError('Use a share above 0, up to 0.5.');
}
