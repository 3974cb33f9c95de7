import { periodKey } from '../domain/period.ts';
import type { Plan } from '../domain/plan.ts';
import { listMarketplaces, listVisiblePeriods } from '../domain/published-ranks.ts';
import { RANK_SOURCES, type RankStore } from '../domain/store.ts';
import { EventStreams } from '../http/event-streams.ts';
import { countUnreadDigests, DIGESTS_CHANNEL } from '../postgres/digests.ts';
import type { StartingService } from './starting-service.ts';

/** Each listens for hours, on a connection that nobody else has meanwhile. */
const SHARE_OF_CONNECTIONS = 1 / 4;
const SHARE_OF_ORGANIZATION = 1 / 10;

/** Streams to open pages, told by what this server loads and by what others commit. */
export async function openLiveNews(
  { config, pool, listener, opened, metrics, onError }: StartingService,
  ranks: RankStore,
): Promise<EventStreams> {
  const maxStreams = Math.max(2, Math.floor(config.maxConnections * SHARE_OF_CONNECTIONS));
  const streams = new EventStreams({
    maxStreams,
    maxOfOrganization: Math.max(2, Math.floor(maxStreams * SHARE_OF_ORGANIZATION)),
    dataVersion: () => ranks.catalog.version,
    listNewest: (plan) => listNewest(ranks, plan),
    countUnread: (caller) => countUnreadDigests(pool, caller),
    onError,
  });
  opened.defer(async () => streams[Symbol.dispose]());
  metrics.watchStreams(() => streams.size);
  ranks.subscribe(() => streams.announceData());
  await listener.subscribe({
    channel: DIGESTS_CHANNEL,
    onNotification: async ({ payload }) => {
      const [organizationId, userId] = (payload ?? '').split(' ');
      streams.announceDigests({ organizationId, userId });
    },
    // What was said meanwhile is gone.
    onRestored: async () => streams.announceData(),
  });
  return streams;
}

/** The newest period of each series that a plan can see. */
function listNewest({ catalog }: RankStore, plan: Plan): readonly object[] {
  return listMarketplaces(catalog).flatMap((marketplace) => {
    const seen = new Set<string>();
    return listVisiblePeriods(catalog, { plan, marketplace, sources: RANK_SOURCES }).flatMap((published) => {
      const { source, period, revision } = published;
      const series = `${source} ${period.frequency}`;
      if (seen.has(series)) return [];
      seen.add(series);
      return [{ marketplace, source, type: period.frequency, period: periodKey(period), revision }];
    });
  });
}
