import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { addAgent } from './agents.ts';
import type { TestService } from './service.ts';

/** Required parameters, so that a request is valid. */
export const VALID_QUERY: Readonly<Record<string, string>> = {
  searchKeywords: '?query=shoes',
  exportKeywords: '?query=shoes',
  searchAsin: '?asin=B0CHX1W1XY',
  getSearchKeyword: '?term=shoes',
  getKeywordHistory: '?term=shoes',
  compareProducts: '?asin=B0CHX1W1XY&asin=B0CHX1W1XZ',
  exportKeywordHistory: '?term=shoes',
  exportProductComparison: '?asin=B0CHX1W1XY&asin=B0CHX1W1XZ',
  listSearchRoots: '?query=shoes',
  exportSearchRoots: '?query=shoes',
  listSuggestions: '?query=sho',
  listenToEvents: '?seconds=0',
};

/** A report with the product and the brand that valid requests name. */
export const KNOWN_REPORT = {
  name: 'US_Top_Search_Terms_Simple_Month_2026_02_28.csv',
  text: [
    'Reporting Range=["Monthly"],Select month=["February 2026"],Country=["US"]',
    [
      'Search Frequency Rank,Search Term',
      ...[1, 2, 3].map((n) => `Top Clicked Brand #${n}`),
      ...[1, 2, 3].map((n) => `Top Clicked Category #${n}`),
      ...[1, 2, 3].flatMap((n) =>
        ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map(
          (each) => `Top Clicked Product #${n}: ${each}`,
        ),
      ),
      'Reporting Date',
    ].join(','),
    '1,shoes,Acme,,,Shoes,,,B0CHX1W1XY,A shoe,10.5,2.25,,,,,,,,,2026-02-28',
    '',
  ].join('\n'),
};

/** The path of an endpoint with this {id}, or with what the report names. */
export function fillPath(path: string, id: string): string {
  return path.replace('{id}', id).replace('{asin}', 'B0CHX1W1XY').replace('{name}', 'Acme');
}

const BODIES: Readonly<Record<string, () => object>> = {
  createTrackedKeywords: () => ({ search_term: `term ${randomUUID()}` }),
  createTrackedProducts: () => ({ asin: randomUUID().replaceAll('-', '').slice(0, 20) }),
  changeTrackedProduct: () => ({ notes: 'changed' }),
  changeTrackedKeyword: () => ({ notes: 'changed' }),
  createWebhook: () => ({ url: 'https://hooks.example.com/' }),
  createNotificationChannel: () => ({ kind: 'slack', url: `https://hooks.slack.com/services/${randomUUID()}` }),
  changeNotificationChannel: () => ({ frequency: 'weekly' }),
  changeNotifications: () => ({ default_priority_rule: { field: 'latest_rank', operator: 'lt', value: 100 } }),
  createList: () => ({ name: `list ${randomUUID()}` }),
  changeList: () => ({ notes: 'changed' }),
  addListItems: () => ({ items: [{ search_term: `term ${randomUUID()}` }] }),
  removeListItems: () => ({ ids: [randomUUID()] }),
  tagListItems: () => ({ ids: [randomUUID()], add: ['x'] }),
  changeListItem: () => ({ notes: 'changed' }),
  createSavedSearch: () => ({ name: `search ${randomUUID()}`, address: '/?query=shoes' }),
  changeSavedSearch: () => ({ address: '/?query=boots' }),
  createShare: () => ({ search: 'query=shoes' }),
  createChartNote: () => ({ date: '2026-02-03', note: 'a sale' }),
  changeChartNote: () => ({ note: 'changed' }),
  createInvitation: () => ({ email: `${randomUUID()}@example.com`, role: 'viewer' }),
  changeMember: () => ({ role: 'viewer' }),
  createKey: () => ({ name: 'a key', scopes: ['search'] }),
  createOrganization: () => ({ name: `organization ${randomUUID()}`, plan: 'pro', owner: 'ada@example.com' }),
  changeOrganization: () => ({ plan: 'studio' }),
  createConnection: () => ({
    ...{ name: `connection ${randomUUID()}`, region: 'na', marketplaces: ['US'], client_id: randomUUID() },
    ...{ client_secret: randomUUID(), refresh_token: randomUUID() },
  }),
  changeConnection: () => ({ is_enabled: false }),
  rotateConnection: () => ({
    ...{ client_id: randomUUID(), client_secret: randomUUID(), refresh_token: randomUUID() },
  }),
  retryConnection: () => ({}),
  createImport: () => ({ file_name: 'ranks.csv', size_bytes: 1000 }),
  changeImport: () => ({ max_rejects: 5 }),
};

