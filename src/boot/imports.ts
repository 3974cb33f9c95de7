// Imports that operators send over HTTP: the folder their files come to, the worker that checks and publishes them in processes of
// their own, and the removal of what nobody needs any more.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { ImportRows } from '../domain/import-rows.ts';
import type { ImportFault, ImportReport, JobProgress, ReportedPeriod, ReportImport } from '../domain/report-import.ts';
import type { ImportProgress } from '../ingest/import-request.ts';
import { openImportRows } from '../postgres/report-imports.ts';
import { openStorage } from '../storage/object-store.ts';
import { ImportWorker, type ReportRun, type RunOptions } from '../uploads/import-worker.ts';
import { ReportUploads } from '../uploads/report-uploads.ts';
import { StoredUploads } from '../uploads/stored-uploads.ts';
import type { UploadFiles } from '../uploads/upload-files.ts';
import { UploadFolder } from '../uploads/upload-folder.ts';
import { JobLoop } from '../watch/job-loop.ts';
import type { Chore } from './housekeeping.ts';
import { type CommandProgram, runCommand } from './import-process.ts';
import type { StartingService } from './starting-service.ts';

/** How often a step that is due is looked for; what is asked of this server begins at once. */
const LOOK_EVERY_MS = 2_000;
const KEEP_REJECTS_MS = 30 * 86_400_000;

/** What goes on beside requests. */
export interface StartedImports {
  /** Names the data directory. */
  readonly place: string;
  readonly chore: Chore;
  /** Takes work up from now on. */
  start(program: CommandProgram | undefined): { stop(): void };
}

export async function openImports({
  config,
  jobPool,
  opened,
  logger,
}: StartingService): Promise<StartedImports & { readonly reportImports: ReportUploads }> {
  const { dataDirectory } = config;
  const rows = openImportRows(jobPool);
  const onError = (error: unknown) => logger.warn({ err: error }, 'an import failed; it will be tried again');
  const folder = await UploadFolder.open(join(dataDirectory, 'uploads'));
  const files = openFiles(config, { folder, rows, onError });
  let loop: JobLoop | undefined;
  const limits = config.uploadLimits;
  const reportImports = new ReportUploads({ rows, files, limits, dataDirectory, onWork: () => loop?.wake() });
  const sweep = async () => {
    await rows.expire(config.uploadIdleMs);
    const { id } = files.place;
    await removeOldRejects(rows, id, dataDirectory);
    await files.sweep({ kept: () => rows.listKept(id), withRejects: () => rows.listWithRejects(id) });
    return false;
  };
  return {
    reportImports,
    place: folder.place.id,
    chore: { name: 'uploads', step: sweep },
    start: (program) => {
      const worker = new ImportWorker({
        ...{ rows, files, onError },
        runImport: (found, options) => runReport(found, { ...options, program }),
        undoPeriod: (period, options) => undoPeriod(period, { ...options, program }),
        onStep: ({ id, fileName, state }, { state: next, fault }) =>
          logger.info({ import: id, file: fileName, state, next, fault: fault?.message }, 'an import'),
      });
      const work = async (running: JobLoop): Promise<void> => {
        while (!running.isStopped && (await worker.step())) {
          // The next step.
        }
      };
      loop = opened.use(new JobLoop({ work, everyMs: LOOK_EVERY_MS, onError }));
      return {
        stop: () => {
          loop?.stop();
          worker.stop();
        },
      };
    },
  };
}

function openFiles(
  config: Config,
  {
    folder,
    rows,
    onError,
  }: { readonly folder: UploadFolder; readonly rows: ImportRows; readonly onError: (error: unknown) => void },
): UploadFiles {
  const { dataDirectory } = config;
  const store = openStorage(config);
  if (store.location === null) return folder;
  return new StoredUploads({ folder, dataDirectory, store, listParts: (id) => rows.listParts(id), onError });
}

async function removeOldRejects(rows: ImportRows, place: string, dataDirectory: string): Promise<void> {
  for (const importId of await rows.forgetRejects(place, KEEP_REJECTS_MS)) {
    await rm(join(dataDirectory, 'imports', importId, 'rejects.csv'), { force: true });
  }
}

type CommandRun = RunOptions & { readonly program: CommandProgram | undefined };

