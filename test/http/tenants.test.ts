// Two organizations with two users each, one of whom belongs to both, write words that nobody else would into every text that
// the API takes. Then each of them asks for everything there is: no answer, header or file holds a word of anyone else's, and
// the log holds none at all.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { plainReport, untilTold } from '../support/publications.ts';
import { fillPath } from '../support/valid-request.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

interface Member {
  readonly name: string;
  readonly organization: string;
  readonly key: string;
  /** In every text of this member's own. */
  readonly canary: string;
  /** In what the organization shares: its name and the addresses of its webhooks. */
  readonly sharedCanary: string;
  readonly keywordId: string;
  readonly productId: string;
  /** A chat, which no colleague sees either. */
  readonly channelId: string;
  readonly webhookId: string;
  /** Of the list, its item, the saved search and the note on the chart, which the organization shares as it does webhooks. */
  readonly sharedIds: readonly string[];
}

let bench: Workbench;
let receiver: WebhookReceiver;
let server: ServerProcess;
let members: readonly Member[];

/** Everybody tracks the same product. */
const PUBLIC_ASIN = 'B0CHX1W1XY';
const WEBHOOK_PATH = /^\/(canary\w+)\/(canary\w+)$/;

beforeAll(async () => {
  bench = await openWorkbench();
  receiver = await openWebhookReceiver();
  server = await startServerProcess({
    DATABASE_URL: bench.database.url.href,
    KEYRANK_DATA_DIR: bench.dataDirectory,
    KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true',
    // Everything of everybody else is tried to be changed.
    KEYRANK_WRITES_PER_MINUTE: '1000000',
    LOG_LEVEL: 'trace',
  });
  const made: Member[] = [];
  for (const organization of ['one', 'two']) {
    for (const name of ['ada', 'bob']) made.push(await makeMember({ organization, name }));
  }
  members = made;
  // Everybody's terms are in the data, so that everybody's digests and alerts have something to say.
  const ranks = Object.fromEntries(members.map(({ canary }, i) => [`public ${canary.slice(6)} shoes`, i + 1]));
  await publish('01-2026', ranks);
  await publish('02-2026', ranks);
  // One message about each month, one alert about each month, and one chat message about each month.
  await receiver.untilReceived(members.length * 6);
}, 300_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
});

async function publish(period: string, ranks: Readonly<Record<string, number>>): Promise<void> {
  const file = join(bench.reports, `${period}.csv`);
  await writeFile(file, plainReport({ frequency: 'monthly', period }, ranks));
  expect((await bench.importOne(file)).status).toBe('done');
  await untilTold(bench.database);
}

async function makeMember({ organization, name }: { organization: string; name: string }): Promise<Member> {
  const sharedCanary = `canaryorganization${organization}`;
  const canary = `canary${organization}${name}`;
  if (name === 'ada') {
    const subscription = { plan: 'studio', status: 'active', periodEnd: null } as const;
    await createOrganization(bench.database.operator, { name: sharedCanary, subscription });
  }
  const { key } = await createApiKey(bench.database.operator, {
    organization: sharedCanary,
    // Ada is the same person in both organizations.
    userEmail: name === 'ada' ? 'ada@example.com' : `${sharedCanary}${name}@example.com`,
    role: 'admin',
    scopes: SCOPES,
    expiresAt: null,
  });
  const post = async (path: string, body: object) => {
    const headers = { 'idempotency-key': `${canary}key${path}` };
    const answer = await ask(`${path}`, { key, method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, answer.text).toBe(201);
    return answer.json.data;
  };
  const priority_rule = { field: 'latest_rank', operator: 'gt', value: 0 };
  const { id: keywordId } = await post('/v1/tracked-keywords', {
    search_term: `public ${canary.slice(6)} shoes`,
    notes: `${canary} notes`,
    priority_rule,
  });
  const many = { keywords: [{ search_term: `${canary} term`, notes: `${canary} more notes` }] };
  await ask('/v1/tracked-keywords', { key, method: 'POST', body: JSON.stringify(many) });
  const product = JSON.stringify({ asin: PUBLIC_ASIN, notes: `${canary} product` });
  const tracked = await ask('/v1/tracked-products', { key, method: 'POST', body: product });
  expect(tracked.status, tracked.text).toBe(201);
  const productId = tracked.json.data.id;
  const { id: channelId } = await post('/v1/notification-channels', {
    kind: 'slack',
    url: `${receiver.url}/chat/${canary}`,
  });
  const { id: webhookId } = await post('/v1/webhooks', {
    url: `${receiver.url}/${sharedCanary}/${sharedCanary}${name}`,
  });
  const shared = `${sharedCanary}${name}`;
  const list = await post('/v1/lists', { name: `${shared} list`, notes: shared });
  const items = [{ search_term: `${shared} term`, tags: [shared], notes: shared }];
  const [item] = (await ask(`/v1/lists/${list.id}/items`, { key, method: 'POST', body: JSON.stringify({ items }) }))
    .json.data;
  const search = await post('/v1/saved-searches', { name: shared, address: `/?query=${shared}` });
  const note = await post('/v1/chart-notes', { date: '2026-01-15', note: shared });
  const share = await post('/v1/shares', { search: `query=${shared}` });
  // It looks back at nothing, so that nothing is fetched.
  const { rows } = await bench.database.operator.query<{ id: string }>(
    `INSERT INTO connections (organization_id, name, region, marketplaces, client_id, secrets, key_id, look_back_weeks, look_back_months)
     SELECT id, $2, 'eu', '{DE}', $2, '', '', 0, 0 FROM organizations WHERE name = $1 RETURNING id`,
    [sharedCanary, shared],
  );
  const sharedIds = [list.id, item.id, search.id, note.id, share.id, rows[0]?.id ?? ''];
  for (const path of [
    `/v1/search/keywords?query=${canary}+shoes&exclude_query=${canary}x&brand=${canary}&category=${canary}`,
    `/v1/search/asin?asin=B0${canary.replace('canary', '').toUpperCase().padEnd(8, 'X').slice(0, 8)}`,
  ]) {
    expect((await ask(path, { key })).status).toBe(200);
  }
  return { name, organization, key, canary, sharedCanary, keywordId, productId, channelId, webhookId, sharedIds };
}

interface Asked {
  readonly status: number;
  readonly text: string;
  readonly bytes: Buffer;
  readonly headers: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting it.
  readonly json: any;
}

async function ask(
  path: string,
  {
    key,
    method = 'GET',
    headers = {},
    body,
  }: { key: string; method?: string; headers?: Record<string, string>; body?: string },
): Promise<Asked> {
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    text,
    bytes,
    headers: JSON.stringify([...response.headers]),
    json: isJson ? JSON.parse(text) : undefined,
  };
}

