// What plan windows cost beyond a snapshot: the memory of ten of them, and how long the first search of each waits.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { count, print, tabulate } from '../src/cli/output.ts';
import { OWNER } from '../src/domain/plan.ts';
import { planSearch } from '../src/domain/search-plan.ts';
import type { RankView } from '../src/domain/store.ts';
import { loadSnapshot } from '../src/snapshot/format/load.ts';
import { viewSnapshot } from '../src/snapshot/format/snapshot-view.ts';
import { SnapshotStore } from '../src/snapshot/snapshot-store.ts';
import { chooseSnapshot, type SnapshotChoice } from './data/bench-snapshot.ts';
import { pickWords } from './search/picked-words.ts';

interface Flags extends SnapshotChoice {
  readonly scratch?: string;
  readonly json?: boolean;
}

interface WindowCost {
  readonly periods: number;
  readonly bytes: number;
  /** Its summaries included. */
  readonly firstMs: number;
  /** The median of those that follow. */
  readonly laterMs: number;
}

const WINDOWS = 10;
const LATER_SEARCHES = 9;

export function registerBenchWindows(bench: Command): void {
  bench
    .command('windows')
    .description(
      'measure the memory of ten plan windows, and the first search of each, over the published monthly data',
    )
    .option('--rows <count>', 'make data of its own with so many terms per month instead', parseCount)
    .option('--periods <count>', 'months of that data', parseCount, 24)
    .option('--snapshot <dir>', 'search the snapshot in this directory instead')
    .option('--scratch <dir>', 'where data of its own is made; removed afterwards')
    .option('--json', 'print JSON')
    .action(async (flags: Flags) => {
      const result = await runBench(flags);
      print(result, { json: flags.json, lines: present(result) });
    });
}

async function runBench(flags: Flags) {
  const parent = flags.scratch ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const scratch = await mkdtemp(join(parent, 'keyrank-bench-'));
  try {
    const directory = await chooseSnapshot(flags, scratch);
    const word = await pickWord(directory);
    await using store = new SnapshotStore({
      workerCount: 1,
      maxQueued: 10,
      workerFolder: new URL('../src/snapshot/threads/', import.meta.url),
    });
    const set = await store.publish(directory);
    using view = store.openView(set);
    if (!view) throw new Error('the snapshot was not published');
    const snapshotBytes = store.residentBytes;
    // Code that has never run is slow for reasons of its own.
    await searchOnce(view, { word, months: view.periods.length });
    const windows: WindowCost[] = [];
    for (const periods of sizesOf(view.periods.length)) {
      const before = store.residentBytes;
      const firstMs = await searchOnce(view, { word, months: periods });
      const later: number[] = [];
      for (let i = 0; i < LATER_SEARCHES; i += 1) later.push(await searchOnce(view, { word, months: periods }));
      const laterMs = later.sort((a, b) => a - b)[LATER_SEARCHES >> 1] ?? 0;
      windows.push({ periods, bytes: store.residentBytes - before, firstMs, laterMs });
    }
    return { periods: view.periods.length, snapshotBytes, windows };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Spread over all that are narrower than all periods. */
function sizesOf(periodCount: number): readonly number[] {
  const sizes = Array.from({ length: WINDOWS }, (_, i) => Math.round(((i + 1) * (periodCount - 1)) / WINDOWS));
  return [...new Set(sizes)].filter((size) => size > 0);
}

async function pickWord(directory: string): Promise<string> {
  const { manifest, buffers } = await loadSnapshot({ directory });
  return pickWords(viewSnapshot(manifest, buffers)).medium.word;
}

/** Milliseconds of the first page by the average rank in the window, which needs its summaries. */
async function searchOnce(
  view: RankView,
  { word, months }: { readonly word: string; readonly months: number },
): Promise<number> {
  const query = { ...QUESTION, ...view.set, queries: [word] };
  const plan = planSearch(query, { plan: { ...OWNER, months, weeks: months }, published: view.periods });
  const startMs = performance.now();
  await view.search(plan);
  return performance.now() - startMs;
}

const QUESTION = {
  method: 'similar',
  excludeQueries: [],
  brands: [],
  asins: [],
  categories: [],
  orderBy: 'avg_rank',
  orderDirection: undefined,
  excludeNulls: false,
  minRank: undefined,
  maxRank: undefined,
  minWords: undefined,
  maxWords: undefined,
  page: 1,
  limit: 50,
} as const;

function present({ periods, snapshotBytes, windows }: Awaited<ReturnType<typeof runBench>>): readonly string[] {
  const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
  const rows = windows.map((each) => [
    String(each.periods),
    megabytes(each.bytes),
    each.firstMs.toFixed(1),
    each.laterMs.toFixed(1),
  ]);
  const total = windows.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    `${count(periods)} periods, ${megabytes(snapshotBytes)} MB; ${windows.length} windows more: ${megabytes(total)} MB ` +
      `(${((100 * total) / snapshotBytes).toFixed(1)} %)`,
    ...tabulate(['periods', 'MB', 'first search, ms', 'later, ms'], rows),
  ];
}

function parseCount(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Use a whole number from 1.');
  return number;
}
