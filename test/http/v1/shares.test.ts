import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { OPERATOR_SCOPES } from '../../../src/domain/account.ts';
import { generateShareToken, MAX_SHARES, SHARE_SEARCHES_PER_HOUR } from '../../../src/domain/share.ts';
import { ENDPOINTS } from '../../../src/http/routes.ts';
import { disableApiKey } from '../../../src/postgres/api-keys.ts';
import { changeSubscription } from '../../../src/postgres/organizations.ts';
import { setRole } from '../../../src/postgres/users.ts';
import type { FakeAmazon } from '../../amazon/fake-amazon.ts';
import { openPatientAmazon } from '../../support/patient-amazon.ts';
import { startTestService, type TestAnswer, type TestService } from '../../support/service.ts';
import { makeValidRequest } from '../../support/valid-request.ts';

let service: TestService;
let amazon: FakeAmazon;
let ada: string;
let eve: string;

const COLUMNS = 'period_type,period,search_term,rank';

beforeAll(async () => {
  amazon = await openPatientAmazon();
  service = await startTestService({ KEYRANK_AMAZON_URL: amazon.url });
  ada = await service.makeKey({ organization: 'Acme', subscription: { plan: 'studio' } });
  eve = await service.makeKey({ organization: 'Evil', subscription: {} });
  const rows = ['monthly,01-2026,snow boots,3', 'monthly,02-2026,snow boots,1', 'monthly,02-2026,rain boots,2'];
  await service.publishAll(
    {
      'US_ranks.csv': [COLUMNS, ...rows, ''].join('\n'),
      'DE_ranks.csv': [COLUMNS, 'monthly,02-2026,winterstiefel,1', ''].join('\n'),
    },
    'search',
  );
}, 180_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await amazon[Symbol.asyncDispose]();
});

const get = (path: string, key: string) => service.request(path, { key });

function post(path: string, body: object, key = ada): Promise<TestAnswer> {
  return service.request(path, { method: 'POST', key, body: JSON.stringify(body) });
}

interface MadeShare {
  readonly id: string;
  readonly token: string;
  readonly calls: readonly string[];
}

async function share(body: object, key = ada): Promise<MadeShare> {
  const { status, json, text } = await post('/v1/shares', body, key);
  expect(status, text).toBe(201);
  return { id: json.data.id, token: json.token, calls: json.data.calls };
}

async function makeList(name: string): Promise<string> {
  const { id } = (await post('/v1/lists', { name })).json.data;
  await post(`/v1/lists/${id}/items`, { items: [{ search_term: 'snow boots' }, { asin: 'B000000001' }] });
  return id;
}

const UNAUTHORIZED = { data: null, error: expect.objectContaining({ code: 'UNAUTHORIZED' }) };

