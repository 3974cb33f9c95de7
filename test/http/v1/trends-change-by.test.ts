import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentReport, fixtureRow, WEEK_NAME } from '../../ingest/report-fixture.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let key: string;

/** By month, in the form in which they are imported. */
const MONTHS: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  // Two months before the newest: nothing of it may show.
  '11-2025': [
    ['old timer', 1],
    ['rising star', 90_000],
  ],
  '12-2025': [
    ['rising star', 9_000],
    ['falling star', 100],
    ['exactly a thousand', 3_000],
    ['a thousand and one', 3_001],
    ['Apple Pie', 5_000],
    ['apple cake', 6_000],
    ['zebra', 20_000],
    ['gone', 50_000],
    ['still', 7],
  ],
  '02-2026': [
    ['Rising Star', 1_000],
    ['falling star', 8_100],
    ['exactly a thousand', 2_000],
    ['a thousand and one', 2_000],
    ['Apple Pie', 3_000],
    ['apple cake', 4_000],
    ['zebra', 18_000],
    ['new', 2],
    ['still', 7],
  ],
};

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey();
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function list(query = '') {
  const answer = await service.request(`/v1/trends/change-by?${query}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function queries(query: string): Promise<string[]> {
  return (await list(query)).data.map((element: { query: string }) => element.query);
}

function linesOf(periodType: string, period: string, rows: readonly (readonly [string, number])[]): string {
  return rows.map(([term, rank]) => `${periodType},${period},${term},${rank}\n`).join('');
}

const HEADER = 'period_type,period,search_term,rank\n';
const EMPTY_PAGE = {
  current_page: 1,
  page_size: 50,
  total_count: 0,
  total_pages: 0,
  has_next: false,
  has_previous: false,
};

describe('GET /v1/trends/change-by, before there is enough data', () => {
  it('200: is empty and names no periods while nothing is published', async () => {
    const periods = { previous: '', current: '' };
    expect(await list()).toEqual({ data: [], periods, pagination: EMPTY_PAGE, error: null });
  });

  it('200: is empty and names the newest period while it is the only one', async () => {
    await service.publish('week.csv', HEADER + linesOf('weekly', '52-2025', [['weekly wonder', 9_000]]));
    const periods = { previous: '', current: '52-2025' };
    expect(await list('type=W')).toEqual({ data: [], periods, pagination: EMPTY_PAGE, error: null });
  });
});

describe('GET /v1/trends/change-by', () => {
  beforeAll(async () => {
    const lines = Object.entries(MONTHS).map(([period, rows]) => linesOf('monthly', period, rows));
    await service.publish('months.csv', HEADER + lines.join(''));
    // Only the reports of vendors name categories.
    const lamps = [
      ['lamp', 90_000],
      ['other lamp', 80_000],
    ] as const;
    await service.publish('DE_lamps.csv', HEADER + linesOf('weekly', '27-2026', lamps));
    await service.publish(
      WEEK_NAME.replace('US', 'DE'),
      currentReport([
        fixtureRow(1, { term: 'lamp', categories: ['Camera', '', ''] }),
        fixtureRow(2, { term: 'other lamp', categories: ['Mystery', '', ''] }),
      ]),
    );
    await service.publish('next-week.csv', HEADER + linesOf('weekly', '01-2026', [['weekly wonder', 1_500]]));
  }, 180_000);

  it('200: lists what moved by more than a thousand ranks between the two newest months, largest first, ties by current rank', async () => {
    expect(await list()).toEqual({
      data: [
        {
          query: 'Rising Star',
          previous_rank: 9_000,
          current_rank: 1_000,
          change: 8_000,
          abs_change: 8_000,
          change_percentage: 88.89,
        },
        {
          query: 'falling star',
          previous_rank: 100,
          current_rank: 8_100,
          change: -8_000,
          abs_change: 8_000,
          change_percentage: -8_000,
        },
        {
          query: 'Apple Pie',
          previous_rank: 5_000,
          current_rank: 3_000,
          change: 2_000,
          abs_change: 2_000,
          change_percentage: 40,
        },
        {
          query: 'apple cake',
          previous_rank: 6_000,
          current_rank: 4_000,
          change: 2_000,
          abs_change: 2_000,
          change_percentage: 33.33,
        },
        {
          query: 'zebra',
          previous_rank: 20_000,
          current_rank: 18_000,
          change: 2_000,
          abs_change: 2_000,
          change_percentage: 10,
        },
        {
          query: 'a thousand and one',
          previous_rank: 3_001,
          current_rank: 2_000,
          change: 1_001,
          abs_change: 1_001,
          change_percentage: 33.36,
        },
      ],
      periods: { previous: '12-2025', current: '02-2026' },
      pagination: {
        current_page: 1,
        page_size: 50,
        total_count: 6,
        total_pages: 1,
        has_next: false,
        has_previous: false,
      },
      error: null,
    });
  });

  it('200: lists weeks by the two newest weeks, over the end of the year', async () => {
    const { data, periods } = await list('type=W&threshold=7499.5');
    expect(periods).toEqual({ previous: '52-2025', current: '01-2026' });
    expect(data).toMatchObject([{ query: 'weekly wonder', change: 7_500, change_percentage: 83.33 }]);
    expect(await queries('type=W&threshold=7500')).toEqual([]);
  });

  it('200: leaves out a change that equals the threshold, and what stands still at any threshold', async () => {
    expect(await queries('threshold=1000.5&order_by=abs_change&order_direction=ASC&limit=1')).toEqual([
      'a thousand and one',
    ]);
    expect(await queries('threshold=999.5&order_by=abs_change&order_direction=ASC&limit=1')).toEqual([
      'exactly a thousand',
    ]);
    expect(await queries('threshold=1001')).not.toContain('a thousand and one');
    expect(await queries('threshold=0.1')).not.toContain('still');
    expect(await queries('threshold=8000')).toEqual([]);
  });

  it('200: keeps one direction', async () => {
    expect(await queries('direction=positive&limit=2')).toEqual(['Rising Star', 'Apple Pie']);
    expect(await queries('direction=negative')).toEqual(['falling star']);
  });

  it.each([
    ['change', 'DESC', ['Rising Star', 'Apple Pie', 'apple cake', 'zebra', 'a thousand and one', 'falling star']],
    ['change', 'ASC', ['falling star', 'a thousand and one', 'Apple Pie', 'apple cake', 'zebra', 'Rising Star']],
    ['abs_change', 'ASC', ['a thousand and one', 'Apple Pie', 'apple cake', 'zebra', 'Rising Star', 'falling star']],
    ['current_rank', 'ASC', ['Rising Star', 'a thousand and one', 'Apple Pie', 'apple cake', 'falling star', 'zebra']],
    ['current_rank', 'DESC', ['zebra', 'falling star', 'apple cake', 'Apple Pie', 'a thousand and one', 'Rising Star']],
    ['previous_rank', 'ASC', ['falling star', 'a thousand and one', 'Apple Pie', 'apple cake', 'Rising Star', 'zebra']],
    ['query', 'ASC', ['a thousand and one', 'apple cake', 'Apple Pie', 'falling star', 'Rising Star', 'zebra']],
    ['query', 'DESC', ['zebra', 'Rising Star', 'falling star', 'Apple Pie', 'apple cake', 'a thousand and one']],
    [
      'change_percentage',
      'DESC',
      ['Rising Star', 'Apple Pie', 'a thousand and one', 'apple cake', 'zebra', 'falling star'],
    ],
    [
      'change_percentage',
      'ASC',
      ['falling star', 'zebra', 'apple cake', 'a thousand and one', 'Apple Pie', 'Rising Star'],
    ],
  ])('200: orders by %s %s', async (orderBy, direction, expected) => {
    expect(await queries(`order_by=${orderBy}&order_direction=${direction}`)).toEqual(expected);
  });

  it.each([
    ['min_rank=3000', ['falling star', 'Apple Pie', 'apple cake', 'zebra']],
    ['max_rank=3000', ['Rising Star', 'Apple Pie', 'a thousand and one']],
    ['min_rank=3000&max_rank=4000&order_direction=ASC', ['Apple Pie', 'apple cake']],
    ['query=apples', ['Apple Pie', 'apple cake']],
    ['query=stra', ['Rising Star', 'falling star']],
    ['query=star&direction=negative', ['falling star']],
    ['query=star&query=zebra&max_rank=1000', ['Rising Star']],
    ['query=no+such+term', []],
    ['type=W&marketplace=DE&category=Electronics', ['lamp']],
    ['type=W&marketplace=DE&category=Camera&category=nonsense&order_by=query', ['other lamp', 'lamp']],
    ['type=W&marketplace=DE&category=Camera&query=other', []],
  ])('200: keeps only what %s leaves', async (query, expected) => {
    expect(await queries(query)).toEqual(expected);
  });

  it('200: pages by an offset that is no multiple of the limit', async () => {
    const { data, pagination } = await list('offset=3&limit=2');
    expect(data.map((element: { query: string }) => element.query)).toEqual(['apple cake', 'zebra']);
    expect(pagination).toEqual({
      current_page: 2,
      page_size: 2,
      total_count: 6,
      total_pages: 3,
      has_next: true,
      has_previous: true,
    });
    const past = await list('offset=1000000&limit=2');
    expect([past.data, past.pagination.total_count, past.pagination.has_next]).toEqual([[], 6, false]);
  });

  it('200: costs no search', async () => {
    const other = await service.makeKey();
    const answer = await service.request('/v1/trends/change-by', { key: other });
    expect(answer.headers.get('ratelimit-limit')).toBeNull();
    expect((await service.request('/v1/usage', { key: other })).json.data.rate_limit.used).toBe(0);
  });

  it.each(['threshold=0', 'threshold=-1', 'offset=1000001', 'limit=1001', 'order_by=rank', 'type=monthly'])(
    '400: %s is refused',
    async (query) => {
      const answer = await service.request(`/v1/trends/change-by?${query}`, { key });
      expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    },
  );

  it('400: a marketplace without data is refused', async () => {
    const answer = await service.request('/v1/trends/change-by?marketplace=fr', { key });
    expect([answer.status, answer.json.error.hint]).toEqual([400, 'There is data for DE, US.']);
  });
});