/** Whatever this member must not see: the words of each other member, and of the other organization. */
function foreignWords(member: Member): readonly string[] {
  const strangers = members.filter((other) => other.key !== member.key);
  return [
    ...strangers.map(({ canary }) => canary),
    ...strangers.filter(({ organization }) => organization !== member.organization).map((other) => other.sharedCanary),
    ...strangers.flatMap(({ keywordId, productId, channelId }) => [keywordId, productId, channelId]),
    ...strangers
      .filter(({ organization }) => organization !== member.organization)
      .flatMap((other) => [other.webhookId, ...other.sharedIds]),
  ];
}

/** Every request that reads, and of those that write the ones that change nothing. */
function requestsOf(
  member: Member,
): readonly { readonly path: string; readonly method: string; readonly body?: string }[] {
  const queries: Readonly<Record<string, readonly string[]>> = {
    searchKeywords: ['?query=shoes', '?query=zzz'],
    searchAsin: ['?asin=B000000000'],
    getKeywordHistory: ['?term=shoes'],
    compareProducts: ['?asin=B000000000&asin=B000000001'],
    exportKeywords: ['?query=zzz', '?query=zzz&file_format=csv', '?query=zzz&file_format=ndjson'],
    listenToEvents: ['?seconds=0'],
    listTrackedKeywords: ['', '?query=shoes', '?period=01-2026'],
  };
  const ids = members.flatMap(({ keywordId, productId, channelId, webhookId, sharedIds }) => [
    keywordId,
    productId,
    channelId,
    webhookId,
    ...sharedIds,
  ]);
  const own = [member.keywordId, member.productId, member.channelId, member.webhookId, ...member.sharedIds];
  // What takes a person, or an operator, refuses keys whatever they ask for; test/people has it.
  const forKeys = ENDPOINTS.filter(({ access, scope }) => access !== 'person' && scope !== 'operator');
  return forKeys.flatMap((endpoint) => {
    const paths = endpoint.item ? ids.map((id) => endpoint.path.replace('{id}', id)) : [fillPath(endpoint.path, '')];
    const isReading = endpoint.method === 'GET';
    const isForeign = (path: string) => !own.some((id) => path.includes(id));
    return (
      paths
        // What is a stranger's is also tried to be changed and deleted.
        .filter((path) => isReading || (endpoint.item !== undefined && isForeign(path) && !isColleague(path, member)))
        .flatMap((path) => (queries[endpoint.operationId] ?? ['']).map((query) => path + query))
        .map((path) => ({
          path,
          method: endpoint.method,
          ...(endpoint.body && { body: JSON.stringify(FOREIGN_BODIES[endpoint.operationId] ?? { notes: 'changed' }) }),
        }))
    );
  });
}

/** What another body is wrong for. */
const FOREIGN_BODIES: Readonly<Record<string, object>> = {
  addListItems: { items: [{ search_term: 'changed' }] },
  removeListItems: { ids: ['01234567-89ab-4cde-8f01-23456789abcd'] },
  tagListItems: { ids: ['01234567-89ab-4cde-8f01-23456789abcd'], add: ['x'] },
  changeSavedSearch: { name: 'changed' },
  changeChartNote: { note: 'changed' },
  changeNotificationChannel: { events: ['late'] },
  changeMember: { role: 'viewer' },
  changeConnection: { is_enabled: false },
  rotateConnection: { client_secret: 'changed', refresh_token: 'changed' },
  retryConnection: {},
};

