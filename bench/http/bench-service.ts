// A service for benchmarks: a scratch database that publishes the given snapshot, and many organizations with one key each,
// because no plan lets a single one search fast enough to load a server.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, link, mkdir, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SCOPES } from '../../src/domain/account.ts';
import { OperatorError } from '../../src/domain/error.ts';
import { periodDates } from '../../src/domain/period.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openPool, type Pool } from '../../src/postgres/pool.ts';
import { ResourceStack } from '../../src/resource-stack.ts';
import type { PreparedPeriod } from '../../src/snapshot/manifest/manifest.ts';
import { publish } from '../../src/snapshot/manifest/manifest-rows.ts';
import type { SnapshotSummary } from './http-cases.ts';
import type { EventLoopDelay, ServerCommand, ServerReport } from './http-server.ts';

const QUIET = { info: () => {}, warn: () => {} };

const LOG_LINES = 5;
/** Nobody verifies the files of a scratch directory. */
const NO_CHECKSUM = '0'.repeat(64);

export interface BenchService extends AsyncDisposable {
  readonly url: string;
  /** From start to listening, with all rank data loaded. */
  readonly readyMs: number;
  readonly keys: readonly string[];
  /** The server's event-loop delay while the work runs. */
  watchEventLoop(work: () => Promise<unknown>): Promise<EventLoopDelay>;
}

export async function openBenchService({
  data,
  snapshotDirectory,
  directory,
  organizations,
}: {
  readonly data: SnapshotSummary;
  readonly snapshotDirectory: string;
  readonly directory: string;
  readonly organizations: number;
}): Promise<BenchService> {
  await using opening = new ResourceStack();
  const server = opening.use(await openDatabase({ databaseUrl: null, dataDirectory: directory, log: QUIET }));
  const pool = openPool(server, { role: 'keyrank_operator', maxConnections: 2, onIdleError: () => {} });
  opening.defer(() => pool.end());
  await publishSnapshot(pool, { data, snapshotDirectory, directory });
  const keys: string[] = [];
  for (let n = 1; n <= organizations; n += 1) keys.push(await makeKey(pool, `Bench ${n}`));
  const logPath = join(directory, 'service.log');
  const log = await open(logPath, 'w');
  opening.defer(() => log.close());
  const child = fork(new URL('./http-server.js', import.meta.url), {
    env: { ...process.env, KEYRANK_DATA_DIR: directory, DATABASE_URL: '', PORT: '0', KEYRANK_ADMIN_PORT: 'off' },
    // Every request is logged, as in earnest; only the end is read, should it fail.
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  opening.defer(() => stopChild(child));
  const { url, readyMs } = await nextReport(child, 'listening').catch(async (error: unknown) => {
    const lines = (await readFile(logPath, 'utf8')).trim().split('\n');
    throw new OperatorError('The service did not start.', { hint: lines.slice(-LOG_LINES).join('\n'), cause: error });
  });
  const opened = opening.move();
  return {
    url,
    readyMs,
    keys,
    watchEventLoop: async (work) => {
      send(child, 'start-watch');
      await nextReport(child, 'watching');
      await work();
      send(child, 'end-watch');
      return (await nextReport(child, 'watched')).delay;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function publishSnapshot(
  pool: Pool,
  given: { readonly data: SnapshotSummary; readonly snapshotDirectory: string; readonly directory: string },
): Promise<void> {
  const { data, snapshotDirectory, directory } = given;
  const { marketplace, source, frequency } = data.set;
  const folder = `snapshots/${marketplace}/${source}-${frequency}-1`;
  await mkdir(join(directory, folder), { recursive: true });
  const files = [];
  for (const name of await readdir(snapshotDirectory)) {
    const [from, path] = [join(snapshotDirectory, name), `${folder}/${name}`];
    await link(from, join(directory, path)).catch(() => copyFile(from, join(directory, path)));
    files.push({ path, sizeBytes: (await stat(from)).size, sha256: NO_CHECKSUM });
  }
  const publishedAt = new Date();
  const prepared = data.periods.map((period, n): PreparedPeriod => {
    const { start: startDate, end: endDate } = periodDates(period);
    const segment = { path: `segments/${marketplace}/${n}.parquet`, sizeBytes: 1, sha256: NO_CHECKSUM };
    const counts = { keywords: data.documentCount, dataPoints: data.documentCount };
    const origin = { sourceFile: `${n}.csv`, warnings: [], digest: NO_CHECKSUM, segment };
    return {
      period: { marketplace, source, period, revision: 1, startDate, endDate, ...counts, publishedAt, ...origin },
      dictionaries: [],
    };
  });
  const client = await pool.connect();
  try {
    await publish(client, { prepared, snapshots: [{ marketplace, source, frequency, files }], publishedAt });
  } finally {
    client.release();
  }
}

async function makeKey(pool: Pool, organization: string): Promise<string> {
  const subscription = { plan: 'studio', status: 'active', periodEnd: null } as const;
  await createOrganization(pool, { name: organization, subscription });
  const userEmail = 'bench@keyrank.example';
  return (await createApiKey(pool, { organization, userEmail, scopes: SCOPES, expiresAt: null })).key;
}

async function nextReport<Kind extends ServerReport['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<ServerReport, { kind: Kind }>> {
  const ended = new AbortController();
  const report = once(child, 'message', { signal: ended.signal });
  const exit = once(child, 'exit', { signal: ended.signal });
  try {
    const [message] = (await Promise.race([report, exit])) as readonly unknown[];
    if (typeof message === 'object' && message !== null && 'kind' in message && message.kind === kind) {
      return message as Extract<ServerReport, { kind: Kind }>;
    }
    throw new OperatorError('The service under test ended.');
  } finally {
    ended.abort();
    await Promise.allSettled([report, exit]);
  }
}

function send(child: ChildProcess, command: ServerCommand): void {
  child.send(command);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exit = once(child, 'exit');
  send(child, 'stop');
  await exit;
}
