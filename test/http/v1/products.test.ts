import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';
import { KNOWN_REPORT } from '../../support/valid-request.ts';

let service: TestService;
let key: string;

const [HEADER = ''] = KNOWN_REPORT.text.split('\n').slice(1);
const MONTHS = [
  { name: 'January', number: '01', day: '31' },
  { name: 'February', number: '02', day: '28' },
  { name: 'March', number: '03', day: '31' },
] as const;

interface Line {
  readonly term: string;
  readonly brands?: readonly string[];
  readonly categories?: readonly string[];
  /** ASIN, title, click share, conversion share. */
  readonly products?: readonly (readonly [string, string, string, string])[];
}

function padded<T>(values: readonly T[] | undefined, blank: T): readonly T[] {
  return [0, 1, 2].map((i) => values?.[i] ?? blank);
}

/** Ranks in the order of the lines. */
async function publish(month: (typeof MONTHS)[number], lines: readonly Line[]): Promise<void> {
  const day = `2026-${month.number}-${month.day}`;
  const rows = lines.map(({ term, brands, categories, products }, i) =>
    [
      i + 1,
      term,
      ...padded(brands, ''),
      ...padded(categories, ''),
      ...padded(products, ['', '', '', '']).flat(),
      day,
    ].join(),
  );
  const first = `Reporting Range=["Monthly"],Select month=["${month.name} 2026"],Country=["US"]`;
  const text = [first, HEADER, ...rows, ''].join('\n');
  await service.publish(`US_Top_Search_Terms_Simple_Month_${day.replaceAll('-', '_')}.csv`, text);
}

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey({ subscription: { plan: 'studio' } });
  const [january, february, march] = MONTHS;
  await publish(january, [
    { term: 'Running Shoes', brands: ['ACME', 'Bolt'], products: [['B0CHX1W1XY', 'Old shoe', '10.5', '2.25']] },
    { term: 'socks', brands: ['Bolt'], products: [['B0CHX1W1XZ', 'A sock', '30', '']] },
  ]);
  await publish(february, [
    {
      term: 'socks',
      products: [
        ['B0CHX1W1XZ', '', '31', '5'],
        ['B0CHX1W1XY', '', '0.05', ''],
      ],
    },
    { term: 'running shoes', categories: ['Shoes'], products: [['B0CHX1W1XY', '', '12.25', '3']] },
  ]);
  await publish(march, [
    {
      term: 'running shoes',
      brands: ['Acme & Söhne', 'acme'],
      categories: ['Shoes'],
      products: [['B0CHX1W1XY', 'New shoe', '20', '']],
    },
    {
      term: 'trail shoes',
      brands: ['acme'],
      products: [
        ['B0CHX1W1XZ', 'A sock', '', ''],
        ['B0CHX1W1XY', '', '5.5', '1'],
      ],
    },
    { term: 'socks', products: [['B0CHX1W1XZ', 'A sock', '33', '']] },
  ]);
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function get(path: string) {
  return await service.request(path, { key });
}

/** A place is given back a moment after the last byte. */
async function exported(path: string) {
  let answer = await get(path);
  while (answer.status === 429) answer = await get(path);
  return answer;
}

const dates = (month: string, day: string) => ({
  period: `${month}-2026`,
  start_date: `2026-${month}-01`,
  end_date: `2026-${month}-${day}`,
});
const [JANUARY, FEBRUARY, MARCH] = [dates('01', '31'), dates('02', '28'), dates('03', '31')];

