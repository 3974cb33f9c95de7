// The composition root: a Config becomes a running service. Nothing else knows how the parts fit together.
import { fileURLToPath } from 'node:url';
import { openMailer, startSweeping, startWorkers } from './boot/background-work.ts';
import { connectResources } from './boot/connected-resources.ts';
import type { CommandProgram } from './boot/import-process.ts';
import { openImports } from './boot/imports.ts';
import { listen } from './boot/listening.ts';
import { openLiveNews } from './boot/live-news.ts';
import { openRanks } from './boot/served-data.ts';
import type { Config } from './config.ts';
import type { Mailer } from './domain/mailer.ts';
import { buildAdmin } from './http/admin.ts';
import { buildApp } from './http/app.ts';
import type { Endpoint } from './http/endpoint.ts';
import { GracefulShutdown } from './http/graceful-shutdown.ts';
import { openMetrics } from './http/metrics.ts';
import { openWebFiles } from './http/web-files.ts';
import { openLogger } from './logger.ts';
import { Accounts } from './postgres/accounts.ts';
import { AdmissionQueue } from './postgres/admission-queue.ts';
import { openDatabase } from './postgres/database.ts';
import { KnownRefusals } from './postgres/known-refusals.ts';
import { Listener } from './postgres/listener.ts';
import { KEPT_OPEN, openPool, openRequestPool } from './postgres/pool.ts';
import { readShareAccount } from './postgres/shares.ts';
import { Unsubscription } from './postgres/unsubscription.ts';
import { guardProcess } from './process-guard.ts';
import { ResourceStack } from './resource-stack.ts';
import { VERSION } from './version.ts';

export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly adminUrl: string | null;
  /** Version of the manifest that is served now. */
  readonly dataVersion: number;
}

/** A job holds one while it tells of a publication, and each of its steps and the deliveries need another. */
const JOB_CONNECTIONS = 4;
/** Twice what a statement may take. */
const JOB_SILENCE_LIMIT_MS = 10_000;
const JOB_POOL = {
  role: 'keyrank_operator',
  maxConnections: JOB_CONNECTIONS,
  silenceLimitMs: JOB_SILENCE_LIMIT_MS,
} as const;

export interface StartOptions {
  /** The compiled search worker, when this file itself is not compiled. */
  readonly workerFolder?: URL;
  /** The built page, likewise. */
  readonly webDirectory?: URL;
  /** Served beside those of the API, and not documented. */
  readonly extraEndpoints?: readonly Endpoint[];
  /** The compiled program, likewise, with its settings. */
  readonly program?: CommandProgram;
  /** Sends mails. */
  readonly mailer?: Mailer;
  /** Watches this process for what nobody handles; for a process that does nothing else. */
  readonly guardsProcess?: boolean;
}

export async function startService(config: Config, options: StartOptions = {}): Promise<RunningService> {
  const logger = openLogger(config.logLevel);
  const metrics = openMetrics();
  await using opened = new ResourceStack();
  if (options.guardsProcess) opened.use(guardProcess({ logger, onFault: metrics.countFault }));
  const server = opened.use(await openDatabase({ ...config, answersRequests: true, log: logger }));
  const pool = openRequestPool(server, {
    role: 'keyrank_service',
    maxConnections: config.databaseConnections,
    onIdleError: (error) => logger.warn({ err: error }, 'a database connection broke'),
  });
  opened.defer(() => pool.end());
  const onError = (error: unknown) => logger.warn({ err: error }, 'trouble with the database');
  const listener = opened.use(await Listener.open({ server, onError }));
  // Before the rank data, which take a while: whoever changes an account waits until every server that listens has heard of it.
  const accounts = opened.use(await Accounts.open({ pool, listener, onError }));
  const shareAccounts = opened.use(await Accounts.open({ pool, listener, onError, read: readShareAccount }));
  const refusals = await KnownRefusals.open(listener);
  const jobPool = openPool(server, { ...JOB_POOL, onIdleError: onError });
  opened.defer(() => jobPool.end());
  const starting = { config, logger, metrics, pool, jobPool, listener, opened, onError };
  // Nobody waits for an answer here: a machine that is busy when the service starts should make it slow, and not fail.
  const ranks = await openRanks(starting, options.workerFolder);
  const admissions = new AdmissionQueue(pool, refusals, () => ranks.waitMs);

  // The first requests find connections that are open. If they take too long to open, requests will see to it themselves.
  await pool.open(KEPT_OPEN).catch(onError);

  const { reportImports, ...imports } = await openImports(starting);
  const unsubscription = await Unsubscription.open(jobPool);
  const events = await openLiveNews(starting, ranks);
  const mailer = options.mailer ?? openMailer(starting);
  const answering = { accounts, shareAccounts, admissions, ranks, reportImports, events, unsubscription, mailer };
  const resources = connectResources(starting, answering);
  const webFiles = await openWebFiles(fileURLToPath(options.webDirectory ?? new URL('./web', import.meta.url)));
  metrics.watchData(resources);
  const stop = new GracefulShutdown();
  const parts = { resources, logger, metrics, webFiles, extraEndpoints: options.extraEndpoints ?? [], stop };
  const app = buildApp({ ...parts, version: VERSION, limits: config });
  const url = await listen(opened, app, { host: config.host, port: config.port, setting: 'PORT' });
  const admin = buildAdmin({ ...resources, metrics, isDraining: () => stop.isDraining });
  const { adminHost: adminAddress, adminPort } = config;
  const adminPlace = adminPort === null ? null : { host: adminAddress, port: adminPort, setting: 'KEYRANK_ADMIN_PORT' };
  const adminUrl = adminPlace && (await listen(opened, admin, adminPlace));

  const messages = { mailer, unsubscription, pageUrl: config.publicUrl ?? url };
  const workers = await startWorkers(starting, { ranks, imports, program: options.program, ...messages });
  startSweeping(starting);

  const running = opened.move();
  logger.info({ url, adminUrl, database: server.description }, 'listening');
  return {
    url: config.publicUrl ?? url,
    adminUrl,
    get dataVersion() {
      return ranks.catalog.version;
    },
    [Symbol.asyncDispose]: async () => {
      for (const worker of workers) worker.stop();
      logger.info('stopping');
      const cut = setTimeout(() => app.server.closeAllConnections(), config.shutdownTimeoutMs);
      // Nobody who listens would leave by themselves.
      events[Symbol.dispose]();
      await stop.close();
      await running[Symbol.asyncDispose]();
      clearTimeout(cut);
      logger.info('stopped');
    },
  };
}
