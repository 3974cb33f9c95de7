import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let studio: string;
let pro: string;

/** 26 months from 01-2024 to 02-2026: Pro sees the last 24. Ranks move by one each month. */
const MONTHS = Array.from({ length: 26 }, (_, index) => ({
  year: 2024 + Math.floor(index / 12),
  number: 1 + (index % 12),
}));

beforeAll(async () => {
  service = await startTestService();
  studio = await service.makeKey({ subscription: { plan: 'studio' } });
  pro = await service.makeKey({ subscription: { plan: 'pro' } });
  const lines = MONTHS.flatMap(({ year, number }, index) =>
    [
      ['Running Shoes', 1 + index],
      ['running shoe rack', 100 + index],
      ['trail running shoes for women', 500 - index],
      ...(index < 2 ? [['hidden gem', 7]] : []),
      ...(index === 20 ? [['halloween costume', 3]] : []),
      ...(index === 25 ? [['iphone case', 9]] : []),
    ].map(([term, rank]) => `monthly,${String(number).padStart(2, '0')}-${year},${term},${rank}`),
  );
  await service.publish('ranks.csv', `period_type,period,search_term,rank\n${lines.join('\n')}\n`);
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function search(query: string, key = studio) {
  return await service.request(`/v1/search/keywords?${query}`, { key });
}

async function terms(query: string, key = studio): Promise<string[]> {
  const answer = await search(query, key);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.map((result: { search_term: string }) => result.search_term);
}

describe('GET /v1/search/keywords', () => {
  it('200: answers with the whole shape of the specification', async () => {
    const answer = await search('query=running+shoes&method=exact');
    expect(answer.json).toEqual({
      data: [
        {
          search_term: 'Running Shoes',
          normalized_search_term: 'running shoes',
          data: Object.fromEntries(
            MONTHS.map(({ year, number }, index) => [`${String(number).padStart(2, '0')}-${year}`, 1 + index]),
          ),
          summary: {
            total_periods: 26,
            best_rank: 1,
            worst_rank: 26,
            avg_rank: 13.5,
            latest_rank: 26,
            latest_period: '02-2026',
          },
          latest_data: { brands: [], products: [], categories: [] },
        },
      ],
      pagination: {
        current_page: 1,
        page_size: 50,
        total_count: 1,
        total_pages: 1,
        has_next: false,
        has_previous: false,
      },
      error: null,
    });
  });

  it('200: shows Pro the last 24 months and nothing that older ones would change', async () => {
    const [shoes] = (await search('query=running+shoes&method=exact', pro)).json.data;
    expect(Object.keys(shoes.data)).toHaveLength(24);
    expect(shoes.summary).toMatchObject({ total_periods: 24, best_rank: 3, avg_rank: 14.5 });
    expect(await terms('query=hidden+gem', pro)).toEqual([]);
    expect(await terms('query=hidden+gem', studio)).toEqual(['hidden gem']);
  });

  it('200: finds all words in any order, plurals and typos, best match first', async () => {
    expect(await terms('query=shoes+running')).toEqual([
      'Running Shoes',
      'running shoe rack',
      'trail running shoes for women',
    ]);
    expect(await terms('query=iphnoe+case')).toEqual(['iphone case']);
    expect(await terms('query=running&exclude_query=rack&exclude_query=trail')).toEqual(['Running Shoes']);
  });

  it('200: orders, pages and filters', async () => {
    expect(await terms('query=running&order_by=latest_rank&order_direction=DESC')).toEqual([
      'trail running shoes for women',
      'running shoe rack',
      'Running Shoes',
    ]);
    expect(await terms('query=running&order_by=1-2024')).toEqual([
      'Running Shoes',
      'running shoe rack',
      'trail running shoes for women',
    ]);
    expect(await terms('query=running&limit=1&page=2')).toEqual(['running shoe rack']);
    expect(await terms('query=running&min_rank=100&max_rank=200')).toEqual(['running shoe rack']);
    expect(await terms('query=running&min_words=4')).toEqual(['trail running shoes for women']);
    expect(await terms('query=halloween&exclude_nulls=true')).toEqual([]);
    const past = await search('query=running&page=9&limit=2');
    expect([past.json.data, past.json.pagination.total_count, past.json.pagination.has_previous]).toEqual([
      [],
      3,
      true,
    ]);
  });

  it('400: a period outside the window is refused for free, and the hint names the window', async () => {
    const before = (await search('query=a', pro)).headers.get('ratelimit-remaining');
    const answer = await search('query=running&order_by=01-2024', pro);
    expect(answer.json.error).toMatchObject({
      code: 'INVALID_PARAMETERS',
      hint: 'Use a monthly period from 03-2024 to 02-2026.',
    });
    expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([400, before]);
  });

  it('400: a marketplace without data is refused and the others are named', async () => {
    const answer = await search('query=running&marketplace=de');
    expect([answer.status, answer.json.error.hint]).toEqual([400, 'There is data for US.']);
  });

  it.each([
    "'; DROP TABLE organizations; --",
    '<script>alert(1)</script>',
    '../../etc/passwd',
    '😀 emoji',
    'שלום עולם',
    'a'.repeat(256),
    `${'%'.repeat(100)}\\\\`,
    '\u202Ertl',
    '$'.concat('{jndi:x}'),
    '""""',
    '- - -',
  ])('200: %j is only text', async (text) => {
    const answer = await search(`query=${encodeURIComponent(text)}`);
    expect(answer.status, answer.text).toBe(200);
  });

  it('notes the result count in the history', async () => {
    const key = await service.makeKey();
    await search('query=running', key);
    await expect
      .poll(async () => (await service.request('/v1/search/history', { key })).json.data[0].result_count)
      .toBe(3);
  });
});

describe('GET /v1/periods and /v1/search/stats', () => {
  it('200: lists the periods that the plan can see, newest first', async () => {
    const list = async (key: string) => (await service.request('/v1/periods', { key })).json.data;
    const [newest] = await list(pro);
    expect(newest).toEqual({
      type: 'monthly',
      period: '02-2026',
      start_date: '2026-02-01',
      end_date: '2026-02-28',
      keywords: 4,
      data_points: 4,
      published_at: expect.any(String),
      revision: 1,
      source: 'search',
      origin: 'file',
    });
    expect([(await list(pro)).length, (await list(studio)).length]).toEqual([24, 26]);
    expect((await service.request('/v1/periods?type=weekly', { key: pro })).json.data).toEqual([]);
  });

  it('200: counts the data points of everything published, as a string', async () => {
    const { stats } = (await service.request('/v1/search/stats', { key: pro })).json;
    expect(stats).toEqual({ computedAt: expect.any(String), totalDataPoints: String(26 * 3 + 2 + 1 + 1) });
  });
});
