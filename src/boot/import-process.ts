// An import in a process of its own: it gives way to searches as any import does, its memory is not the server's, and whatever ends it
// ends nothing else.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ImportAnswer, ReportImport } from '../amazon/download-worker.ts';
import { periodKey } from '../domain/period.ts';

/** Beside this file's folder once it is compiled. */
const PROGRAM = fileURLToPath(new URL('../cli/main.js', import.meta.url));
/** Of what a command says about a failure. */
const MAX_SAID_CHARACTERS = 2_000;
const MAX_OUTPUT_CHARACTERS = 4_000_000;

/** The parts of `keyrank import --json` that matter here. */
interface PrintedOutcome {
  readonly status: 'done' | 'failed';
  readonly error: { readonly message: string; readonly hint?: string; readonly line: number | null } | null;
  readonly periods: readonly { readonly status: string; readonly revision: number }[];
}

/** Imports one file as what it must be. */
export async function importInProcess({ path, marketplace, period, signal }: ReportImport): Promise<ImportAnswer> {
  const options = ['--marketplace', marketplace, '--type', period.frequency, '--period', periodKey(period), '--strict'];
  const { outcome, said } = await runImport([path, ...options], signal);
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

/** Runs `keyrank import` for one file: what it printed, and what it said when that cannot be read. */
export async function runImport(
  args: readonly string[],
  signal: AbortSignal,
): Promise<{ readonly outcome: PrintedOutcome | undefined; readonly said: string }> {
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
    return { outcome: parseOutcome(printed), said: message ?? `The import ended with code ${code}.` };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function parseOutcome(text: string): PrintedOutcome | undefined {
  try {
    const outcomes: unknown = JSON.parse(text);
    return Array.isArray(outcomes) ? (outcomes[0] as PrintedOutcome | undefined) : undefined;
  } catch {
    return undefined;
  }
}
