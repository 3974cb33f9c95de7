import { join } from 'node:path';
import type { Config } from '../config.ts';
import { holdsMarketplace } from '../domain/held-marketplaces.ts';
import type { Mailer } from '../domain/mailer.ts';
import type { People } from '../domain/people.ts';
import type { ReportImports } from '../domain/report-import.ts';
import type { EventStreams } from '../http/event-streams.ts';
import { RequestTurns } from '../http/request-turns.ts';
import type { Resources } from '../http/resources.ts';
import { parseTrustedProxies } from '../http/trusted-proxies.ts';
import { WriteLimit } from '../http/write-limit.ts';
import { openOpenIdProvider } from '../openid/openid-provider.ts';
import { untilServersHeard } from '../postgres/account-changes.ts';
import type { Accounts } from '../postgres/accounts.ts';
import type { AdmissionQueue } from '../postgres/admission-queue.ts';
import { openAgents } from '../postgres/agents.ts';
import { listAuditLog } from '../postgres/audit-log.ts';
import { CHART_NOTES } from '../postgres/chart-notes.ts';
import { listDigests, readAllDigests } from '../postgres/digests.ts';
import { ExportLeases } from '../postgres/export-leases.ts';
import { listFetchedPeriods } from '../postgres/fetched-periods.ts';
import { openListItems } from '../postgres/list-items.ts';
import { LISTS } from '../postgres/lists.ts';
import { openNotifications } from '../postgres/notifications.ts';
import { openOrganizations } from '../postgres/operated-organizations.ts';
import { disableKey, listKeys, makeKey, rotateKey } from '../postgres/organization-keys.ts';
import {
  changeRole,
  invite,
  listInvitations,
  listMembers,
  readOwnAccount,
  removeMember,
  withdrawInvitation,
} from '../postgres/people.ts';
import { isDatabaseUnavailable, type Pool } from '../postgres/pool.ts';
import { readRateLimit } from '../postgres/rate-log.ts';
import { ResultCounts } from '../postgres/result-counts.ts';
import { SAVED_SEARCHES } from '../postgres/saved-searches.ts';
import { deleteHistory, listHistory } from '../postgres/search-history.ts';
import { endSessions, listSessions, switchOrganization } from '../postgres/sessions.ts';
import { openSharedItems } from '../postgres/shared-items.ts';
import { openShares } from '../postgres/shares.ts';
import { openSignIns } from '../postgres/sign-ins.ts';
import { openTrackedItems } from '../postgres/tracked-items.ts';
import { TRACKED_KEYWORDS } from '../postgres/tracked-keywords.ts';
import { TRACKED_PRODUCTS } from '../postgres/tracked-products.ts';
import type { Unsubscription } from '../postgres/unsubscription.ts';
import { readUsage, readUsageDays } from '../postgres/usage.ts';
import { listDeliveries } from '../postgres/webhook-deliveries.ts';
import { addWebhook, deleteWebhook, listWebhooks, testWebhook } from '../postgres/webhooks.ts';
import { WriteHealth } from '../postgres/write-health.ts';
import type { ServedRanks } from '../snapshot/served-ranks.ts';
import { findUrlFault } from '../watch/webhook-url.ts';
import { openConnections } from './managed-connections.ts';
import type { StartingService } from './starting-service.ts';

interface Opened {
  readonly accounts: Accounts;
  readonly shareAccounts: Accounts;
  readonly admissions: AdmissionQueue;
  readonly ranks: ServedRanks;
  readonly reportImports: ReportImports;
  readonly events: EventStreams;
  readonly unsubscription: Unsubscription;
  readonly mailer: Mailer | null;
}

