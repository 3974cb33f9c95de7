import type { MailFault } from '../domain/mail-fault.ts';
import type { Mailer } from '../domain/mailer.ts';
import type { RankStore } from '../domain/store.ts';
import { type AttemptOutcome, DELIVERY_KINDS, type DeliveryAttempt } from '../domain/webhook.ts';
import { sweepExports } from '../export/parquet.ts';
import type { SetAsideWork } from '../http/metrics.ts';
import { sweepCache, sweepLeftovers } from '../ingest/publish/file-publisher.ts';
import { openSmtpMailer } from '../mail/smtp-mailer.ts';
import { sweepAgents } from '../postgres/agents.ts';
import { mendFutureDates } from '../postgres/future-dates.ts';
import { sweepIdempotencyKeys } from '../postgres/idempotency-keys.ts';
import { queueWeeklyNotices, sweepNotices } from '../postgres/notices.ts';
import { openPublicationQueue } from '../postgres/publications.ts';
import { sweepHistory } from '../postgres/search-history.ts';
import { sweepSessions } from '../postgres/sessions.ts';
import { sweepShares } from '../postgres/shares.ts';
import type { Unsubscription } from '../postgres/unsubscription.ts';
import { DELIVERIES_CHANNEL, openDeliveryQueue, type SetAsideDelivery } from '../postgres/webhook-deliveries.ts';
import { openStorage } from '../storage/object-store.ts';
import { VERSION } from '../version.ts';
import { startDeliveryWorker } from '../watch/delivery-worker.ts';
import type { JobLoop } from '../watch/job-loop.ts';
import { openMessageSender } from '../watch/message-sender.ts';
import { startPublicationWorker } from '../watch/publication-worker.ts';
import { WebhookSender } from '../watch/webhook-sender.ts';
import { exportDirectory } from './connected-resources.ts';
import { startDownloads, startWatching } from './downloads.ts';
import { type Chore, startHousekeeping } from './housekeeping.ts';
import type { CommandProgram } from './import-process.ts';
import type { StartedImports } from './imports.ts';
import { listPublishedSearches } from './served-data.ts';
import type { StartingService } from './starting-service.ts';

/** How often what is too old is looked for. */
const HOUSEKEEPING_MS = 60_000;

/** What messages are made and sent with. */
interface MessageParts {
  readonly mailer: Mailer | null;
  readonly unsubscription: Unsubscription;
  /** Where people reach the page. */
  readonly pageUrl: string;
}

export interface WorkParts extends MessageParts {
  readonly ranks: RankStore;
  readonly imports: StartedImports;
  /** That imports are run with, when this file itself is not compiled. */
  readonly program: CommandProgram | undefined;
}

/** What goes on without anybody asking: telling of publications, sending messages to webhooks, and fetching reports. */
export async function startWorkers(
  starting: StartingService,
  { ranks, imports, program, ...messages }: WorkParts,
): Promise<readonly { stop(): void }[]> {
  const { config, jobPool: pool, listener, opened, logger, metrics } = starting;
  const onError = (error: unknown, about: object = {}) =>
    logger.warn({ ...about, err: error }, 'background work failed; it will be tried again');
  const onSetAside = (work: SetAsideWork, about: object) => {
    metrics.countSetAside(work);
    logger.error({ ...about }, `a ${work} was set aside and will not be tried again`);
  };
  const deliveries = startDeliveries(starting, {
    ...messages,
    onError,
    onSetAside: (delivery) => onSetAside('delivery', delivery),
  });
  const publications = opened.use(
    startPublicationWorker({
      queue: openPublicationQueue(pool, (publication) => onSetAside('publication', publication), config.marketplaces),
      ranks,
      trackedMarketplace: config.defaultMarketplace,
      onError,
    }),
  );
  await listener.subscribe({
    channel: DELIVERIES_CHANNEL,
    onNotification: async () => {
      for (const worker of deliveries) worker.wake();
    },
  });
  ranks.subscribe(() => publications.wake());
  const housekeeping = opened.use(
    startHousekeeping({
      chores: [
        { name: 'search history', step: () => sweepHistory(pool, config.historyDays) },
        { name: 'notices', step: () => sweepNotices(pool) },
        { name: 'weekly notices', step: () => queueWeeklyNotices(pool, new Date()).then(() => false) },
        { name: 'idempotency keys', step: () => sweepIdempotencyKeys(pool) },
        { name: 'sessions', step: () => sweepSessions(pool) },
        { name: 'agents', step: () => sweepAgents(pool) },
        { name: 'shares', step: () => sweepShares(pool) },
        { name: 'dates in the future', step: () => mendFutureDates(pool) },
        imports.chore,
        ...cacheChores(starting, ranks),
      ],
      everyMs: HOUSEKEEPING_MS,
      onError: (error, chore) => logger.warn({ err: error, chore }, 'housekeeping failed; it will be tried again'),
    }),
  );
  const downloads = startDownloads(starting, {
    place: imports.place,
    listPublished: () => listPublishedSearches(pool),
  });
  const watching = startWatching(starting);
  const importing = imports.start(program);
  return [publications, ...deliveries, housekeeping, downloads, importing, ...(watching ? [watching] : [])];
}