describe('POST /v1/shares', () => {
  it('201: tells token and path once, and what the link shows; the list has it without the token', async () => {
    const made = await post('/v1/shares', { search: 'query=snow boots&max_rank=50', title: 'Boots', days: 7 });
    const data = {
      id: expect.any(String),
      created_at: expect.any(String),
      kind: 'search',
      title: 'Boots',
      organization: 'Acme',
      ends_at: expect.any(String),
      data_until: '2026-02-28',
      calls: ['/v1/search/keywords?marketplace=US&max_rank=50&query=snow%20boots', '/v1/periods?marketplace=US'],
      searches_per_hour: SHARE_SEARCHES_PER_HOUR,
    };
    const { token } = made.json;
    expect([made.status, made.json]).toEqual([201, { data, token, path: `/s/${token}`, error: null }]);
    expect(token).toMatch(/^krs_[0-9A-Za-z]{36}$/);
    const days = (Date.parse(made.json.data.ends_at) - Date.parse(made.json.data.created_at)) / 86_400_000;
    expect(days).toBeCloseTo(7, 2);
    const listed = await get('/v1/shares', ada);
    expect(listed.json.data).toContainEqual(made.json.data);
    expect(listed.text).not.toContain(token);
    expect((await get('/v1/shares', eve)).json.data).toEqual([]);
    const { rows } = await service.database.owner.query('SELECT s::text AS row FROM shares s');
    for (const { row } of rows) expect(row).not.toContain('krs_');
  });

  it('201: a share lasts 30 days and is called what it shows, unless told', async () => {
    const { json } = await post('/v1/shares', { chart: { terms: ['Snow  Boots', 'rain boots'], marketplace: 'us' } });
    expect(json.data).toMatchObject({ kind: 'chart', title: 'Snow  Boots, rain boots' });
    expect((Date.parse(json.data.ends_at) - Date.parse(json.data.created_at)) / 86_400_000).toBeCloseTo(30, 2);
    expect(json.data.calls).toEqual([
      '/v1/search/keywords?limit=5&marketplace=US&method=exact&query=Snow%20%20Boots&query=rain%20boots&type=monthly',
      '/v1/periods?marketplace=US',
      '/v1/search/keyword/history?marketplace=US&term=Snow%20%20Boots&type=monthly',
    ]);
  });

  it.each([
    [{}, "exactly one of 'chart', 'search' and 'list_id'"],
    [{ search: 'query=a', chart: { terms: ['a'] } }, 'exactly one of'],
    [{ search: 'query=a', days: 0 }, "Field 'days' must be a whole number of days from 1 to 365"],
    [{ search: 'query=a', days: 366 }, "Field 'days'"],
    [{ search: 'query=a', days: 1.5 }, "Field 'days'"],
    [{ search: 'brand=a' }, "'query' is missing"],
    [{ search: 'query=a&brands=b' }, "Unknown parameter 'brands'"],
    [{ search: 'query=a&order_by=13-2026' }, '13-2026'],
    [{ search: 'query=a&marketplace=ZZ' }, 'ZZ'],
    [{ search: 'query=%zz' }, 'percent'],
    [{ search: 'query=%00' }, 'NUL'],
    [{ chart: { terms: [] } }, "Field 'chart.terms' must be a list of 1 to 5"],
    [{ chart: { terms: ['a'], type: 'daily' } }, "Field 'chart.type'"],
    [{ chart: { terms: ['a'], marketplace: 'ZZ' } }, 'ZZ'],
    [{ search: 'query=a', title: ' ' }, "Field 'title' is blank"],
  ])('400: %j', async (body, message) => {
    const answer = await post('/v1/shares', body);
    expect(answer.status).toBe(400);
    expect(answer.json.error).toMatchObject({ code: 'INVALID_PARAMETERS', message: expect.stringContaining(message) });
  });

  it('403: nobody shares what their key may not see, 404: nor the list of others', async () => {
    const reader = await service.makeKey({ organization: 'Acme', scopes: ['search', 'tracked:read'] });
    expect((await post('/v1/shares', { search: 'query=a' }, reader)).status).toBe(403);
    const writer = await service.makeKey({ organization: 'Acme', scopes: ['tracked:read', 'tracked:write'] });
    expect((await post('/v1/shares', { search: 'query=a' }, writer)).json.error.code).toBe('FORBIDDEN');
    const listId = await makeList('not yours');
    expect((await post('/v1/shares', { list_id: listId }, eve)).status).toBe(404);
  });

  it('409: an organization has a limited number', async () => {
    const key = await service.makeKey({ organization: 'Full', subscription: {} });
    await service.database.operator.query(
      `INSERT INTO shares (organization_id, user_id, hash, kind, title, targets, ends_at)
       SELECT organization_id, user_id, sha256(n::text::bytea), 'search', 'x', '{}', now() + interval '1 day'
       FROM memberships JOIN organizations o ON o.id = organization_id, generate_series(1, $1) n WHERE o.name = 'Full'`,
      [MAX_SHARES],
    );
    expect((await post('/v1/shares', { search: 'query=a' }, key)).status).toBe(409);
  });
});

