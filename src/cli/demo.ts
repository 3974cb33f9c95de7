// keyrank demo generate: writes demo reports, or imports them one by one. All of them lie on disk at once only when they are to be
// kept: the largest size would take 50 GB.
import { access, constants, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { DemoReport } from '../../demo/report.ts';
import type { WrittenReport } from '../../demo/report-file.ts';
import type { DemoSize } from '../../demo/size.ts';
import { OperatorError } from '../domain/error.ts';
import type { ImportFile } from '../ingest/import-request.ts';
import { describeExportProgress } from './export-progress.ts';
import { count, type JsonFlag } from './output.ts';

/** DEMO_SIZES in words: the generator is loaded when it is needed, and help is shown without it. */
const SIZES =
  's: 20,000 terms, 26 months, 8 weeks; m: 1,000,000 terms, 24 months, 6 weeks; l: 3,000,000 terms, 24 months, 6 weeks';
const PROGRESS_INTERVAL_MS = 100;
const MAX_SEED = 0xffff_ffff;
/** Ten years of each, and reports as large as the largest real ones. */
const MAX_PERIODS = { weeks: 520, months: 120 } as const;
const MIN_TERMS = 100;
const MAX_TERMS = 3_000_000;

interface DemoTerminal {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

export interface DemoCommandOptions {
  readonly out: DemoTerminal;
  readonly now: () => Date;
  /** The sizes on offer; those of size.ts unless given. */
  readonly sizes?: Readonly<Record<string, DemoSize>>;
  /** Imports files that come into being one after the other, and publishes them together. */
  readonly importFiles: (files: AsyncIterable<ImportFile>) => Promise<void>;
}

const DEFAULTS: DemoCommandOptions = {
  out: process.stdout,
  now: () => new Date(),
  importFiles: async (files) => {
    const [{ importDemoFiles }, { asOperator }] = await Promise.all([
      import('./demo-data.ts'),
      import('./operator.ts'),
    ]);
    await asOperator((operator) => importDemoFiles(operator, files));
  },
};

interface GenerateFlags extends JsonFlag {
  readonly out: string;
  readonly size: string;
  readonly seed: string;
  readonly marketplace: string;
  readonly terms?: string;
  readonly months?: string;
  readonly weeks?: string;
  readonly churn?: string;
  readonly import?: boolean;
}

export function registerDemo(program: Command, given: Partial<DemoCommandOptions> = {}): void {
  const options = { ...DEFAULTS, ...given };
  program
    .command('demo')
    .description('make realistic demo data')
    .command('generate')
    .description('write report files that look like the real ones')
    .requiredOption('--out <dir>', 'directory for the files')
    .option('--size <size>', SIZES, 's')
    .option('--terms <number>', 'rows of each search report, instead of those of the size')
    .option('--months <number>', 'months, instead of those of the size')
    .option('--weeks <number>', 'weeks, instead of those of the size')
    .option('--churn <share>', 'of each report so much is new, most of it once only, beside a core that stays: 0.25')
    .option('--seed <number>', 'another number makes other data', '1')
    .option('--marketplace <code>', 'two-letter marketplace of the file names', 'US')
    .option('--json', 'print the result as JSON')
    .option('--import', 'import each file and delete it; all become visible together at the end')
    .action((flags: GenerateFlags) => runGenerate(flags, options));
}

async function runGenerate(flags: GenerateFlags, options: DemoCommandOptions): Promise<void> {
  const [{ generateReports }, { DEMO_SIZES }, { MAX_CHURN }] = await Promise.all([
    import('../../demo/report.ts'),
    import('../../demo/size.ts'),
    import('../../demo/churn.ts'),
  ]);
  const size = parseSize(findSize(flags.size, options.sizes ?? DEMO_SIZES), flags, MAX_CHURN);
  const seed = parseSeed(flags.seed);
  const marketplace = parseMarketplace(flags.marketplace);
  await openDirectory(flags.out);
  const startedMs = performance.now();
  const totals = { files: 0, rows: 0, sizeBytes: 0 };
  const reports = [...generateReports({ size, seed, marketplace, now: options.now() })];
  /** One report after the other; one that is imported goes before the next is written. */
  async function* writeAll(): AsyncGenerator<ImportFile> {
    for (const report of reports) {
      const path = join(flags.out, report.fileName);
      try {
        const { rows, sizeBytes } = await writeOne(report, path, { json: flags.json, out: options.out });
        totals.files += 1;
        totals.rows += rows;
        totals.sizeBytes += sizeBytes;
        yield { path, source: report.kind };
      } finally {
        if (flags.import) await rm(path, { force: true });
      }
    }
  }
  if (flags.import) await options.importFiles(writeAll());
  else for await (const _file of writeAll());
  const elapsedMs = Math.round(performance.now() - startedMs);
  if (flags.json) {
    const { files, rows, sizeBytes } = totals;
    const result = { directory: flags.out, size: flags.size, seed, marketplace, files, rows };
    options.out.write(`${JSON.stringify({ ...result, size_bytes: sizeBytes, elapsed_ms: elapsedMs })}\n`);
    return;
  }
  const what = `${count(totals.files)} files, ${count(totals.rows)} rows, ${formatSize(totals.sizeBytes)}`;
  options.out.write(`Done: ${what} in ${(elapsedMs / 1000).toFixed(1)} s.\n`);
}

async function writeOne(
  report: DemoReport,
  path: string,
  { json, out }: JsonFlag & { readonly out: DemoTerminal },
): Promise<WrittenReport> {
  const isLive = out.isTTY === true && !json;
  const startedMs = performance.now();
  let shownMs = 0;
  const written = await report.write(path, {
    onProgress: ({ rows, totalRows }) => {
      const elapsedMs = performance.now() - startedMs;
      if (!isLive || elapsedMs - shownMs < PROGRESS_INTERVAL_MS) return;
      shownMs = elapsedMs;
      const progress = describeExportProgress({ done: rows, total: totalRows, elapsedMs });
      out.write(`\r\x1b[K${report.fileName}  ${progress}`);
    },
  });
  if (isLive) out.write('\r\x1b[K');
  if (!json) out.write(`${report.fileName}: ${count(written.rows)} rows, ${formatSize(written.sizeBytes)}\n`);
  return written;
}

function findSize(name: string, sizes: Readonly<Record<string, DemoSize>>): DemoSize {
  const size = Object.hasOwn(sizes, name) ? sizes[name] : undefined;
  if (size) return size;
  throw new OperatorError(`There is no size "${name}".`, { hint: `Use one of: ${Object.keys(sizes).join(', ')}.` });
}

/** What the flags say instead of the named size. */
function parseSize(named: DemoSize, flags: GenerateFlags, maxChurn: number): DemoSize {
  const size = {
    ...named,
    terms: parseNumber('terms', flags, { least: MIN_TERMS, most: MAX_TERMS }) ?? named.terms,
    months: parseNumber('months', flags, { least: 0, most: MAX_PERIODS.months }) ?? named.months,
    weeks: parseNumber('weeks', flags, { least: 0, most: MAX_PERIODS.weeks }) ?? named.weeks,
  };
  if (size.months + size.weeks === 0) {
    throw new OperatorError('There is nothing to generate.', { hint: 'Ask for at least one month or week.' });
  }
  return flags.churn === undefined ? size : { ...size, churn: parseChurn(flags.churn, maxChurn) };
}

function parseNumber(
  name: 'terms' | 'months' | 'weeks',
  { [name]: text }: GenerateFlags,
  { least, most }: { readonly least: number; readonly most: number },
): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^[0-9]{1,9}$/.test(text) && number >= least && number <= most) return number;
  throw new OperatorError(`--${name} "${text}" is not a whole number from ${count(least)} to ${count(most)}.`);
}

