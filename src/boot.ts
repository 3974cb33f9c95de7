// The composition root: a Config becomes a running service. Nothing else knows how the parts fit together.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { OperatorError } from './domain/error.ts';
import { startHousekeeping } from './housekeeping.ts';
import { buildAdmin } from './http/admin.ts';
import { buildApp } from './http/app.ts';
import type { Endpoint } from './http/endpoint.ts';
import { GentleStop } from './http/gentle-stop.ts';
import { type Metrics, openMetrics, type SetAsideWork } from './http/metrics.ts';
import type { Resources } from './http/resources.ts';
import { openWebFiles } from './http/web-files.ts';
import { sweepLeftovers } from './ingest/importer.ts';
import { type RebuildRequest, rebuildDamagedSnapshots, rebuildOutdatedSnapshots } from './ingest/outdated-snapshots.ts';
import { openLogger } from './logger.ts';
import { Accounts } from './postgres/accounts.ts';
import { AdmissionQueue } from './postgres/admission-queue.ts';
import type { DatabaseServer } from './postgres/connection.ts';
import { openDatabase } from './postgres/database.ts';
import { listDigests, readAllDigests } from './postgres/digests.ts';
import { ExportLeases } from './postgres/export-leases.ts';
import { sweepIdempotencyKeys } from './postgres/idempotency-keys.ts';
import { KnownRefusals } from './postgres/known-refusals.ts';
import { Listener } from './postgres/listener.ts';
import { loadManifest, loadManifestVersion, MANIFEST_CHANNEL } from './postgres/manifest.ts';
import { isDatabaseUnavailable, openPool, openRequestPool, type Pool } from './postgres/pool.ts';
import { takeNextPublication } from './postgres/publications.ts';
import { readRateLimit } from './postgres/rate-log.ts';
import { ResultCounts } from './postgres/result-counts.ts';
import { deleteHistory, listHistory, sweepHistory } from './postgres/search-history.ts';
import {
  addTrackedKeywords,
  changeTrackedKeyword,
  deleteTrackedKeyword,
  findTrackedKeyword,
  listTrackedKeywords,
} from './postgres/tracked-keywords.ts';
import { readUsage } from './postgres/usage.ts';
import { DELIVERIES_CHANNEL, listDeliveries, openDeliveryQueue } from './postgres/webhook-deliveries.ts';
import { addWebhook, deleteWebhook, listWebhooks } from './postgres/webhooks.ts';
import { WriteHealth } from './postgres/write-health.ts';
import { guardProcess } from './process-guard.ts';
import { ResourceStack } from './resource-stack.ts';
import { buildSnapshot } from './snapshot/build.ts';
import { DamagedSnapshotError } from './snapshot/format.ts';
import { ServedRanks, type ServedRanksOptions } from './snapshot/served-ranks.ts';
import { SnapshotStore } from './snapshot/snapshot-store.ts';
import { VERSION } from './version.ts';
import { DeliveryWorker } from './watch/delivery-worker.ts';
import { startPublicationWorker } from './watch/publication-worker.ts';
import { WebhookSender } from './watch/webhook-sender.ts';
import { findUrlFault } from './watch/webhook-url.ts';
import { sweepExports } from './xlsx/parquet.ts';

export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string | null;
  /** Version of the manifest that is served now. */
  readonly dataVersion: number;
}

/** Searches that may wait for a thread; beyond it callers are asked to come again. */
const MAX_QUEUED_SEARCHES = 256;
/** A job holds one while it tells of a publication, and each of its steps and the deliveries need another. */
const JOB_CONNECTIONS = 4;
/** How often what is too old is looked for. */
const HOUSEKEEPING_MS = 60_000;
/** Twice what a statement may take. */
const JOB_SILENCE_LIMIT_MS = 10_000;

export interface StartOptions {
  /** The compiled search worker, when this file itself is not compiled. */
  readonly workerFolder?: URL;
  /** The built page, likewise. */
  readonly webDirectory?: URL;
  /** Served beside those of the API, and not documented. */
  readonly extraEndpoints?: readonly Endpoint[];
  /** Watches this process for what nobody handles; for a process that does nothing else. */
  readonly guardsProcess?: boolean;
}