describe('GET /v1/search/keyword/history', () => {
  it('200: gives every visible period, with the newest titles and sums of known shares', async () => {
    const { json } = await get('/v1/search/keyword/history?term=SOCKS');
    const [sock, shoe] = [
      { asin: 'B0CHX1W1XZ', title: 'A sock' },
      { asin: 'B0CHX1W1XY', title: 'New shoe' },
    ];
    expect(json).toEqual({
      data: [
        {
          ...{ ...JANUARY, rank: 2, brands: ['Bolt'], click_concentration: 30, conversion_concentration: null },
          products: [{ ...sock, click_share: 30, conversion_share: null }],
        },
        {
          ...{ ...FEBRUARY, rank: 1, brands: [], click_concentration: 31.05, conversion_concentration: 5 },
          products: [
            { ...sock, click_share: 31, conversion_share: 5 },
            { ...shoe, click_share: 0.05, conversion_share: null },
          ],
        },
        {
          ...{ ...MARCH, rank: 3, brands: [], click_concentration: 33, conversion_concentration: null },
          products: [{ ...sock, click_share: 33, conversion_share: null }],
        },
      ],
      error: null,
    });
  });

  it('200: shows nothing for a term without data, and nothing at all where nothing is published', async () => {
    const nothing = { rank: null, products: [], brands: [], click_concentration: null, conversion_concentration: null };
    const { json } = await get('/v1/search/keyword/history?term=unheard');
    expect(json.data).toEqual([JANUARY, FEBRUARY, MARCH].map((period) => ({ ...period, ...nothing })));
    expect((await get('/v1/search/keyword/history?term=socks&type=weekly')).json.data).toEqual([]);
  });

  it('200: as a file has a row for each keyword and period, and products in columns', async () => {
    const path = '/v1/search/keyword/history/export?term=SOCKS&term=unheard';
    const { json, text } = await exported(`${path}&file_format=csv`);
    expect(json).toBeUndefined();
    const [head, ...rows] = text.split('\r\n').filter((line) => line !== '');
    expect(head).toMatch(
      /^search_term,period,start_date,end_date,rank,product_1_asin,product_1_title,product_1_click_share,/,
    );
    expect(rows).toEqual([
      'SOCKS,01-2026,2026-01-01,2026-01-31,2,B0CHX1W1XZ,A sock,30,,,,,,,,,,Bolt,30,,',
      'SOCKS,02-2026,2026-02-01,2026-02-28,1,B0CHX1W1XZ,A sock,31,5,B0CHX1W1XY,New shoe,0.05,,,,,,,31.05,5,',
      'SOCKS,03-2026,2026-03-01,2026-03-31,3,B0CHX1W1XZ,A sock,33,,,,,,,,,,,33,,',
      'unheard,01-2026,2026-01-01,2026-01-31,,,,,,,,,,,,,,,,,',
      'unheard,02-2026,2026-02-01,2026-02-28,,,,,,,,,,,,,,,,,',
      'unheard,03-2026,2026-03-01,2026-03-31,,,,,,,,,,,,,,,,,',
    ]);
    const lines = (await exported(`${path}&file_format=ndjson`)).text.split('\n').filter((line) => line !== '');
    const list = (await get('/v1/search/keyword/history?term=socks')).json.data;
    expect(lines.slice(0, 3).map((line) => JSON.parse(line))).toEqual(
      list.map((each: object) => ({ search_term: 'SOCKS', ...each, notes: [] })),
    );
    const six = await get(`${path}&${'term=x&'.repeat(4)}`);
    expect([six.status, six.json.error.message]).toEqual([400, expect.stringContaining('at most 5')]);
  });

  it('200: as a file tells the notes of each period, to keys that may read them', async () => {
    const reader = await service.makeKey({ organization: 'Noting', subscription: { plan: 'studio' } });
    for (const [date, note, search_term] of [
      ['2026-02-28', 'a sale', null],
      ['2026-02-01', 'a price', 'Socks'],
      ['2026-03-01', '=1+1', 'socks'],
      ['2026-03-01', 'of another', 'shoes'],
    ]) {
      const body = JSON.stringify({ date, note, search_term });
      expect((await service.request('/v1/chart-notes', { method: 'POST', key: reader, body })).status).toBe(201);
    }
    const notesIn = async (asked: string) => {
      const path = '/v1/search/keyword/history/export?term=SOCKS&term=unheard&file_format=csv';
      const { text } = await service.request(path, { key: asked });
      const lines = text.split('\r\n').filter((line) => line !== '');
      return lines.map((line) => line.split(',').at(-1));
    };
    expect(await notesIn(reader)).toEqual(['notes', '', '"a price; a sale"', "'=1+1", '', 'a sale', '']);
    const narrow = await service.makeKey({ organization: 'Noting', user: 'export@noting.example', scopes: ['export'] });
    expect(await notesIn(narrow)).toEqual(['notes', '', '', '', '', '', '']);
  });

  it('counts as a search and stands in the history', async () => {
    const own = await service.makeKey();
    await service.request('/v1/search/keyword/history?term=socks', { key: own });
    const entry = { endpoint: '/v1/search/keyword/history', parameters: { term: 'socks', type: 'monthly' } };
    await expect
      .poll(async () => (await service.request('/v1/search/history', { key: own })).json.data)
      .toMatchObject([{ ...entry, result_count: 1 }]);
  });
});

