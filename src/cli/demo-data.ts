import { mkdir, rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { DemoOptions, DemoReport } from '../demo/report.ts';
import { ReportWriter } from '../demo/report-writer.ts';
import { OperatorError } from '../domain/error.ts';
import { DEFAULT_MAX_REJECTS, DEFAULT_MEMORY_LIMIT_BYTES } from '../ingest/import-defaults.ts';
import type { FileOutcome } from '../ingest/import-outcome.ts';
import { importReports } from '../ingest/importer.ts';
import { loadManifest } from '../postgres/manifest.ts';
import { buildSnapshot } from '../snapshot/build.ts';
import type { Operator } from './operator.ts';

/** Imports a demo data set where nothing is published yet; whatever is there stays as it is. */
export async function ensureDemoData(
  operator: Operator,
  { size, onStart }: { readonly size: DemoOptions['size']; readonly onStart: (reportCount: number) => void },
): Promise<void> {
  const { periods } = await loadManifest(operator.pool);
  if (periods.length > 0) return;
  const directory = join(operator.config.dataDirectory, 'demo');
  await mkdir(directory, { recursive: true });
  try {
    await using writer = new ReportWriter({
      size,
      now: new Date(),
      marketplace: operator.config.defaultMarketplace,
    });
    onStart(writer.reports.length);
    for (const kind of ['search', 'social'] as const) {
      await importDemoFiles(operator, { kind, files: writeReports({ writer, directory, kind }) });
    }
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Publishes generated reports of one kind together. */
export async function importDemoFiles(
  { pool, config }: Operator,
  { kind, files }: { readonly kind: DemoReport['kind']; readonly files: Iterable<string> | AsyncIterable<string> },
): Promise<void> {
  const outcomes = await importReports({
    files,
    options: {
      flags: {},
      source: kind,
      isDryRun: false,
      maxRejects: DEFAULT_MAX_REJECTS,
      defaultMarketplace: config.defaultMarketplace,
      threads: availableParallelism(),
      memoryLimitBytes: DEFAULT_MEMORY_LIMIT_BYTES,
    },
    pool,
    dataDirectory: config.dataDirectory,
    buildSnapshot,
    onProgress: () => {},
    now: () => new Date(),
    publishTogether: true,
  });
  for (const outcome of outcomes) if (outcome.status === 'failed') throw failure(outcome);
}

/** While one report is imported, the next is already being written. */
async function* writeReports({
  writer,
  directory,
  kind,
}: {
  readonly writer: ReportWriter;
  readonly directory: string;
  readonly kind: DemoReport['kind'];
}): AsyncGenerator<string> {
  const wanted = writer.reports.flatMap((report, index) => (report.kind === kind ? [{ ...report, index }] : []));
  const write = async (report: (typeof wanted)[number] | undefined): Promise<string> => {
    if (!report) return '';
    const path = join(directory, report.fileName);
    await writer.write(report.index, path);
    return path;
  };
  let writing = write(wanted[0]);
  for (const [i] of wanted.entries()) {
    const path = await writing;
    writing = write(wanted[i + 1]);
    // Whoever takes the next one hears of its failure; nobody may, when the import ends early.
    writing.catch(() => {});
    yield path;
    await rm(path);
  }
}

function failure({ file, error }: FileOutcome): OperatorError {
  return new OperatorError(`The demo report ${file} was not imported: ${error?.message ?? 'unknown'}`, {
    ...(error?.hint === undefined ? {} : { hint: error.hint }),
  });
}
