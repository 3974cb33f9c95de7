// An import beside a running server, as an operator would start it: a process of its own, on the same data directory.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../../src/domain/error.ts';
import type { PeriodKey } from '../../src/domain/period.ts';
import type { WrittenWeek } from './report-process.ts';

const PROGRAM = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
/** Starting a process holds up whoever starts it, so this one waits for a line before it becomes the import. */
const WAITING = 'read -r _ && exec "$0" "$@"';

/** One that is given up before it runs must be ended, or it would wait for ever. */
export interface WaitingImport extends Disposable {
  /** The week that it will publish. */
  readonly period: PeriodKey;
  /** Resolves when the import is published. */
  run(): Promise<void>;
}

/** Writes a week of so many rows, for an import that runs when it is told to. */
export async function prepareImport({
  directory,
  dataDirectory,
  rows,
}: {
  readonly directory: string;
  readonly dataDirectory: string;
  readonly rows: number;
}): Promise<WaitingImport> {
  const { path, period } = await writeReport(directory, rows);
  const child = spawn('sh', ['-c', WAITING, process.execPath, PROGRAM, 'import', path], {
    env: { ...process.env, KEYRANK_DATA_DIR: dataDirectory, DATABASE_URL: '' },
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let message = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    message = chunk;
  });
  const closed = once(child, 'close');
  const run = async (): Promise<void> => {
    child.stdin.end('\n');
    const [code] = await closed;
    if (code !== 0) throw new OperatorError('The import failed.', { hint: message });
  };
  return { period, run, [Symbol.dispose]: () => void child.kill() };
}

async function writeReport(directory: string, rows: number): Promise<WrittenWeek> {
  const child = fork(new URL('./report-process.js', import.meta.url), [directory, String(rows)]);
  const ended = once(child, 'exit');
  const [written] = await Promise.race([once(child, 'message'), ended]);
  await ended;
  if (typeof written !== 'object' || written === null) throw new OperatorError('The report was not written.');
  return written as WrittenWeek;
}
