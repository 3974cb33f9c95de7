// A database, a data directory and the importer, with what tests want to know of the result.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { PeriodPlace, RankSource } from '../../src/domain/store.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import type { FileOutcome } from '../../src/ingest/import-outcome.ts';
import type { ImportFile, ImportOptions } from '../../src/ingest/import-request.ts';
import { importReports } from '../../src/ingest/importer.ts';
import { FilePublisher, type FilePublisherOptions, sweepLeftovers } from '../../src/ingest/publish/file-publisher.ts';
import { DEFAULT_REPORT_LIMITS } from '../../src/ingest/reading/report-fault.ts';
import {
  changeRevision,
  planRestoration,
  planWithdrawal,
  type RevisionChangeRequest,
} from '../../src/ingest/revision-change.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import type { BuildSnapshot, DictionaryKind, Manifest } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

/** A row as it is stored, with names in place of numbers. */
export interface StoredRow {
  readonly term: string;
  readonly original: string | null;
  readonly rank: number;
  readonly asins: readonly (string | null)[];
  readonly titles: readonly (string | null)[];
  readonly clicks: readonly (number | null)[];
  readonly conversions: readonly (number | null)[];
  readonly brands: readonly (string | null)[];
  readonly categories: readonly (string | null)[];
}

export interface Workbench extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly dataDirectory: string;
  /** For report files. */
  readonly reports: string;
  /** All that imports said. */
  readonly warnings: readonly string[];
  publisher(given?: Partial<FilePublisherOptions>): FilePublisher;
  import(files: readonly string[], options?: TestOptions): Promise<readonly FileOutcome[]>;
  /** All become visible in one step. */
  importTogether(files: readonly ImportFile[], options?: Partial<ImportOptions>): Promise<readonly FileOutcome[]>;
  importOne(file: string, options?: TestOptions): Promise<FileOutcome>;
  withdraw(place: PeriodPlace, given?: Partial<RevisionChangeRequest>): Promise<void>;
  restore(place: PeriodPlace, revision?: number, given?: Partial<RevisionChangeRequest>): Promise<void>;
  /** Returns the files that were removed. */
  sweep(now?: Date): Promise<readonly string[]>;
  /** Back to an empty data directory and an empty manifest. */
  reset(): Promise<void>;
  manifest(): Promise<Manifest>;
  /** The rows of the only published period, or of the one whose segment path contains the text. */
  storedRows(pathPart?: string): Promise<readonly StoredRow[]>;
}

type TestOptions = Partial<ImportOptions> & { readonly source?: RankSource; readonly now?: Date };

export const KEEP_REVISIONS_MS = 30 * 86_400_000;

export const TEST_OPTIONS: ImportOptions = {
  flags: {},
  isDryRun: false,
  maxRejects: 0.01,
  replacesSmaller: false,
  limits: DEFAULT_REPORT_LIMITS,
  defaultMarketplace: 'US',
  threads: 2,
  memoryLimitBytes: 500_000_000,
};

export async function openWorkbench(build: BuildSnapshot = buildSnapshot): Promise<Workbench> {
  const database = await makeDatabase();
  const directory = await openTemporaryDirectory();
  const dataDirectory = join(directory.path, 'data');
  const reports = join(directory.path, 'reports');
  const warnings: string[] = [];
  await mkdir(reports);
  const storage = {
    pool: database.operator,
    dataDirectory,
    buildSnapshot: build,
    keepRevisionsMs: KEEP_REVISIONS_MS,
    now: () => new Date(),
  };
  const publisher = (given: Partial<FilePublisherOptions> = {}) => new FilePublisher({ ...storage, ...given });
  const common = {
    publisher: publisher(),
    dataDirectory,
    onProgress: () => {},
    onWarning: (message: string) => void warnings.push(message),
    now: () => new Date(),
  };
  const run = (files: readonly string[], { source = 'search', now = new Date(), ...options }: TestOptions = {}) =>
    importReports({
      ...common,
      publisher: publisher({ now: () => now }),
      now: () => now,
      files: files.map((path) => ({ path, source })),
      options: { ...TEST_OPTIONS, ...options },
    });
  return {
    database,
    dataDirectory,
    reports,
    warnings,
    publisher,
    import: run,
    importTogether: (files, options) =>
      importReports({ ...common, files, options: { ...TEST_OPTIONS, ...options }, publishTogether: true }),
    importOne: async (file, options) => {
      const [outcome] = await run([file], options);
      if (!outcome) throw new Error('no outcome');
      return outcome;
    },
    withdraw: async (place, given) =>
      changeRevision(
        { ...common, onStage: () => {}, ...given },
        planWithdrawal(await loadManifest(storage.pool), place),
      ),
    restore: async (place, revision, given) =>
      changeRevision(
        { ...common, onStage: () => {}, ...given },
        planRestoration(await loadManifest(storage.pool), place, revision),
      ),
    sweep: (now = new Date()) => sweepLeftovers({ ...storage, now: () => now }),
    reset: async () => {
      await rm(dataDirectory, { recursive: true, force: true });
      await database.owner.query(`TRUNCATE rank_periods, kept_revisions, dictionary_deltas, snapshot_files;
        UPDATE rank_statistics SET version = 0, computed_at = NULL, total_data_points = 0`);
    },
    manifest: () => loadManifest(database.service),
    storedRows: async (pathPart = '') => readStoredRows(dataDirectory, await loadManifest(database.service), pathPart),
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function readStoredRows(
  dataDirectory: string,
  manifest: Manifest,
  pathPart: string,
): Promise<readonly StoredRow[]> {
  const published = manifest.periods.filter((period) => period.segment.path.includes(pathPart));
  const [period] = published;
  if (!period || published.length > 1) throw new Error(`${published.length} periods with "${pathPart}"`);
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  const names = async (kind: DictionaryKind, column: string) => {
    const found = new Map<number, string>();
    for (const delta of manifest.dictionaries) {
      if (delta.kind !== kind || delta.marketplace !== period.marketplace) continue;
      for (const row of await read(`SELECT * FROM read_parquet('${join(dataDirectory, delta.file.path)}')`)) {
        found.set(Number(row.id), String(row[column]));
      }
    }
    return (id: unknown) =>
      id === null || id === undefined ? null : (found.get(Number(id)) ?? `unknown id ${String(id)}`);
  };
  const [term, asin, title] = [
    await names('terms', 'term'),
    await names('products', 'asin'),
    await names('products', 'title'),
  ];
  const [brand, category] = [await names('brands', 'name'), await names('categories', 'name')];
  const rows = await read(`SELECT * FROM read_parquet('${join(dataDirectory, period.segment.path)}')`);
  connection.closeSync();
  instance.closeSync();
  const number = (value: unknown) => (value === null || value === undefined ? null : Number(value));
  return rows.map((row) => {
    const slots = (column: string) => [1, 2, 3].map((slot) => row[`${column}_${slot}`]);
    const text = term(row.term_id) ?? '';
    if (text !== normalizeTerm(text)) throw new Error(`"${text}" is stored but not normalised`);
    return {
      term: text,
      original: row.original === null ? null : String(row.original),
      rank: Number(row.rank),
      asins: slots('product').map(asin),
      titles: slots('product').map(title),
      clicks: slots('click_share').map(number),
      conversions: slots('conversion_share').map(number),
      brands: slots('brand').map(brand),
      categories: slots('category').map(category),
    };
  });
}
