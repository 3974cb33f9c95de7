// How fast imports are, as ratios within one run, so that the figures mean the same on every machine: a report of so many
// rows against the time that DuckDB needs to read it into a table, and a late period against the second.
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Command, InvalidArgumentError } from 'commander';
import { OperatorError } from '../domain/error.ts';
import { DEFAULT_MEMORY_LIMIT_BYTES, importReports } from '../ingest/importer.ts';
import type { Pool } from '../postgres/pool.ts';
import { asOperator } from './operator.ts';
import { print } from './output.ts';

const WEEK_MS = 7 * 86_400_000;
const FIRST_SATURDAY_MS = Date.UTC(2020, 0, 4);
/** Share of a period's terms that the one before did not have. */
const CHURN = 0.25;
const SAMPLE_MS = 50;

interface PeriodTimes {
  readonly readMs: number;
  readonly importMs: number;
}

export function registerBenchImport(bench: Command): void {
  bench
    .command('import')
    .description('measure imports in an empty data directory; the periods it makes stay there')
    .option('--rows <count>', 'rows per period', parseCount, 1_000_000)
    .option('--periods <count>', 'periods, one after the other', parseCount, 3)
    .option('--threads <count>', 'threads to work with', parseCount, availableParallelism())
    .option('--json', 'print JSON')
    .action(async (flags: { rows: number; periods: number; threads: number; json?: boolean }) => {
      const result = await runBench(flags);
      print(result, {
        json: flags.json,
        lines: [
          ...result.periods.map(
            ({ readMs, importMs }, index) =>
              `period ${index + 1}: read into a table ${seconds(readMs)}, imported ${seconds(importMs)}, ratio ${(importMs / readMs).toFixed(2)}`,
          ),
          `last period against the second: ${result.growth.toFixed(2)}`,
          `peak resident memory: ${Math.round(result.peakBytes / 1e6)} MB`,
        ],
      });
    });
}

async function runBench({ rows, periods, threads }: { rows: number; periods: number; threads: number }) {
  return await asOperator(async ({ config, pool }) => {
    const { rows: found } = await pool.query<{ periods: number }>('SELECT count(*) AS periods FROM rank_periods');
    if (found[0]?.periods !== 0) {
      throw new OperatorError('The benchmark needs an empty data directory and database.', {
        hint: 'Set KEYRANK_DATA_DIR to a directory that does not exist yet, and leave DATABASE_URL empty.',
      });
    }
    const directory = await mkdtemp(join(config.dataDirectory, 'bench-'));
    let peakBytes = 0;
    const sampler = setInterval(() => {
      peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
    }, SAMPLE_MS);
    try {
      const times: PeriodTimes[] = [];
      for (let period = 0; period < periods; period += 1) {
        const path = await writePeriod({ directory, rows, period });
        const readMs = await timed(() => readFully(path, threads));
        const importMs = await timed(() => importFile({ path, pool, dataDirectory: config.dataDirectory, threads }));
        times.push({ readMs, importMs });
        await rm(path);
      }
      const growth = (times.at(-1)?.importMs ?? 0) / (times[1]?.importMs ?? times[0]?.importMs ?? 1);
      return { rows, threads, periods: times, growth, peakBytes };
    } finally {
      clearInterval(sampler);
      await rm(directory, { recursive: true, force: true });
    }
  });
}

/** Snapshots are measured on their own: here only reading, numbering, writing and publishing count. */
async function importFile(given: { path: string; pool: Pool; dataDirectory: string; threads: number }): Promise<void> {
  const [outcome] = await importReports({
    files: [given.path],
    options: {
      flags: {},
      source: 'search',
      isDryRun: false,
      maxRejects: 0,
      defaultMarketplace: 'US',
      threads: given.threads,
      memoryLimitBytes: DEFAULT_MEMORY_LIMIT_BYTES,
    },
    pool: given.pool,
    dataDirectory: given.dataDirectory,
    buildSnapshot: async ({ outputDirectory }) => {
      await mkdir(outputDirectory);
      return [];
    },
    onProgress: () => {},
    now: () => new Date(),
  });
  if (outcome?.status !== 'done') throw new OperatorError(outcome?.error?.message ?? 'Nothing was imported.');
}

async function readFully(path: string, threads: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads) });
  const connection = await instance.connect();
  await connection.run(
    `CREATE TABLE report AS SELECT * FROM read_csv('${path}', skip = 1, header = true, all_varchar = true)`,
  );
  connection.closeSync();
  instance.closeSync();
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** A report with rows of about 550 bytes, three quarters of whose terms were in the period before. */
async function writePeriod(given: { directory: string; rows: number; period: number }): Promise<string> {
  const { directory, rows, period } = given;
  const day = (offset: number) => new Date(FIRST_SATURDAY_MS + period * WEEK_MS + offset).toISOString().slice(0, 10);
  const path = join(directory, `US_Top_Search_Terms_Simple_Week_${day(0).replaceAll('-', '_')}.csv`);
  const file = await open(path, 'w');
  const slots = [1, 2, 3];
  const header = [
    'Search Frequency Rank',
    'Search Term',
    ...slots.map((slot) => `Top Clicked Brand #${slot}`),
    ...slots.map((slot) => `Top Clicked Category #${slot}`),
    ...slots.flatMap((slot) =>
      ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map(
        (name) => `Top Clicked Product #${slot}: ${name}`,
      ),
    ),
    'Reporting Date',
  ];
  let text = `Reporting Range=["Weekly"],Select week=["Week | ${day(-6 * 86_400_000)} - ${day(0)} 2020"]\n${quoted(header)}`;
  for (let rank = 1; rank <= rows; rank += 1) {
    const isNew = mixed(rank * 31 + period) % 100 < CHURN * 100;
    const term = isNew ? rows + period * rows + rank : rank;
    const products = slots.map((slot) => mixed(term * 3 + slot) % rows);
    text += quoted([
      String(rank),
      words(term, 2 + (mixed(term) % 4)),
      ...products.map((product) => words(product % 9000, 2)),
      ...products.map((product) => `Category ${product % 40}`),
      ...products.flatMap((product) => [
        `B${String(product).padStart(9, '0')}`,
        words(product, 16),
        `${mixed(product + rank) % 40}.${10 + (mixed(rank) % 90)}`,
        mixed(rank + product) % 10 === 0 ? '' : `${mixed(product) % 30}.5`,
      ]),
      day(0),
    ]);
    if (text.length < 1_000_000) continue;
    await file.write(text);
    text = '';
  }
  await file.write(text);
  await file.close();
  return path;
}

function quoted(fields: readonly string[]): string {
  return `${fields.map((field) => `"${field}"`).join(',')}\n`;
}

/** Always the same words for a number, different ones for different numbers. */
function words(number: number, count: number): string {
  const parts = [number.toString(36)];
  for (let index = 1; index < count; index += 1) parts.push((mixed(number * 17 + index) % 1_000_000).toString(36));
  return parts.join(' ');
}

/** Spreads whole numbers over 32 bits. */
function mixed(number: number): number {
  const once = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b);
  return (twice ^ (twice >>> 16)) >>> 0;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number from 1.');
  return Number(text);
}
