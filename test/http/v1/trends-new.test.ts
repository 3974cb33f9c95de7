import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentReport, fixtureRow, WEEK_NAME } from '../../ingest/report-fixture.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let pro: string;
let studio: string;

/** 26 months from 01-2024 to 02-2026: Pro sees the last 24. */
const MONTHS = Array.from({ length: 26 }, (_, index) => {
  return `${String(1 + (index % 12)).padStart(2, '0')}-${2024 + Math.floor(index / 12)}`;
});
const HEADER = 'period_type,period,search_term,rank\n';
const EMPTY_PAGE = {
  current_page: 1,
  page_size: 50,
  total_count: 0,
  total_pages: 0,
  has_next: false,
  has_previous: false,
};

beforeAll(async () => {
  service = await startTestService();
  pro = await service.makeKey({ subscription: { plan: 'pro' } });
  studio = await service.makeKey({ subscription: { plan: 'studio' } });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function list(query = '', key = pro) {
  const answer = await service.request(`/v1/trends/new?${query}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function queries(query: string, key = pro): Promise<string[]> {
  return (await list(query, key)).data.map((element: { query: string }) => element.query);
}

it('200: GET /v1/trends/new is empty and names no periods while nothing is published', async () => {
  const periods = { oldest: '', current: '' };
  expect(await list()).toEqual({ data: [], periods, pagination: EMPTY_PAGE, error: null });
});

describe('GET /v1/trends/new', () => {
  beforeAll(async () => {
    const lines = MONTHS.flatMap((month, index) =>
      [
        ['always there', 5],
        // Its last rank is in a month that Pro cannot see.
        ...(index === 0 || index === 25 ? [['comeback', 40]] : []),
        ...(index === 2 || index === 25 ? [['seldom', 30]] : []),
        ...(index === 24 ? [['gone again', 1]] : []),
        ...(index === 25 ? [['Zebra Print', 20]] : []),
        ...(index === 25 ? [['zebra', 50]] : []),
        ...(index === 25 ? [['apple pie', 50]] : []),
      ].map(([term, rank]) => `monthly,${month},${term},${rank}`),
    );
    await service.publish('months.csv', `${HEADER}${lines.join('\n')}\n`);
    const categories = (...names: string[]) => ({ categories: [...names, '', ''].slice(0, 3) });
    await service.publish(
      WEEK_NAME,
      currentReport([
        fixtureRow(1, { term: 'usb lamp', ...categories('Camera') }),
        fixtureRow(2, { term: 'lip oil', ...categories('Beauty', 'Luxury_Beauty') }),
        fixtureRow(3, { term: 'mystery', ...categories('Something New') }),
      ]),
    );
  }, 180_000);

  it('200: lists what has no rank in an earlier visible month, by rank, ties by term', async () => {
    expect(await list()).toEqual({
      data: [
        { query: 'Zebra Print', current_rank: 20 },
        { query: 'comeback', current_rank: 40 },
        { query: 'apple pie', current_rank: 50 },
        { query: 'zebra', current_rank: 50 },
      ],
      periods: { oldest: '03-2024', current: '02-2026' },
      pagination: { ...EMPTY_PAGE, total_count: 4, total_pages: 1 },
      error: null,
    });
  });

  it('200: knows more months on Studio', async () => {
    expect(await queries('', studio)).toEqual(['Zebra Print', 'apple pie', 'zebra']);
    expect((await list('', studio)).periods).toEqual({ oldest: '01-2024', current: '02-2026' });
  });

  it('200: takes every term of the only period as new', async () => {
    const { data, periods } = await list('type=W');
    expect(periods).toEqual({ oldest: '28-2026', current: '28-2026' });
    expect(data).toHaveLength(3);
  });

  it.each([
    ['order_direction=DESC', ['apple pie', 'zebra', 'comeback', 'Zebra Print']],
    ['order_by=query', ['apple pie', 'comeback', 'zebra', 'Zebra Print']],
    ['order_by=query&order_direction=DESC', ['Zebra Print', 'zebra', 'comeback', 'apple pie']],
    ['min_rank=40', ['comeback', 'apple pie', 'zebra']],
    ['max_rank=40', ['Zebra Print', 'comeback']],
    ['min_rank=41&max_rank=40', []],
    ['query=zebras', ['Zebra Print', 'zebra']],
    ['query=zebta', ['Zebra Print', 'zebra']],
    ['query=zebra&query=pie&max_rank=49', ['Zebra Print']],
    ['type=W&category=electronics', ['usb lamp']],
    ['type=W&category=camera&category=Luxury+Beauty', ['usb lamp', 'lip oil']],
    ['type=W&category=nonsense', ['mystery']],
    ['type=W&category=Beauty+%26+Personal+Care&query=lamp', []],
  ])('200: %s', async (query, expected) => {
    expect(await queries(query)).toEqual(expected);
  });

  it('200: pages by an offset that is no multiple of the limit', async () => {
    const { data, pagination } = await list('offset=1&limit=2');
    expect(data.map((element: { query: string }) => element.query)).toEqual(['comeback', 'apple pie']);
    expect(pagination).toEqual({
      current_page: 1,
      page_size: 2,
      total_count: 4,
      total_pages: 2,
      has_next: true,
      has_previous: true,
    });
    const past = await list('offset=9999999999');
    expect([past.data, past.pagination.total_count, past.pagination.has_next]).toEqual([[], 4, false]);
  });

  it('200: costs no search', async () => {
    const answer = await service.request('/v1/trends/new', { key: pro });
    expect(answer.headers.get('ratelimit-limit')).toBeNull();
  });

  it.each(['order_by=rank', 'order_direction=asc', 'offset=-1', 'limit=1001', 'min_rank=0', 'query=', 'threshold=5'])(
    '400: %s is refused',
    async (query) => {
      const answer = await service.request(`/v1/trends/new?${query}`, { key: pro });
      expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    },
  );
});
