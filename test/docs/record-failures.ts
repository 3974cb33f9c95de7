// Every code that there is, and for each operation the failures that it words in its own way. The last ones take
// the database away from the service, so nothing can be asked after them.
import { connect } from 'node:net';
import { expect } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { MAX_CHART_NOTES } from '../../src/domain/chart-note.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/domain/error.ts';
import { MAX_ITEMS_AT_ONCE, MAX_LIST_ITEMS } from '../../src/domain/keyword-list.ts';
import { MAX_SHARES } from '../../src/domain/share.ts';
import { MAX_ACTIVE_KEYWORDS } from '../../src/domain/tracked-keyword.ts';
import { MAX_WEBHOOKS } from '../../src/domain/webhook.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import type { RecordedAnswer, RecordedAnswers } from '../../src/http/recorded-answers.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import type { TestService } from '../support/service.ts';
import { fillPath, VALID_QUERY } from '../support/valid-request.ts';
import { NEW_CONNECTION } from './record-connections.ts';
import type { AskOptions, Recorder } from './recording.ts';

/** An item that nobody has. */
const NO_ITEM = '00000000-0000-4000-8000-000000000000';

/** What operations are asked with. */
const BODIES: Readonly<Record<string, object>> = {
  createTrackedKeywords: { search_term: 'snow boots' },
  changeTrackedKeyword: { notes: 'winter' },
  createTrackedProducts: { asin: 'B0CHX1W1XY' },
  changeTrackedProduct: { notes: 'winter' },
  createWebhook: { url: 'https://hooks.example.com/keyrank' },
  createNotificationChannel: { kind: 'slack', url: 'https://chat.example.com/hooks/EXAMPLE' },
  changeNotificationChannel: { frequency: 'weekly' },
  changeNotifications: { default_priority_rule: null },
  createList: { name: 'Winter boots' },
  changeList: { notes: 'winter' },
  addListItems: { items: [{ search_term: 'snow boots' }] },
  removeListItems: { ids: [NO_ITEM] },
  tagListItems: { ids: [NO_ITEM], add: ['x'] },
  changeListItem: { notes: 'winter' },
  createSavedSearch: { name: 'Boots', address: '/?query=snow+boots' },
  changeSavedSearch: { name: 'Boots' },
  createShare: { search: 'query=snow+boots' },
  createChartNote: { date: '2026-09-01', note: 'new main image' },
  changeChartNote: { note: 'new main image' },
  createInvitation: { email: 'ada@example.com', role: 'viewer' },
  changeMember: { role: 'viewer' },
  createKey: { name: 'A key', scopes: ['search'] },
  signInWithPassword: { email: 'nobody@example.com', password: 'correct horse battery staple' },
  requestSignInLink: { email: 'nobody@example.com' },
  readSignInLink: { token: 'none' },
  signInWithLink: { token: 'none' },
  readInvitation: { token: 'none' },
  acceptInvitation: { token: 'none' },
  createImport: { file_name: 'DE_ranks.csv', size_bytes: 5_000_000 },
  changeImport: { max_rejects: 5 },
  // Refused before Amazon is asked.
  createConnection: { ...NEW_CONNECTION, look_back_weeks: 0, look_back_months: 0 },
  changeConnection: { is_enabled: false },
  rotateConnection: { client_secret: 'EXAMPLE', refresh_token: 'EXAMPLE' },
  retryConnection: {},
};

/** What parts of files are sent with. */
const PART_HEADERS = { 'upload-offset': '0' };

type Kept = Map<string, RecordedAnswer>;
interface Recording {
  readonly service: TestService;
  readonly recorder: Recorder;
  /** By `operation code`, or the code alone for what belongs to no operation. */
  readonly kept: Kept;
}