describe('GET /v1/products/{asin}', () => {
  it('200: sums up the product by period, whatever the case of its id', async () => {
    const { json } = await get('/v1/products/b0chx1w1xy');
    expect(json).toEqual({
      data: {
        asin: 'B0CHX1W1XY',
        title: 'New shoe',
        brands: [
          { name: 'acme', keywords: 2 },
          { name: 'Acme & Söhne', keywords: 1 },
        ],
        categories: [{ name: 'Shoes', keywords: 1 }],
        first_period: '01-2026',
        last_period: '03-2026',
        entered: 1,
        left: 1,
        periods: [
          {
            ...{ ...JANUARY, keywords: 1, place_1: 1, place_2: 0, place_3: 0 },
            ...{ click_share_sum: 10.5, click_share_mean: 10.5 },
            best_keyword: { search_term: 'running shoes', search_rank: 1, place: 1 },
          },
          {
            ...{ ...FEBRUARY, keywords: 2, place_1: 1, place_2: 1, place_3: 0 },
            ...{ click_share_sum: 12.3, click_share_mean: 6.15 },
            best_keyword: { search_term: 'socks', search_rank: 1, place: 2 },
          },
          {
            ...{ ...MARCH, keywords: 2, place_1: 1, place_2: 1, place_3: 0 },
            ...{ click_share_sum: 25.5, click_share_mean: 12.75 },
            best_keyword: { search_term: 'running shoes', search_rank: 1, place: 1 },
          },
        ],
      },
      error: null,
    });
  });

  it('404: says so when no visible report names it, and counts as a search', async () => {
    const before = (await get('/v1/usage')).json.data.rate_limit.remaining;
    const { status, json, headers } = await get('/v1/products/B000000000');
    expect([status, json]).toEqual([
      404,
      {
        data: null,
        error: {
          code: 'NOT_FOUND',
          message: 'The product B000000000 stands in no report that your plan can see.',
          hint: expect.stringContaining('/v1/search/keywords'),
          docs: '/docs/errors#NOT_FOUND',
        },
      },
    ]);
    expect(Number(headers.get('ratelimit-remaining'))).toBe(before - 1);
    expect((await get('/v1/products/B0CHX1W1XY?type=weekly')).status).toBe(404);
    expect((await get('/v1/products/B000000000/keywords')).status).toBe(404);
  });

  it.each(['B0-1', '%C3%A9', 'B'.repeat(21), '%20B0CHX1W1XY'])('400: %s is no product', async (asin) => {
    const { status, json } = await get(`/v1/products/${asin}`);
    expect([status, json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(json.error.message).toContain("'asin' must be 1 to 20 letters and digits");
  });
});

describe('GET /v1/products/{asin}/keywords', () => {
  it('200: lists what it holds, with the period before and since when', async () => {
    const { json } = await get('/v1/products/B0CHX1W1XY/keywords?status=all');
    expect(json).toEqual({
      data: [
        {
          ...{ search_term: 'running shoes', search_rank: 1, previous_search_rank: 2, place: 1, previous_place: 1 },
          ...{ click_share: 20, conversion_share: null, previous_click_share: 12.25, previous_conversion_share: 3 },
          ...{ share_change: 7.75, since: '01-2026' },
        },
        {
          ...{ search_term: 'trail shoes', search_rank: 2, previous_search_rank: null, place: 2, previous_place: null },
          ...{ click_share: 5.5, conversion_share: 1, previous_click_share: null, previous_conversion_share: null },
          ...{ share_change: null, since: '03-2026' },
        },
        {
          ...{ search_term: 'socks', search_rank: 3, previous_search_rank: 1, place: null, previous_place: 2 },
          ...{ click_share: null, conversion_share: null, previous_click_share: 0.05, previous_conversion_share: null },
          ...{ share_change: null, since: '02-2026' },
        },
      ],
      periods: { previous: '02-2026', current: '03-2026' },
      pagination: {
        ...{ current_page: 1, page_size: 50, total_count: 3, total_pages: 1, has_next: false, has_previous: false },
      },
      error: null,
    });
  });

  const terms = async (query: string) => {
    const { json } = await get(`/v1/products/B0CHX1W1XY/keywords?${query}`);
    return json.data.map(({ search_term }: { search_term: string }) => search_term);
  };

  it('200: filters by status, period and words, orders and pages', async () => {
    expect(await terms('')).toEqual(['running shoes', 'trail shoes']);
    expect(await terms('status=entered')).toEqual(['trail shoes']);
    expect(await terms('status=left')).toEqual(['socks']);
    expect(await terms('period=1-2026')).toEqual(['running shoes']);
    expect(await terms('query=trails')).toEqual(['trail shoes']);
    expect(await terms('order_by=click_share&order_direction=ASC')).toEqual(['trail shoes', 'running shoes']);
    expect(await terms('limit=1&page=2')).toEqual(['trail shoes']);
    const { json } = await get('/v1/products/B0CHX1W1XY/keywords?limit=1&page=9');
    expect([json.data, json.pagination.total_count]).toEqual([[], 2]);
  });

  it.each([
    ['status=lost', 'status'],
    ['order_by=latest_rank', 'order_by'],
    ['limit=1001', 'limit'],
    ['limit=0', 'limit'],
    ['page=0', 'page'],
    ['period=13-2026', 'period'],
    ['period=12-2025', 'period'],
    ['period=now', 'period'],
    ['query=%20', 'query'],
  ])('400: %s is refused, and free', async (query, name) => {
    const before = (await get('/v1/usage')).json.data.rate_limit.remaining;
    const { status, json } = await get(`/v1/products/B0CHX1W1XY/keywords?${query}`);
    expect([status, json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(json.error.message).toContain(`'${name}'`);
    expect((await get('/v1/usage')).json.data.rate_limit.remaining).toBe(before);
  });
});

describe('GET /v1/products/compare', () => {
  it('200: puts products side by side, also ones that no report names', async () => {
    const { json } = await get('/v1/products/compare?asin=b0chx1w1xy&asin=B0CHX1W1XZ&asin=B000000000&mode=any');
    const standing = (place: number | null, click_share: number | null, conversion_share: number | null = null) => {
      return { place, click_share, conversion_share };
    };
    const row = (search_term: string, search_rank: number, ...standings: ReturnType<typeof standing>[]) => ({
      search_term,
      search_rank,
      products: ['B0CHX1W1XY', 'B0CHX1W1XZ', 'B000000000'].map((asin, i) => ({ asin, ...standings[i] })),
    });
    expect(json).toMatchObject({
      data: [
        row('running shoes', 1, standing(1, 20), standing(null, null), standing(null, null)),
        row('trail shoes', 2, standing(2, 5.5, 1), standing(1, null), standing(null, null)),
        row('socks', 3, standing(null, null), standing(1, 33), standing(null, null)),
      ],
      products: [
        { asin: 'B0CHX1W1XY', title: 'New shoe', keywords: 2 },
        { asin: 'B0CHX1W1XZ', title: 'A sock', keywords: 2 },
        { asin: 'B000000000', title: '', keywords: 0 },
      ],
      period: '03-2026',
      pagination: { total_count: 3 },
    });
    const termsOf = async (mode: string) => {
      const answer = await get(`/v1/products/compare?asin=B0CHX1W1XY&asin=B0CHX1W1XZ&mode=${mode}`);
      return answer.json.data.map(({ search_term }: { search_term: string }) => search_term);
    };
    expect(await termsOf('shared')).toEqual(['trail shoes']);
    expect(await termsOf('gap')).toEqual(['socks']);
  });

  it('400: takes two to ten products', async () => {
    const ask = async (count: number) => {
      const asins = Array.from({ length: count }, (_, i) => `asin=B00000000${i % 10}`);
      return (await get(`/v1/products/compare?${asins.join('&')}`)).json.error?.message ?? null;
    };
    expect(await ask(0)).toBe("Parameter 'asin' is missing.");
    expect(await ask(1)).toBe("Parameter 'asin' has 1 value, and at least 2 are needed.");
    expect(await ask(2)).toBeNull();
    expect(await ask(10)).toBeNull();
    expect(await ask(11)).toBe("Parameter 'asin' has 11 values, and at most 10 are allowed.");
    for (const same of ['B0CHX1W1XY', 'b0chx1w1xy']) {
      const { status, json } = await get(`/v1/products/compare?asin=B0CHX1W1XY&asin=${same}`);
      expect([status, json.error.message]).toEqual([
        400,
        "Parameter 'asin' names 1 product, and at least 2 are needed.",
      ]);
    }
  });
});

describe('GET /v1/brands/{name}', () => {
  it('200: sums up the brand in whatever case it is written, without shares', async () => {
    const { json } = await get('/v1/brands/aCmE');
    const period = (at: object, keywords: number, places: readonly number[], best_keyword: object | null) => ({
      ...{ ...at, keywords, place_1: places[0], place_2: places[1], place_3: places[2], best_keyword },
    });
    expect(json).toEqual({
      data: {
        name: 'acme',
        brands: [{ name: 'Acme & Söhne', keywords: 1 }],
        categories: [{ name: 'Shoes', keywords: 1 }],
        first_period: '01-2026',
        last_period: '03-2026',
        entered: 2,
        left: 0,
        periods: [
          period(JANUARY, 1, [1, 0, 0], { search_term: 'running shoes', search_rank: 1, place: 1 }),
          period(FEBRUARY, 0, [0, 0, 0], null),
          period(MARCH, 2, [1, 1, 0], { search_term: 'running shoes', search_rank: 1, place: 2 }),
        ],
      },
      error: null,
    });
  });

  it('200: reads any name from the path', async () => {
    const name = encodeURIComponent('acme & söhne');
    expect((await get(`/v1/brands/${name}`)).json.data.name).toBe('Acme & Söhne');
    expect((await get(`/v1/brands/${name}/keywords`)).json.data).toEqual([
      {
        ...{ search_term: 'running shoes', search_rank: 1, place: 1, previous_search_rank: 2, previous_place: null },
        since: '03-2026',
      },
    ]);
  });

  it('404: says so when no visible report names it, however long or strange', async () => {
    for (const name of ['a%2Fb', '%F0%9F%98%80'.repeat(256), '..%2f..', 'x'.repeat(256)]) {
      const { status, json } = await get(`/v1/brands/${name}`);
      expect([status, json.error.message], name).toEqual([
        404,
        'This brand stands in no report that your plan can see.',
      ]);
    }
  });

  it('400: a blank name, NUL, and one that is too long are refused', async () => {
    for (const name of ['%20', '%00', 'x'.repeat(257), '%E2%80%8B']) {
      const { status, json } = await get(`/v1/brands/${name}/keywords`);
      expect([status, json.error.code], name).toEqual([400, 'INVALID_PARAMETERS']);
    }
    expect((await get('/v1/brands/acme/keywords?order_by=click_share')).status).toBe(400);
  });
});

/** A place is given back a moment after the last byte. */
async function download(path: string) {
  let answer = await get(path);
  while (answer.status === 429) answer = await get(path);
  return answer;
}

describe.each([
  ['/v1/products/B0CHX1W1XY/keywords', 'status=all'],
  ['/v1/products/b0chx1w1xy/keywords', 'period=02-2026&order_by=click_share'],
  ['/v1/brands/acme/keywords', 'order_by=since&order_direction=desc'],
  ['/v1/products/compare', 'asin=B0CHX1W1XY&asin=B0CHX1W1XZ&mode=any'],
])('GET %s/export?%s', (path, query) => {
  it('200: has the elements of the list, in its order, and spends no search', async () => {
    const { data } = (await get(`${path}?${query}`)).json;
    expect(data.length).toBeGreaterThan(0);
    const before = (await get('/v1/usage')).json;
    const lines = async (limit: string) => {
      const { text } = await download(`${path}/export?${query}&file_format=ndjson${limit}`);
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    };
    expect(await lines('')).toEqual(data);
    expect(await lines('&limit=1')).toEqual(data.slice(0, 1));
    expect((await get('/v1/usage')).json.data.rate_limit).toEqual(before.data.rate_limit);
  });
});

it('200: files of products have the names of the API, and a comparison three columns for each product', async () => {
  const held = await download('/v1/products/B0CHX1W1XY/keywords/export?file_format=csv&status=all');
  expect(held.text.split('\r\n')).toEqual([
    'search_term,search_rank,place,previous_search_rank,previous_place,since,click_share,conversion_share,previous_click_share,previous_conversion_share,share_change',
    'running shoes,1,1,2,1,01-2026,20,,12.25,3,7.75',
    'trail shoes,2,2,,,03-2026,5.5,1,,,',
    'socks,3,,1,2,02-2026,,,0.05,,',
    '',
  ]);
  expect(held.headers.get('content-disposition')).toBe('attachment; filename="keyrank-b0chx1w1xy-monthly-2026-03.csv"');
  const compared = await download(
    '/v1/products/compare/export?asin=B0CHX1W1XZ&asin=B0CHX1W1XY&mode=gap&file_format=csv',
  );
  expect(compared.text.split('\r\n')).toEqual([
    'search_term,search_rank,B0CHX1W1XZ_place,B0CHX1W1XZ_click_share,B0CHX1W1XZ_conversion_share,B0CHX1W1XY_place,B0CHX1W1XY_click_share,B0CHX1W1XY_conversion_share',
    'running shoes,1,,,,1,20,',
    '',
  ]);
  for (const format of ['xlsx', 'parquet']) {
    const answer = await download(`/v1/products/B0CHX1W1XY/keywords/export?file_format=${format}`);
    expect(answer.text.slice(0, 2)).toBe(format === 'xlsx' ? 'PK' : 'PA');
  }
});

it('200: a product and a brand over time are files with a row for each visible period', async () => {
  for (const path of ['/v1/products/b0chx1w1xy', '/v1/brands/acme']) {
    const { periods } = (await get(path)).json.data;
    const { text } = await download(`${path}/export?file_format=ndjson`);
    const lines = text.split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line))).toEqual(periods);
  }
  const before = (await get('/v1/usage')).json.data.rate_limit;
  const { text, headers } = await download('/v1/products/B0CHX1W1XY/export?file_format=csv&limit=1');
  expect(text.split('\r\n')).toEqual([
    'period,start_date,end_date,keywords,place_1,place_2,place_3,best_keyword,best_keyword_search_rank,best_keyword_place,click_share_sum,click_share_mean',
    '01-2026,2026-01-01,2026-01-31,1,1,0,0,running shoes,1,1,10.5,10.5',
    '',
  ]);
  expect(headers.get('content-disposition')).toBe(
    'attachment; filename="keyrank-b0chx1w1xy-over-time-monthly-2026-03.csv"',
  );
  expect((await download('/v1/brands/acme/export')).text.slice(0, 2)).toBe('PK');
  expect((await get('/v1/usage')).json.data.rate_limit).toEqual(before);
});

it('404, 400, 403: a file of products is refused as its list is, and needs the scope of exports', async () => {
  expect((await get('/v1/products/B000000000/export')).status).toBe(404);
  expect((await get('/v1/brands/nobody/export')).status).toBe(404);
  expect((await get('/v1/products/B0CHX1W1XY/export?status=all')).status).toBe(400);
  expect((await get('/v1/products/B000000000/keywords/export')).status).toBe(404);
  expect((await get('/v1/brands/nobody/keywords/export')).status).toBe(404);
  expect((await get('/v1/products/compare/export?asin=B0CHX1W1XY')).status).toBe(400);
  expect((await get('/v1/products/B0CHX1W1XY/keywords/export?page=2')).status).toBe(400);
  const searcher = await service.makeKey({ subscription: { plan: 'studio' }, scopes: ['search'] });
  const refused = await service.request('/v1/products/B0CHX1W1XY/keywords/export', { key: searcher });
  expect(refused.status).toBe(403);
});
