// The server's main process. Its pid file, postmaster.pid, is the lock between processes that start one at once;
// PostgreSQL takes it and gives it back, we only read it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ifMissing } from '../../domain/error-code.ts';
import type { Cluster } from './cluster.ts';
import type { ServerBinaries } from './server-binaries.ts';
import { boundServerLog, openServerLog } from './server-log.ts';
import { SERVER_ENVIRONMENT } from './server-program.ts';
import { listServerArguments } from './server-settings.ts';

const STOP_POLL_MS = 20;

export interface StartedPostmaster {
  hasExited(): boolean;
  /** Takes back a start before the server serves anyone; resolves when it is gone. */
  cancel(): Promise<void>;
}

/** Starts a server in a session of its own, so that a Ctrl-C in our terminal reaches only us. */
export async function startPostmaster(
  { directory, user, logPath }: Cluster,
  binaries: ServerBinaries,
): Promise<StartedPostmaster> {
  await boundServerLog(logPath);
  const staleProcessId = await findStaleId(directory);
  const log = await openServerLog(logPath);
  try {
    const child = spawn(binaries.postgres, listServerArguments(directory), {
      ...user.spawnAs,
      cwd: directory,
      // After a restart of a container the pid file of the last run may name a process that lives but is no server.
      // PostgreSQL then refuses to start, except when it is told (by pg_ctl, thus) that this is its grandparent.
      // Unlike removing the file ourselves, that cannot take away the lock of a server that starts at this moment.
      env: { ...SERVER_ENVIRONMENT, ...(staleProcessId && { PG_GRANDPARENT_PID: String(staleProcessId) }) },
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    // A signal that cannot be sent is an error of the child too; the server then lives on.
    child.on('error', () => {});
    await once(child, 'spawn');
    child.unref();
    const hasExited = () => child.exitCode !== null || child.signalCode !== null;
    return {
      hasExited,
      cancel: async () => {
        child.ref();
        child.kill('SIGINT');
        if (!hasExited()) await once(child, 'exit');
      },
    };
  } finally {
    await log.close();
  }
}

async function findStaleId(clusterDirectory: string): Promise<number | undefined> {
  const processId = await readPostmasterId(clusterDirectory);
  if (processId === undefined || (await isServerOf(processId, clusterDirectory))) return undefined;
  return processId;
}

async function readPostmasterId(clusterDirectory: string): Promise<number | undefined> {
  const text = await readFile(join(clusterDirectory, 'postmaster.pid'), 'utf8').catch(ifMissing(''));
  const processId = Number.parseInt(text, 10);
  return processId > 0 ? processId : undefined;
}

/** The process id of the living server of this directory. A pid file alone proves nothing: it may be of a past boot. */
export async function findPostmaster(clusterDirectory: string): Promise<number | undefined> {
  const processId = await readPostmasterId(clusterDirectory);
  if (processId === undefined) return undefined;
  return (await isServerOf(processId, clusterDirectory)) ? processId : undefined;
}

async function isServerOf(processId: number, clusterDirectory: string): Promise<boolean> {
  if (process.platform !== 'linux') return (await readCommandName(processId)).includes('postgres');
  try {
    const [name, itsDirectory, directory] = await Promise.all([
      readFile(`/proc/${processId}/comm`, 'utf8'),
      stat(`/proc/${processId}/cwd`),
      stat(clusterDirectory),
    ]);
    return name.trim() === 'postgres' && itsDirectory.ino === directory.ino && itsDirectory.dev === directory.dev;
  } catch {
    // Gone, a zombie, or of a user whose processes we may not look at.
    return false;
  }
}

function readCommandName(processId: number): Promise<string> {
  return new Promise((resolve) => {
    execFile('ps', ['-p', String(processId), '-o', 'comm='], (error, output) => resolve(error ? '' : output));
  });
}

/** Fast shutdown: open transactions are rolled back and all is written to disk. False when the limit passed first. */
export async function stopPostmaster(clusterDirectory: string, limitMs: number): Promise<boolean> {
  const processId = await findPostmaster(clusterDirectory);
  if (processId === undefined) return true;
  process.kill(processId, 'SIGINT');
  const deadline = performance.now() + limitMs;
  while (await isServerOf(processId, clusterDirectory)) {
    if (performance.now() > deadline) return false;
    await sleep(STOP_POLL_MS);
  }
  return true;
}