/** Null where the operator has set up no mail server. */
export function openMailer({ config: { mail }, logger }: StartingService): Mailer | null {
  const onFault = (fault: MailFault) => logger.warn({ err: fault.cause, fault: fault.message }, 'a mail was not sent');
  return mail && openSmtpMailer({ ...mail, onFault });
}

/** Mails that one server hands over at a time: the operator's mail server has others to serve. */
const MAX_MAILS_UNDER_WAY = 4;

/** Two workers at one queue: one for the operator's mail server, and one for addresses that members chose. */
function startDeliveries(
  { config, jobPool: pool, opened, metrics }: StartingService,
  options: MessageParts & {
    readonly onError: (error: unknown) => void;
    readonly onSetAside: (delivery: SetAsideDelivery) => void;
  },
): readonly JobLoop[] {
  const { mailer, unsubscription, pageUrl, onError, onSetAside } = options;
  const { allowPrivateWebhooks: allowPrivate } = config;
  const webhooks = opened.use(new WebhookSender({ allowPrivate, userAgent: `keyrank/${VERSION}`, onError }));
  const sender = openMessageSender({
    webhooks,
    ...{ mailer, pageUrl },
    unsubscribeToken: (userId) => unsubscription.tokenOf(userId),
  });
  const shared = {
    ...{ queue: openDeliveryQueue(pool, onSetAside), sender, now: () => new Date(), random: Math.random, onError },
    onOutcome: ({ kind }: DeliveryAttempt, outcome: AttemptOutcome) => metrics.countMessage(kind, outcome.kind),
  };
  const others = DELIVERY_KINDS.filter((kind) => kind !== 'email');
  return [
    opened.use(startDeliveryWorker({ ...shared, kinds: others })),
    opened.use(startDeliveryWorker({ ...shared, kinds: ['email'], maxUnderWay: MAX_MAILS_UNDER_WAY })),
  ];
}

/** With a storage, the data directory is a cache: what is published no more goes once this server serves what is. */
function cacheChores({ config, jobPool: pool }: StartingService, ranks: RankStore): readonly Chore[] {
  if (!config.storageLocation) return [];
  let sweptVersion = ranks.catalog.version;
  const step = async () => {
    const { version } = ranks.catalog;
    if (version === sweptVersion) return false;
    if (await sweepCache({ pool, ...config })) sweptVersion = version;
    return false;
  };
  return [{ name: 'cache', step }];
}

/** Removes what imports and exports that died left behind; nobody waits for it. */
export function startSweeping({ config, jobPool: pool, opened, logger, onError }: StartingService): void {
  const sweeping = sweepLeftovers({ pool, ...config, storage: openStorage(config), now: () => new Date() }).then(
    (files) => {
      if (files.length > 0) logger.info({ files }, 'removed what interrupted imports left behind');
    },
    onError,
  );
  opened.defer(() => sweeping);
  const sweepingExports = sweepExports(exportDirectory(config), { now: Date.now() }).catch(onError);
  opened.defer(() => sweepingExports);
}
