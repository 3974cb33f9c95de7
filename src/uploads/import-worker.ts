// Takes imports that were sent through their states: checked without publishing anything, published when the operator says so, undone.
// Each step is a process of its own. The lease is extended while it runs; when this server dies another one, or this one once it is
// back, takes the step again, which does no harm: the same content twice is published once.
import { OperatorError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-code.ts';
import type { ClaimedImport, ImportOutcome, ImportRows } from '../domain/import-rows.ts';
import {
  type ImportFault,
  type ImportReport,
  isClean,
  type JobProgress,
  type ReportedPeriod,
  type ReportImport,
  undoable,
} from '../domain/report-import.ts';
import type { UploadFiles } from './upload-files.ts';

/** How often progress is written down, and the lease extended at least. */
const TELL_MS = 1_000;
const EXTEND_MS = 15_000;
/** A file that ends as many processes is not tried again. */
const MAX_LOST = 3;

export interface RunOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: JobProgress) => void;
}

export interface ReportRun {
  /** Undefined when the process did not say what came of the file. */
  readonly report: ImportReport | undefined;
  readonly fault: ImportFault | undefined;
}

export interface ImportWorkerOptions {
  readonly rows: ImportRows;
  readonly files: UploadFiles;
  readonly runImport: (
    found: ReportImport,
    options: RunOptions & { readonly path: string; readonly isDryRun: boolean },
  ) => Promise<ReportRun>;
  /** Takes a revision back if it is the one that is published; resolves with what kept it from that. */
  readonly undoPeriod: (period: ReportedPeriod, options: RunOptions) => Promise<ImportFault | undefined>;
  readonly onStep: (found: ReportImport, outcome: ImportOutcome) => void;
  readonly onError: (error: unknown) => void;
}

export class ImportWorker {
  readonly #options: ImportWorkerOptions;
  readonly #stopping = new AbortController();

  constructor(options: ImportWorkerOptions) {
    this.#options = options;
  }

  /** Does one step of one import; false when none is due. */
  async step(): Promise<boolean> {
    const { rows, files } = this.#options;
    if (this.#stopping.signal.aborted) return false;
    const claimed = await rows.claimWork(files.place.id);
    if (!claimed) return false;
    if (claimed.lost >= MAX_LOST) await this.#settle(claimed, lostTooOften(claimed.found));
    else await this.#work(claimed);
    return true;
  }

  /** What is under way ends soon, and another server may go on with it. */
  stop(): void {
    this.#stopping.abort(new Error('the server stops'));
  }

  async #work(claimed: ClaimedImport): Promise<void> {
    const { lease, found } = claimed;
    const { rows } = this.#options;
    const told = new ToldProgress(rows, lease, this.#options.onError);
    const signal = AbortSignal.any([this.#stopping.signal, told.lost]);
    let outcome: ImportOutcome;
    try {
      outcome = await this.#run(found, { signal, onProgress: (progress) => told.note(progress) });
    } catch (error) {
      if (told.lost.aborted) return;
      if (this.#stopping.signal.aborted) return await rows.giveBack(lease);
      outcome = { state: stateAfterFault(found), fault: unexpected(error) };
    } finally {
      told[Symbol.dispose]();
    }
    await this.#settle(claimed, outcome);
  }

  async #settle({ lease, found }: ClaimedImport, outcome: ImportOutcome): Promise<void> {
    const { rows, files, onStep } = this.#options;
    // Whoever has the lease now needs the file.
    if (!(await rows.settle(lease, outcome))) return;
    onStep(found, outcome);
    if (outcome.state === 'done' || outcome.state === 'cancelled') await files.remove(found.id);
  }

  async #run(found: ReportImport, options: RunOptions): Promise<ImportOutcome> {
    switch (found.state) {
      case 'checking':
        return await this.#check(found, options);
      case 'importing':
        return await this.#import(found, options);
      default:
        return await this.#undo(found, options);
    }
  }

  async #check(found: ReportImport, options: RunOptions): Promise<ImportOutcome> {
    const { sha256 } = found;
    const { path, sha256: actual } = await this.#finish(found, { ...options, hashes: sha256 !== null });
    if (sha256 !== null && actual !== sha256) return { state: 'cancelled', fault: wrongChecksum(sha256, actual) };
    const run = await this.#runCommand(found, { ...options, path, isDryRun: true });
    const outcome = outcomeOf(run, 'checked');
    const goesOn = outcome.state === 'checked' && found.publishesWhenClean && run.report && isClean(run.report);
    return goesOn ? { ...outcome, state: 'approved' } : outcome;
  }

  async #import(found: ReportImport, options: RunOptions): Promise<ImportOutcome> {
    const { path } = await this.#finish(found, { ...options, hashes: false });
    const run = await this.#runCommand(found, { ...options, path, isDryRun: false });
    const report = run.report && {
      ...run.report,
      periods: run.report.periods.map((period) => asPublished(period, found)),
    };
    return outcomeOf({ ...run, report }, 'done');
  }

