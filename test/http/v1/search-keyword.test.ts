import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let studio: string;
let pro: string;

const AMAZON_HEADER = [
  'Search Frequency Rank,Search Term',
  ...[1, 2, 3].map((n) => `Top Clicked Brand #${n}`),
  ...[1, 2, 3].map((n) => `Top Clicked Category #${n}`),
  ...[1, 2, 3].flatMap((n) =>
    ['ASIN', 'Product Title', 'Click Share', 'Conversion Share'].map((name) => `Top Clicked Product #${n}: ${name}`),
  ),
  'Reporting Date',
].join(',');

/** A report line with one product. */
function line(rank: number, term: string, asin: string): string {
  return `${rank},${term},Acme,,,Shoes,,,${asin},A shoe,10.5,2.25,,,,,,,,,2026-02-28`;
}

beforeAll(async () => {
  service = await startTestService();
  studio = await service.makeKey({ subscription: { plan: 'studio' } });
  pro = await service.makeKey({ subscription: { plan: 'pro' } });
  const months = Array.from({ length: 25 }, (_, index) => {
    const month = `${String(1 + (index % 12)).padStart(2, '0')}-${2024 + Math.floor(index / 12)}`;
    return `monthly,${month},Running Shoes,${index + 1}`;
  });
  const header = 'period_type,period,search_term,rank';
  await service.publish('ranks.csv', `${header}\n${months.join('\n')}\nweekly,05-2026,running shoes,4\n`);
  const report = [
    'Reporting Range=["Monthly"],Select month=["February 2026"],Country=["US"]',
    AMAZON_HEADER,
    line(1, 'Running Shoes', 'B0CHX1W1XY'),
    line(2, 'sneakers', 'B0CHX1W1XY'),
    line(3, 'trail running shoes', 'B0CHX1W1XZ'),
  ];
  await service.publish('US_Top_Search_Terms_Simple_Month_2026_02_28.csv', `${report.join('\n')}\n`);
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function keyword(term: string, key = studio) {
  return await service.request(`/v1/search/keyword?term=${encodeURIComponent(term)}`, { key });
}

describe('GET /v1/search/keyword', () => {
  it('200: gives both frequencies as a search gives them, and related keywords', async () => {
    const { json } = await keyword('RUNNING  shoes');
    const search = async (query: string) =>
      (await service.request(`/v1/search/keywords?${query}`, { key: studio })).json.data;
    const [monthly] = await search('query=running+shoes&method=exact');
    const [weekly] = await search('query=running+shoes&method=exact&type=weekly');
    const containing = await search('query=trail+running+shoes&method=exact');
    const sharing = await search('query=sneakers&method=exact');
    expect(monthly.summary.total_periods).toBe(26);
    expect(weekly.data).toEqual({ '05-2026': 4 });
    expect(json).toEqual({
      data: {
        search_term: 'Running Shoes',
        normalized_search_term: 'running shoes',
        monthly,
        weekly,
        related: { containing, sharing_products: sharing },
      },
      error: null,
    });
  });

  it('200: keeps to the window of the plan', async () => {
    const { data } = (await keyword('running shoes', pro)).json;
    expect(Object.keys(data.monthly.data)).toHaveLength(24);
    expect(data.monthly.summary.best_rank).toBe(1);
    expect(data.monthly.data['02-2024']).toBeUndefined();
  });

  it('200: says null for a term without data', async () => {
    expect((await keyword('No Such Term')).json).toEqual({
      data: {
        search_term: 'No Such Term',
        normalized_search_term: 'no such term',
        monthly: null,
        weekly: null,
        related: { containing: [], sharing_products: [] },
      },
      error: null,
    });
  });

  it('200: costs one search and stands in the history', async () => {
    const key = await service.makeKey();
    const answer = await keyword('running shoes', key);
    expect(answer.headers.get('ratelimit-remaining')).toBe('99');
    await expect
      .poll(async () => (await service.request('/v1/search/history', { key })).json.data)
      .toMatchObject([{ endpoint: '/v1/search/keyword', parameters: { term: 'running shoes' }, result_count: 1 }]);
    const { data } = (await service.request('/v1/usage', { key })).json;
    expect([data.current_month.search, data.rate_limit.used]).toEqual([1, 1]);
  });

  it('429: is refused once the hour is used up, by searches of either kind', async () => {
    const key = await service.makeKey();
    for (let i = 0; i < 50; i += 1) {
      await keyword('running shoes', key);
      await service.request('/v1/search/keywords?query=a', { key });
    }
    const answer = await keyword('running shoes', key);
    expect([answer.status, answer.json.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
  });
});
