import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_ACTIVE_PRODUCTS, MAX_TRACKED_PRODUCTS } from '../../../src/domain/tracked-product.ts';
import { CURRENT_HEADER, currentFields, fixtureRow, quoted } from '../../ingest/report-fixture.ts';
import { untilTold } from '../../support/publications.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';

const PATH = '/v1/tracked-products';
const ALPHA = 'B0000000AA';
const BETA = 'B0000000BB';

let service: TestService;
let receiver: WebhookReceiver;
let ada: string;
let bob: string;
let eve: string;

beforeAll(async () => {
  receiver = await openWebhookReceiver();
  service = await startTestService({ KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true' });
  ada = await service.makeKey({ organization: 'Acme', subscription: { plan: 'studio' }, user: 'ada@acme.example' });
  bob = await service.makeKey({ organization: 'Acme', user: 'bob@acme.example' });
  eve = await service.makeKey({ organization: 'Evil', subscription: {}, user: 'ada@acme.example' });
}, 180_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

function send(method: string, { path = '', key = ada, body, headers = {} }: Sent = {}) {
  return service.request(PATH + path, { method, key, headers, ...(body && { body: JSON.stringify(body) }) });
}

interface Sent {
  readonly path?: string;
  readonly key?: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A month in which each term has these products, first place first. */
async function publish(
  month: { readonly name: string; readonly number: string },
  terms: Readonly<Record<string, readonly string[]>>,
) {
  const rows = Object.entries(terms).map(([term, asins], i) =>
    fixtureRow(i + 1, {
      term,
      date: `2026-${month.number}-28`,
      products: [0, 1, 2].map((slot) => ({
        asin: asins[slot] ?? '',
        title: asins[slot] ? `Title of ${asins[slot]}` : '',
        click: asins[slot] ? '10.5' : '',
        conversion: asins[slot] ? '1.25' : '',
      })),
    }),
  );
  const line = `Reporting Range=["Monthly"],Select year=["2026"],Select month=["${month.name}"]`;
  const lines = [line, quoted(CURRENT_HEADER), ...rows.map((row) => quoted(currentFields(row)))];
  await service.publish(
    `US_Top_Search_Terms_Simple_Month_2026_${month.number}_28.csv`,
    lines.map((each) => `${each}\n`).join(''),
  );
  await untilTold(service.database);
}

const NOTHING = { period: '', title: '', keywords: 0, previous_keywords: null, entered: 0, left: 0, place: 0 };

describe('tracked products', () => {
  it('201: are added one at a time, in upper case, and are there for their owner alone', async () => {
    const answer = await send('POST', { body: { asin: ` ${ALPHA.toLowerCase()} `, notes: 'ours' } });
    expect([answer.status, answer.json]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          created_at: expect.stringMatching(/Z$/),
          updated_at: expect.stringMatching(/Z$/),
          notes: 'ours',
          is_active: true,
          asin: ALPHA,
          snapshot: NOTHING,
        },
        error: null,
      },
    ]);
    const { id } = answer.json.data;
    expect((await send('GET')).json.data).toEqual([answer.json.data]);
    expect((await send('GET', { path: `/${id}` })).json.data).toEqual(answer.json.data);
    for (const key of [bob, eve]) {
      expect((await send('GET', { key })).json.data).toEqual([]);
      expect((await send('GET', { key, path: `/${id}` })).status).toBe(404);
      expect((await send('PATCH', { key, path: `/${id}`, body: { notes: 'x' } })).status).toBe(404);
      expect((await send('DELETE', { key, path: `/${id}` })).status).toBe(404);
    }
    expect((await send('GET')).json.data).toEqual([answer.json.data]);
  });

  it('409: cannot be added twice, with a hint where to change it', async () => {
    const { id } = (await send('GET')).json.data[0];
    const answer = await send('POST', { body: { asin: ALPHA } });
    expect([answer.status, answer.json.error]).toEqual([
      409,
      {
        code: 'CONFLICT',
        message: 'This product is tracked already.',
        hint: `Change it with PATCH /v1/tracked-products/${id}.`,
        docs: expect.any(String),
      },
    ]);
  });

  it('201: are added many at once; the same key again changes nothing', async () => {
    const body = { products: [{ asin: ALPHA }, { asin: BETA, notes: 'theirs' }, { asin: BETA.toLowerCase() }] };
    const headers = { 'idempotency-key': 'many' };
    const first = await send('POST', { body, headers });
    expect([first.status, first.json.created_count, first.json.existing_count]).toEqual([201, 1, 2]);
    expect(first.json.data.map((each: { asin: string; notes: string }) => [each.asin, each.notes])).toEqual([
      [ALPHA, 'ours'],
      [BETA, 'theirs'],
      [BETA, 'theirs'],
    ]);
    const again = await send('POST', { body, headers });
    expect([again.status, again.json]).toEqual([201, first.json]);
    const other = await send('POST', { body: { asin: 'B0000000CC' }, headers });
    expect([other.status, other.json.error.code]).toEqual([409, 'CONFLICT']);
    expect((await send('GET')).json.data).toHaveLength(2);
  });

  it('200: are paused, resumed and deleted', async () => {
    const { id } = (await send('POST', { key: bob, body: { asin: BETA } })).json.data;
    const paused = await send('PATCH', { key: bob, path: `/${id}`, body: { is_active: false, notes: 'later' } });
    expect(paused.json.data).toMatchObject({ id, is_active: false, notes: 'later' });
    expect((await send('PATCH', { key: bob, path: `/${id}`, body: { is_active: true } })).json.data).toMatchObject({
      is_active: true,
      notes: 'later',
    });
    expect((await send('DELETE', { key: bob, path: `/${id}` })).json).toEqual({ data: { id }, error: null });
    expect((await send('GET', { key: bob, path: `/${id}` })).status).toBe(404);
  });

  it('409: are limited, paused ones too', async () => {
    const asins = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => ({ asin: `C${String(from + i).padStart(9, '0')}` }));
    const add = (products: readonly object[]) => send('POST', { key: eve, body: { products } });
    expect((await add(asins(0, MAX_ACTIVE_PRODUCTS))).status).toBe(201);
    const tooMany = await add(asins(500, 1));
    expect([tooMany.status, tooMany.json.error.message]).toEqual([
      409,
      `This would make ${MAX_ACTIVE_PRODUCTS + 1} active tracked products, and at most ${MAX_ACTIVE_PRODUCTS} are allowed.`,
    ]);
    const pauseAll = () =>
      service.database.operator.query('UPDATE tracked_products SET is_active = false WHERE asin LIKE $1', ['C%']);
    await pauseAll();
    expect((await add(asins(1000, MAX_ACTIVE_PRODUCTS))).status).toBe(201);
    await pauseAll();
    const full = await add(asins(2000, 1));
    expect([full.status, full.json.error.message]).toEqual([
      409,
      expect.stringContaining(`at most ${MAX_TRACKED_PRODUCTS} are allowed`),
    ]);
  });

  it.each([
    {},
    { asin: '' },
    { asin: 'B0-1' },
    { asin: 7 },
    { asin: 'A'.repeat(21) },
    { products: [] },
    { asin: 'A', is_active: true },
  ])('400: %j is refused', async (body) => {
    const answer = await send('POST', { body });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
  });
});

