// An import in a process of its own: it gives way to searches as any import does, its memory is not the server's, and whatever ends it
// ends nothing else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ImportAnswer, ReportImport } from '../amazon/download-worker.ts';

/** Beside this file's folder once it is compiled. */
const PROGRAM = fileURLToPath(new URL('../cli/main.js', import.meta.url));
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
  const child = spawn(process.execPath, [PROGRAM, 'import', ...args, '--json'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (printed.length < MAX_OUTPUT_CHARACTERS) printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_SAID_CHARACTERS);
  });
  // It undoes what it has begun. One that is killed with its server leaves nothing behind either.
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  try {
    if (signal.aborted) stop();
    const [code] = (await once(child, 'close')) as [number | null];
    signal.throwIfAborted();
    const [, message] = /^error: (.*)$/m.exec(said) ?? [];
    return { outcomes: parseOutcomes(printed), said: message ?? `The import ended with code ${code}.` };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function parseOutcomes(text: string): readonly PrintedOutcome[] {
  try {
    const outcomes: unknown = JSON.parse(text);
    return Array.isArray(outcomes) ? (outcomes as readonly PrintedOutcome[]) : [];
  } catch {
    return [];
  }
}
