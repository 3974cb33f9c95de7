// How fast imports are, as ratios within one run, so that the figures mean the same on every machine: a report of so many
// rows against the time that DuckDB needs to read it into a table, and a late period against the second.
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ReportWriter } from '../demo/report-writer.ts';
import { asOperator } from '../src/cli/operator.ts';
import { print } from '../src/cli/output.ts';
import { OperatorError } from '../src/domain/error.ts';
import { pathLiteral } from '../src/ingest/duckdb-session.ts';
import type { ImportStage } from '../src/ingest/import-request.ts';
import { DEFAULT_MEMORY_LIMIT_BYTES } from '../src/ingest/import-request.ts';
import { importReports } from '../src/ingest/importer.ts';
import { syncFile } from '../src/ingest/publish/durable-file.ts';
import { FilePublisher } from '../src/ingest/publish/file-publisher.ts';
import { DEFAULT_REPORT_LIMITS } from '../src/ingest/reading/report-fault.ts';
import type { Pool } from '../src/postgres/pool.ts';
import { buildSnapshot } from '../src/snapshot/build/build.ts';

const SAMPLE_MS = 50;

interface BenchFlags {
  readonly rows: number;
  readonly periods: number;
  readonly threads: number;
  readonly json?: boolean;
}

interface PeriodTimes {
  /** DuckDB alone, from the file into a table of texts. */
  readonly readMs: number;
  /** Reading, checking, numbering, writing and publishing. */
  readonly importMs: number;
  /** Building the snapshot and describing its files, which comes on top. */
  readonly snapshotMs: number;
}

interface BenchResult {
  readonly rows: number;
  readonly threads: number;
  readonly periods: readonly PeriodTimes[];
  /** The last period against the second, snapshot included. */
  readonly growth: number;
  readonly peakBytes: number;
}

export function registerBenchImport(bench: Command): void {
  bench
    .command('import')
    .description('measure imports in an empty data directory; the months it makes stay there')
    .option('--rows <count>', 'rows per month', parseCount, 1_000_000)
    .option('--periods <count>', 'months, one after the other', parseCount, 3)
    .addOption(
      new Option('--threads <count>', 'threads to work with')
        .argParser(parseCount)
        .default(availableParallelism(), 'one per processor core'),
    )
    .option('--json', 'print JSON')
    .action(async (flags: BenchFlags) => {
      const result = await runBench(flags, (number, times) => {
        if (!flags.json) console.log(describePeriod(number, times));
      });
      print(result, { json: flags.json, lines: describeResult(result) });
    });
}

function describePeriod(number: number, { readMs, importMs, snapshotMs }: PeriodTimes): string {
  const imported = `imported ${seconds(importMs)}, ratio ${(importMs / readMs).toFixed(2)}`;
  return `period ${number}: read into a table ${seconds(readMs)}, ${imported}, snapshot ${seconds(snapshotMs)}`;
}

function describeResult({ periods, growth, peakBytes }: BenchResult): readonly string[] {
  const sum = (read: (times: PeriodTimes) => number): number => periods.reduce((total, each) => total + read(each), 0);
  const ratio = sum(({ importMs }) => importMs) / sum(({ readMs }) => readMs);
  return [
    `all periods together: ratio ${ratio.toFixed(2)} (goal for a million rows: at most 3)`,
    `last period against the second: ${growth.toFixed(2)} (goal for the 20th: at most 1.3)`,
    `peak resident memory: ${Math.round(peakBytes / 1e6)} MB`,
  ];
}

