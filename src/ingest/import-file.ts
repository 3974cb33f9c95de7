// One file: recognised, read and checked; then each of its periods is prepared for publication. Reading needs nothing of
// what other files bring, so that the next file may be read while the periods of this one are prepared.
import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OperatorError } from '../domain/error.ts';
import { isSamePeriod } from '../domain/period.ts';
import { listPeriods, type PublicationBatch } from '../domain/rank-publisher.ts';
import type { RankSource } from '../domain/store.ts';
import { openDatabase, type SharedDuckDb } from './duckdb.ts';
import { DuckDbSession } from './duckdb-session.ts';
import { REPORT_FORMATS } from './formats/known-formats.ts';
import type { FileOutcome } from './import-outcome.ts';
import type { ImportFile, ImportRequest, ImportStage } from './import-request.ts';
import { preparePeriod } from './period-preparation.ts';
import { temporaryPath } from './publish/data-directory.ts';
import { findFilePeriods } from './reading/file-periods.ts';
import { countKeywords, type FilePeriod } from './reading/period-rows.ts';
import { sieveRecords } from './reading/record-sieve.ts';
import { ReportFault } from './reading/report-fault.ts';
import { openReportFile, type ReportFile } from './reading/report-file.ts';
import { findMarketplace, type ReportFlags } from './reading/report-period.ts';
import { listRejects, type RejectSearch, type Rejects, writeRejects } from './reading/report-rejects.ts';
import { type ReportTable, readRows } from './reading/report-rows.ts';
import { mergeTwins, normalizeTerms } from './reading/report-terms.ts';
import { SessionRows } from './session-rows.ts';
import { checkShrinkage } from './size-warning.ts';

/** Between two questions for the progress of a statement. */
const PROGRESS_MS = 250;
/** For smaller files a second thread finds no work and spins. */
export const MIN_PARALLEL_BYTES = 32_000_000;

const MAX_NAMED_COLUMNS = 30;
const MAX_QUOTED_CHARACTERS = 200;
const MAX_FIRST_ROWS = 5;

/** What the files of an import have in common. */
export interface SharedByFiles {
  readonly batch: PublicationBatch<SessionRows>;
  /** For small files. */
  readonly duckDb: SharedDuckDb;
}

/** What is known of a file whose import failed half-way. */
export type PartialOutcome = Omit<FileOutcome, 'status' | 'error' | 'durationMs'>;

/** A file that was read. */
interface Report {
  readonly session: DuckDbSession;
  readonly marketplace: string;
  readonly periods: readonly FilePeriod[];
  readonly warnings: readonly string[];
  /** Whether it names products, or ranks alone. */
  readonly hasProducts: boolean;
}

export class FileImport implements AsyncDisposable {
  readonly #request: ImportRequest;
  readonly #shared: SharedByFiles;
  readonly #path: string;
  readonly #source: RankSource;
  readonly #flags: ReportFlags;
  readonly #directory: string;
  readonly #temporaryDirectory: string;
  #outcome: PartialOutcome;
  #bytesTotal = 0;
  #modifiedMs = 0;
  #session: DuckDbSession | undefined;
  #report: Report | undefined;