export async function recordFailures(
  service: TestService,
  recorder: Recorder,
): Promise<Pick<RecordedAnswers, 'failures' | 'operationFailures'>> {
  const recording: Recording = { service, recorder, kept: new Map() };
  const late = exchange(service, 'GET /v1/meters HTTP/1.1\r\nHost: keyrank\r\n');
  await recordRefusals(recording);
  await recordLimits(recording);
  await recordWriteLimits(recording);
  await recordConflicts(recording);
  await recordOutsideOfEndpoints(recording, late);
  await recordBreakdowns(recording);
  return sortOut(recording.kept);
}

/** Keeps the answer if it has the code, and fails if it has another. */
async function keep(
  { recorder, kept }: Recording,
  { code, operation, target, ...options }: { code: ErrorCode; operation?: string; target: string } & AskOptions,
): Promise<void> {
  const { answer, shown } = await recorder.ask(target, options);
  expect(answer.json?.error?.code, `${operation} ${target.slice(0, 200)}`).toBe(code);
  kept.set(operation === undefined ? code : `${operation} ${code}`, shown);
}

async function recordRefusals(recording: Recording): Promise<void> {
  const { service } = recording;
  const key = await service.makeKey({ isOperator: true });
  const unsubscribed = await service.makeKey({ subscription: { status: 'inactive' } });
  const narrow = new Map(
    await Promise.all(
      SCOPES.map(
        async (scope) => [scope, await service.makeKey({ scopes: SCOPES.filter((each) => each !== scope) })] as const,
      ),
    ),
  );
  for (const endpoint of ENDPOINTS) {
    const { method, operationId: operation, scope, takesPart, access = 'subscriber' } = endpoint;
    const path = fillPath(endpoint.path, NO_ITEM);
    const target = `${path}${VALID_QUERY[operation] ?? ''}`;
    const ask = (code: ErrorCode, options: AskOptions & { target?: string }) =>
      keep(recording, { code, operation, target, method, ...(takesPart && { headers: PART_HEADERS }), ...options });
    if (access !== 'anyone') {
      await ask('UNAUTHORIZED', {});
      await ask('FORBIDDEN', { key: narrow.get(scope) });
    }
    // For these a key does not do.
    if (access === 'person' || scope === 'operator') continue;
    await ask('INVALID_PARAMETERS', { key, target: withTypo(target, endpoint) });
    if (access === 'subscriber') await ask('NO_ACTIVE_SUBSCRIPTION', { key: unsubscribed });
    await ask('URI_TOO_LONG', { key, target: `${path}?query=${'a'.repeat(131_072)}` });
    if (endpoint.item || endpoint.pathParameter)
      await ask('NOT_FOUND', { key, ...(endpoint.body && { body: BODIES[operation] ?? {} }) });
    if (endpoint.body) {
      await ask('BAD_REQUEST', { key, body: '{"search_term": "snow boots",}' });
      await ask('PAYLOAD_TOO_LARGE', { key, body: `{"notes": "${'a'.repeat(1024 * 1024)}"}` });
    }
  }
}

/** The mistake that is made most often: one letter too many. */
function withTypo(target: string, { parameters }: Endpoint): string {
  const name = 'brand' in parameters ? 'brand' : 'limit' in parameters ? 'limit' : Object.keys(parameters).at(-1);
  return `${target}${target.includes('?') ? '&' : '?'}${name === undefined ? 'page' : `${name}s`}=${name === 'brand' ? 'Hollowbrook' : 1}`;
}