export async function startService(config: Config, options: StartOptions = {}): Promise<RunningService> {
  const logger = openLogger(config.logLevel);
  const metrics = openMetrics();
  await using starting = new ResourceStack();
  if (options.guardsProcess) {
    const guard = guardProcess({ logger, onFault: (fault) => metrics.countFault(fault) });
    starting.defer(async () => guard[Symbol.dispose]());
  }
  const server = starting.use(await openDatabase({ ...config, log: logger }));
  const pool = openRequestPool(server, {
    role: 'keyrank_service',
    maxConnections: config.databaseConnections,
    onIdleError: (error) => logger.warn({ err: error }, 'a database connection broke'),
  });
  starting.defer(() => pool.end());
  const onError = (error: unknown) => logger.warn({ err: error }, 'trouble with the database');
  const listener = starting.use(await Listener.open({ server, onError }));
  const accounts = starting.use(await Accounts.open({ pool, listener, onError }));
  const admissions = new AdmissionQueue(pool, await KnownRefusals.open(listener));

  const resultCounts = starting.use(new ResultCounts(pool, onError));
  const jobPool = openJobPool(server, onError);
  starting.defer(() => jobPool.end());
  // Nobody waits for an answer here: a machine that is busy when the service starts should make it slow, and not fail.
  const ranks = await openRanks({
    config,
    pool: jobPool,
    listener,
    starting,
    logger,
    workerFolder: options.workerFolder,
  });

  // The first requests find a connection that is open. If it takes too long to open, they will see to it themselves.
  await pool.query('SELECT 1').catch(onError);

  const resources = connectResources({ config, pool, accounts, admissions, resultCounts, ranks, onError });
  const webFiles = await openWebFiles(fileURLToPath(options.webDirectory ?? new URL('./web', import.meta.url)));
  metrics.watchData(resources.findLag);
  const stop = new GentleStop();
  const { extraEndpoints = [] } = options;
  const app = buildApp({
    resources,
    logger,
    metrics,
    version: VERSION,
    webFiles,
    extraEndpoints,
    stop,
    limits: config,
  });
  const url = await listen(starting, app, { host: config.host, port: config.port, setting: 'PORT' });
  const admin = buildAdmin({ ...resources, metrics, isDraining: () => stop.isDraining });
  const adminUrl =
    config.adminPort === null
      ? null
      : await listen(starting, admin, {
          host: config.adminHost,
          port: config.adminPort,
          setting: 'KEYRANK_ADMIN_PORT',
        });

  const workers = await startWorkers({ config, pool: jobPool, listener, ranks, starting, logger, metrics });
  startSweeping({ config, pool: jobPool, starting, logger, onError });

  const running = starting.move();
  logger.info({ url, adminUrl, database: server.description }, 'listening');
  return {
    url: config.publicUrl ?? url,
    adminUrl,
    get dataVersion() {
      return ranks.manifest.version;
    },
    [Symbol.asyncDispose]: async () => {
      for (const worker of workers) worker.stop();
      logger.info('stopping');
      const cut = setTimeout(() => app.server.closeAllConnections(), config.shutdownTimeoutMs);
      await stop.close();
      await running[Symbol.asyncDispose]();
      clearTimeout(cut);
      logger.info('stopped');
    },
  };
}

/** Removes what imports and exports that died left behind; nobody waits for it. */
function startSweeping(parts: {
  readonly config: Config;
  readonly pool: Pool;
  readonly starting: ResourceStack;
  readonly logger: Logger;
  readonly onError: (error: unknown) => void;
}): void {
  const { config, pool, starting, logger, onError } = parts;
  const sweeping = sweepLeftovers({ pool, ...config, now: () => new Date() }).then((files) => {
    if (files.length > 0) logger.info({ files }, 'removed what interrupted imports left behind');
  }, onError);
  starting.defer(() => sweeping);
  const sweepingExports = sweepExports(exportDirectory(config), { now: Date.now() }).catch(onError);
  starting.defer(() => sweepingExports);
}

