// Gets this process a session on the server of a cluster: joins the one that runs, waits for one that is starting,
// recovering or shutting down, and starts one when there is none.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { OperatorError } from '../../domain/error.ts';
import { errorCode, errorMessage } from '../../domain/error-code.ts';
import type { Cluster } from './cluster.ts';
import { writeAccessFiles } from './cluster-access.ts';
import { findPostmaster, type StartedPostmaster, startPostmaster } from './postmaster.ts';
import { readServerLog, sizeOf } from './server-log.ts';
import { openServerSession } from './server-session.ts';

/** Soon at first, for a start takes 0.1 s; then rarely, for each look at a recovering server is a line in its log. */
const FIRST_POLL_MS = 25;
const POLL_MAX_MS = 1_000;

/** A server that lost the race for the pid file, or met the remains of a killed one, gets another chance. */
const STARTS_MAX = 5;
const FIRST_PAUSE_MS = 100;

export async function joinServer(cluster: Cluster, limitMs: number, signal: AbortSignal): Promise<Client> {
  const deadline = performance.now() + limitMs;
  let started: StartedPostmaster | undefined;
  let starts = 0;
  let logOffset = await sizeOf(cluster.logPath);
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(1.2 * pollMs, POLL_MAX_MS)) {
    const attempt = await trySession(cluster, deadline - performance.now());
    if (typeof attempt !== 'string') return attempt;
    if (signal.aborted) {
      await started?.cancel();
      throw signal.reason;
    }
    if (performance.now() > deadline) throw await explainSilence(cluster, limitMs, attempt);
    const isStarting = started !== undefined && !started.hasExited();
    if (attempt === 'absent' && !isStarting && (await findPostmaster(cluster.directory)) === undefined) {
      if (starts === STARTS_MAX) throw await explainFailure(cluster, logOffset);
      if (starts > 0) await pause(FIRST_PAUSE_MS * 2 ** (starts - 1), signal);
      // The last attempt's words are the ones to show; the first one's may only tell of a lost race.
      logOffset = await sizeOf(cluster.logPath);
      started = await start(cluster);
      starts += 1;
    }
    await pause(pollMs, signal);
  }
}

async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch(() => undefined);
}

/** 'absent' when nobody listens on the socket; other words when there is a server that does not serve yet. */
async function trySession(cluster: Cluster, limitMs: number): Promise<Client | string> {
  try {
    return await openServerSession(cluster.address, limitMs);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ECONNREFUSED') return 'absent';
    // invalid_authorization_specification, a role that is not there, or a socket that is closed to us
    if (code === '28000' || code === '28P01' || code === 'EACCES') {
      throw new OperatorError(`The PostgreSQL in ${cluster.directory} refused this user: ${errorMessage(error)}.`, {
        hint: 'Stop the keyrank that runs there, or run this one as the same user.',
        cause: error,
      });
    }
    // insufficient_resources, except too_many_connections: waiting frees no disk.
    if (code?.startsWith('53') && code !== '53300') {
      throw new OperatorError(
        `The PostgreSQL in ${cluster.directory} has run out of something: ${errorMessage(error)}.`,
        {
          hint: 'Free disk space or memory, then start again.',
          cause: error,
        },
      );
    }
    return errorMessage(error);
  }
}

async function start(cluster: Cluster): Promise<StartedPostmaster> {
  const binaries = await cluster.findBinaries();
  // Root leaves the files as they are: it may have lent itself the cluster of a user whose name it does not know.
  if (process.geteuid?.() !== 0) await writeAccessFiles(cluster.directory, cluster.user);
  try {
    return await startPostmaster(cluster, binaries);
  } catch (error) {
    throw new OperatorError(`PostgreSQL could not be started as user id ${cluster.user.uid}: ${errorMessage(error)}.`, {
      hint: 'Run keyrank as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
      cause: error,
    });
  }
}

async function explainFailure(cluster: Cluster, logOffset: number): Promise<OperatorError> {
  const words = await readServerLog(cluster.logPath, logOffset);
  return new OperatorError(`PostgreSQL did not start in ${cluster.directory}: ${words || 'it said nothing'}`, {
    hint: `Its whole log is ${cluster.logPath}.`,
  });
}

async function explainSilence(cluster: Cluster, limitMs: number, lastWords: string): Promise<OperatorError> {
  const processId = await findPostmaster(cluster.directory);
  const limit = `${Math.round(limitMs / 1000)} s`;
  return new OperatorError(`The PostgreSQL in ${cluster.directory} did not answer within ${limit}: ${lastWords}.`, {
    hint: `It goes on in the background (process ${processId ?? 'unknown'}); look into ${cluster.logPath} and start again later.`,
  });
}