describe('the token of a share', () => {
  it('200: reads exactly what is shared, however the request spells it, and tells nothing of the quota', async () => {
    const listId = await makeList('Boots');
    for (const body of [
      { search: 'query=boots&order_by=latest_rank' },
      { chart: { terms: ['snow boots'] } },
      { list_id: listId },
    ]) {
      const { token, calls, id } = await share(body);
      for (const call of calls) {
        const answer = await get(call, token);
        expect(answer.status, call).toBe(200);
        expect(answer.headers.has('ratelimit-limit'), call).toBe(false);
        const [path, query = ''] = call.split('?');
        const turned = query.split('&').toReversed().join('&').replaceAll('%20', '+');
        expect((await get(turned === '' ? call : `${path}?${turned}`, token)).status, turned).toBe(200);
      }
      const told = await get('/v1/shares', token);
      expect(told.json).toMatchObject({ data: [{ id, organization: 'Acme' }], pagination: { total_count: 1 } });
    }
    const { token, calls } = await share({ search: 'query=boots' });
    expect((await get(calls[0] ?? '', token)).json.data).toHaveLength(2);
  });

  it('403: allows no other parameter, value, marketplace, page or item, and no other endpoint at all', async () => {
    const listId = await makeList('Shared');
    const otherId = await makeList('Private');
    const search = await share({ search: 'query=boots' });
    const list = await share({ list_id: listId });
    const wrong = [
      '/v1/search/keywords?query=boots',
      '/v1/search/keywords?query=boots&marketplace=DE',
      '/v1/search/keywords?query=shoes&marketplace=US',
      '/v1/search/keywords?query=boots&query=shoes&marketplace=US',
      '/v1/search/keywords?query=boots&marketplace=US&marketplace=DE',
      '/v1/search/keywords?query=boots&marketplace=US&page=2',
      '/v1/search/keywords?query=boots&marketplace=US&limit=1000',
      '/v1/search/keywords/export?query=boots&marketplace=US',
      '/v1/search/keyword?term=boots&marketplace=US',
      '/v1/periods',
      '/v1/shares?limit=1000',
      `/v1/lists/${listId}`,
    ];
    for (const path of wrong) expect((await get(path, search.token)).json.error.code, path).toBe('FORBIDDEN');
    for (const path of [`/v1/lists/${otherId}`, `/v1/lists/${otherId}/items?limit=1000&offset=0`, '/v1/lists']) {
      expect((await get(path, list.token)).json.error.code, path).toBe('FORBIDDEN');
    }
    const operator = await service.makeKey({ isOperator: true });
    for (const endpoint of ENDPOINTS) {
      if (endpoint.operationId === 'listShares' || endpoint.access === 'anyone') continue;
      const maker = OPERATOR_SCOPES.includes(endpoint.scope) ? operator : ada;
      const { target, ...request } = await makeValidRequest(service, { endpoint, key: maker });
      const answer = await service.request(target, { ...request, key: list.token });
      expect([answer.status, answer.json.error.code], `${endpoint.method} ${target}`).toEqual([403, 'FORBIDDEN']);
    }
    const told = await service.request('/mcp', { method: 'POST', key: list.token, body: '{}' });
    expect([told.status, told.json]).toEqual([401, UNAUTHORIZED]);
  });

  it('401: tokens that are invented, spoiled, or put in the query string say what wrong keys are told', async () => {
    const { token } = await share({ search: 'query=boots' });
    const wrong = await get('/v1/shares', 'krk_wrong');
    for (const each of [
      generateShareToken(randomBytes),
      token.slice(0, -1),
      `${token}x`,
      token.replace('krs_', 'krk_'),
    ]) {
      const answer = await get('/v1/shares', each);
      expect([answer.status, answer.json], each).toEqual([401, wrong.json]);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await service.request(`/v1/shares?token=${token}`)).status).toBe(401);
  });

  it('counts on the organization of its maker, within a cap for each and for all of them', async () => {
    const key = await service.makeKey({ organization: 'Capped', subscription: { plan: 'pro' } });
    const views = async ({ token, calls }: MadeShare, count: number) => {
      const answers = await Promise.all(Array.from({ length: count }, () => get(calls[0] ?? '', token)));
      return answers.filter(({ status }) => status === 200).length;
    };
    const shares = await Promise.all([1, 2, 3].map((n) => share({ search: `query=boots${n}` }, key)));
    const [first, second, third] = shares as [MadeShare, MadeShare, MadeShare];
    expect(await views(first, SHARE_SEARCHES_PER_HOUR + 5)).toBe(SHARE_SEARCHES_PER_HOUR);
    const refused = await get(first.calls[0] ?? '', first.token);
    expect([refused.status, refused.json.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    expect(refused.text).not.toMatch(/organization|100/);
    // Half of 100 for all shares together, however many there are.
    expect((await views(second, 25)) + (await views(third, 25))).toBe(50 - SHARE_SEARCHES_PER_HOUR);
    const { data } = (await get('/v1/usage', key)).json;
    expect(data.rate_limit.remaining).toBe(50);
    expect((await get('/v1/search/keywords?query=boots', key)).status).toBe(200);
  });
});

describe('a share ends', () => {
  const isOpen = async ({ token, calls }: MadeShare) => {
    const { status } = await get(calls[1] ?? '', token);
    const page = await service.request(`/s/${token}`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(status === 200 ? 200 : 404);
    return status === 200;
  };
  const ended = (made: MadeShare) => vi.waitFor(async () => expect(await isOpen(made)).toBe(false), 10_000);

  it('at once when a member deletes it, and not when a stranger tries', async () => {
    const made = await share({ search: 'query=boots' });
    expect(await isOpen(made)).toBe(true);
    const remove = (key: string) => service.request(`/v1/shares/${made.id}`, { method: 'DELETE', key });
    expect((await remove(eve)).status).toBe(404);
    expect((await remove(made.token)).status).toBe(403);
    expect(await isOpen(made)).toBe(true);
    const bob = await service.makeKey({ organization: 'Acme', user: 'bob@acme.example' });
    expect((await remove(bob)).json).toEqual({ data: { id: made.id }, error: null });
    expect(await isOpen(made)).toBe(false);
    expect((await remove(bob)).status).toBe(404);
    const log = (await get('/v1/audit-log?limit=1000', ada)).json.data as readonly {
      action: string;
      details: object;
    }[];
    const acts = log.filter(({ details }) => JSON.stringify(details).includes(made.id));
    expect(acts.map(({ action }) => action)).toEqual(['share.delete', 'share.create']);
  });

  it('on its day', async () => {
    const made = await share({ search: 'query=boots' });
    expect(await isOpen(made)).toBe(true);
    await service.database.operator.query('UPDATE shares SET ends_at = now() WHERE id = $1', [made.id]);
    await ended(made);
    const listed = (await get('/v1/shares', ada)).json.data as readonly { readonly id: string }[];
    expect(listed.map(({ id }) => id)).not.toContain(made.id);
  });

  it('with the key that made it, with the end of that key, with its maker, its list and the subscription', async () => {
    const made = async (options: Parameters<TestService['makeKey']>[0] = {}) => {
      const key = await service.makeKey({ organization: 'Acme', ...options });
      const one = await share({ search: 'query=boots' }, key);
      expect(await isOpen(one)).toBe(true);
      return { key, one };
    };
    const { operator } = service.database;
    const disabled = await made();
    await disableApiKey(operator, disabled.key);
    expect(await isOpen(disabled.one)).toBe(false);

    const expiring = await made({ expiresAt: new Date(Date.now() + 3_600_000) });
    await operator.query(`UPDATE api_keys SET expires_at = now() WHERE prefix = $1`, [expiring.key.slice(0, 10)]);
    await ended(expiring.one);

    const leaver = await made({ user: 'leaver@acme.example' });
    await operator.query(
      `DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = 'leaver@acme.example')`,
    );
    await ended(leaver.one);

    const listId = await makeList('gone soon');
    const listed = await share({ list_id: listId });
    await service.request(`/v1/lists/${listId}`, { method: 'DELETE', key: ada });
    await vi.waitFor(async () => expect((await get('/v1/shares', listed.token)).status).toBe(401), 10_000);

    const key = await service.makeKey({ organization: 'Lapsed', subscription: {} });
    const unpaid = await share({ search: 'query=boots' }, key);
    expect(await isOpen(unpaid)).toBe(true);
    await changeSubscription(operator, { name: 'Lapsed', change: { status: 'inactive' } });
    const answer = await get('/v1/shares', unpaid.token);
    expect([answer.status, answer.json]).toEqual([401, UNAUTHORIZED]);
    expect(await isOpen(unpaid)).toBe(false);
  });

  it('when its maker may share nothing any more', async () => {
    const key = await service.makeKey({ organization: 'Acme', user: 'demoted@acme.example' });
    const list = await share({ list_id: await makeList('of somebody demoted') }, key);
    expect((await get('/v1/shares', list.token)).status).toBe(200);
    const { operator } = service.database;
    await setRole(operator, { email: 'demoted@acme.example', organization: 'Acme', role: 'viewer' });
    expect((await get('/v1/shares', list.token)).status).toBe(401);
    expect((await service.request(`/s/${list.token}`)).status).toBe(404);
    await setRole(operator, { email: 'demoted@acme.example', organization: 'Acme', role: 'member' });
    expect((await get('/v1/shares', list.token)).status).toBe(200);
  });

  it('sees what the plan of its maker sees at that time', async () => {
    const key = await service.makeKey({ organization: 'Downgraded', subscription: { plan: 'studio' } });
    const made = await share({ search: 'query=boots' }, key);
    await service.database.operator.query(
      `INSERT INTO plans (name, searches_per_hour, months, weeks) VALUES ('one', 10, 1, 1)`,
    );
    await changeSubscription(service.database.operator, { name: 'Downgraded', change: { plan: 'one' } });
    const [row] = (await get(made.calls[0] ?? '', made.token)).json.data;
    expect(Object.keys(row.data)).toEqual(['02-2026']);
  });
});

describe('the page of a share', () => {
  it('is not indexed, not kept, not framed, and sends no referrer; a dead link is a 404', async () => {
    const { token } = await share({ search: 'query=boots' });
    for (const [path, status] of [
      [`/s/${token}`, 200],
      [`/s/${generateShareToken(randomBytes)}`, 404],
      ['/s/x', 404],
    ] as const) {
      const page = await service.request(path);
      expect(page.status, path).toBe(status);
      expect(Object.fromEntries(page.headers)).toMatchObject({
        'x-robots-tag': 'noindex, nofollow, noarchive',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'content-type': 'text/html; charset=utf-8',
      });
      expect(page.text).toContain('<meta name="robots" content="noindex, nofollow, noarchive" />');
      expect(page.text).not.toContain(token);
    }
    expect((await service.request(`/s/${token}`, { method: 'POST' })).status).toBe(405);
  });
});
