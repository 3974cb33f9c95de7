import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_ITEMS_AT_ONCE, MAX_LIST_ITEMS, MAX_LISTS, MAX_TAGS } from '../../../src/domain/keyword-list.ts';
import { plainReport, untilTold } from '../../support/publications.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const NOBODYS = '01234567-89ab-4cde-8f01-23456789abcd';
const RULE = { field: 'latest_rank', operator: 'lt', value: 100 };

let service: TestService;
let ada: string;
let bob: string;
let eve: string;

beforeAll(async () => {
  service = await startTestService();
  ada = await service.makeKey({ organization: 'Acme', subscription: { plan: 'studio' }, user: 'ada@acme.example' });
  bob = await service.makeKey({ organization: 'Acme', user: 'bob@acme.example' });
  eve = await service.makeKey({ organization: 'Evil', subscription: {}, user: 'ada@acme.example' });
  await publish('01-2026', { boots: 50, sandals: 500 });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function publish(period: string, ranks: Readonly<Record<string, number>>): Promise<void> {
  await service.publish(`plain-${period}.csv`, plainReport({ frequency: 'monthly', period }, ranks));
  await untilTold(service.database);
}

function send(method: string, path: string, { key = ada, body, headers = {} }: Sent = {}) {
  return service.request(path, { method, key, headers, ...(body && { body: JSON.stringify(body) }) });
}

interface Sent {
  readonly key?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

async function make(body: object, key = ada): Promise<string> {
  const { status, json } = await send('POST', '/v1/lists', { key, body });
  expect(status).toBe(201);
  return json.data.id;
}

const add = (id: string, items: readonly object[], sent: Sent = {}) =>
  send('POST', `/v1/lists/${id}/items`, { ...sent, body: { items } });
const valuesOf = (json: { data: { value: string }[] }) => json.data.map(({ value }) => value);

describe('lists', () => {
  it('201: are made by one member, and read and changed by every other of the organization', async () => {
    const made = await send('POST', '/v1/lists', { body: { name: ' Boots ', notes: 'winter' } });
    const time = expect.stringMatching(/Z$/);
    expect([made.status, made.json]).toEqual([
      201,
      {
        data: {
          ...{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), created_at: time, updated_at: time },
          ...{ name: 'Boots', notes: 'winter', priority_rule: null, keyword_count: 0, product_count: 0 },
        },
        error: null,
      },
    ]);
    const path = `/v1/lists/${made.json.data.id}`;
    expect((await send('GET', '/v1/lists', { key: bob })).json).toEqual({
      data: [made.json.data],
      pagination: {
        ...{ current_page: 1, page_size: 100, total_count: 1, total_pages: 1, has_next: false, has_previous: false },
      },
      error: null,
    });
    const changed = await send('PATCH', path, { key: bob, body: { name: 'Winter boots', priority_rule: RULE } });
    expect(changed.json.data).toMatchObject({ name: 'Winter boots', notes: 'winter', priority_rule: RULE });
    expect((await send('GET', path)).json.data).toEqual(changed.json.data);
    expect((await send('PATCH', path, { body: { priority_rule: null } })).json.data.priority_rule).toBe(null);
    for (const [method, body] of [['GET'], ['PATCH', { notes: 'x' }], ['DELETE']] as const) {
      expect((await send(method, path, { key: eve, ...(body && { body }) })).status).toBe(404);
    }
    expect((await send('GET', '/v1/lists', { key: eve })).json.data).toEqual([]);
    expect((await send('DELETE', path, { key: bob })).json).toEqual({ data: { id: made.json.data.id }, error: null });
    expect((await send('GET', path)).status).toBe(404);
  });

  it('409: have names that differ in more than case, in one organization', async () => {
    const id = await make({ name: 'Hats' });
    const other = await make({ name: 'Scarves' });
    for (const [method, path] of [
      ['POST', ''],
      ['PATCH', `/${other}`],
    ] as const) {
      const { status, json } = await send(method, `/v1/lists${path}`, { body: { name: 'HATS' } });
      expect([status, json.error.message]).toEqual([409, 'There is a list of this name already.']);
    }
    await send('DELETE', `/v1/lists/${await make({ name: 'hats' }, eve)}`, { key: eve });
    for (const each of [id, other]) await send('DELETE', `/v1/lists/${each}`);
  });

  it('201: are made once for one Idempotency-Key, also when they are gone since', async () => {
    const sent = { body: { name: 'Once' }, headers: { 'idempotency-key': 'once' } };
    const first = await send('POST', '/v1/lists', sent);
    expect((await send('POST', '/v1/lists', sent)).json).toEqual(first.json);
    expect((await send('POST', '/v1/lists', { ...sent, body: { name: 'Twice' } })).status).toBe(409);
    await send('DELETE', `/v1/lists/${first.json.data.id}`);
    expect((await send('POST', '/v1/lists', sent)).json.data).toMatchObject({ id: first.json.data.id, name: 'Once' });
    expect((await send('GET', '/v1/lists')).json.data).toEqual([]);
  });

  it('409: are limited', async () => {
    await service.database.operator.query(
      `INSERT INTO lists (organization_id, name, name_key, notes)
       SELECT o.id, n::text, n::text, '' FROM organizations o, generate_series(1, $1) n WHERE o.name = 'Evil'`,
      [MAX_LISTS],
    );
    const { status, json } = await send('POST', '/v1/lists', { key: eve, body: { name: 'one more' } });
    expect([status, json.error.message]).toEqual([409, expect.stringContaining(`has ${MAX_LISTS} of these`)]);
    const page = (await send('GET', '/v1/lists?limit=2&offset=99', { key: eve })).json;
    expect([page.data.length, page.pagination.total_count, page.pagination.has_next]).toEqual([1, MAX_LISTS, false]);
  });

  it.each([
    [{}, "Field 'name' is missing."],
    [{ name: ' ' }, "Field 'name' is blank."],
    [{ name: 'a'.repeat(101) }, "Field 'name' has 101 characters, and at most 100 are allowed."],
    [{ name: 'a', priority_rule: {} }, "Field 'priority_rule.field' is missing."],
    [{ name: 'a', tags: [] }, "Unknown field 'tags'."],
  ])('400: %j is refused', async (body, message) => {
    const { status, json } = await send('POST', '/v1/lists', { body });
    expect([status, json.error.message]).toEqual([400, message]);
  });
});

describe('items of a list', () => {
  it('201: are added many at once, keywords and products, with snapshots, tags and notes', async () => {
    const id = await make({ name: 'Items' });
    const items = [
      { search_term: 'Boots', tags: ['core', 'CORE', 'winter'], notes: 'ours' },
      { asin: ' b0000000aa ' },
      { search_term: ' boots ' },
      { search_term: 'unheard of' },
    ];
    const first = await add(id, items, { headers: { 'idempotency-key': 'items' } });
    expect([first.status, first.json.created_count, first.json.existing_count]).toEqual([201, 3, 1]);
    expect(valuesOf(first.json)).toEqual(['Boots', 'B0000000AA', 'Boots', 'unheard of']);
    expect(first.json.data[0]).toEqual({
      ...{ id: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String), list_id: id },
      ...{ kind: 'keyword', value: 'Boots', tags: ['core', 'winter'], notes: 'ours', product: null },
      keyword: expect.objectContaining({ latest_rank: 50, history: [{ period: '01-2026', rank: 50 }] }),
    });
    expect(first.json.data[1]).toMatchObject({ kind: 'product', keyword: null, product: { keywords: 0 } });
    const again = await add(id, items, { headers: { 'idempotency-key': 'items' } });
    expect(again.json).toEqual(first.json);
    expect((await add(id, [{ search_term: 'BOOTS' }])).json).toMatchObject({ created_count: 0, existing_count: 1 });
    // The same body under the same key, but for another list.
    const other = await make({ name: 'Other items' });
    const conflict = await add(other, items, { headers: { 'idempotency-key': 'items' } });
    expect(conflict.status).toBe(409);
    await send('DELETE', `/v1/lists/${other}`);
    expect((await send('GET', `/v1/lists/${id}`)).json.data).toMatchObject({ keyword_count: 2, product_count: 1 });
  });

  it('200: are read by pages, kinds and tags, changed and removed by every member, and by no stranger', async () => {
    const { id } = (await send('GET', '/v1/lists')).json.data[0];
    const items = `/v1/lists/${id}/items`;
    const read = async (query: string) => valuesOf((await send('GET', items + query, { key: bob })).json);
    expect(await read('')).toEqual(['Boots', 'B0000000AA', 'unheard of']);
    expect(await read('?kind=product')).toEqual(['B0000000AA']);
    expect(await read('?tag=Core')).toEqual(['Boots']);
    expect(await read('?limit=1&offset=2')).toEqual(['unheard of']);
    const [boots, product] = (await send('GET', items)).json.data;
    const changed = await send('PATCH', `/v1/list-items/${boots.id}`, { key: bob, body: { tags: [] } });
    expect(changed.json.data).toEqual({ ...boots, tags: [], updated_at: expect.any(String) });
    const ids = { ids: [product.id, NOBODYS] };
    expect((await send('PATCH', `/v1/list-items/${boots.id}`, { key: eve, body: { tags: [] } })).status).toBe(404);
    for (const [method, path, body] of [
      ['GET', items, undefined],
      ['POST', items, { items: [{ search_term: 'x' }] }],
      ['POST', `${items}/remove`, ids],
      ['GET', `/v1/lists/${id}/export`, undefined],
    ] as const) {
      expect((await send(method, path, { key: eve, ...(body && { body }) })).status, path).toBe(404);
    }
    const removed = await send('POST', `${items}/remove`, { key: bob, body: ids });
    expect(removed.json).toEqual({ removed_count: 1, error: null });
    expect(await read('')).toEqual(['Boots', 'unheard of']);
    // An item is removed from its own list only.
    const other = await make({ name: 'Another' });
    const elsewhere = await send('POST', `/v1/lists/${other}/items/remove`, { body: { ids: [boots.id] } });
    expect(elsewhere.json.removed_count).toBe(0);
    await send('DELETE', `/v1/lists/${other}`);
  });

  it('200: are tagged at once, all or none, in one list and organization', async () => {
    const id = await make({ name: 'Tagged' });
    const items = `/v1/lists/${id}/items`;
    const { json } = await add(id, [
      { search_term: 'a', tags: ['Core', 'old'] },
      { search_term: 'b', tags: Array.from({ length: MAX_TAGS }, (_, i) => `tag ${i}`) },
      { asin: 'B0000000AA' },
    ]);
    const [a, b, product] = json.data.map((each: { id: string }) => each.id);
    const tag = (body: object, sent: Sent = {}) => send('POST', `${items}/tag`, { ...sent, body });
    const tags = async () => (await send('GET', items)).json.data.map((each: { tags: string[] }) => each.tags);
    const [first, full] = await tags();
    const done = await tag({ ids: [a, product, NOBODYS], add: ['core', 'winter'], remove: ['OLD'] }, { key: bob });
    expect([done.status, done.json]).toEqual([200, { changed_count: 2, error: null }]);
    expect(await tags()).toEqual([['Core', 'winter'], full, ['core', 'winter']]);
    expect((await tag({ ids: [a], add: ['CORE'] })).json.changed_count).toBe(0);
    const tooMany = await tag({ ids: [a, b], add: ['one more'] });
    expect([tooMany.status, tooMany.json.error.message]).toEqual([
      409,
      `This would give 1 of the items more than ${MAX_TAGS} tags.`,
    ]);
    expect((await tags())[0]).toEqual(['Core', 'winter']);
    expect((await tag({ ids: [b], add: ['one more'], remove: ['tag 0'] })).json.changed_count).toBe(1);
    for (const body of [{ ids: [a] }, { ids: [a], add: [], remove: [] }, { ids: [], add: ['x'] }, { add: ['x'] }]) {
      expect((await tag(body)).status).toBe(400);
    }
    // Another list, and another organization.
    const other = await make({ name: 'Not tagged' });
    const elsewhere = await send('POST', `/v1/lists/${other}/items/tag`, { body: { ids: [a], add: ['x'] } });
    expect(elsewhere.json.changed_count).toBe(0);
    expect((await tag({ ids: [a], add: ['x'] }, { key: eve })).status).toBe(404);
    expect(first).toEqual(['Core', 'old']);
    for (const each of [id, other]) await send('DELETE', `/v1/lists/${each}`);
  });

  it('200: are a file, with a column for each month', async () => {
    const { id } = (await send('GET', '/v1/lists')).json.data[0];
    await add(id, [{ search_term: '=1+1', tags: ['a', 'b'] }]);
    const { text, headers } = await send('GET', `/v1/lists/${id}/export?file_format=csv`);
    const [head, first, , last] = text.replace(/^\uFEFF/, '').split('\r\n');
    expect(head).toMatch(/^kind,value,title,tags,notes,latest_period,.*,id,01-2026$/);
    expect(first).toMatch(/^keyword,Boots,,,ours,01-2026,50,.*,50$/);
    expect(last).toMatch(/^keyword,'=1\+1,,"a; b",/);
    expect(headers.get('content-disposition')).toContain('list-items');
  });

  it('409: are limited, and at once too', async () => {
    const id = await make({ name: 'Full' });
    const terms = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ search_term: `term ${from + i}` }));
    const tooMany = await add(id, terms(0, MAX_ITEMS_AT_ONCE + 1));
    expect([tooMany.status, tooMany.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    const half = MAX_LIST_ITEMS / 2;
    const answers = await Promise.all([0, half, 2 * half].map((from) => add(id, terms(from, half))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409]);
    const refused = answers.find(({ status }) => status === 409);
    expect(refused?.json.error.message).toBe(
      `This would make ${3 * half} items, and at most ${MAX_LIST_ITEMS} are allowed in a list.`,
    );
    expect((await send('GET', `/v1/lists/${id}/items?limit=1`)).json.pagination.total_count).toBe(MAX_LIST_ITEMS);
    await send('DELETE', `/v1/lists/${id}`);
  });

  it.each([
    [[{}], "Field 'items[0]' must have either 'search_term' or 'asin'."],
    [[{ search_term: 'a', asin: 'B0' }], "Field 'items[0]' must have either 'search_term' or 'asin'."],
    [[{ search_term: 'a' }, { asin: 'B-0' }], "Field 'items[1].asin' must be 1 to 20 letters and digits."],
    [[{ search_term: 'a', tags: [''] }], "Field 'items[0].tags[0]' is blank."],
    [[], "Field 'items' must be a list of 1 to 1000, but is a list of 0."],
  ])('400: %j is refused', async (items, message) => {
    const { id } = (await send('GET', '/v1/lists')).json.data[0];
    const { status, json } = await add(id, items);
    expect([status, json.error.message]).toEqual([400, message]);
  });
});

describe('tracked keywords', () => {
  it('200: name their lists, and are filtered by one', async () => {
    const { id } = (await send('GET', '/v1/lists')).json.data[0];
    for (const search_term of ['BOOTS', 'sandals'])
      await send('POST', '/v1/tracked-keywords', { body: { search_term } });
    const { data } = (await send('GET', '/v1/tracked-keywords')).json;
    expect(data.map((each: { list_ids: string[] }) => each.list_ids)).toEqual([[id], []]);
    const filtered = (await send('GET', `/v1/tracked-keywords?list=${id}`)).json.data;
    expect(filtered).toEqual([data[0]]);
    expect((await send('GET', `/v1/tracked-keywords?list=${NOBODYS}`)).json.data).toEqual([]);
    expect((await send('GET', '/v1/tracked-keywords?list=x')).status).toBe(400);
  });

  it('alert by the rule of a list, when they have none of their own that is on', async () => {
    const { id } = (await send('GET', '/v1/lists')).json.data[0];
    await send('PATCH', `/v1/lists/${id}`, { body: { priority_rule: RULE } });
    await add(id, [{ search_term: 'sandals' }, { search_term: 'hats' }]);
    // Bob has a rule of his own, which is not met; hats are tracked by nobody, and Eve's list is another organization's.
    const own = { search_term: 'boots', priority_rule: { ...RULE, value: 2 } };
    await send('POST', '/v1/tracked-keywords', { key: bob, body: own });
    await send('POST', '/v1/tracked-keywords', { key: eve, body: { search_term: 'boots' } });
    await publish('02-2026', { boots: 60, sandals: 99, hats: 3 });
    const hits = async (key: string) => {
      const { data } = (await send('GET', '/v1/tracked-keywords/digests', { key })).json;
      return data[0].rows.map((row: { priority_hit: boolean }) => row.priority_hit);
    };
    expect([await hits(ada), await hits(bob), await hits(eve)]).toEqual([[true, true], [false], [false]]);
    expect((await send('GET', '/v1/usage')).json.data.current_month.alerts).toBe(2);
  });
});