export function connectResources(
  { config, pool, jobPool, opened, onError }: StartingService,
  { accounts, shareAccounts, admissions, ranks, reportImports, events, unsubscription, mailer }: Opened,
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
    usage: {
      read: (tenant) => readUsage(pool, tenant),
      readDays: (tenant, days) => readUsageDays(pool, tenant, days),
    },
    ranks: {
      defaultMarketplace: config.defaultMarketplace,
      get catalog() {
        return ranks.catalog;
      },
      checkRoom: (owner) => ranks.checkRoom(owner),
      openView: (set, owner) => ranks.openView(set, owner),
    },
    exports: new ExportLeases(pool, onError),
    reportImports,
    connections: openConnections({ pool: jobPool, config }),
    fetchedPeriods: { list: (tenant) => listFetchedPeriods(pool, tenant) },
    ...connectTracking({ config, pool, offersMail: mailer !== null }),
    ...connectShared(pool),
    events,
    unsubscription,
    people: connectPeople(pool, jobPool),
    organizations: openOrganizations(jobPool),
    onMailError: onError,
    signIns: openSignIns({ pool, operator: jobPool, mailer, onError }),
    openId: config.openId && openOpenIdProvider(config.openId, onError),
    agents: openAgents({ pool, jobPool }),
    shares: openShares({ pool, jobPool, accounts: shareAccounts }),
    mailer,
    publicUrl: config.publicUrl,
    isTrustedProxy: parseTrustedProxies(config.trustedProxies),
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
    holdsMarketplace: (marketplace) => holdsMarketplace(config.marketplaces, marketplace),
  };
}

function connectTracking({
  config,
  pool,
  offersMail,
}: {
  readonly config: Config;
  readonly pool: Pool;
  readonly offersMail: boolean;
}): Pick<Resources, 'trackedKeywords' | 'trackedProducts' | 'digests' | 'webhooks' | 'notifications'> {
  return {
    trackedKeywords: openTrackedItems(pool, TRACKED_KEYWORDS),
    trackedProducts: openTrackedItems(pool, TRACKED_PRODUCTS),
    digests: {
      list: (tenant, query) => listDigests(pool, tenant, query),
      readAll: (tenant) => readAllDigests(pool, tenant),
    },
    notifications: openNotifications(pool, { offersMail }),
    webhooks: {
      findUrlFault: (url) => findUrlFault(url, { allowPrivate: config.allowPrivateWebhooks }),
      list: (tenant) => listWebhooks(pool, tenant),
      add: (tenant, webhook) => addWebhook(pool, tenant, webhook),
      delete: (tenant, id) => deleteWebhook(pool, tenant, id),
      test: (tenant, id) => testWebhook(pool, tenant, id),
      listDeliveries: (tenant, query) => listDeliveries(pool, tenant, query),
    },
  };
}

/** What the members of an organization keep together. */
function connectShared(pool: Pool): Pick<Resources, 'lists' | 'listItems' | 'savedSearches' | 'chartNotes'> {
  return {
    lists: openSharedItems(pool, LISTS),
    listItems: openListItems(pool),
    savedSearches: openSharedItems(pool, SAVED_SEARCHES),
    chartNotes: openSharedItems(pool, CHART_NOTES),
  };
}

/** Who belongs to an organization. What ends somebody's access counts everywhere when it resolves. */
function connectPeople(pool: Pool, operator: Pool): People {
  const heard = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    await untilServersHeard(operator);
    return result;
  };
  return {
    readAccount: (tenant) => readOwnAccount(pool, tenant),
    listSessions: (tenant) => listSessions(pool, tenant),
    endSessions: (tenant, which) => heard(endSessions(pool, tenant, which)),
    switchOrganization: (tenant, to) => heard(switchOrganization(pool, tenant, to)),
    listMembers: (caller) => listMembers(pool, caller),
    changeRole: (caller, id, role) => heard(changeRole(pool, caller, { id, role })),
    removeMember: (caller, id, tracked) => heard(removeMember(pool, caller, { id, tracked })),
    listInvitations: (caller) => listInvitations(pool, caller),
    invite: (caller, invitation) => invite(pool, caller, invitation),
    withdrawInvitation: (caller, id) => withdrawInvitation(pool, caller, id),
    listKeys: (caller) => listKeys(pool, caller),
    makeKey: (caller, key) => makeKey(operator, caller, key),
    disableKey: (caller, id) => disableKey(operator, caller, id),
    rotateKey: (caller, id) => rotateKey(operator, caller, id),
    listAuditLog: (caller, slice) => listAuditLog(pool, caller, slice),
  };
}

/** Beside the rank data, because that disk has room for it. */
export function exportDirectory({ dataDirectory }: Config): string {
  return join(dataDirectory, 'exports');
}
