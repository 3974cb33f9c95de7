import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { DemoOptions } from '../../demo/report.ts';
import type { ReportWriter } from '../../demo/report-writer.ts';
import { OperatorError } from '../domain/error.ts';
import type { FileOutcome } from '../ingest/import-outcome.ts';
import type { ImportFile } from '../ingest/import-request.ts';
import { DEFAULT_MAX_REJECTS, DEFAULT_MEMORY_LIMIT_BYTES } from '../ingest/import-request.ts';
import { importReports } from '../ingest/importer.ts';
import { type Operator, openPublisher } from './operator.ts';

/** Imports a demo data set where nothing is published yet; whatever is there stays as it is. */
export async function ensureDemoData(
  operator: Operator,
  options: {
    /** Unless given, what is good for a first look. */
    readonly size?: DemoOptions['size'];
    readonly onStart: (reportCount: number) => void;
    readonly signal?: AbortSignal;
  },
): Promise<void> {
  const { periods } = await openPublisher(operator).readCatalog();
  if (periods.length > 0) return;
  const { ReportWriter } = await import('../../demo/report-writer.ts');
  const { FIRST_LOOK } = await import('../../demo/size.ts');
  const directory = join(operator.config.dataDirectory, 'demo');
  await mkdir(directory, { recursive: true });
  try {
    await using writer = new ReportWriter({
      size: options.size ?? FIRST_LOOK,
      now: new Date(),
      marketplace: operator.config.defaultMarketplace,
    });
    options.onStart(writer.reports.length);
    await importDemoFiles(operator, writeReports(writer, directory), options.signal);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Publishes generated reports together. */
export async function importDemoFiles(
  operator: Operator,
  files: AsyncIterable<ImportFile>,
  signal?: AbortSignal,
): Promise<void> {
  const { config } = operator;
  const outcomes = await importReports({
    files,
    options: {
      flags: {},
      isDryRun: false,
      maxRejects: DEFAULT_MAX_REJECTS,
      limits: config.reportLimits,
      replacesSmaller: false,
      defaultMarketplace: config.defaultMarketplace,
      threads: availableParallelism(),
      memoryLimitBytes: DEFAULT_MEMORY_LIMIT_BYTES,
    },
    publisher: openPublisher(operator),
    dataDirectory: config.dataDirectory,
    onProgress: () => {},
    now: () => new Date(),
    publishTogether: true,
    signal,
  });
  for (const outcome of outcomes) if (outcome.status === 'failed') throw failure(outcome);
}

/** While one report is imported, the next is already being written. */
async function* writeReports(writer: ReportWriter, directory: string): AsyncGenerator<ImportFile> {
  const write = async (index: number): Promise<string> => {
    const report = writer.reports[index];
    if (!report) return '';
    const path = join(directory, report.fileName);
    await writer.write(index, path);
    return path;
  };
  let writing = write(0);
  for (const [index, { kind }] of writer.reports.entries()) {
    const path = await writing;
    writing = write(index + 1);
    // Whoever takes the next one hears of its failure; nobody may, when the import ends early.
    writing.catch(() => {});
    yield { path, source: kind };
    await rm(path);
  }
}

function failure({ file, error }: FileOutcome): OperatorError {
  return new OperatorError(`The demo report ${file} was not imported: ${error?.message ?? 'unknown'}`, {
    ...(error?.hint === undefined ? {} : { hint: error.hint }),
  });
}