async function recordLimits(recording: Recording): Promise<void> {
  const { service } = recording;
  const key = await service.makeKey();
  const metered = ENDPOINTS.filter(({ meter }) => meter);
  for (let count = 0; count < 100; count += 1)
    await service.request('/v1/search/keywords?query=boots&limit=1', { key });
  for (const { operationId: operation, path } of metered) {
    const target = `${fillPath(path, '')}${VALID_QUERY[operation] ?? ''}`;
    await keep(recording, { code: 'RATE_LIMIT_EXCEEDED', operation, target, key });
  }
  // Two exports that nobody reads stay open: they are larger than what sockets hold.
  const words = ['for', 'women', 'men', 'kids', 'with', 'black', 'set', 'large'].map((word) => `query=${word}`);
  const target = `/v1/search/keywords/export?${words.join('&')}&file_format=ndjson`;
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${key}` };
  const open = [1, 2].map(() => fetch(service.url + target, { headers, signal: leave.signal }));
  expect((await Promise.all(open)).map(({ status }) => status)).toEqual([200, 200]);
  await keep(recording, { code: 'RATE_LIMIT_EXCEEDED', operation: 'exportKeywords', target, key });
  leave.abort();
}

/** Each change is sent until it is one too many. */
async function recordWriteLimits({ service, recorder, kept }: Recording): Promise<void> {
  const key = await service.makeKey({ isOperator: true });
  for (const { method, path, operationId: operation, access, scope, takesPart } of ENDPOINTS) {
    // A key is no person.
    if (method === 'GET' || access === 'person' || scope === 'operator') continue;
    const target = path.replace('{id}', NO_ITEM);
    const body = BODIES[operation];
    for (;;) {
      // Only what is kept is shown to the recorder: how many it takes depends on how long they take.
      const answer = await service.request(target, {
        ...{ method, key },
        ...(takesPart && { headers: PART_HEADERS }),
        ...(body && { body: JSON.stringify(body) }),
      });
      if (answer.status !== 429) continue;
      const request = `${method} ${target}`;
      kept.set(`${operation} RATE_LIMIT_EXCEEDED`, recorder.show({ request, requestBody: body, ...answer }));
      break;
    }
  }
}

async function recordConflicts(recording: Recording): Promise<void> {
  const { service } = recording;
  const key = await service.makeKey();
  const tracked = '/v1/tracked-keywords';
  const post = (target: string, body: object) =>
    service.request(target, { method: 'POST', key, body: JSON.stringify(body) });
  const term = { search_term: 'snow boots' };
  const { id } = (await post(tracked, term)).json.data;
  const code = 'CONFLICT';
  await keep(recording, { code, operation: 'createTrackedKeywords', target: tracked, method: 'POST', key, body: term });

  await service.request(`${tracked}/${id}`, { method: 'PATCH', key, body: '{"is_active": false}' });
  const keywords = Array.from({ length: MAX_ACTIVE_KEYWORDS }, (_, i) => ({ search_term: `term ${i}` }));
  await post(tracked, { keywords });
  const resume = { target: `${tracked}/${id}`, method: 'PATCH', key, body: { is_active: true } };
  await keep(recording, { code, operation: 'changeTrackedKeyword', ...resume });

  const webhook = { url: 'https://hooks.example.com/keyrank' };
  for (let count = 0; count < MAX_WEBHOOKS; count += 1) await post('/v1/webhooks', webhook);
  await keep(recording, {
    code,
    operation: 'createWebhook',
    target: '/v1/webhooks',
    method: 'POST',
    key,
    body: webhook,
  });
  await recordChannelConflicts(recording);
  await recordSharedConflicts(recording);
  await recordConnectionConflicts(recording);
}

async function recordConnectionConflicts(recording: Recording): Promise<void> {
  const { service } = recording;
  const key = await service.makeKey();
  const [code, method, path] = ['CONFLICT', 'POST', '/v1/connections'] as const;
  const { json } = await service.request(path, { method, key, body: JSON.stringify(NEW_CONNECTION) });
  const again = { ...NEW_CONNECTION, name: 'other' };
  await keep(recording, { code, operation: 'createConnection', target: path, method, key, body: again });
  const target = `${path}/${json.data.id}/rotate`;
  const wrong = { client_secret: NEW_CONNECTION.client_secret, refresh_token: 'WRONG' };
  await keep(recording, { code, operation: 'rotateConnection', target, method, key, body: wrong });
}

async function recordChannelConflicts(recording: Recording): Promise<void> {
  const { service } = recording;
  const key = await service.makeKey();
  const code = 'CONFLICT';
  const path = '/v1/notification-channels';
  const body = BODIES.createNotificationChannel;
  const { json } = await service.request(path, { method: 'POST', key, body: JSON.stringify(body) });
  await keep(recording, { code, operation: 'createNotificationChannel', target: path, method: 'POST', key, body });
  const own = `${path}/${json.data.id}`;
  await service.request(own, { method: 'PATCH', key, body: '{"is_active": false}' });
  await keep(recording, { code, operation: 'testNotificationChannel', target: `${own}/test`, method: 'POST', key });
}

/** Names that are taken, and one too many. */
async function recordSharedConflicts(recording: Recording): Promise<void> {
  const { service } = recording;
  const key = await service.makeKey();
  const code = 'CONFLICT';
  const add = async (target: string, body: object) =>
    (await service.request(target, { method: 'POST', key, body: JSON.stringify(body) })).json.data.id;
  const refuse = (operation: string, request: { target: string; method: string; body: object }) =>
    keep(recording, { code, operation, key, ...request });
  for (const [noun, path, rest] of [
    ['List', '/v1/lists', {}],
    ['SavedSearch', '/v1/saved-searches', { address: '/?query=snow+boots' }],
  ] as const) {
    await add(path, { name: 'Boots', ...rest });
    const id = await add(path, { name: 'Sandals', ...rest });
    await refuse(`create${noun}`, { target: path, method: 'POST', body: { name: 'boots', ...rest } });
    await refuse(`change${noun}`, { target: `${path}/${id}`, method: 'PATCH', body: { name: 'boots' } });
    if (noun !== 'List') continue;
    const items = (from: number) => ({
      items: Array.from({ length: MAX_ITEMS_AT_ONCE }, (_, i) => ({ search_term: `term ${from + i}` })),
    });
    const target = `${path}/${id}/items`;
    for (let from = 0; from < MAX_LIST_ITEMS; from += MAX_ITEMS_AT_ONCE) {
      await service.request(target, { method: 'POST', key, body: JSON.stringify(items(from)) });
    }
    await refuse('addListItems', { target, method: 'POST', body: { items: [{ search_term: 'snow boots' }] } });
  }
  await service.database.owner.query(
    `INSERT INTO keyrank.chart_notes (organization_id, date, note)
     SELECT organization_id, '2026-01-01', '' FROM keyrank.lists, generate_series(1, $1) WHERE name = 'Sandals'`,
    [MAX_CHART_NOTES],
  );
  const note = { date: '2026-09-01', note: 'new main image' };
  await service.database.owner.query(
    `INSERT INTO keyrank.shares (organization_id, user_id, hash, kind, title, targets, ends_at)
     SELECT l.organization_id, m.user_id, sha256(n::text::bytea), 'search', '', '{}', now() + interval '1 day'
     FROM keyrank.lists l JOIN keyrank.memberships m USING (organization_id), generate_series(1, $1) n WHERE l.name = 'Sandals'`,
    [MAX_SHARES],
  );
  const shares = { target: '/v1/shares', method: 'POST' };
  await refuse('createShare', { ...shares, body: { search: 'query=snow+boots' } });
  const ofNobody = { operation: 'createShare', key, ...shares, body: { list_id: NO_ITEM } };
  await keep(recording, { code: 'NOT_FOUND', ...ofNobody });
  await refuse('createChartNote', { target: '/v1/chart-notes', method: 'POST', body: note });
}

async function recordOutsideOfEndpoints(recording: Recording, late: Promise<Exchange>): Promise<void> {
  const { service, recorder, kept } = recording;
  await keep(recording, { code: 'NOT_FOUND', target: '/v1/keywords' });
  await keep(recording, { code: 'METHOD_NOT_ALLOWED', target: '/v1/meters', method: 'PUT' });
  const raw = {
    EXPECTATION_FAILED: 'Expect: a wonder\r\n\r\n',
    HEADERS_TOO_LARGE: `Cookie: ${'a'.repeat(200_000)}\r\n\r\n`,
  } as const;
  for (const [code, rest] of Object.entries(raw)) {
    const answer = await exchange(service, `GET /v1/meters HTTP/1.1\r\nHost: keyrank\r\n${rest}`);
    const request = `GET /v1/meters\n${rest.trim()}`;
    kept.set(code, recorder.show({ ...answer, request: request.length > 200 ? `${request.slice(0, 40)}…` : request }));
  }
  kept.set('REQUEST_TIMEOUT', recorder.show({ ...(await late), request: 'GET /v1/meters (and then nothing)' }));
}

async function recordBreakdowns(recording: Recording): Promise<void> {
  const { service, recorder, kept } = recording;
  const { owner } = service.database;
  const key = await service.makeKey();
  const requests = ENDPOINTS.filter(({ failureFields }) => failureFields).map(
    ({ operationId: operation, method, path }) => ({
      operation,
      method,
      key,
      target: `${fillPath(path, '')}${VALID_QUERY[operation] ?? ''}`,
    }),
  );
  // The database is busy for longer than the service waits for it.
  const locking = await owner.connect();
  await locking.query('BEGIN; LOCK TABLE rate_windows, search_history, digests IN ACCESS EXCLUSIVE MODE');
  // One after the other: of many at once, some would wait for a connection instead of for the tables.
  const answers: Awaited<ReturnType<typeof service.request>>[] = [];
  for (const { target, ...request } of requests) answers.push(await service.request(target, request));
  await locking.query('ROLLBACK');
  locking.release();
  for (const [i, answer] of answers.entries()) {
    const { operation, method, target } = requests[i] ?? { operation: '', method: '', target: '' };
    expect(answer.json.error.code, operation).toBe('SERVICE_UNAVAILABLE');
    kept.set(`${operation} SERVICE_UNAVAILABLE`, recorder.show({ request: `${method} ${target}`, ...answer }));
  }

  // The service has this key in memory; whatever else it asks for is refused, which it does not expect.
  expect((await service.request('/v1/usage', { key })).status).toBe(200);
  await owner.query('REVOKE ALL ON ALL TABLES IN SCHEMA keyrank FROM keyrank_service');
  for (const request of [...requests, { target: '/v1/usage', key }]) {
    await keep(recording, { code: 'INTERNAL_SERVER_ERROR', ...request });
  }
}

/** The first words of each code stand for all; an operation keeps its own where they differ. */
function sortOut(kept: Kept): Pick<RecordedAnswers, 'failures' | 'operationFailures'> {
  const failures: Partial<Record<ErrorCode, RecordedAnswer>> = {};
  for (const code of ERROR_CODES) {
    const answer = kept.get(code) ?? [...kept].find(([name]) => name.endsWith(` ${code}`))?.[1];
    if (!answer) throw new Error(`nothing was answered with ${code}`);
    failures[code] = answer;
  }
  const operationFailures: Record<string, Partial<Record<ErrorCode, unknown>>> = {};
  for (const [name, { body }] of kept) {
    const [operation = '', code] = name.split(' ') as [string, ErrorCode | undefined];
    if (code === undefined || JSON.stringify(body) === JSON.stringify(failures[code]?.body)) continue;
    operationFailures[operation] = { ...operationFailures[operation], [code]: body };
  }
  return { failures, operationFailures };
}

interface Exchange {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

/** Bytes that no HTTP client would send. */
async function exchange({ url }: TestService, message: string): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(message);
  let answer = '';
  for await (const chunk of socket.setEncoding('utf8')) answer += chunk;
  const [head = '', text = ''] = answer.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]));
  return { status: Number(statusLine.split(' ')[1]), headers, text, json: JSON.parse(text) };
}
