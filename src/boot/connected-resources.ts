import { join } from 'node:path';
import type { Config } from '../config.ts';
import { RequestTurns } from '../http/request-turns.ts';
import type { Resources } from '../http/resources.ts';
import { WriteLimit } from '../http/write-limit.ts';
import type { Accounts } from '../postgres/accounts.ts';
import type { AdmissionQueue } from '../postgres/admission-queue.ts';
import { listDigests, readAllDigests } from '../postgres/digests.ts';
import { ExportLeases } from '../postgres/export-leases.ts';
import { isDatabaseUnavailable, type Pool } from '../postgres/pool.ts';
import { readRateLimit } from '../postgres/rate-log.ts';
import { ResultCounts } from '../postgres/result-counts.ts';
import { deleteHistory, listHistory } from '../postgres/search-history.ts';
import {
  addTrackedKeywords,
  changeTrackedKeyword,
  deleteTrackedKeyword,
  findTrackedKeyword,
  listTrackedKeywords,
} from '../postgres/tracked-keywords.ts';
import { readUsage } from '../postgres/usage.ts';
import { listDeliveries } from '../postgres/webhook-deliveries.ts';
import { addWebhook, deleteWebhook, listWebhooks } from '../postgres/webhooks.ts';
import { WriteHealth } from '../postgres/write-health.ts';
import type { ServedRanks } from '../snapshot/served-ranks.ts';
import { findUrlFault } from '../watch/webhook-url.ts';
import type { StartingService } from './starting-service.ts';

interface Opened {
  readonly accounts: Accounts;
  readonly admissions: AdmissionQueue;
  readonly ranks: ServedRanks;
}

export function connectResources(
  { config, pool, opened, onError }: StartingService,
  { accounts, admissions, ranks }: Opened,
): Resources {
  const resultCounts = opened.use(new ResultCounts(pool, onError));
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
        return await listHistory(pool, tenant, slice);
      },
      recordResultCount: (result) => resultCounts.record(result),
      deleteAll: (tenant) => deleteHistory(pool, tenant),
    },
    usage: { read: (tenant) => readUsage(pool, tenant) },
    ranks: {
      defaultMarketplace: config.defaultMarketplace,
      get catalog() {
        return ranks.catalog;
      },
      checkRoom: (owner) => ranks.checkRoom(owner),
      openView: (set, owner) => ranks.openView(set, owner),
    },
    exports: new ExportLeases(pool, onError),
    ...connectTracking(config, pool),
    exportDirectory: exportDirectory(config),
    turns: new RequestTurns(),
    writeLimit: new WriteLimit(config.writesPerMinute),
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
      find: (tenant, id) => findTrackedKeyword(pool, tenant, id),
      add: (tenant, request) => addTrackedKeywords(pool, tenant, request),
      change: (tenant, id, change) => changeTrackedKeyword(pool, tenant, { id, ...change }),
      delete: (tenant, id) => deleteTrackedKeyword(pool, tenant, id),
    },
    digests: {
      list: (tenant, query) => listDigests(pool, tenant, query),
      readAll: (tenant) => readAllDigests(pool, tenant),
    },
    webhooks: {
      findUrlFault: (url) => findUrlFault(url, { allowPrivate: config.allowPrivateWebhooks }),
      list: (tenant) => listWebhooks(pool, tenant),
      add: (tenant, webhook) => addWebhook(pool, tenant, webhook),
      delete: (tenant, id) => deleteWebhook(pool, tenant, id),
      listDeliveries: (tenant, query) => listDeliveries(pool, tenant, query),
    },
  };
}

/** Beside the rank data, because that disk has room for it. */
export function exportDirectory({ dataDirectory }: Config): string {
  return join(dataDirectory, 'exports');
}
