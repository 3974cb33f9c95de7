// Imports report files one after the other. Each file stands for itself: one that fails changes nothing and does not keep
// the others from being imported. Files may also be published together at the end, which is cheaper for many small ones.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { allDone } from '../domain/containment.ts';
import { OperatorError } from '../domain/error.ts';
import { isDatabaseUnavailable } from '../postgres/pool.ts';
import { SharedDuckDb } from './duckdb.ts';
import { FileImport, MIN_PARALLEL_BYTES, type SharedByFiles } from './import-file.ts';
import type { FileOutcome } from './import-outcome.ts';
import type { ImportRequest } from './import-request.ts';
import { temporaryPath } from './publish/data-directory.ts';
import { ReportFault } from './reading/report-fault.ts';

type ImportFailure = NonNullable<FileOutcome['error']>;

/** Faults of the machine that an operator can do something about, in the words of DuckDB and of Node. */
const MACHINE_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/No space left on device|ENOSPC/, 'The disk is full.'],
  [/Input\/output error|\bEIO\b/, 'The disk could not be read or written.'],
  [/File too large|EFBIG/, 'A file grew larger than this system allows.'],
  [/Out of Memory Error|failed to allocate/i, 'There was not enough memory.'],
  [/Permission denied|EACCES|EPERM|EROFS/, 'A file or directory may not be read or written.'],
];

export async function importReports(request: ImportRequest): Promise<readonly FileOutcome[]> {
  const onWait = () => {
    request.onProgress({ file: '', stage: 'waiting', bytesDone: 0, bytesTotal: 0 });
  };
  const { publisher, onWarning, signal } = request;
  const importing = publisher.openBatch({ onWait, onWarning, signal }, async (batch) => {
    await using duckDb = new SharedDuckDb({
      memoryLimitBytes: request.options.memoryLimitBytes,
      threads: 1,
      maxTemporaryBytes: request.options.limits.unpackedBytes,
      temporaryDirectory: join(temporaryPath(request.dataDirectory), `spill-${process.pid}`),
    });
    const outcomes = await importAll(request, { batch, duckDb });
    const last = outcomes.at(-1)?.file ?? '';
    await batch.publish({ onStage: (stage) => request.onProgress({ file: last, stage, bytesDone: 0, bytesTotal: 0 }) });
    return outcomes;
  });
  return await importing.catch((error: unknown) => {
    throw isDatabaseUnavailable(error) ? databaseLost(error) : error;
  });
}

/** Of files that become visible together, the next is read while one is prepared, unless they are large. */
async function importAll(request: ImportRequest, shared: SharedByFiles): Promise<readonly FileOutcome[]> {
  const { ready } = shared.batch;
  const finished: Promise<FileOutcome>[] = [];
  for await (const given of request.files) {
    const before = finished.at(-1) ?? ready;
    const startedMs = request.now().getTime();
    const file = new FileImport(request, shared, given);
    const reading = file.read();
    const finishing = finish(request, { file, reading, before, startedMs });
    finished.push(finishing);
    // What failed for good is heard of at the end.
    finishing.catch(() => {});
    const readsAhead = request.publishTogether && (await isSmall(given.path));
    const [, waited] = await Promise.allSettled([reading, readsAhead ? before : finishing]);
    if (waited.status === 'rejected') break;
  }
  const [, outcomes] = await allDone([ready, allDone(finished)]);
  return outcomes;
}

/** Two small files at once fit in memory, and need one thread each. A file that is not there fails soon enough. */
async function isSmall(path: string): Promise<boolean> {
  return await stat(path).then(
    ({ size }) => size < MIN_PARALLEL_BYTES,
    () => true,
  );
}

async function finish(
  request: ImportRequest,
  given: {
    readonly file: FileImport;
    readonly reading: Promise<void>;
    readonly before: Promise<unknown>;
    readonly startedMs: number;
  },
): Promise<FileOutcome> {
  await using file = given.file;
  const [, before] = await Promise.allSettled([given.reading, given.before]);
  if (before.status === 'rejected') throw before.reason;
  const failure = await explainFailure(request, async () => {
    await given.reading;
    await file.publish();
  });
  const outcome: FileOutcome = {
    ...file.outcome,
    ...(failure ? { status: 'failed', error: failure } : { status: 'done' }),
    durationMs: request.now().getTime() - given.startedMs,
  };
  // The log is a courtesy: a disk that is full must not hide why the import failed.
  await file.writeLog(outcome).catch(() => {});
  return outcome;
}

/** What an operator should know of work that failed; undefined when it did not. */
async function explainFailure(
  { signal }: ImportRequest,
  work: () => Promise<void>,
): Promise<ImportFailure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    signal?.throwIfAborted();
    const fault = explainFault(error);
    if (!fault) return unexpectedFailure(error);
    const { message, hint } = fault;
    return {
      message,
      ...(hint !== undefined && { hint }),
      ...(fault instanceof ReportFault && { line: fault.line }),
    };
  }
}

/** A defect must not keep the other files away. What a developer needs to find it goes to the log. */
function unexpectedFailure(error: unknown): ImportFailure {
  const message = error instanceof Error ? error.message : String(error);
  return {
    message: `Something unexpected went wrong: ${firstLine(message)}`,
    hint: 'Please report this with the log.json of the import, below imports/ in the data directory.',
    ...(error instanceof Error && error.stack !== undefined && { stack: error.stack }),
  };
}

/** The operator's side of a failure; undefined for a defect. */
function explainFault(error: unknown): OperatorError | undefined {
  if (error instanceof OperatorError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const fault = MACHINE_FAULTS.find(([words]) => words.test(message));
  if (!fault && isDatabaseUnavailable(error)) return databaseLost(error);
  if (!fault) return undefined;
  return new OperatorError(fault[1], {
    hint: `Nothing was changed. The system said: ${firstLine(message)}`,
    cause: error,
  });
}

/** Whether the last statement was carried out is not known then. */
function databaseLost(cause: unknown): OperatorError {
  return new OperatorError('The database was lost.', {
    hint: 'Import the file again when it is back: a period is wholly there or not at all, and the same file twice does no harm.',
    cause,
  });
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
