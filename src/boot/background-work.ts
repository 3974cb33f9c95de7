import type { RankStore } from '../domain/store.ts';
import { sweepExports } from '../export/parquet.ts';
import type { SetAsideWork } from '../http/metrics.ts';
import { sweepLeftovers } from '../ingest/publish/file-publisher.ts';
import { mendFutureDates } from '../postgres/future-dates.ts';
import { sweepIdempotencyKeys } from '../postgres/idempotency-keys.ts';
import { openPublicationQueue } from '../postgres/publications.ts';
import { sweepHistory } from '../postgres/search-history.ts';
import { DELIVERIES_CHANNEL, openDeliveryQueue } from '../postgres/webhook-deliveries.ts';
import { VERSION } from '../version.ts';
import { startDeliveryWorker } from '../watch/delivery-worker.ts';
import { startPublicationWorker } from '../watch/publication-worker.ts';
import { WebhookSender } from '../watch/webhook-sender.ts';
import { exportDirectory } from './connected-resources.ts';
import { startHousekeeping } from './housekeeping.ts';
import type { StartingService } from './starting-service.ts';

/** How often what is too old is looked for. */
const HOUSEKEEPING_MS = 60_000;

/** What goes on without anybody asking: telling of publications, and sending messages to webhooks. */
export async function startWorkers(
  { config, jobPool: pool, listener, opened, logger, metrics }: StartingService,
  ranks: RankStore,
): Promise<readonly { stop(): void }[]> {
  const onError = (error: unknown, about: object = {}) =>
    logger.warn({ ...about, err: error }, 'background work failed; it will be tried again');
  const onSetAside = (work: SetAsideWork, about: object) => {
    metrics.countSetAside(work);
    logger.error({ ...about }, `a ${work} was set aside and will not be tried again`);
  };
  const sender = opened.use(
    new WebhookSender({ allowPrivate: config.allowPrivateWebhooks, userAgent: `keyrank/${VERSION}`, onError }),
  );
  const queue = openDeliveryQueue(pool, (delivery) => onSetAside('delivery', delivery));
  const deliveries = opened.use(
    startDeliveryWorker({ queue, sender, now: () => new Date(), random: Math.random, onError }),
  );
  const publications = opened.use(
    startPublicationWorker({
      queue: openPublicationQueue(pool, (publication) => onSetAside('publication', publication)),
      ranks,
      trackedMarketplace: config.defaultMarketplace,
      onError,
    }),
  );
  await listener.subscribe({ channel: DELIVERIES_CHANNEL, onNotification: async () => deliveries.wake() });
  ranks.subscribe(() => publications.wake());
  const housekeeping = opened.use(
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
export function startSweeping({ config, jobPool: pool, opened, logger, onError }: StartingService): void {
  const sweeping = sweepLeftovers({ pool, ...config, now: () => new Date() }).then((files) => {
    if (files.length > 0) logger.info({ files }, 'removed what interrupted imports left behind');
  }, onError);
  opened.defer(() => sweeping);
  const sweepingExports = sweepExports(exportDirectory(config), { now: Date.now() }).catch(onError);
  opened.defer(() => sweepingExports);
}