/** Webhooks, lists and the like belong to the organization: a colleague may delete them. */
function isColleague(path: string, member: Member): boolean {
  return members.some(
    ({ organization, webhookId, sharedIds }) =>
      organization === member.organization && [webhookId, ...sharedIds].some((id) => path.includes(id)),
  );
}

/** The text inside an answer, unpacked if it is a workbook. */
function readable({ bytes, headers }: Asked): string {
  const parts = [bytes.toString('utf8'), headers];
  for (let at = bytes.indexOf('PK\u0003\u0004'); at >= 0; at = bytes.indexOf('PK\u0003\u0004', at + 4)) {
    const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    try {
      parts.push(inflateRawSync(bytes.subarray(start), { finishFlush: 2 }).toString('utf8'));
    } catch {
      parts.push(bytes.subarray(start, start + 1000).toString('utf8'));
    }
  }
  return parts.join('\n');
}

describe('tenants', () => {
  it('find nothing of each other in any answer, header or file', async () => {
    let answered = 0;
    for (const member of members) {
      const foreign = foreignWords(member);
      for (const { path, method, body } of requestsOf(member)) {
        const answer = await ask(path, { key: member.key, method, ...(body === undefined ? {} : { body }) });
        answered += 1;
        const seen = readable(answer).replaceAll(path, '');
        expect(
          foreign.filter((word) => seen.includes(word)),
          `${member.canary} ${method} ${path} ${answer.status}`,
        ).toEqual([]);
        // What operators alone may ask for is refused before anything is looked up.
        if (method !== 'GET') expect(answer.status).toBe(/^\/v1\/(imports|organizations)/.test(path) ? 403 : 404);
      }
    }
    expect(answered).toBeGreaterThan(100);
  }, 300_000);

  it('find what is their own, in each of those places', async () => {
    for (const { key, canary, sharedCanary, name } of members) {
      const own = async (path: string) => (await ask(path, { key })).text;
      const word = canary.slice(6);
      for (const path of ['/v1/tracked-keywords', '/v1/tracked-products', '/v1/search/history'])
        expect(await own(path)).toContain(canary);
      expect(await own('/v1/tracked-keywords/digests')).toContain(word);
      for (const path of ['/v1/webhooks', '/v1/lists', '/v1/saved-searches', '/v1/chart-notes', '/v1/connections'])
        expect(await own(path)).toContain(`${sharedCanary}${name}`);
      const file = await ask(`/v1/search/keywords/export?query=${word}`, { key });
      expect(readable(file)).toContain(word);
      expect((await ask('/v1/tracked-keywords/digests', { key })).json.pagination.total_count).toBe(2);
    }
  });

  it('are told by webhook of their own keywords only', () => {
    const alerts = receiver.messages.filter(({ json }) => json.type === 'tracked_keyword.priority_hit');
    expect(alerts).toHaveLength(members.length * 2);
    for (const { path, json } of alerts) {
      const owner = members.find(({ sharedCanary, name }) => path === `/${sharedCanary}/${sharedCanary}${name}`);
      expect(WEBHOOK_PATH.test(path)).toBe(true);
      expect(json.data.tracked_keyword_id).toBe(owner?.keywordId);
    }
  });

  it('are told in chats of their own keywords only', () => {
    const chats = receiver.messages.filter(({ path }) => path.startsWith('/chat/'));
    expect(chats).toHaveLength(members.length * 2);
    for (const { path, body } of chats) {
      for (const { canary } of members) expect(body.includes(canary.slice(6))).toBe(path === `/chat/${canary}`);
    }
  });

  it('change nothing of each other', async () => {
    for (const { key, canary, channelId } of members) {
      const channels = (await ask('/v1/notification-channels', { key })).json.data;
      expect(channels).toMatchObject([{ id: channelId, events: ['digest', 'alert', 'late'] }]);
      const { json } = await ask('/v1/tracked-keywords', { key });
      expect(json.data.map(({ notes }: { notes: string }) => notes)).toEqual([
        `${canary} notes`,
        `${canary} more notes`,
      ]);
      const products = (await ask('/v1/tracked-products', { key })).json.data;
      expect(products.map(({ notes }: { notes: string }) => notes)).toEqual([`${canary} product`]);
    }
    for (const { key } of members) {
      const { json } = await ask('/v1/tracked-keywords/digests/read-all', { key, method: 'POST' });
      expect(json).toEqual({ success: true, updated_count: 2, error: null });
      const removed = await ask('/v1/search/history', { key, method: 'DELETE' });
      expect(removed.json.deleted_count).toBeGreaterThanOrEqual(2);
    }
  });

  it('leave no word of theirs in the log', async () => {
    while (!server.log().includes('"route":"/v1/search/history"')) await sleep(20);
    const log = server.log();
    expect(log.split('\n').length).toBeGreaterThan(100);
    expect(log.match(/canary\w*/g) ?? []).toEqual([]);
    for (const { key } of members) expect(log).not.toContain(key);
    expect(log).not.toContain('whsec_');
    expect(log).not.toContain(receiver.url);
    // And whatever went on behind the answers went well.
    expect(log.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line))).toEqual([]);
  });
});
