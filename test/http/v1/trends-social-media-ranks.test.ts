import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { currentReport, fixtureRow, WEEK_NAME } from '../../ingest/report-fixture.ts';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let pro: string;
let studio: string;

/** 26 months of retail ranks from 01-2024 to 02-2026: Pro sees the last 24. */
const MONTHS = Array.from({ length: 26 }, (_, index) => {
  return `${String(1 + (index % 12)).padStart(2, '0')}-${2024 + Math.floor(index / 12)}`;
});
/** Seven social months, of which the first is before the span; 12-2025 was never published. */
const SOCIAL = ['07-2025', '08-2025', '09-2025', '10-2025', '11-2025', '01-2026', '02-2026'];
const SPAN = SOCIAL.slice(1);
const HEADER = 'period_type,period,search_term,rank\n';

const SOCIAL_RANKS: Readonly<Record<string, readonly (number | undefined)[]>> = {
  // In the order of SOCIAL; undefined is no rank.
  'stanley cup': [1, 50, 40, undefined, 20, 10, 5],
  'lip oil': [900, 10, 10, 10, 10, 10, 30],
  'Mini Waffle Maker': [undefined, 46, undefined, undefined, undefined, undefined, 1],
  'no longer hot': [5, 5, 5, 5, 5, 5, undefined],
  'too late': [5, undefined, 5, 5, 5, 5, 5],
  'all quiet': [7, 7, 7, 7, 7, 7, 7],
};