/** How the items that paths name are made. */
const TRACKED_KEYWORD_MAKER = { operationId: 'createTrackedKeywords', path: '/v1/tracked-keywords' };
const MAKERS: Readonly<Record<string, typeof TRACKED_KEYWORD_MAKER>> = {
  share: { operationId: 'createShare', path: '/v1/shares' },
  webhook: { operationId: 'createWebhook', path: '/v1/webhooks' },
  'notification channel': { operationId: 'createNotificationChannel', path: '/v1/notification-channels' },
  invitation: { operationId: 'createInvitation', path: '/v1/invitations' },
  key: { operationId: 'createKey', path: '/v1/keys' },
  organization: { operationId: 'createOrganization', path: '/v1/organizations' },
  list: { operationId: 'createList', path: '/v1/lists' },
  'saved search': { operationId: 'createSavedSearch', path: '/v1/saved-searches' },
  'chart note': { operationId: 'createChartNote', path: '/v1/chart-notes' },
  connection: { operationId: 'createConnection', path: '/v1/connections' },
  import: { operationId: 'createImport', path: '/v1/imports' },
  'tracked product': { operationId: 'createTrackedProducts', path: '/v1/tracked-products' },
};

export interface ValidRequest {
  /** Without the query string. */
  readonly path: string;
  readonly target: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request that the endpoint answers with a success; whatever item it names is made first, by the owner of the key. */
export async function makeValidRequest(
  service: TestService,
  { endpoint, key }: { readonly endpoint: Endpoint; readonly key: string },
): Promise<ValidRequest> {
  const { method, operationId } = endpoint;
  // Only so many may be open.
  if (endpoint.scope === 'import') await service.database.operator.query(`UPDATE imports SET state = 'cancelled'`);
  // A marketplace belongs to one of them.
  if (endpoint.path.startsWith('/v1/connections')) await service.database.operator.query('DELETE FROM connections');
  if (endpoint.path.startsWith(CHANNELS_PATH)) await deleteChannels(service, key);
  const path = fillPath(endpoint.path, await makeItem(service, { endpoint, key }));
  if (endpoint.item === 'import') await prepareImport(service, operationId);
  if (endpoint.takesPart) return { path, target: path, method, headers: { 'upload-offset': '0' }, body: 'rank' };
  const body = BODIES[operationId]?.();
  const target = path + (VALID_QUERY[operationId] ?? '');
  return { path, target, method, ...(body && { body: JSON.stringify(body) }) };
}

async function makeItem(
  service: TestService,
  { endpoint, key }: { readonly endpoint: Endpoint; readonly key: string },
): Promise<string> {
  if (endpoint.item === undefined) return '';
  const post = async (target: string, body: object | undefined) =>
    (await service.request(target, { method: 'POST', key, body: JSON.stringify(body) })).json.data;
  if (endpoint.item === 'agent') return await addAgent(service, key);
  if (endpoint.item === 'list item') {
    const { id } = await post('/v1/lists', BODIES.createList?.());
    const [item] = await post(`/v1/lists/${id}/items`, BODIES.addListItems?.());
    return item.id;
  }
  if (endpoint.item === 'member') return await makeColleague(service, key);
  const { operationId, path } = MAKERS[endpoint.item] ?? TRACKED_KEYWORD_MAKER;
  return (await post(path, BODIES[operationId]?.())).id;
}

const CHANNELS_PATH = '/v1/notification-channels';

/** A member has few. */
async function deleteChannels(service: TestService, key: string): Promise<void> {
  const { data } = (await service.request(CHANNELS_PATH, { key })).json;
  for (const { id } of data ?? []) await service.request(`${CHANNELS_PATH}/${id}`, { method: 'DELETE', key });
}

/** Somebody else in the organization of the key's owner. */
async function makeColleague(service: TestService, key: string): Promise<string> {
  const organization = (await service.request('/v1/account', { key })).json.data.organization.name;
  const user = `${randomUUID()}@example.com`;
  await service.makeKey({ organization, user });
  const { data } = (await service.request('/v1/members', { key })).json;
  return data.find(({ email }: { email: string }) => email === user).id;
}
/** Brings the newest import into the state that the endpoint wants it in. */
async function prepareImport({ database, dataDirectory }: TestService, operationId: string): Promise<void> {
  const state = { publishImport: 'checked', undoImport: 'done' }[operationId] ?? 'uploading';
  const report = { ...IMPORT_REPORT, periods: [IMPORTED_PERIOD] };
  await database.operator.query(
    `UPDATE imports SET state = $1, report = $2 WHERE position = (SELECT max(position) FROM imports)`,
    [state, operationId === 'createImport' ? null : report],
  );
  const folder = join(dataDirectory, 'imports', IMPORT_REPORT.import_id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'rejects.csv'), 'line,reason,search_term,detail\n');
}

const IMPORTED_PERIOD = {
  ...{ marketplace: 'US', source: 'search', type: 'monthly', period: '01-2020', status: 'published', revision: 1 },
  ...{ keywords: 1, new_terms: 1, data_points: 1, warnings: [], replaces: null },
};

const IMPORT_REPORT = {
  ...{ import_id: 'known-import', format: 'Plain CSV', rows: 1, merged_twins: 0, removed_nuls: 0, department_rows: 0 },
  ...{ rejected_rows: 0, rejects: [], has_rejects_file: true, first_rows: [], duration_ms: 1 },
};
