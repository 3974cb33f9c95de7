import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let key: string;

const HEADER = [
  'Search Frequency Rank',
  'Search Term',
  ...[1, 2, 3].map((n) => `Top Clicked Brand #${n}`),
  ...[1, 2, 3].map((n) => `Top Clicked Category #${n}`),
  ...[1, 2, 3].flatMap((n) =>
    ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map((name) => `Top Clicked Product #${n}: ${name}`),
  ),
  'Reporting Date',
];

type Product = readonly [asin: string, clickShare: string, conversionShare: string];

/** A monthly report; each row is a term and its products, in the order of rank. */
function report(lastDay: string, rows: readonly (readonly [string, ...Product[]])[]): string {
  const lines = rows.map(([term, ...products], n) => {
    const cells = [0, 1, 2].flatMap((place) => {
      const [asin, click, conversion] = products[place] ?? ['', '', ''];
      return [asin, asin && `Title of ${asin}`, click, conversion];
    });
    return [n + 1, term, 'Acme', '', '', 'Toys', '', '', ...cells, lastDay];
  });
  const month = `Reporting Range=["Monthly"],Select month=["${lastDay.slice(0, 7)}"]`;
  return [month, ...[HEADER, ...lines].map((cells) => cells.map((cell) => `"${cell}"`).join(','))].join('\n');
}

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey({ subscription: { plan: 'studio' } });
  await service.publish(
    'US_Top_Search_Terms_Simple_Month_2026_01_31.csv',
    report('2026-01-31', [
      ['once sold', ['B000000001', '9', '9']],
      ['red shoe', ['B000000009', '1', '1']],
    ]),
  );
  await service.publish(
    'US_Top_Search_Terms_Simple_Month_2026_02_28.csv',
    report('2026-02-28', [
      ['blue shoe', ['B000000002', '30', '5'], ['B000000001', '10', '']],
      ['red shoe', ['B000000001', '20.5', '7.25']],
      ['green shoe', ['B000000003', '40', '1']],
    ]),
  );
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function search(query: string) {
  return await service.request(`/v1/search/asin?${query}`, { key });
}

async function terms(query: string): Promise<string[]> {
  const answer = await search(query);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.map((result: { search_term: string }) => result.search_term);
}

describe('200', () => {
  it('gives keywords in whose latest products the ASIN stands, in the whole shape of a search result', async () => {
    const answer = await search('asin=B000000001&limit=1');
    expect(answer.json).toEqual({
      data: [
        {
          search_term: 'blue shoe',
          normalized_search_term: 'blue shoe',
          data: { '02-2026': 1 },
          summary: {
            total_periods: 1,
            best_rank: 1,
            worst_rank: 1,
            avg_rank: 1,
            latest_rank: 1,
            latest_period: '02-2026',
          },
          latest_data: {
            brands: ['Acme'],
            products: [
              { asin: 'B000000002', title: 'Title of B000000002', click_share: 30, conversion_share: 5 },
              { asin: 'B000000001', title: 'Title of B000000001', click_share: 10, conversion_share: 0 },
            ],
            categories: ['Toys'],
          },
        },
      ],
      pagination: {
        current_page: 1,
        page_size: 1,
        total_count: 3,
        total_pages: 3,
        has_next: true,
        has_previous: false,
      },
      error: null,
    });
    expect(answer.headers.get('ratelimit-limit')).toBe('500');
  });

  it('finds nothing by a product that only an older period had, and nothing by one that nobody had', async () => {
    expect(await terms('asin=B000000009')).toEqual([]);
    expect(await terms('asin=B999999999')).toEqual([]);
  });

  it('takes ASINs in any case and several of them, each keyword once', async () => {
    expect(await terms('asin=b000000001&asin=B000000002&asin=B000000003&order_by=latest_rank')).toEqual([
      'blue shoe',
      'once sold',
      'red shoe',
      'green shoe',
    ]);
  });

  it('orders by the share of the ASIN that was asked for, unknown shares last in both directions', async () => {
    expect(await terms('asin=B000000001&order_by=click_share')).toEqual(['red shoe', 'blue shoe', 'once sold']);
    expect(await terms('asin=B000000001&order_by=conversion_share')).toEqual(['once sold', 'red shoe', 'blue shoe']);
    expect(await terms('asin=B000000001&order_by=conversion_share&order_direction=asc')).toEqual([
      'red shoe',
      'once sold',
      'blue shoe',
    ]);
  });

  it('orders by a period, and leaves out what the newest period does not rank', async () => {
    expect(await terms('asin=B000000001&order_by=1-2026')).toEqual(['once sold', 'red shoe', 'blue shoe']);
    expect(await terms('asin=B000000001&order_by=latest_rank&exclude_nulls=true')).toEqual(['blue shoe', 'red shoe']);
  });

  it('takes fifty ASINs, and a page past the end is empty with true totals', async () => {
    const fifty = Array.from({ length: 49 }, (_, n) => `asin=B0000001${String(n).padStart(2, '0')}`).join('&');
    const answer = await search(`asin=B000000003&${fifty}&page=9999999999&limit=1000`);
    expect([answer.status, answer.json.data, answer.json.pagination.total_count]).toEqual([200, [], 1]);
  });

  it('counts against the same hour as keyword search, on its own meter', async () => {
    const first = Number((await search('asin=B000000001')).headers.get('ratelimit-remaining'));
    const keywords = await service.request('/v1/search/keywords?query=shoe', { key });
    expect(Number(keywords.headers.get('ratelimit-remaining'))).toBe(first - 1);
  });
});

describe('400', () => {
  const tooMany = Array.from({ length: 51 }, (_, n) => `asin=B0000001${String(n).padStart(2, '0')}`).join('&');
  it.each([
    ...['', 'asin=', 'asin=B-00000001', `asin=${'1'.repeat(21)}`, 'asin=B00000000%27', 'asin=B0000%E2%80%8B0001'],
    ...['asin=😀', 'asin=שלום', "asin=' OR 1=1;--", 'asin=B000000001&asin=x_', `asin=${'B'.repeat(257)}`, tooMany],
    ...['query=shoe', 'asins=B000000001', 'asin=B000000001&order_by=best_match', 'asin=B000000001&order_by=03-2026'],
    ...['asin=B000000001&page=0', 'asin=B000000001&limit=1001', 'asin=B000000001&marketplace=de'],
  ])('%.60s is refused for free and says why', async (query) => {
    const before = (await service.request('/v1/usage', { key })).text;
    const answer = await search(encodeURI(query).replaceAll('%25', '%'));
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json).toEqual({
      data: null,
      error: {
        code: 'INVALID_PARAMETERS',
        message: expect.any(String),
        hint: expect.any(String),
        docs: expect.stringContaining('/docs/errors#'),
      },
    });
    expect(answer.headers.get('ratelimit-remaining')).not.toBeNull();
    expect((await service.request('/v1/usage', { key })).text).toBe(before);
  });
});
