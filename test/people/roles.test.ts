// Every endpoint, asked by every role, with a key and in a session. What each may do is written down here by itself: the lowest role
// that is let in.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../src/domain/role.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { setOperator } from '../../src/postgres/users.ts';
import type { Person } from '../support/person.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { fillPath } from '../support/valid-request.ts';
import { enter, makeKeyOf, makeTeam, type Team } from './world.ts';

/** By operation; whatever is not named is for operators of the installation. */
const LOWEST: Readonly<Record<string, readonly string[]>> = {
  anyone: [
    ...['getSignInWays', 'signInWithPassword', 'requestSignInLink', 'signInWithLink', 'signOut'],
    ...['readSignInLink', 'readInvitation', 'acceptInvitation'],
  ],
  viewer: [
    ...['getAccount', 'changePassword', 'switchOrganization', 'leaveOrganization'],
    ...['listSessions', 'endSession', 'endOtherSessions', 'listKeys', 'disableKey', 'listMembers'],
    ...['listSuggestions', 'getSearchStats', 'listSearchHistory'],
    ...['listSocialMediaRanks', 'listRankChanges', 'listNewTerms'],
    ...['listSeasonalTerms', 'listTrackedKeywords', 'getTrackedKeyword', 'listTrackedProducts', 'getTrackedProduct'],
    ...[
      'listLists',
      'getList',
      'listListItems',
      'listSavedSearches',
      'getSavedSearch',
      'listChartNotes',
      'getChartNote',
    ],
    ...['listDigests', 'listPeriods', 'getPeriodCalendar', 'getMeters', 'getUsage', 'listUsageDays'],
    ...['listShares', 'listAgents', 'deleteAgent', 'getNotifications', 'listNotificationChannels', 'listenToEvents'],
  ],
  member: [
    ...['getProduct', 'listProductKeywords', 'compareProducts', 'getBrand', 'listBrandKeywords', 'getKeywordHistory'],
    ...['searchKeywords', 'searchAsin', 'getSearchKeyword', 'listSearchRoots', 'deleteSearchHistory'],
    ...[
      'exportKeywords',
      'exportKeywordHistory',
      'exportSearchRoots',
      'exportProduct',
      'exportBrand',
      'exportProductKeywords',
      'exportProductComparison',
      'exportBrandKeywords',
    ],
    ...[
      'exportSocialMediaRanks',
      'exportRankChanges',
      'exportNewTerms',
      'exportSeasonalTerms',
      'exportTrackedKeywords',
    ],
    ...['exportTrackedProducts', 'exportList', 'createTrackedKeywords', 'changeTrackedKeyword', 'deleteTrackedKeyword'],
    ...['createTrackedProducts', 'changeTrackedProduct', 'deleteTrackedProduct', 'readAllDigests'],
    ...['createList', 'changeList', 'deleteList', 'addListItems', 'removeListItems', 'changeListItem'],
    ...['tagListItems', 'createShare', 'deleteShare', 'changeNotifications', 'createNotificationChannel'],
    ...['changeNotificationChannel', 'deleteNotificationChannel', 'testNotificationChannel'],
    ...[
      'createSavedSearch',
      'changeSavedSearch',
      'deleteSavedSearch',
      'createChartNote',
      'changeChartNote',
      'deleteChartNote',
    ],
  ],
  admin: [
    ...[
      'changeMember',
      'removeMember',
      'listInvitations',
      'createInvitation',
      'deleteInvitation',
      'createKey',
      'rotateKey',
    ],
    ...['listConnections', 'createConnection', 'changeConnection', 'deleteConnection', 'testConnection'],
    ...['rotateConnection', 'retryConnection', 'listConnectionDownloads'],
    ...['listAuditLog', 'listWebhooks', 'createWebhook', 'deleteWebhook', 'listWebhookDeliveries', 'testWebhook'],
  ],
  operator: [
    ...['listOrganizations', 'createOrganization', 'changeOrganization', 'listImports', 'createImport', 'getImport'],
    ...['changeImport', 'cancelImport', 'sendImportPart', 'publishImport', 'downloadImportRejects', 'undoImport'],
  ],
};
const LADDER: readonly (Role | 'anyone')[] = [...ROLES, 'anyone'];

let service: TestService;
let team: Team;
const keys = new Map<Role, string>();
const people = new Map<Role, Person>();

beforeAll(async () => {
  service = await startTestService({ KEYRANK_WRITES_PER_MINUTE: '1000000' });
  team = await makeTeam(service);
  for (const role of ROLES) {
    keys.set(role, await makeKeyOf(service, { organization: team.organization, email: team.emails[role] }));
    people.set(role, await enter(service, team.emails[role]));
  }
});
afterAll(() => service[Symbol.asyncDispose]());

/** Whoever is let in is told that the parameter is unknown; nothing comes of any of it. */
async function ask(role: Role, { method, path }: { method: string; path: string }, kind: 'key' | 'session') {
  const target = `${fillPath(path, randomUUID())}?zzzzzz=1`;
  const key = keys.get(role);
  const answer =
    kind === 'key' ? await service.request(target, { method, key }) : await people.get(role)?.ask(target, { method });
  return answer?.json.error.code;
}

describe('the table of roles', () => {
  it('knows every endpoint once', () => {
    const known = Object.values(LOWEST).flat();
    expect(known.toSorted()).toEqual(ENDPOINTS.map(({ operationId }) => operationId).toSorted());
  });

  it.each(ROLES)('is kept for all endpoints asked by: %s', async (role) => {
    const wrong: string[] = [];
    for (const endpoint of ENDPOINTS) {
      const lowest = Object.keys(LOWEST).find((each) => LOWEST[each]?.includes(endpoint.operationId)) ?? '';
      const mayAsk = lowest !== 'operator' && LADDER.indexOf(role) <= LADDER.indexOf(lowest as Role);
      for (const kind of ['key', 'session'] as const) {
        const expected =
          mayAsk && !(kind === 'key' && endpoint.access === 'person') ? 'INVALID_PARAMETERS' : 'FORBIDDEN';
        const code = await ask(role, endpoint, kind);
        if (code !== expected) wrong.push(`${role} ${kind} ${endpoint.operationId}: ${code} instead of ${expected}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('lets operators into what is theirs, whatever their role', async () => {
    const email = team.emails.viewer;
    await setOperator(service.database.operator, { email, isOperator: true });
    // Keys from before do not operate.
    keys.set('viewer', await makeKeyOf(service, { organization: team.organization, email }));
    const theirs = ENDPOINTS.filter(
      ({ operationId, action }) => LOWEST.operator?.includes(operationId) || action === 'connections',
    );
    for (const endpoint of theirs) {
      for (const kind of ['key', 'session'] as const)
        expect(await ask('viewer', endpoint, kind)).toBe('INVALID_PARAMETERS');
    }
    const admin = ENDPOINTS.find(({ operationId }) => operationId === 'listInvitations');
    expect(admin && (await ask('viewer', admin, 'session'))).toBe('FORBIDDEN');
  });
});