  constructor(request: ImportRequest, shared: SharedByFiles, { path, source, flags }: ImportFile) {
    const importId = `${request
      .now()
      .toISOString()
      .replace(/[-:]|\.\d+/g, '')}-${randomBytes(3).toString('hex')}`;
    this.#request = request;
    this.#shared = shared;
    this.#path = path;
    this.#source = source;
    this.#flags = flags ?? request.options.flags;
    this.#directory = join(request.dataDirectory, 'imports', importId);
    this.#temporaryDirectory = join(temporaryPath(request.dataDirectory), importId);
    this.#outcome = {
      file: path,
      importId,
      rows: 0,
      mergedTwins: 0,
      removedNuls: 0,
      departmentRows: 0,
      rejectedRows: 0,
      rejects: [],
      periods: [],
    };
  }

  /** What came of it so far; complete after run(). */
  get outcome(): PartialOutcome {
    return this.#outcome;
  }

  /** Reads the file and checks its rows. */
  async read(): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await mkdir(this.#temporaryDirectory, { recursive: true });
    const { options, signal } = this.#request;
    const file = await this.#openFile();
    this.#outcome = { ...this.#outcome, format: file.layout.format.name };
    const marketplace = findMarketplace({
      format: file.layout.format,
      flags: this.#flags,
      fileName: file.fileName,
      content: file.marketplace,
      fallback: options.defaultMarketplace,
    });
    const { memoryLimitBytes } = options;
    const isSmall = file.size.bytes < MIN_PARALLEL_BYTES;
    const threads = isSmall ? 1 : options.threads;
    const temporaryDirectory = join(this.#temporaryDirectory, 'spill');
    const database = isSmall
      ? await this.#shared.duckDb.openDatabase()
      : await openDatabase({
          memoryLimitBytes,
          threads,
          temporaryDirectory,
          maxTemporaryBytes: options.limits.unpackedBytes,
        });
    const session = await DuckDbSession.open(database, signal);
    this.#session = session;
    const { path, layout, size } = file;
    const { lineBytes } = options.limits;
    const table = { path, layout, size, threads, memoryLimitBytes, lineBytes };
    const search = await this.#readRows(session, table);
    this.#progress('checking', 0);
    const { periods, warnings } = await findFilePeriods(session, {
      file,
      search,
      flags: this.#flags,
      now: this.#request.now(),
    });
    await normalizeTerms(session);
    await mergeTwins(session, { hasPeriods: layout.format.period === 'of each row' });
    await this.#count(session, file, search);
    await this.#checkRejects(await listRejects(session, search), search);
    await this.#checkUnchanged();
    if (options.isDryRun) await this.#showFirstRows(session);
    this.#report = {
      session,
      marketplace,
      periods,
      warnings: [...fileWarnings(file, this.#outcome), ...warnings],
      hasProducts: layout.format.products !== undefined,
    };
  }

  /** Prepares and publishes the periods of the file that was read. */
  async publish(): Promise<void> {
    if (!this.#report) throw new Error('the file was not read');
    const { session, periods, hasProducts, ...report } = this.#report;
    const { publishTogether, options, now } = this.#request;
    const { batch } = this.#shared;
    const onStage = (stage: ImportStage) => this.#progress(stage, this.#bytesTotal);
    await this.#checkSizes(this.#report);
    for (const [position, filePeriod] of periods.entries()) {
      const outcome = await preparePeriod({
        ...report,
        rows: new SessionRows(session, { hasProducts }),
        filePeriod,
        source: this.#source,
        sourceFile: plainName(this.#path),
        isDryRun: options.isDryRun,
        batch,
        onStage,
        now,
      });
      // The rows are not needed any more while the snapshot is built, which needs memory of its own.
      if (position === periods.length - 1) await this.#closeSession();
      // Each period of a file is published on its own, unless all files are to be published together.
      if (!publishTogether) await batch.publish({ onStage });
      this.#outcome = { ...this.#outcome, periods: [...this.#outcome.periods, outcome] };
    }
  }

  /** Refuses files that are much smaller than what they replace, most often a part of it. Runs before any period is published. */
  async #checkSizes({ session, marketplace, periods }: Report): Promise<void> {
    if (this.#request.options.replacesSmaller) return;
    for (const filePeriod of periods) {
      const set = { marketplace, source: this.#source, frequency: filePeriod.period.frequency };
      const published = listPeriods(this.#shared.batch.draft, set);
      const current = published.find(({ period }) => isSamePeriod(period, filePeriod.period));
      if (current) checkShrinkage({ current, keywords: await countKeywords(session, filePeriod) });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeSession();
    await rm(this.#temporaryDirectory, { recursive: true, force: true });
  }

  async #closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.[Symbol.asyncDispose]();
  }

  async writeLog(outcome: FileOutcome): Promise<void> {
    await writeFile(join(this.#directory, 'log.json'), `${JSON.stringify(outcome, null, 2)}\n`);
  }

  async #openFile(): Promise<ReportFile> {
    const { options, signal } = this.#request;
    let bytes = 0;
    const found = await stat(this.#path).catch(() => undefined);
    this.#bytesTotal = found?.size ?? 0;
    this.#modifiedMs = found?.mtimeMs ?? 0;
    return await openReportFile({
      path: this.#path,
      temporaryDirectory: this.#temporaryDirectory,
      limits: options.limits,
      formats: options.formats ?? REPORT_FORMATS,
      onBytes: (count) => {
        bytes += count;
        this.#progress('unpacking', bytes);
      },
      signal,
    });
  }

  /** Reads the file as it is. If DuckDB finds records that it cannot split, removes them and reads again. */
  async #readRows(session: DuckDbSession, table: ReportTable): Promise<RejectSearch> {
    const { path, layout, lineBytes } = table;
    const { skipLines } = layout;
    if (await this.#watch(session, () => readRows(session, table))) return { path, skipLines, broken: [] };
    const copyPath = join(this.#temporaryDirectory, 'sieved.csv');
    const columns = layout.columns.length;
    const { signal } = this.#request;
    const broken = await sieveRecords({ path, copyPath, columns, skipLines, lineBytes, signal });
    if (!(await this.#watch(session, () => readRows(session, { ...table, path: copyPath })))) {
      throw new ReportFault('The file cannot be read as CSV.', { line: 1, hint: 'Download it again.' });
    }
    return { path: copyPath, skipLines, broken };
  }

  /** Reports the progress of a statement while it runs. */
  async #watch<T>(session: DuckDbSession, work: () => Promise<T>): Promise<T> {
    this.#progress('reading', 0);
    const timer = setInterval(() => {
      this.#progress('reading', (session.fractionDone ?? 0) * this.#bytesTotal);
    }, PROGRESS_MS);
    try {
      return await session.withProgress(work);
    } finally {
      clearInterval(timer);
    }
  }

  async #count(session: DuckDbSession, file: ReportFile, { broken }: RejectSearch): Promise<void> {
    const row = await session.row(`SELECT count(*) FILTER (mark IS DISTINCT FROM 'blank') AS rows,
      count(*) FILTER (mark IS NULL) AS kept, count(*) FILTER (mark = 'merged') AS merged,
      count(*) FILTER (mark = 'elsewhere') AS elsewhere FROM report_rows`);
    this.#outcome = {
      ...this.#outcome,
      rows: Number(row.rows),
      mergedTwins: Number(row.merged),
      removedNuls: file.removedNuls,
      departmentRows: Number(row.elsewhere) + file.departmentRows,
    };
    if (Number(row.kept) > 0 || Number(row.rows) > Number(row.elsewhere) || broken.length > 0) return;
    throw new ReportFault(
      this.#outcome.departmentRows > 0
        ? 'The report ranks terms inside departments only, not over the whole site.'
        : 'The report has no rows.',
      { line: file.layout.skipLines + 1, hint: 'Download the report for all departments.' },
    );
  }

  /** For whoever looks at a dry run: whether these are the rows that the file should have. */
  async #showFirstRows(session: DuckDbSession): Promise<void> {
    const rows = await session.rows(`SELECT rank, left(coalesce(original, normalized), ${MAX_QUOTED_CHARACTERS}) AS term
      FROM report_rows WHERE mark IS NULL ORDER BY rank, rowid LIMIT ${MAX_FIRST_ROWS}`);
    const firstRows = rows.map(({ rank, term }) => ({ rank: Number(rank), term: String(term) }));
    this.#outcome = { ...this.#outcome, firstRows };
  }

  /** Writes the rejects down, and stops the import when they are too many. */
  async #checkRejects(rejects: Rejects, { broken }: RejectSearch): Promise<void> {
    if (rejects.rows === 0) return;
    const rejectsFile = join(this.#directory, 'rejects.csv');
    await writeRejects(rejectsFile, rejects);
    // Rows that could not be split are not among those that DuckDB counted.
    const rows = this.#outcome.rows + broken.length;
    this.#outcome = { ...this.#outcome, rows, rejectedRows: rejects.rows, rejects: rejects.counts, rejectsFile };
    const fraction = rejects.rows / Math.max(1, rows - this.#outcome.departmentRows);
    if (fraction <= this.#request.options.maxRejects) return;
    const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`;
    throw new ReportFault(
      `${percent(fraction)} of the rows cannot be read, more than the ${percent(this.#request.options.maxRejects)} allowed.`,
      { line: rejects.listed[0]?.line ?? 1, hint: `See ${rejectsFile}, or allow more with --max-rejects.` },
    );
  }

  /** A report that is being written or replaced while it is read would be published as a mixture. */
  async #checkUnchanged(): Promise<void> {
    const { size, mtimeMs } = await stat(this.#path);
    if (size === this.#bytesTotal && mtimeMs === this.#modifiedMs) return;
    throw new OperatorError('The file changed while it was read.', { hint: 'Wait for the download to finish.' });
  }

  #progress(stage: ImportStage, bytesDone: number): void {
    const { rows } = this.#outcome;
    this.#request.onProgress({
      file: this.#path,
      stage,
      bytesDone,
      bytesTotal: this.#bytesTotal,
      ...(rows > 0 && { rows }),
    });
  }
}

/** For texts of the file in messages. */
function shorten(text: string): string {
  return text.length > MAX_QUOTED_CHARACTERS ? `${text.slice(0, MAX_QUOTED_CHARACTERS)}…` : text;
}

/** A file may be called anything: the name without control characters. */
function plainName(path: string): string {
  return basename(path).replace(/\p{Cc}/gu, '\uFFFD');
}

/** Warnings that stay with the periods of a file. */
function fileWarnings(file: ReportFile, outcome: PartialOutcome): readonly string[] {
  const { metadata, unknownColumns } = file.layout;
  const warnings: string[] = [];
  if (metadata.filter !== undefined) {
    warnings.push(`The download was filtered by search term (${shorten(metadata.filter)}): it is not a whole period.`);
  }
  if (unknownColumns.length > 0) {
    const names = unknownColumns.slice(0, MAX_NAMED_COLUMNS).map(shorten).join(', ');
    const more = unknownColumns.length > MAX_NAMED_COLUMNS ? ', …' : '';
    warnings.push(`Columns that were not recognised and left out: ${names}${more}.`);
  }
  if (outcome.removedNuls > 0) warnings.push(`${outcome.removedNuls} NUL bytes were removed.`);
  return warnings;
}