beforeAll(async () => {
  service = await startTestService();
  pro = await service.makeKey({ subscription: { plan: 'pro' } });
  studio = await service.makeKey({ subscription: { plan: 'studio' } });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function list(query = '', key = pro) {
  const answer = await service.request(`/v1/trends/social-media-ranks?${query}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function queries(query: string): Promise<string[]> {
  return (await list(query)).data.map((element: { query: string }) => element.query);
}

it('200: GET /v1/trends/social-media-ranks is empty and names no periods while there is no social data', async () => {
  const retail = MONTHS.flatMap((month, index) => [
    `monthly,${month},ALL  quiet,${300 + index}`,
    ...(index === 0 ? [`monthly,${month},lip oil,77`] : []),
    ...(index === 20 ? [`monthly,${month},Stanley Cup,1234`] : []),
  ]);
  await service.publish('retail.csv', `${HEADER}${retail.join('\n')}\n`);
  expect(await list('limit=10')).toEqual({
    data: [],
    periods: { start: '', end: '', values: [] },
    pagination: {
      current_page: 1,
      page_size: 10,
      total_count: 0,
      total_pages: 0,
      has_next: false,
      has_previous: false,
    },
    error: null,
  });
}, 180_000);

describe('GET /v1/trends/social-media-ranks', () => {
  beforeAll(async () => {
    const months = Object.entries(SOCIAL_RANKS).flatMap(([term, ranks]) =>
      ranks.flatMap((rank, i) => (rank === undefined ? [] : [`monthly,${SOCIAL[i]},${term},${rank}`])),
    );
    await service.publish('social.csv', `${HEADER}${months.join('\n')}\n`, 'social');
    const weeks = ['weekly,53-2020,stanley cup,9', 'weekly,01-2021,stanley cup,12'];
    await service.publish('social-weeks.csv', `${HEADER}${weeks.join('\n')}\n`, 'social');
    const summer = ['27', '28'].flatMap((week, i) => [
      `weekly,${week}-2026,lip oil,${10 + i}`,
      `weekly,${week}-2026,Usb Lamp,${30 - i}`,
      `weekly,${week}-2026,only here,${50 - i}`,
    ]);
    await service.publish('DE_social.csv', `${HEADER}${summer.join('\n')}\n`, 'social');
    await service.publish(
      WEEK_NAME.replace('US', 'DE'),
      currentReport([
        fixtureRow(1, { term: 'usb lamp', categories: ['Camera', '', ''] }),
        fixtureRow(2, { term: 'Lip Oil', categories: ['Beauty', '', ''] }),
      ]),
    );
  }, 180_000);

  it('200: lists what is ranked at both ends of the span, largest improvement first, ties by end rank', async () => {
    expect(await list()).toEqual({
      data: [
        {
          query: 'Mini Waffle Maker',
          start_rank: 46,
          end_rank: 1,
          total_improvement: 45,
          ranks: { '08-2025': 46, '02-2026': 1 },
          search_rank: null,
        },
        {
          query: 'stanley cup',
          start_rank: 50,
          end_rank: 5,
          total_improvement: 45,
          ranks: { '08-2025': 50, '09-2025': 40, '11-2025': 20, '01-2026': 10, '02-2026': 5 },
          search_rank: 1234,
        },
        {
          query: 'all quiet',
          start_rank: 7,
          end_rank: 7,
          total_improvement: 0,
          ranks: Object.fromEntries(SPAN.map((period) => [period, 7])),
          search_rank: 325,
        },
        {
          query: 'lip oil',
          start_rank: 10,
          end_rank: 30,
          total_improvement: -20,
          ranks: { ...Object.fromEntries(SPAN.map((period) => [period, 10])), '02-2026': 30 },
          // Its only retail rank is in a month that Pro cannot see.
          search_rank: null,
        },
      ],
      periods: { start: '08-2025', end: '02-2026', values: SPAN },
      pagination: {
        current_page: 1,
        page_size: 50,
        total_count: 4,
        total_pages: 1,
        has_next: false,
        has_previous: false,
      },
      error: null,
    });
  });

  it('200: shows Studio a retail rank of any age, and the same six social months', async () => {
    const { data, periods } = await list('order_by=end_rank&limit=1', studio);
    expect(data).toMatchObject([{ query: 'lip oil', search_rank: 77 }]);
    expect(periods.values).toEqual(SPAN);
  });

  it('200: lists weeks by their own periods, over the end of a year of 53 weeks', async () => {
    const { data, periods } = await list('type=W');
    expect(periods).toEqual({ start: '53-2020', end: '01-2021', values: ['53-2020', '01-2021'] });
    expect(data).toEqual([
      {
        query: 'stanley cup',
        start_rank: 9,
        end_rank: 12,
        total_improvement: -3,
        ranks: { '53-2020': 9, '01-2021': 12 },
        search_rank: null,
      },
    ]);
  });

  it.each([
    ['total_improvement', 'ASC', ['lip oil', 'all quiet', 'Mini Waffle Maker', 'stanley cup']],
    ['start_rank', 'ASC', ['all quiet', 'lip oil', 'Mini Waffle Maker', 'stanley cup']],
    ['start_rank', 'DESC', ['stanley cup', 'Mini Waffle Maker', 'lip oil', 'all quiet']],
    ['end_rank', 'ASC', ['Mini Waffle Maker', 'stanley cup', 'all quiet', 'lip oil']],
    ['end_rank', 'DESC', ['lip oil', 'all quiet', 'stanley cup', 'Mini Waffle Maker']],
    ['query', 'ASC', ['all quiet', 'lip oil', 'Mini Waffle Maker', 'stanley cup']],
    ['query', 'DESC', ['stanley cup', 'Mini Waffle Maker', 'lip oil', 'all quiet']],
  ])('200: orders by %s %s', async (orderBy, direction, expected) => {
    expect(await queries(`order_by=${orderBy}&order_direction=${direction}`)).toEqual(expected);
  });

  it.each([
    ['min_rank=5&max_rank=7', ['stanley cup', 'all quiet']],
    ['query=waffles+maker', ['Mini Waffle Maker']],
    ['query=wafle&query=oil', ['Mini Waffle Maker', 'lip oil']],
    ['query=waffle&min_rank=2', []],
    ['type=W&marketplace=DE', ['Usb Lamp', 'only here', 'lip oil']],
    // Categories are those of the retail keyword.
    ['type=W&marketplace=DE&category=Electronics', ['Usb Lamp']],
    [
      'type=W&marketplace=DE&category=Electronics&category=beauty&order_by=end_rank&order_direction=ASC',
      ['lip oil', 'Usb Lamp'],
    ],
    ['type=W&marketplace=DE&category=Other', []],
    ['category=Electronics', []],
  ])('200: keeps only what %s leaves', async (query, expected) => {
    expect(await queries(query)).toEqual(expected);
  });

  it('200: pages by an offset that is no multiple of the limit', async () => {
    const { data, pagination } = await list('offset=1&limit=2');
    expect(data.map((element: { query: string }) => element.query)).toEqual(['stanley cup', 'all quiet']);
    expect(pagination).toEqual({
      current_page: 1,
      page_size: 2,
      total_count: 4,
      total_pages: 2,
      has_next: true,
      has_previous: true,
    });
    const past = await list('offset=9999999999');
    expect([past.data, past.pagination.total_count, past.periods.start]).toEqual([[], 4, '08-2025']);
  });

  it('200: leaves the retail lists to retail data', async () => {
    const answer = await service.request('/v1/search/keywords?query=waffle', { key: pro });
    expect(answer.json.pagination.total_count).toBe(0);
    const changes = await service.request('/v1/trends/change-by?threshold=0.5', { key: pro });
    expect(changes.json.data.map((element: { query: string }) => element.query)).toEqual(['ALL  quiet']);
  });

  it.each(['order_by=search_rank', 'order_direction=desc', 'offset=-1', 'limit=0', 'type=weekly'])(
    '400: %s is refused',
    async (query) => {
      const answer = await service.request(`/v1/trends/social-media-ranks?${query}`, { key: pro });
      expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    },
  );
});
