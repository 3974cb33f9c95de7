// An import as an operator runs it: the service's own code from the lock to the commit, with a report that is a few numbers
// instead of a file for DuckDB.
import { createHash } from 'node:crypto';
import { link, open, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Period, periodKey } from '../../../src/domain/period.ts';
import type { DuckDbSession } from '../../../src/ingest/duckdb-session.ts';
import { preparePeriod } from '../../../src/ingest/period-preparation.ts';
import { makeDirectory, syncDirectory, syncFile } from '../../../src/ingest/publish/durable-file.ts';
import { FilePublisher } from '../../../src/ingest/publish/file-publisher.ts';
import { SessionRows } from '../../../src/ingest/session-rows.ts';
import {
  formatManifest,
  MANIFEST_NAME,
  SNAPSHOT_FORMAT,
  type SnapshotManifest,
} from '../../../src/snapshot/format/format.ts';
import type { BuildSnapshot, SnapshotRequest } from '../../../src/snapshot/manifest/manifest.ts';
import type { SimulatedProcess } from './simulated-process.ts';

export interface Report {
  readonly period: Period;
  /** By term. */
  readonly ranks: Readonly<Record<string, number>>;
}

export const MARKETPLACE = 'US';
/** Short, so that some are swept while there is trouble. */
export const KEEP_REVISIONS_MS = 60_000;

/** Resolves when the operator is told that all of it is published. */
export async function importReports(process: SimulatedProcess, reports: readonly Report[]): Promise<void> {
  const { world, dataDirectory } = process;
  const now = () => world.clock.now();
  const pool = world.openPool(process, 2).asPool;
  const publisher = new FilePublisher({ pool, dataDirectory, keepRevisionsMs: KEEP_REVISIONS_MS, buildSnapshot, now });
  const publishesTogether = world.random.below(2) === 0;
  await publisher.openBatch({ onWait: () => {} }, async (batch) => {
    await batch.ready;
    const onStage = () => {};
    for (const report of reports) {
      await preparePeriod({
        rows: new SessionRows(sessionOf(report), { hasProducts: false }),
        filePeriod: { period: report.period },
        ...{ marketplace: MARKETPLACE, source: 'search', sourceFile: 'report.csv', warnings: [], isDryRun: false },
        ...{ batch, onStage, now },
      });
      if (!publishesTogether) await batch.publish({ onStage });
    }
    await batch.publish({ onStage });
  });
}

/** Answers what preparePeriod asks of DuckDB: one new term in every report, and files that hold the report. */
function sessionOf(report: Report): DuckDbSession {
  const content = JSON.stringify(report);
  const digest = BigInt(`0x${createHash('md5').update(content).digest('hex')}`).toString();
  const keywords = Object.keys(report.ranks).length;
  const session = {
    run: async (sql: string) => {
      const path = /\) TO '([^']+)'/.exec(sql)?.[1];
      if (path !== undefined) await writeFile(path, content);
    },
    row: async (sql: string) => (sql.includes('AS digest') ? { keywords, data_points: keywords, digest } : { rows: 1 }),
  };
  return session as unknown as DuckDbSession;
}

/** One file per period, shared with the older snapshot where it has the same, and the manifest last, as build.ts does it. */
export const buildSnapshot: BuildSnapshot = async (request) => {
  const { outputDirectory, beforeRead = async () => {} } = request;
  for (const path of request.dictionaries.terms) await beforeRead(path);
  await makeDirectory(outputDirectory);
  const names: string[] = [];
  for (const { period, segmentPath } of request.periods) {
    const name = rankFileName(basename(segmentPath));
    names.push(name);
    const target = join(outputDirectory, name);
    if (await sharesFile(request, name)) continue;
    await beforeRead(segmentPath);
    const { ranks } = JSON.parse(await readFile(segmentPath, 'utf8')) as Report;
    await writeFile(target, JSON.stringify({ period, ranks }));
    await syncFile(target);
  }
  const manifest = await open(join(outputDirectory, MANIFEST_NAME), 'w');
  await manifest.writeFile(formatManifest(describe(request)));
  await manifest.sync();
  await manifest.close();
  await syncDirectory(outputDirectory);
  return [...names, MANIFEST_NAME].map((name) => ({ name }));
};

export function rankFileName(segment: string): string {
  return `ranks-${segment.replace('.parquet', '.json')}`;
}

async function sharesFile({ previous, outputDirectory }: SnapshotRequest, name: string): Promise<boolean> {
  if (previous === undefined || !(await stat(join(previous, name)).catch(() => undefined))) return false;
  await link(join(previous, name), join(outputDirectory, name));
  return true;
}

function describe({ marketplace, frequency, source, periods }: SnapshotRequest): SnapshotManifest {
  return {
    ...{ format: SNAPSHOT_FORMAT, marketplace, frequency, source, documentCount: 0, categories: [] },
    dictionaries: { terms: [], products: [], brands: [], categories: [] },
    columns: {},
    periods: periods.map(({ period, segmentPath }) => ({
      key: periodKey(period),
      segment: basename(segmentPath),
      documentCount: 0,
    })),
  };
}
