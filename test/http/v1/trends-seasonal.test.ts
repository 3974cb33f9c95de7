import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let pro: string;
let studio: string;

/** 36 months from 01-2023 to 12-2025. */
const MONTHS = Array.from({ length: 36 }, (_, index) => ({
  key: `${String(1 + (index % 12)).padStart(2, '0')}-${2023 + Math.floor(index / 12)}`,
  month: 1 + (index % 12),
  index,
}));
const HEADER = 'period_type,period,search_term,rank\n';
const EMPTY_PAGE = {
  ...{ current_page: 1, page_size: 50, total_count: 0, total_pages: 0 },
  ...{ has_next: false, has_previous: false },
};

beforeAll(async () => {
  service = await startTestService();
  pro = await service.makeKey({ subscription: { plan: 'pro' } });
  studio = await service.makeKey({ subscription: { plan: 'studio' } });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function list(query = '', key = pro) {
  const answer = await service.request(`/v1/trends/seasonal?${query}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function queries(query: string, key = pro): Promise<string[]> {
  return (await list(query, key)).data.map((element: { query: string }) => element.query);
}

it('200: GET /v1/trends/seasonal is empty and names no periods while nothing is published', async () => {
  const periods = { oldest: '', current: '' };
  expect(await list()).toEqual({ data: [], periods, pagination: EMPTY_PAGE, error: null });
});

describe('GET /v1/trends/seasonal', () => {
  beforeAll(async () => {
    const ranks = ({ month, index }: (typeof MONTHS)[number]): [string, number][] => [
      ['Snow Boots', month === 1 ? 40 : 400],
      ['snow shovel', month === 2 ? 100 : 300],
      ['sun hat', month === 7 ? 50 : 1000],
      // In the first year, which Pro cannot see, it peaked elsewhere.
      ['candles', month === (index < 12 ? 3 : 12) ? 10 : 20],
      ['paper', 500 + (index % 5)],
    ];
    const lines = MONTHS.flatMap((each) => ranks(each).map((row) => ['monthly', each.key, ...row].join(',')));
    await service.publish('months.csv', `${HEADER}${lines.join('\n')}\n`);
  }, 180_000);

  it('200: lists terms that peak in the same month of each year, strongest first', async () => {
    expect(await list()).toEqual({
      data: [
        { query: 'sun hat', current_rank: 1000, peak_month: 7, strength: 20, weeks_until_peak: 26, full_years: 2 },
        { query: 'Snow Boots', current_rank: 400, peak_month: 1, strength: 10, weeks_until_peak: 0, full_years: 2 },
        { query: 'snow shovel', current_rank: 300, peak_month: 2, strength: 3, weeks_until_peak: 5, full_years: 2 },
        { query: 'candles', current_rank: 10, peak_month: 12, strength: 2, weeks_until_peak: 48, full_years: 2 },
      ],
      periods: { oldest: '01-2024', current: '12-2025' },
      pagination: { ...EMPTY_PAGE, total_count: 4, total_pages: 1 },
      error: null,
    });
  });

  it('200: looks at every year that the plan can see', async () => {
    const { data, periods } = await list('', studio);
    expect(periods.oldest).toBe('01-2023');
    expect(data.map((row: { query: string; full_years: number }) => [row.query, row.full_years])).toEqual([
      ['sun hat', 3],
      ['Snow Boots', 3],
      ['snow shovel', 3],
    ]);
  });

  it("200: is empty for weeks, of which no plan but the owner's sees two years", async () => {
    for (const type of ['W', 'weekly']) {
      expect(await list(`type=${type}`)).toMatchObject({ data: [], pagination: { total_count: 0 } });
    }
    expect(await list('type=monthly')).toEqual(await list('type=M'));
  });

  it.each([
    ['order_direction=ASC', ['candles', 'snow shovel', 'Snow Boots', 'sun hat']],
    ['order_by=weeks_until_peak&order_direction=ASC', ['Snow Boots', 'snow shovel', 'sun hat', 'candles']],
    ['order_by=current_rank&order_direction=ASC', ['candles', 'snow shovel', 'Snow Boots', 'sun hat']],
    ['order_by=query&order_direction=ASC', ['candles', 'Snow Boots', 'snow shovel', 'sun hat']],
    ['peak_month=1', ['Snow Boots']],
    ['peak_month=3', []],
    ['within_weeks=0', ['Snow Boots']],
    ['within_weeks=5', ['Snow Boots', 'snow shovel']],
    ['within_weeks=5&peak_month=7', []],
    ['query=snows', ['Snow Boots', 'snow shovel']],
    // These reports name no categories.
    ['category=Apparel,+Shoes+%26+Jewelry', []],
    ['max_rank=300', ['snow shovel', 'candles']],
    ['max_rank=400&query=snow&min_rank=301', ['Snow Boots']],
    ['offset=1&limit=2', ['Snow Boots', 'snow shovel']],
    ['offset=4', []],
  ])('200: %s', async (query, expected) => {
    expect(await queries(query)).toEqual(expected);
  });

  it('200: costs no search', async () => {
    const answer = await service.request('/v1/trends/seasonal', { key: pro });
    expect(answer.headers.get('ratelimit-limit')).toBeNull();
  });

  it.each([
    'order_by=peak_month',
    'peak_month=0',
    'peak_month=13',
    'within_weeks=-1',
    'within_weeks=50',
    'limit=1001',
    'type=daily',
  ])('400: %s is refused', async (query) => {
    const answer = await service.request(`/v1/trends/seasonal?${query}`, { key: pro });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
  });
});

it('200: GET /v1/trends/seasonal/export has the elements of the list, in its order', async () => {
  const { data } = await list('order_by=query&within_weeks=30');
  const path = '/v1/trends/seasonal/export?order_by=query&within_weeks=30';
  const { text } = await service.request(`${path}&file_format=ndjson`, { key: pro });
  const lines = text.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => JSON.parse(line))).toEqual(data);
  expect(data.length).toBeGreaterThan(1);
  await expect
    .poll(async () => (await service.request(`${path}&limit=1&file_format=csv`, { key: pro })).text.split('\r\n')[0])
    .toBe('query,current_rank,peak_month,strength,weeks_until_peak,full_years');
});
