// An import in a process of its own: it gives way to searches as any import does, its memory is not the server's, and whatever ends it
// ends nothing else.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ImportAnswer, ReportImport } from '../amazon/download-worker.ts';
import type { ImportProgress } from '../ingest/import-request.ts';

/** The program whose commands are run, in this process's environment unless another is given. */
export interface CommandProgram {
  readonly path: string;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Beside this file's folder once it is compiled. */
export const PROGRAM: CommandProgram = { path: fileURLToPath(new URL('../cli/main.js', import.meta.url)) };
/** Of what a command says about a failure. */
const MAX_SAID_CHARACTERS = 2_000;
const MAX_OUTPUT_CHARACTERS = 4_000_000;

/** The parts of `keyrank import --json` that matter here. */
interface PrintedOutcome {
  readonly file: string;
  readonly status: 'done' | 'failed';
  readonly error: { readonly message: string; readonly hint?: string; readonly line: number | null } | null;
  readonly periods: readonly { readonly status: string; readonly revision: number }[];
}

export interface CommandOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly program?: CommandProgram;
}

/** What a command printed, and what it said when it failed. */
interface CommandResult {
  readonly code: number | null;
  readonly printed: unknown;
  readonly said: string;
  readonly hint: string | undefined;
}

/** Imports files as what their names say they must be; they become visible in one step. */
export async function importInProcess(
  reports: readonly ReportImport[],
  signal: AbortSignal,
): Promise<readonly ImportAnswer[]> {
  const { outcomes, said } = await runImport(['--fetched', ...reports.map(({ path }) => path)], signal);
  return reports.map(({ path }) =>
    answerOf(
      outcomes.find(({ file }) => file === path),
      said,
    ),
  );
}

function answerOf(outcome: PrintedOutcome | undefined, said: string): ImportAnswer {
  const [published] = outcome?.periods ?? [];
  if (outcome?.status === 'done' && published) {
    return { kind: 'imported', revision: published.revision, isUnchanged: published.status === 'unchanged' };
  }
  if (!outcome?.error) return { kind: 'fault', fault: 'machine', detail: said };
  const { message, hint = '', line } = outcome.error;
  if (line !== null) return { kind: 'fault', fault: 'unreadable', detail: message };
  const isDeclined = hint.includes('--replace-smaller');
  return { kind: 'fault', fault: isDeclined ? 'declined' : 'machine', detail: `${message} ${hint}`.trim() };
}

/** Runs `keyrank import`: what it printed of each file, and what it said when that cannot be read. */
export async function runImport(
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly outcomes: readonly PrintedOutcome[]; readonly said: string }> {
  const { printed, said } = await runCommand(['import', ...args], { signal });
  return { outcomes: Array.isArray(printed) ? (printed as readonly PrintedOutcome[]) : [], said };
}

/** Runs a command that prints JSON to its end. When the signal is aborted it is stopped, and undoes what it has begun. */
export async function runCommand(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const { signal, onProgress, program = PROGRAM } = options;
  const child: ChildProcess = spawn(process.execPath, [program.path, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ...(program.environment && { env: program.environment }),
  });
  let [printed, said] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    if (printed.length < MAX_OUTPUT_CHARACTERS) printed += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_SAID_CHARACTERS);
  });
  child.on('message', (message) => onProgress?.(message as ImportProgress));
  // It undoes what it has begun. One that is killed with its server leaves nothing behind either.
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) stop();
    const [code] = (await once(child, 'close')) as [number | null];
    signal.throwIfAborted();
    const [, message, hint] = /^error: (.*)(?:\n(.+))?$/m.exec(said) ?? [];
    return { code, printed: parseJson(printed), said: message ?? `The command ended with code ${code}.`, hint };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return [];
  }
}
