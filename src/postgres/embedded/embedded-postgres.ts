// The PostgreSQL that comes with keyrank, for those who set no DATABASE_URL. All keyrank processes on one data directory
// share one server: the first starts it, the last one out stops it, and one that a killed process left behind is joined
// and in the end stopped like any other.
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { OperatorError } from '../../domain/error.ts';
import { errorMessage } from '../../domain/error-code.ts';
import type { DatabaseRole } from '../connection.ts';
import { type Cluster, checkCluster, hasCluster, makeCluster } from './cluster.ts';
import { openDataDirectory } from './data-directory.ts';
import { findPlatformPackage } from './platform-package.ts';
import { findPostmaster, stopPostmaster } from './postmaster.ts';
import { findServerBinaries, type ServerBinaries } from './server-binaries.ts';
import { joinServer } from './server-join.ts';
import { boundServerLog, serverLogPath } from './server-log.ts';
import { leaveServerSession } from './server-session.ts';
import { SERVER_PORT } from './server-settings.ts';
import { findServerUser } from './server-user.ts';
import { sweepAbandoned } from './temporary-folder.ts';

/** Long enough for the recovery after a power cut of a database of this size. */
const JOIN_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 60_000;
const RESTART_PAUSE_MAX_MS = 10_000;
const LOG_LOOK_MS = 10 * 60_000;

/** The path of a socket, with the file's name, must fit in this (108 on Linux, 104 on macOS, with a final zero). */
const SOCKET_PATH_MAX_BYTES = process.platform === 'linux' ? 107 : 103;

export type ServerState = 'running' | 'restarting' | 'closed';

/** The part of pino's logger that is used here. */
export interface ServerLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface EmbeddedPostgresOptions {
  readonly dataDirectory: string;
  readonly log: ServerLogger;
  /** How long to wait for a server that is starting, recovering or shutting down. */
  readonly joinLimitMs?: number;
  /** Where the platform's package lies, if not in node_modules. */
  readonly packageDirectory?: string;
}

export async function openEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const platformPackage = findPlatformPackage(options.packageDirectory);
  const dataDirectory = await openDataDirectory(options.dataDirectory);
  await sweepAbandoned(dataDirectory);
  const directory = join(dataDirectory, 'postgres');
  const user = findServerUser(directory);
  // Asked anew at every start: somebody may have cleared the cache since.
  const findBinaries = (): Promise<ServerBinaries> => findServerBinaries({ platformPackage, user, dataDirectory });
  if (!(await hasCluster(directory))) {
    options.log.info({ directory }, 'making the database');
    await makeCluster({ dataDirectory, clusterDirectory: directory, binaries: await findBinaries(), user });
  }
  await checkCluster({ clusterDirectory: directory, user, majorVersion: platformPackage.majorVersion });
  const { host, handle } = await openSocketDirectory(directory);
  const address = { host, port: SERVER_PORT };
  const cluster = { directory, address, logPath: serverLogPath(dataDirectory), user, findBinaries };
  const limitMs = options.joinLimitMs ?? JOIN_LIMIT_MS;
  try {
    const client = await joinServer(cluster, limitMs, new AbortController().signal);
    return new EmbeddedPostgres({ cluster, log: options.log, limitMs, handle }, client);
  } catch (error) {
    await handle?.close();
    throw error;
  }
}

/** A path too long for a socket is shortened by way of a descriptor of the directory, which lives as long as we do. */
async function openSocketDirectory(directory: string): Promise<{ host: string; handle?: FileHandle }> {
  const lengthBytes = Buffer.byteLength(join(directory, `.s.PGSQL.${SERVER_PORT}`));
  if (lengthBytes <= SOCKET_PATH_MAX_BYTES) return { host: directory };
  if (process.platform !== 'linux') {
    throw new OperatorError(
      `The path ${directory} is too long for a socket (${lengthBytes} bytes with the file's name).`,
      {
        hint: `Point KEYRANK_DATA_DIR at a path that is at least ${lengthBytes - SOCKET_PATH_MAX_BYTES} bytes shorter.`,
      },
    );
  }
  const handle = await open(directory, 'r');
  return { host: `/proc/self/fd/${handle.fd}`, handle };
}

interface EmbeddedParts {
  readonly cluster: Cluster;
  readonly log: ServerLogger;
  readonly limitMs: number;
  readonly handle: FileHandle | undefined;
}

export class EmbeddedPostgres {
  readonly #parts: EmbeddedParts;
  readonly #closing = new AbortController();
  readonly #logTimer: NodeJS.Timeout;
  #client: Client | undefined;
  #restart: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(parts: EmbeddedParts, client: Client) {
    this.#parts = parts;
    this.#watch(client);
    this.#logTimer = setInterval(() => {
      boundServerLog(parts.cluster.logPath).catch((error: unknown) => {
        parts.log.warn({ error: errorMessage(error) }, 'the log of PostgreSQL could not be shortened');
      });
    }, LOG_LOOK_MS).unref();
  }

  /** `restarting` from the moment the server is lost until it answers again: not ready to serve. */
  get state(): ServerState {
    if (this.#closed) return 'closed';
    return this.#client ? 'running' : 'restarting';
  }

  /** For this process: a long path is shortened in a way that means nothing to another one. */
  connection(role: DatabaseRole) {
    // ssl is said outright, or pg would obey PGSSLMODE, and there is no TLS on a socket.
    return { ...this.#parts.cluster.address, user: role, database: 'keyrank', ssl: false };
  }

  /** Close the pools first: the last process to close takes the server away from them. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  #watch(client: Client): void {
    this.#client = client;
    client.once('end', () => {
      if (this.#client !== client) return;
      this.#client = undefined;
      if (!this.#closed) this.#restart = this.#joinAgain();
    });
  }

  /** Never gives up before close(): a full disk may be cleared, and readiness is false meanwhile. */
  async #joinAgain(): Promise<void> {
    const { cluster, log, limitMs } = this.#parts;
    const { directory } = cluster;
    log.warn({ directory }, 'PostgreSQL was lost; starting it again');
    const { signal } = this.#closing;
    for (let pauseMs = 100; !signal.aborted; pauseMs = Math.min(2 * pauseMs, RESTART_PAUSE_MAX_MS)) {
      try {
        this.#watch(await joinServer(cluster, limitMs, signal));
        log.info({ directory }, 'PostgreSQL answers again');
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ error: errorMessage(error), pauseMs }, 'PostgreSQL could not be started; trying again');
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #close(): Promise<void> {
    clearInterval(this.#logTimer);
    this.#closing.abort();
    await this.#restart;
    const client = this.#client;
    this.#client = undefined;
    if (client) await this.#leave(client);
    await this.#parts.handle?.close();
  }

  async #leave(client: Client): Promise<void> {
    const { log, cluster } = this.#parts;
    try {
      if (!(await leaveServerSession(client))) return;
      const { directory } = cluster;
      if ((await findPostmaster(directory)) === undefined) {
        log.warn({ directory }, 'found no PostgreSQL process to stop: killed, or in another container');
      } else if (!(await stopPostmaster(directory, STOP_LIMIT_MS))) {
        log.warn({ directory, limitMs: STOP_LIMIT_MS }, 'PostgreSQL is still shutting down; left to finish alone');
      }
    } catch (error) {
      // The server went away by itself, which is what we wanted.
      log.warn({ error: errorMessage(error) }, 'PostgreSQL was lost while closing');
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