  async #finish(found: ReportImport, { signal, onProgress, hashes }: RunOptions & { readonly hashes: boolean }) {
    const { sizeBytes } = found;
    const onBytes = (bytesDone: number) =>
      onProgress({
        stage: 'fetching',
        bytes_done: bytesDone,
        bytes_total: sizeBytes,
        rows: null,
        bytes_per_second: null,
      });
    return await this.#options.files.finish(found, { signal, onBytes, hashes });
  }

  async #runCommand(
    found: ReportImport,
    options: RunOptions & { readonly path: string; readonly isDryRun: boolean },
  ): Promise<ReportRun> {
    const { files, runImport } = this.#options;
    const run = await runImport(found, options);
    return run.report ? { ...run, report: await files.keepRejects(found.id, run.report) } : run;
  }

  /** What was taken back stays so, also when the next one cannot be. */
  async #undo(found: ReportImport, options: RunOptions): Promise<ImportOutcome> {
    const { report } = found;
    if (!report) return { state: 'undone' };
    let periods = report.periods;
    // The last one first, as if the import had stopped earlier.
    for (const period of undoable({ ...found, state: 'done' }).toReversed()) {
      const fault = await this.#options.undoPeriod(period, options);
      if (fault) return { state: 'done', report: { ...report, periods }, fault };
      periods = periods.map((each) => (each === period ? { ...each, status: 'undone' } : each));
    }
    return { state: 'undone', report: { ...report, periods } };
  }
}

/** Writes down how far the work is, and learns from that whether it is still ours. */
class ToldProgress implements Disposable {
  readonly #lost = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #latest: JobProgress | null = null;
  #isNew = false;
  #toldMs = performance.now();

  constructor(rows: ImportRows, lease: string, onError: (error: unknown) => void) {
    let isTelling = false;
    const tell = async () => {
      if (isTelling || (!this.#isNew && performance.now() - this.#toldMs < EXTEND_MS)) return;
      isTelling = true;
      this.#isNew = false;
      try {
        if (!(await rows.tell(lease, this.#latest))) this.#lost.abort(new Error('the import was cancelled'));
        this.#toldMs = performance.now();
      } catch (error) {
        onError(error);
      } finally {
        isTelling = false;
      }
    };
    this.#timer = setInterval(() => void tell(), TELL_MS);
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  note(progress: JobProgress): void {
    this.#latest = progress;
    this.#isNew = true;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

function outcomeOf({ report, fault }: ReportRun, state: 'checked' | 'done'): ImportOutcome {
  return { state: fault ? 'failed' : state, ...(report && { report }), ...(fault && { fault }) };
}

/** A process that published and died before it could say so: the one after it finds everything unchanged. */
function asPublished(period: ReportedPeriod, { report: checked }: ReportImport): ReportedPeriod {
  if (period.status !== 'unchanged') return period;
  const planned = checked?.periods.find(
    (each) =>
      each.status === 'checked' &&
      each.marketplace === period.marketplace &&
      each.source === period.source &&
      each.type === period.type &&
      each.period === period.period &&
      each.revision === period.revision,
  );
  return planned ? { ...period, status: 'published', replaces: planned.replaces } : period;
}

/** An undo that failed leaves what was imported as it was. */
function stateAfterFault({ state }: ReportImport): 'done' | 'failed' {
  return state === 'undoing' ? 'done' : 'failed';
}

function lostTooOften(found: ReportImport): ImportOutcome {
  const message = `The server ended ${MAX_LOST} times while it worked on this file.`;
  const hint = 'It may have too little memory: look at its log, or import the file with keyrank import.';
  return { state: stateAfterFault(found), fault: { message, hint, line: null } };
}

function wrongChecksum(given: string, actual: string): ImportFault {
  return {
    message: `The file has the SHA-256 ${actual}, and not ${given} as was said when the import was made.`,
    hint: 'It was damaged on the way, and was removed. Send it again.',
    line: null,
  };
}

function unexpected(error: unknown): ImportFault {
  // Such as an object storage that gives nothing: whoever runs the service can do something about it.
  if (error instanceof OperatorError) return { message: error.message, hint: error.hint ?? null, line: null };
  return { message: `Something unexpected went wrong: ${errorMessage(error)}`, hint: 'Look at the log.', line: null };
}