function parseChurn(text: string, max: number): number {
  const churn = Number(text);
  if (/^[0-9]?(\.[0-9]{1,6})?$/.test(text) && text !== '' && churn <= max) return churn;
  throw new OperatorError(`The churn "${text}" is not a share from 0 to ${max}.`, { hint: 'Use 0.25 for a quarter.' });
}

function parseSeed(text: string): number {
  const seed = Number(text);
  if (/^[0-9]+$/.test(text) && seed <= MAX_SEED) return seed;
  throw new OperatorError(`The seed "${text}" is not a whole number from 0 to ${MAX_SEED}.`);
}

function parseMarketplace(code: string): string {
  const upper = code.toUpperCase();
  if (/^[A-Z]{2}$/.test(upper)) return upper;
  throw new OperatorError(`"${code}" is not a marketplace.`, { hint: 'Use a two-letter code such as US.' });
}

async function openDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
    await access(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new OperatorError(`The directory "${path}" cannot be written to.`, {
      hint: 'Give --out a directory that exists or can be made, and that you may write to.',
      cause,
    });
  }
}

function formatSize(sizeBytes: number): string {
  return sizeBytes < 1e9 ? `${(sizeBytes / 1e6).toFixed(1)} MB` : `${(sizeBytes / 1e9).toFixed(1)} GB`;
}
