import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const BENCH = fileURLToPath(new URL('../../dist-bench/bench/main.js', import.meta.url));

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServerProcess extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** All that it has logged so far. */
  readonly log: () => string;
  stop(signal?: NodeJS.Signals): Promise<CommandResult>;
}

/** Runs one command of the compiled program to its end. */
export async function runKeyrank(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return await finished(startKeyrank(args, settings));
}

/** Runs one benchmark to its end. */
export async function runBench(args: readonly string[]): Promise<CommandResult> {
  return await finished(spawnProgram(process.execPath, [BENCH, ...args], {}));
}

/** The same under a umask of its own, such as `000`. */
export async function runKeyrankUnder(
  umask: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const command = ['-c', 'umask "$0" && exec "$@"', umask, process.execPath, PROGRAM, ...args];
  return await finished(spawnProgram('sh', command, settings));
}

/** Starts `keyrank serve` and waits until it listens. */
export async function startServerProcess(
  settings: Readonly<Record<string, string>>,
  args: readonly string[] = ['serve'],
): Promise<ServerProcess> {
  const child = startKeyrank(args, { PORT: '0', KEYRANK_ADMIN_PORT: '0', ...settings });
  const ended = finished(child);
  let log = '';
  child.stderr.on('data', (chunk: string) => (log += chunk));
  const listening = new Promise<{ url: string; adminUrl: string }>((resolve) => {
    // Not longer than needed: a log can become very long.
    const look = () => {
      const line = log.split('\n').find((each) => each.includes('"msg":"listening"'));
      if (!line) return;
      child.stderr.off('data', look);
      resolve(JSON.parse(line));
    };
    child.stderr.on('data', look);
  });
  const { url, adminUrl } = await Promise.race([listening, ended.then(failToStart)]);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return await ended;
  };
  return { url, adminUrl, child, log: () => log, stop, [Symbol.asyncDispose]: async () => void (await stop()) };
}

/** Starts one command of the compiled program. */
export function startKeyrank(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  return spawnProgram(process.execPath, [PROGRAM, ...args], settings);
}

function spawnProgram(
  file: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  const child = spawn(file, args, { env: { PATH: process.env.PATH, ...serviceLogin(settings), ...settings } });
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

/** In the cluster of the tests every role may log in: requests are answered by the one that is made for it. */
export function serviceLogin(settings: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { DATABASE_URL: url } = settings;
  if (!url?.includes('keyrank_owner')) return {};
  return { KEYRANK_SERVICE_DATABASE_URL: url.replace('keyrank_owner', 'keyrank_service') };
}

async function finished(child: ChildProcessWithoutNullStreams): Promise<CommandResult> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: string) => (stdout += chunk));
  child.stderr.on('data', (chunk: string) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

function failToStart({ code, stderr }: CommandResult): never {
  throw new Error(`keyrank ended with code ${code} instead of listening:\n${stderr}`);
}