async function runReport(
  found: ReportImport,
  options: CommandRun & { readonly path: string; readonly isDryRun: boolean },
): Promise<ReportRun> {
  const { path, isDryRun } = options;
  const flags = [
    ...(found.marketplace === null ? [] : ['--marketplace', found.marketplace]),
    ...(found.frequency === null ? [] : ['--type', found.frequency]),
    ...(found.period === null ? [] : ['--period', found.period]),
    ...['--source', found.source, '--max-rejects', String(found.maxRejects)],
    ...(found.replacesSmaller ? ['--replace-smaller'] : []),
    ...(isDryRun ? ['--dry-run'] : []),
  ];
  const { printed, said, hint } = await runCommand(['import', path, ...flags], commandOptions(options));
  const outcome = Array.isArray(printed) ? (printed[0] as PrintedReport | undefined) : undefined;
  if (!outcome) return { report: undefined, fault: { message: said, hint: hint ?? null, line: null } };
  const { error, status } = outcome;
  const fault =
    status === 'done' ? undefined : error ? inTheApi(error) : { message: said, hint: hint ?? null, line: null };
  return { report: reportOf(outcome), fault };
}

async function undoPeriod(
  { marketplace, source, type, period, revision, replaces }: ReportedPeriod,
  options: CommandRun,
): Promise<ImportFault | undefined> {
  const command = replaces ? ['restore-revision', period, String(replaces.revision)] : ['withdraw', period];
  const place = ['--type', type, '--marketplace', marketplace, '--source', source];
  const guards = ['--only-if', String(revision), '--yes'];
  const { code, said, hint } = await runCommand(['periods', ...command, ...place, ...guards], commandOptions(options));
  return code === 0 ? undefined : { message: said, hint: hint ?? null, line: null };
}

function commandOptions({ signal, program, onProgress }: CommandRun) {
  let stage = '';
  let startMs = 0;
  return {
    signal,
    ...(program && { program }),
    onProgress: (progress: ImportProgress) => {
      if (progress.stage !== stage) startMs = performance.now();
      stage = progress.stage;
      onProgress(jobProgress(progress, performance.now() - startMs));
    },
  };
}

function jobProgress({ stage, bytesDone, bytesTotal, rows }: ImportProgress, elapsedMs: number): JobProgress {
  const isMeasured = (stage === 'unpacking' || stage === 'reading') && bytesTotal > 0;
  return {
    stage,
    bytes_done: isMeasured ? Math.min(Math.round(bytesDone), bytesTotal) : 0,
    bytes_total: isMeasured ? bytesTotal : 0,
    rows: rows ?? null,
    bytes_per_second: isMeasured && elapsedMs > 0 ? Math.round((bytesDone / elapsedMs) * 1000) : null,
  };
}

/** Of `keyrank import --json`. */
type PrintedReport = Omit<ImportReport, 'has_rejects_file'> & {
  readonly status: 'done' | 'failed';
  readonly rejects_file: string | null;
  readonly error: { readonly message: string; readonly hint?: string; readonly line: number | null } | null;
};

/** What the database keeps: no path of this machine. */
function reportOf(printed: PrintedReport): ImportReport {
  const { import_id, format, rows, merged_twins, removed_nuls, department_rows, rejected_rows } = printed;
  const counts = { rows, merged_twins, removed_nuls, department_rows, rejected_rows };
  return {
    ...{ import_id, format, ...counts, rejects: printed.rejects, first_rows: printed.first_rows },
    has_rejects_file: printed.rejects_file !== null,
    periods: printed.periods.map(({ marketplace, source, type, period, status, revision, keywords, ...rest }) => ({
      ...{ marketplace, source, type, period, status, revision, keywords },
      ...{ new_terms: rest.new_terms, data_points: rest.data_points, warnings: rest.warnings, replaces: rest.replaces },
    })),
    duration_ms: printed.duration_ms,
  };
}

/** The same fault without the words of the command line. */
function inTheApi({ message, hint, line }: NonNullable<PrintedReport['error']>): ImportFault {
  const said = hint
    ?.replace(
      /^See .*rejects\.csv, or allow more with --max-rejects\.$/,
      'See the rejects, or allow more with max_rejects.',
    )
    .replace('import it with --replace-smaller', 'check it again with replace_smaller');
  return { message, hint: said ?? null, line };
}
