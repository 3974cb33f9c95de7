import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { RankStore } from '../domain/store.ts';
import { sweepExports } from '../export/parquet.ts';
import type { Metrics, SetAsideWork } from '../http/metrics.ts';
import { sweepLeftovers } from '../ingest/publish/file-publisher.ts';
import { mendFutureDates } from '../postgres/future-dates.ts';
import { sweepIdempotencyKeys } from '../postgres/idempotency-keys.ts';
import type { Listener } from '../postgres/listener.ts';
import type { Pool } from '../postgres/pool.ts';
import { takeNextPublication } from '../postgres/publications.ts';
import { sweepHistory } from '../postgres/search-history.ts';
import { DELIVERIES_CHANNEL, openDeliveryQueue } from '../postgres/webhook-deliveries.ts';
import type { ResourceStack } from '../resource-stack.ts';
import { VERSION } from '../version.ts';
import { DeliveryWorker } from '../watch/delivery-worker.ts';
import { startPublicationWorker } from '../watch/publication-worker.ts';
import { WebhookSender } from '../watch/webhook-sender.ts';
import { exportDirectory } from './connected-resources.ts';
import { startHousekeeping } from './housekeeping.ts';

/** How often what is too old is looked for. */
const HOUSEKEEPING_MS = 60_000;

/** What goes on without anybody asking: telling of publications, and sending messages to webhooks. */
export async function startWorkers(parts: {
  readonly config: Config;
  readonly pool: Pool;
  readonly listener: Listener;
  readonly ranks: RankStore;
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
  ranks.subscribe(() => publications.wake());
  const housekeeping = starting.use(
    startHousekeeping({
      chores: [
        { name: 'search history', step: () => sweepHistory(pool, config.historyDays) },
        { name: 'idempotency keys', step: () => sweepIdempotencyKeys(pool) },
        { name: 'dates in the future', step: () => mendFutureDates(pool) },
      ],
      everyMs: HOUSEKEEPING_MS,
      onError: (error, chore) => logger.warn({ err: error, chore }, 'housekeeping failed; it will be tried again'),
    }),
  );
  return [publications, deliveries, housekeeping];
}

/** Removes what imports and exports that died left behind; nobody waits for it. */
export function startSweeping(parts: {
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