async function runBench(
  { rows, periods, threads }: BenchFlags,
  onPeriod: (number: number, times: PeriodTimes) => void,
): Promise<BenchResult> {
  return await asOperator(async ({ config, pool }) => {
    const { rows: found } = await pool.query<{ periods: number }>('SELECT count(*) AS periods FROM rank_periods');
    if (found[0]?.periods !== 0) {
      throw new OperatorError('The benchmark needs an empty data directory and database.', {
        hint: 'Set KEYRANK_DATA_DIR to a directory that does not exist yet, and leave DATABASE_URL empty.',
      });
    }
    const directory = await mkdtemp(join(config.dataDirectory, 'bench-'));
    try {
      const paths = await writeReports({ directory, rows, periods });
      using peak = watchMemory();
      const times: PeriodTimes[] = [];
      for (const path of paths) {
        // Before and after, because a machine is not equally fast all the time.
        const beforeMs = await timed(() => readFully(path, threads));
        const imported = await importFile({ path, pool, dataDirectory: config.dataDirectory, threads });
        const afterMs = await timed(() => readFully(path, threads));
        const measured = { readMs: (beforeMs + afterMs) / 2, ...imported };
        times.push(measured);
        onPeriod(times.length, measured);
        await rm(path);
      }
      return { rows, threads, periods: times, growth: growthOf(times), peakBytes: peak.bytes };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}

/** Each counted in reads of its own file, because a machine is not equally fast all the time. */
function growthOf(times: readonly PeriodTimes[]): number {
  const whole = times.map(({ readMs, importMs, snapshotMs }) => (importMs + snapshotMs) / readMs);
  return (whole.at(-1) ?? 0) / (whole[1] ?? whole[0] ?? 1);
}

/** All reports at once, so that the memory it takes to make them is free again when imports are measured. */
async function writeReports(given: {
  readonly directory: string;
  readonly rows: number;
  readonly periods: number;
}): Promise<readonly string[]> {
  await using writer = new ReportWriter({
    size: { terms: given.rows, months: given.periods, weeks: 0, socialTerms: 0 },
    now: new Date(),
  });
  const paths = writer.reports.map(({ fileName }) => join(given.directory, fileName));
  for (const [index, path] of paths.entries()) {
    await writer.write(index, path);
    // Or the first import would have to wait until all of them are on disk.
    await syncFile(path);
  }
  return paths;
}

async function importFile(given: {
  readonly path: string;
  readonly pool: Pool;
  readonly dataDirectory: string;
  readonly threads: number;
}): Promise<Pick<PeriodTimes, 'importMs' | 'snapshotMs'>> {
  const startMs: Partial<Record<ImportStage, number>> = {};
  const wholeMs = await timed(async () => {
    const [outcome] = await importReports({
      files: [{ path: given.path, source: 'search' }],
      options: {
        flags: {},
        isDryRun: false,
        maxRejects: 0,
        limits: DEFAULT_REPORT_LIMITS,
        replacesSmaller: false,
        defaultMarketplace: 'US',
        threads: given.threads,
        memoryLimitBytes: DEFAULT_MEMORY_LIMIT_BYTES,
      },
      publisher: new FilePublisher({ ...given, buildSnapshot, keepRevisionsMs: 0, now: () => new Date() }),
      dataDirectory: given.dataDirectory,
      onProgress: ({ stage }) => {
        startMs[stage] ??= performance.now();
      },
      now: () => new Date(),
    });
    if (outcome?.status !== 'done') throw new OperatorError(outcome?.error?.message ?? 'Nothing was imported.');
  });
  const snapshotMs = (startMs.publishing ?? 0) - (startMs.snapshot ?? 0);
  return { importMs: wholeMs - snapshotMs, snapshotMs };
}

async function readFully(path: string, threads: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: String(threads) });
  const connection = await instance.connect();
  await connection.run(
    `CREATE TABLE report AS SELECT * FROM read_csv(${pathLiteral(path)}, skip = 1, header = true, all_varchar = true)`,
  );
  connection.closeSync();
  instance.closeSync();
}

function watchMemory(): Disposable & { readonly bytes: number } {
  let bytes = 0;
  const sampler = setInterval(() => {
    bytes = Math.max(bytes, process.memoryUsage().rss);
  }, SAMPLE_MS);
  return {
    get bytes() {
      return bytes;
    },
    [Symbol.dispose]: () => clearInterval(sampler),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('Use a whole number from 1.');
  return Number(text);
}