describe('a published month', () => {
  beforeAll(async () => {
    const body = JSON.stringify({ url: `${receiver.url}/hook`, events: ['tracked_product.changed'] });
    for (const key of [ada, bob]) {
      expect((await service.request('/v1/webhooks', { method: 'POST', key, body })).status).toBe(201);
    }
    await publish({ name: 'January', number: '01' }, { boots: [ALPHA, BETA], sandals: [BETA, ALPHA], hats: [ALPHA] });
    await publish(
      { name: 'February', number: '02' },
      { 'Snow Boots': [ALPHA], boots: [BETA, ALPHA], hats: [ALPHA], sandals: [BETA], lamps: ['B0000000ZZ'] },
    );
  }, 180_000);

  it('200: shows in the list how each product stands against the month before', async () => {
    const { data } = (await send('GET')).json;
    expect(data.map((each: { snapshot: object }) => each.snapshot)).toEqual([
      {
        period: '02-2026',
        title: `Title of ${ALPHA}`,
        keywords: 3,
        previous_keywords: 3,
        entered: 1,
        left: 1,
        place: 1,
      },
      {
        period: '02-2026',
        title: `Title of ${BETA}`,
        keywords: 2,
        previous_keywords: 2,
        entered: 0,
        left: 0,
        place: 1,
      },
    ]);
    const january = (await send('GET', { path: '?period=01-2026' })).json.data[0].snapshot;
    expect(january).toEqual({
      ...{ period: '01-2026', title: `Title of ${ALPHA}`, keywords: 3, previous_keywords: null },
      ...{ entered: 0, left: 0, place: 0 },
    });
    const outside = await send('GET', { path: '?period=03-2026' });
    expect([outside.status, outside.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
  });

  it('200: is exported as it is listed, to the owner alone', async () => {
    const { data } = (await send('GET')).json;
    const download = async (query: string, key = ada) => {
      const path = `/export?${query}`;
      let answer = await send('GET', { path, key });
      // A place is given back a moment after the last byte.
      while (answer.status === 429) answer = await send('GET', { path, key });
      return answer;
    };
    const { text } = await download('file_format=ndjson');
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(data);
    const csv = await download('file_format=csv&period=01-2026');
    expect(csv.headers.get('content-disposition')).toContain('"keyrank-tracked-products-monthly-2026-01.csv"');
    expect(csv.text.split('\r\n').map((line) => line.split(',').slice(0, 10).join())).toEqual([
      'asin,title,notes,is_active,period,keywords,previous_keywords,entered,left,place',
      `${ALPHA},Title of ${ALPHA},ours,true,01-2026,3,,0,0,0`,
      `${BETA},Title of ${BETA},theirs,true,01-2026,2,,0,0,0`,
      '',
    ]);
    expect((await download('file_format=ndjson', bob)).text).toBe('');
    const exports = await service.makeKey({ organization: 'Acme', user: 'ada@acme.example', scopes: ['export'] });
    expect((await download('', exports)).status).toBe(403);
  });

  it('makes a digest with what entered, left and stands at another place, for those who track products alone too', async () => {
    const { data } = (await service.request('/v1/tracked-keywords/digests', { key: ada })).json;
    const ids = (await send('GET')).json.data.map(({ id }: { id: string }) => id);
    expect(data.map(({ period, rows }: { period: string; rows: object[] }) => [period, rows])).toEqual([
      ['02-2026', []],
      ['01-2026', []],
    ]);
    expect(data[0].products).toEqual([
      {
        ...{
          tracked_product_id: ids[0],
          asin: ALPHA,
          keywords: 3,
          previous_keywords: 3,
          entered: 1,
          left: 1,
          place: 1,
        },
        rows: [
          { change: 'entered', search_term: 'Snow Boots', rank: 1, place: 1, previous_place: null },
          { change: 'place', search_term: 'boots', rank: 2, place: 2, previous_place: 1 },
          { change: 'left', search_term: 'sandals', rank: 4, place: null, previous_place: 2 },
        ],
      },
      {
        ...{ tracked_product_id: ids[1], asin: BETA, keywords: 2, previous_keywords: 2, entered: 0, left: 0, place: 1 },
        rows: [{ change: 'place', search_term: 'boots', rank: 2, place: 1, previous_place: 2 }],
      },
    ]);
    expect(data[1].products).toMatchObject([
      { entered: 0, rows: [] },
      { entered: 0, rows: [] },
    ]);
    expect((await service.request('/v1/tracked-keywords/digests', { key: bob })).json.data).toEqual([]);
  });

  it('sends tracked_product.changed to the webhooks of its owner, once, also when the month is revised', async () => {
    await receiver.untilReceived(2);
    await publish(
      { name: 'February', number: '02' },
      { 'Snow Boots': [BETA], boots: [BETA, ALPHA], hats: [ALPHA], sandals: [BETA] },
    );
    const messages = receiver.messages.map(({ json }) => json);
    expect(messages.map(({ type, data }) => [type, data.asin, data.period])).toEqual([
      ['tracked_product.changed', ALPHA, '02-2026'],
      ['tracked_product.changed', BETA, '02-2026'],
    ]);
    const [first] = messages;
    expect(first?.data).toEqual({
      tracked_product_id: (await send('GET')).json.data[0].id,
      asin: ALPHA,
      title: `Title of ${ALPHA}`,
      marketplace: 'US',
      type: 'monthly',
      period: '02-2026',
      ...{ keywords: 3, previous_keywords: 3, entered: 1, left: 1, place: 1 },
      rows: expect.arrayContaining([
        { change: 'entered', search_term: 'Snow Boots', rank: 1, place: 1, previous_place: null },
      ]),
    });
    expect((await service.request('/v1/usage', { key: ada })).json.data.current_month.alerts).toBe(0);
  });
});