/** What goes on without anybody asking: telling of publications, and sending messages to webhooks. */
async function startWorkers(parts: {
  readonly config: Config;
  readonly pool: Pool;
  readonly listener: Listener;
  readonly ranks: ServedRanks;
  readonly starting: ResourceStack;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): Promise<readonly { stop(): void }[]> {
  const { config, pool, listener, ranks, starting, logger, metrics } = parts;
  const onError = (error: unknown, about: object = {}) =>
    logger.warn({ ...about, err: error }, 'background work failed; it will be tried again');
  const onSetAside = (work: SetAsideWork, about: object) => {
    metrics.countSetAside(work);
    logger.error({ ...about }, `a ${work} was set aside and will not be tried again`);
  };
  const sender = starting.use(
    new WebhookSender({ allowPrivate: config.allowPrivateWebhooks, userAgent: `keyrank/${VERSION}`, onError }),
  );
  const queue = openDeliveryQueue(pool, (delivery) => onSetAside('delivery', delivery));
  const deliveries = starting.use(
    new DeliveryWorker({ queue, sender, now: () => new Date(), random: Math.random, onError }),
  );
  const publications = starting.use(
    startPublicationWorker({
      queue: {
        takeNext: (manifestVersion, work) =>
          takeNextPublication(pool, {
            manifestVersion,
            work,
            onSetAside: (publication) => onSetAside('publication', publication),
          }),
      },
      ranks,
      trackedMarketplace: config.defaultMarketplace,
      onError,
    }),
  );
  await listener.subscribe({ channel: DELIVERIES_CHANNEL, onNotification: async () => deliveries.wake() });
  ranks.whenServed(() => publications.wake());
  const housekeeping = starting.use(
    startHousekeeping({
      chores: [
        { name: 'search history', step: () => sweepHistory(pool, config.historyDays) },
        { name: 'idempotency keys', step: () => sweepIdempotencyKeys(pool) },
      ],
      everyMs: HOUSEKEEPING_MS,
      onError: (error, chore) => logger.warn({ err: error, chore }, 'housekeeping failed; it will be tried again'),
    }),
  );
  return [publications, deliveries, housekeeping];
}

/** For work that no request waits for. */
function openJobPool(server: DatabaseServer, onIdleError: (error: unknown) => void): Pool {
  return openPool(server, {
    role: 'keyrank_operator',
    maxConnections: JOB_CONNECTIONS,
    silenceLimitMs: JOB_SILENCE_LIMIT_MS,
    onIdleError,
  });
}

/** The published rank data in memory, following the manifest from now on. */
async function openRanks(parts: {
  readonly config: Config;
  readonly pool: Pool;
  readonly listener: Listener;
  readonly starting: ResourceStack;
  readonly logger: Logger;
  readonly workerFolder: URL | undefined;
}): Promise<ServedRanks> {
  const { config, pool, listener, starting, logger, workerFolder } = parts;
  const store = starting.use(
    new SnapshotStore({
      workerCount: config.workers,
      maxQueued: MAX_QUEUED_SEARCHES,
      onThreadDeath: (error) => logger.error({ err: error }, 'a worker thread died; another takes its place'),
      ...(workerFolder ? { workerFolder } : {}),
    }),
  );
  const rebuild: RebuildRequest = {
    pool,
    dataDirectory: config.dataDirectory,
    buildSnapshot,
    now: () => new Date(),
    onRebuild: (sets) =>
      logger.warn({ sets }, 'building snapshots anew: they are damaged, missing, or of another version'),
    onWarning: (message) => logger.warn(message),
  };
  const options: ServedRanksOptions = {
    store,
    dataDirectory: config.dataDirectory,
    loadManifest: () => loadManifest(pool),
    loadVersion: () => loadManifestVersion(pool),
    repair: () => rebuildDamagedSnapshots(rebuild),
    onError: (error, { afterMs }) =>
      logger.error({ err: error, afterMs }, 'newer data cannot be loaded; it is tried again'),
  };
  await rebuildOutdatedSnapshots(rebuild);
  const ranks = starting.use(await openOrRepair(options));
  await listener.subscribe({
    channel: MANIFEST_CHANNEL,
    onNotification: () => ranks.lookAgain(),
    onRestored: () => ranks.lookAgain(),
  });
  ranks.follow();
  // What was published between the first look and the subscription.
  await ranks.lookAgain();
  return ranks;
}

/** A snapshot that turns out to be damaged is no reason not to start: everything in it stands in the segments too. */
async function openOrRepair(options: ServedRanksOptions): Promise<ServedRanks> {
  try {
    return await ServedRanks.open(options);
  } catch (error) {
    if (!(error instanceof DamagedSnapshotError)) throw error;
    options.onError?.(error, { afterMs: 0 });
    await options.repair?.();
    return await ServedRanks.open(options);
  }
}

interface Parts {
  readonly config: Config;
  readonly pool: Pool;
  readonly accounts: Accounts;
  readonly admissions: AdmissionQueue;
  readonly resultCounts: ResultCounts;
  readonly ranks: ServedRanks;
  readonly onError: (error: unknown) => void;
}

function connectResources({ config, pool, accounts, admissions, resultCounts, ranks, onError }: Parts): Resources {
  const writeHealth = new WriteHealth(pool);
  return {
    accounts,
    rateLimiter: {
      admit: (attempt) => writeHealth.watch(admissions.admit(attempt)),
      read: (organizationId) => readRateLimit(pool, organizationId),
    },
    history: {
      list: async (tenant, slice) => {
        await resultCounts.flush();
        return await listHistory(pool, { tenant, slice });
      },
      recordResultCount: (result) => resultCounts.record(result),
      deleteAll: (tenant) => deleteHistory(pool, tenant),
    },
    usage: { read: (tenant) => readUsage(pool, tenant) },
    ranks: {
      defaultMarketplace: config.defaultMarketplace,
      get manifest() {
        return ranks.manifest;
      },
      checkRoom: (owner) => ranks.checkRoom(owner),
      openView: (set, owner) => ranks.openView(set, owner),
    },
    exports: new ExportLeases(pool, onError),
    ...connectTracking(config, pool),
    exportDirectory: exportDirectory(config),
    meterIds: config.meterIds,
    now: () => new Date(),
    isUnavailable: isDatabaseUnavailable,
    checkReady: async () => {
      await pool.query('SELECT 1');
      await writeHealth.check();
    },
    findLag: () => ranks.lag,
  };
}

function connectTracking(config: Config, pool: Pool): Pick<Resources, 'trackedKeywords' | 'digests' | 'webhooks'> {
  return {
    trackedKeywords: {
      list: (tenant) => listTrackedKeywords(pool, tenant),
      find: (tenant, id) => findTrackedKeyword(pool, { tenant, id }),
      add: (tenant, request) => addTrackedKeywords(pool, tenant, request),
      change: (tenant, id, change) => changeTrackedKeyword(pool, { tenant, id, change }),
      delete: (tenant, id) => deleteTrackedKeyword(pool, { tenant, id }),
    },
    digests: {
      list: (tenant, query) => listDigests(pool, { tenant, query }),
      readAll: (tenant) => readAllDigests(pool, tenant),
    },
    webhooks: {
      findUrlFault: (url) => findUrlFault(url, { allowPrivate: config.allowPrivateWebhooks }),
      list: (tenant) => listWebhooks(pool, tenant),
      add: (tenant, webhook) => addWebhook(pool, tenant, webhook),
      delete: (tenant, id) => deleteWebhook(pool, { tenant, id }),
      listDeliveries: (tenant, query) => listDeliveries(pool, { tenant, query }),
    },
  };
}

/** Beside the rank data, because that disk has room for it. */
function exportDirectory({ dataDirectory }: Config): string {
  return join(dataDirectory, 'exports');
}

async function listen(
  stack: ResourceStack,
  app: FastifyInstance,
  { host, port, setting }: { host: string; port: number; setting: string },
): Promise<string> {
  stack.defer(() => app.close());
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, { host, port, setting });
  }
  const address = app.server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${name}:${address.port}`;
}

function listenError(error: unknown, at: { host: string; port: number; setting: string }): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new OperatorError(`Port ${at.port} on ${at.host} is in use.`, {
      hint: `Stop the program that uses it, or choose another port with ${at.setting}.`,
      cause: error,
    });
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new OperatorError(`Cannot listen on ${at.host} port ${at.port}: ${code}.`, {
      hint: 'Choose an address of this machine, and a port above 1023 unless root.',
      cause: error,
    });
  }
  return error;
}
