import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_CHART_NOTES } from '../../../src/domain/chart-note.ts';
import { MAX_SAVED_SEARCHES } from '../../../src/domain/saved-search.ts';
import { plainReport } from '../../support/publications.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { readWithOpenpyxl } from '../../support/spreadsheet-programs.ts';

let service: TestService;
let ada: string;
let bob: string;
let eve: string;

beforeAll(async () => {
  service = await startTestService();
  ada = await service.makeKey({ organization: 'Acme', subscription: { plan: 'studio' }, user: 'ada@acme.example' });
  bob = await service.makeKey({ organization: 'Acme', user: 'bob@acme.example' });
  eve = await service.makeKey({ organization: 'Evil', subscription: {}, user: 'ada@acme.example' });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

function send(method: string, path: string, { key = ada, body, headers = {} }: Sent = {}) {
  return service.request(path, { method, key, headers, ...(body && { body: JSON.stringify(body) }) });
}

interface Sent {
  readonly key?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const times = { created_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) };

describe('saved searches', () => {
  const PATH = '/v1/saved-searches';

  it('201: are shared by the members of an organization, once per name and Idempotency-Key', async () => {
    const body = { name: 'Boots', address: '/?query=snow boots&max_rank=5000&columns=change' };
    const headers = { 'idempotency-key': 'boots' };
    const saved = await send('POST', PATH, { body, headers });
    const address = '/?query=snow%20boots&max_rank=5000&columns=change';
    const data = { id: expect.any(String), ...times, name: 'Boots', address };
    expect([saved.status, saved.json]).toEqual([201, { data, error: null }]);
    expect((await send('POST', PATH, { body, headers })).json).toEqual(saved.json);
    expect((await send('POST', PATH, { body })).json.error.message).toBe(
      'There is a saved search of this name already.',
    );
    const item = `${PATH}/${saved.json.data.id}`;
    expect((await send('GET', PATH, { key: bob })).json.data).toEqual([saved.json.data]);
    const changed = await send('PATCH', item, { key: bob, body: { address: '/trends' } });
    expect(changed.json.data).toMatchObject({ name: 'Boots', address: '/trends' });
    expect((await send('GET', item)).json).toEqual(changed.json);
    for (const [method, change] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
      expect((await send(method, item, { key: eve, ...(change && { body: change }) })).status).toBe(404);
    }
    expect((await send('DELETE', item, { key: bob })).status).toBe(200);
    expect((await send('GET', PATH)).json).toMatchObject({ data: [], pagination: { total_count: 0 } });
  });

  it('409: are limited', async () => {
    await service.database.operator.query(
      `INSERT INTO saved_searches (organization_id, name, name_key, address)
       SELECT o.id, n::text, n::text, '/' FROM organizations o, generate_series(1, $1) n WHERE o.name = 'Evil'`,
      [MAX_SAVED_SEARCHES],
    );
    expect((await send('POST', PATH, { key: eve, body: { name: 'more', address: '/' } })).status).toBe(409);
  });

  it.each([
    ['https://elsewhere.example/?query=a', 'must be a path'],
    ['//elsewhere.example/', 'must be a path'],
    ['/\\elsewhere.example/', 'must be a path'],
    ['javascript:alert(1)', 'must be a path'],
    ['/v1/search/history', 'must lead to a view'],
    ['/docs', 'must lead to a view'],
    ['/?query=a#key=kr_1', 'must have no fragment'],
    ['/?limit=0', "Parameter 'limit' must be an integer"],
    ['/?query=%ff', 'is not valid UTF-8'],
    ['/?query=%zz', 'two hexadecimal digits'],
    [7, 'must be text'],
    [
      `/?${'query=éééé&'.repeat(40)}brand=${'é'.repeat(200)}&brand=${'è'.repeat(200)}&brand=${'ê'.repeat(200)}`,
      'when it is encoded',
    ],
  ])('400: %j is no address that can be saved', async (address, message) => {
    const { status, json } = await send('POST', PATH, { body: { name: 'a', address } });
    expect([status, json.error.message]).toEqual([400, expect.stringContaining(message)]);
  });
});

describe('notes on the chart', () => {
  const PATH = '/v1/chart-notes';
  const note = (body: object) => send('POST', PATH, { body });
  const listed = async (query = '', key = bob) =>
    (await send('GET', PATH + query, { key })).json.data.map((each: { note: string }) => each.note);

  it('201: are of one keyword or of all, and shared by the members of an organization', async () => {
    const every = await note({ date: '2026-07-08', note: 'Prime Day' });
    const data = { id: expect.any(String), ...times, date: '2026-07-08', note: 'Prime Day', search_term: null };
    expect([every.status, every.json]).toEqual([201, { data, error: null }]);
    await note({ date: '2026-01-31', note: 'new image', search_term: 'Snow Boots' });
    await note({ date: '2026-02-01', note: 'price', search_term: 'hats' });
    expect(await listed()).toEqual(['new image', 'price', 'Prime Day']);
    expect(await listed('?search_term=snow++boots')).toEqual(['new image', 'Prime Day']);
    expect(await listed('?from=2026-02-01&to=2026-07-08')).toEqual(['price', 'Prime Day']);
    expect(await listed('?limit=1&offset=1')).toEqual(['price']);
    expect(await listed('', eve)).toEqual([]);
    const item = `${PATH}/${every.json.data.id}`;
    for (const [method, change] of [['GET'], ['PATCH', { note: 'x' }], ['DELETE']] as const) {
      expect((await send(method, item, { key: eve, ...(change && { body: change }) })).status).toBe(404);
    }
    const changed = await send('PATCH', item, { key: bob, body: { date: '2026-07-09', search_term: 'hats' } });
    expect(changed.json.data).toMatchObject({ date: '2026-07-09', note: 'Prime Day', search_term: 'hats' });
    expect(await listed('?search_term=boots')).toEqual([]);
    expect((await send('PATCH', item, { body: { search_term: null } })).json.data.search_term).toBe(null);
    expect(await listed('?search_term=boots')).toEqual(['Prime Day']);
  });

  it('stand on the About sheet of exports whose periods they fall in, when they are about what is exported', async () => {
    await service.publish('plain.csv', plainReport({ frequency: 'monthly', period: '01-2026' }, { 'snow boots': 1 }));
    await send('POST', '/v1/tracked-keywords', { body: { search_term: 'snow boots' } });
    await note({ date: '2026-01-01', note: '=1+1' });
    const narrow = await service.makeKey({ organization: 'Acme', user: 'ada@acme.example', scopes: ['export'] });
    const events = async (path: string, key = ada) => {
      const answer = await fetch(service.url + path, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
      const { about } = await readWithOpenpyxl(Buffer.from(await answer.arrayBuffer()));
      const from = about.findIndex(([heading]) => heading === 'Events');
      return from < 0 ? [] : about.slice(from + 1).filter(([date]) => date?.startsWith('2026-'));
    };
    const every = ['2026-01-01', '=1+1'];
    const image = ['2026-01-31', 'Snow Boots: new image'];
    const search = '/v1/search/keywords/export?query=snow+boots';
    expect(await events(search)).toEqual([every, image]);
    // A key for exports alone must not read notes.
    expect(await events(search, narrow)).toEqual([]);
    expect(await events('/v1/search/keywords/export?query=boots')).toEqual([every]);
    expect(await events('/v1/trends/new/export')).toEqual([every]);
    expect(await events('/v1/trends/social-media-ranks/export')).toEqual([]);
    await note({ date: '2026-01-15', note: 'price', search_term: 'Hats' });
    expect(await events('/v1/tracked-keywords/export')).toEqual([every, image]);
  });

  it('409: are limited', async () => {
    await service.database.operator.query(
      `INSERT INTO chart_notes (organization_id, date, note)
       SELECT o.id, '2026-01-01', n::text FROM organizations o, generate_series(1, $1) n WHERE o.name = 'Evil'`,
      [MAX_CHART_NOTES],
    );
    expect((await send('POST', PATH, { key: eve, body: { date: '2026-01-01', note: 'more' } })).status).toBe(409);
  });

  it.each([
    [{ date: '2026-02-30', note: 'a' }, "Field 'date' must be a day"],
    [{ date: '2026-2-3', note: 'a' }, "Field 'date' must be a day"],
    [{ date: '2026-02-03', note: ' ' }, "Field 'note' is blank."],
    [{ date: '2026-02-03', note: 'a', search_term: '' }, "Field 'search_term' is blank."],
    [{ date: '2026-02-03', note: 'a'.repeat(301) }, 'at most 300'],
  ])('400: %j is refused', async (body, message) => {
    const { status, json } = await note(body);
    expect([status, json.error.message]).toEqual([400, expect.stringContaining(message)]);
  });
});
