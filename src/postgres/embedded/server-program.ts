import { spawn } from 'node:child_process';
import type { ServerUser } from './server-user.ts';

/** The server inherits nothing from us: no secrets of our environment, no PG* or LD_* variable, no locale, no zone. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const OUTPUT_MAX_CHARACTERS = 20_000;

export interface ProgramResult {
  readonly succeeded: boolean;
  readonly output: string;
}

/** Runs one of the server's programs as the server's user until it ends. Rejects when it cannot be started at all. */
export function runServerProgram(options: {
  readonly file: string;
  readonly args: readonly string[];
  readonly user: ServerUser;
  readonly workingDirectory: string;
  readonly limitMs: number;
}): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.file, options.args, {
      ...options.user.spawnAs,
      cwd: options.workingDirectory,
      env: SERVER_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.limitMs,
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = `${output}${chunk.toString()}`.slice(-OUTPUT_MAX_CHARACTERS);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const ending = signal === null ? '' : `\nstopped by ${signal} (limit ${options.limitMs} ms)`;
      resolve({ succeeded: code === 0, output: `${output.trim()}${ending}` });
    });
  });
}
