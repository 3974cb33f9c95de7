import { join } from 'node:path';
import { DownloadWorker, noteRates } from '../amazon/download-worker.ts';
import { ReportsClient } from '../amazon/reports-client.ts';
import { SecretKeys } from '../amazon/secret-keys.ts';
import { contain } from '../domain/containment.ts';
import { DOWNLOAD_LANES, type DownloadLane } from '../domain/download-queue.ts';
import { errorMessage } from '../domain/error-code.ts';
import { periodKey } from '../domain/period.ts';
import type { PublishedPeriod } from '../domain/store.ts';
import { countDownloads } from '../postgres/download-status.ts';
import { openDownloadQueue } from '../postgres/downloads.ts';
import { withWatchLock } from '../postgres/import-lock.ts';
import { tellLate } from '../postgres/late-periods.ts';
import { VERSION } from '../version.ts';
import { JobLoop } from '../watch/job-loop.ts';
import { importInProcess } from './import-process.ts';
import type { StartingService } from './starting-service.ts';
import { WatchedFolder } from './watched-folder.ts';

/** How often a lane looks for a step that is due. */
const LOOK_EVERY_MS = 2_000;
/** How often new periods are looked for; a connection that is added waits no longer. */
const PLAN_EVERY_MS = 10_000;

/** Fetches reports from Amazon for as long as the server runs; each kind of step in a loop of its own. */
export function startDownloads(
  { config, jobPool: pool, opened, logger, metrics }: StartingService,
  {
    place,
    listPublished,
  }: {
    /** Names the data directory. */
    readonly place: string;
    readonly listPublished: () => Promise<readonly PublishedPeriod[]>;
  },
): { stop(): void } {
  const onError = (error: unknown, about: object = {}) =>
    logger.warn({ ...about, err: error }, 'a download failed; it will be tried again');
  const queue = openDownloadQueue(pool, { place });
  const client = opened.use(
    new ReportsClient({
      amazonUrl: config.amazonUrl,
      userAgent: `keyrank/${VERSION} (Language=JavaScript)`,
      now: () => new Date(),
      onRate: noteRates(queue, onError),
    }),
  );
  const worker = new DownloadWorker({
    queue,
    client,
    openKeys: () => SecretKeys.open(config),
    importReports: importInProcess,
    listPublished,
    onLate: async (late, now) => {
      const tracksMarketplace = late.marketplace === config.defaultMarketplace;
      if (await tellLate(pool, late, { now, tracksMarketplace })) logger.warn(late, 'a period is later than usual');
    },
    directory: downloadDirectory(config),
    maxBytes: config.reportLimits.unpackedBytes,
    random: Math.random,
    onError,
    onStep: ({ marketplace, period, state }, answer) => {
      const about = { marketplace, frequency: period.frequency, period: periodKey(period), state, answer: answer.kind };
      if (answer.kind === 'fault') metrics.countDownloadFault(answer.fault);
      logger.info(
        answer.kind === 'fault' ? { ...about, fault: answer.fault, detail: answer.detail } : about,
        'download',
      );
    },
  });
  metrics.watchDownloads(async () => ({ ...(await countDownloads(pool)), latePeriods: worker.lateCount }));
  const plan = () => worker.plan();
  const loops = [opened.use(new JobLoop({ work: plan, everyMs: PLAN_EVERY_MS, onError }))];
  for (const lane of Object.keys(DOWNLOAD_LANES) as DownloadLane[]) {
    const work = async (loop: JobLoop): Promise<void> => {
      while (!loop.isStopped && (await worker.step(lane)));
    };
    loops.push(opened.use(new JobLoop({ work, everyMs: LOOK_EVERY_MS, onError })));
  }
  return {
    stop: () => {
      for (const loop of loops) loop.stop();
      worker.stop();
      // Requests that are under way end at once: an answer may take longer than a server has to stop.
      void contain(() => client[Symbol.asyncDispose](), onError);
    },
  };
}

/** Imports what appears in the watched folder; undefined when there is none. */
export function startWatching({
  config,
  jobPool: pool,
  opened,
  logger,
}: StartingService): { stop(): void } | undefined {
  if (config.watchDirectory === null) return undefined;
  const stopping = new AbortController();
  const folder = new WatchedFolder({
    directory: config.watchDirectory,
    source: 'search',
    signal: stopping.signal,
    now: () => new Date(),
    onFile: (outcome) => logger[outcome.status === 'done' ? 'info' : 'warn'](outcome, 'a file of the watched folder'),
  });
  // Once, and not at every look: a folder that is gone stays so for a while.
  let said = '';
  const onError = (error: unknown) => {
    const message = errorMessage(error);
    if (!stopping.signal.aborted && message !== said) logger.warn({ err: error }, 'the watched folder cannot be used');
    said = message;
  };
  const work = async () => {
    await withWatchLock(pool, () => folder.look());
    said = '';
  };
  const loop = opened.use(new JobLoop({ work, everyMs: LOOK_EVERY_MS, onError }));
  return {
    stop: () => {
      loop.stop();
      stopping.abort();
    },
  };
}

export function downloadDirectory({ dataDirectory }: { readonly dataDirectory: string }): string {
  return join(dataDirectory, 'downloads');
}
