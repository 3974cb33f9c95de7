import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DemoReport, generateReports } from '../demo/report.ts';
import { OperatorError } from '../domain/error.ts';
import type { FileOutcome } from '../ingest/import-outcome.ts';
import { DEFAULT_MAX_REJECTS, DEFAULT_MEMORY_LIMIT_BYTES, importReports } from '../ingest/importer.ts';
import { loadManifest } from '../postgres/manifest.ts';
import { buildSnapshot } from '../snapshot/build.ts';
import type { Operator } from './operator.ts';

/** Imports the small demo data set where nothing is published yet; whatever is there stays as it is. */
export async function ensureDemoData(operator: Operator, onStart: (reportCount: number) => void): Promise<void> {
  const { periods } = await loadManifest(operator.pool);
  if (periods.length > 0) return;
  const directory = join(operator.config.dataDirectory, 'demo');
  await mkdir(directory, { recursive: true });
  const reports = [...generateReports({ size: 's', now: new Date(), marketplace: operator.config.defaultMarketplace })];
  onStart(reports.length);
  try {
    for (const kind of ['search', 'social'] as const) {
      const ofKind = reports.filter((report) => report.kind === kind);
      await importDemoFiles(operator, { kind, files: writeReports(directory, ofKind) });
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
      // Small files: a second thread would mostly wait, and the next report is being written meanwhile.
      threads: 1,
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
async function* writeReports(directory: string, reports: readonly DemoReport[]): AsyncGenerator<string> {
  const write = async (report: DemoReport | undefined): Promise<string | undefined> => {
    if (!report) return undefined;
    const path = join(directory, report.fileName);
    await report.write(path);
    return path;
  };
  const [first, ...others] = reports;
  let writing = write(first);
  for (const following of [...others, undefined]) {
    const path = await writing;
    writing = write(following);
    // Whoever takes the next one hears of its failure; nobody may, when the import ends early.
    writing.catch(() => {});
    if (path !== undefined) yield path;
    if (path !== undefined) await rm(path);
  }
}

function failure({ file, error }: FileOutcome): OperatorError {
  return new OperatorError(`The demo report ${file} was not imported: ${error?.message ?? 'unknown'}`, {
    ...(error?.hint === undefined ? {} : { hint: error.hint }),
  });
}
