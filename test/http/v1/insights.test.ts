// Any two periods, seen by a caller: what results say, in what order they come, and what is refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let pro: string;
let studio: string;

/** 26 months from 01-2024 to 02-2026: Pro sees the last 24. */
const MONTHS = Array.from({ length: 26 }, (_, index) => {
  return `${String(1 + (index % 12)).padStart(2, '0')}-${2024 + Math.floor(index / 12)}`;
});

beforeAll(async () => {
  service = await startTestService();
  pro = await service.makeKey({ subscription: { plan: 'pro' } });
  studio = await service.makeKey({ subscription: { plan: 'studio' } });
  const lines = MONTHS.flatMap((month, index) => [
    `monthly,${month},steady shoe,${100 - index}`,
    ...(index === 13 || index >= 23 ? [`monthly,${month},winter shoe,${index === 13 ? 500 : 1000 - index * 30}`] : []),
    ...(index === 25 ? [`monthly,${month},new shoe,7`] : [`monthly,${month},old shoe,${200 + index}`]),
  ]);
  await service.publish('months.csv', `period_type,period,search_term,rank\n${lines.join('\n')}\n`);
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function search(query: string, key = studio) {
  return await service.request(`/v1/search/keywords?query=shoe&${query}`, { key });
}

async function termsOf(query: string, key = studio): Promise<string[]> {
  const answer = await search(query, key);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.map((each: { search_term: string }) => each.search_term);
}

describe('200: insights', () => {
  it('are there when they are asked for, and nothing of them otherwise', async () => {
    const plain = await search('order_by=change');
    expect(Object.keys(plain.json.data[0])).toEqual([
      'search_term',
      'normalized_search_term',
      'data',
      'summary',
      'latest_data',
    ]);
    const { json } = await search('order_by=change&include=insights&limit=1');
    expect(json.data[0].insights).toEqual({
      from_period: '01-2026',
      to_period: '02-2026',
      from_rank: 280,
      to_rank: 250,
      change: 30,
      change_percentage: 10.71,
      year_change: 250,
      click_concentration: null,
      conversion_concentration: null,
      conversion_to_click: null,
      title_gap: null,
      first_seen: '02-2025',
      streak: 3,
    });
  });

  it('compare with the period that is named, and with none where that one has no rank', async () => {
    const { json } = await search('compare_to=11-2025&include=insights&order_by=change');
    const changes = json.data.map((each: { search_term: string; insights: { change: number | null } }) => [
      each.search_term,
      each.insights.change,
    ]);
    expect(changes).toEqual([
      ['steady shoe', 3],
      ['new shoe', null],
      ['old shoe', null],
      ['winter shoe', null],
    ]);
  });

  it('begin with the first period that the plan can see', async () => {
    const firstSeen = async (key: string) => {
      const { json } = await search('method=exact&query=steady+shoe&include=insights', key);
      return json.data.at(-1).insights.first_seen;
    };
    expect([await firstSeen(pro), await firstSeen(studio)]).toEqual(['03-2024', '01-2024']);
  });

  it('are results of a search by ASIN too', async () => {
    const answer = await service.request(
      '/v1/search/asin?asin=B000000001&include=insights&order_by=change&min_change=1',
      {
        key: pro,
      },
    );
    expect([answer.status, answer.json.data]).toEqual([200, []]);
  });
});

describe('200: orders and filters', () => {
  it.each([
    ['order_by=change_percentage&order_direction=asc', ['steady shoe', 'winter shoe', 'new shoe', 'old shoe']],
    ['order_by=year_change', ['winter shoe', 'steady shoe', 'new shoe', 'old shoe']],
    ['order_by=change&min_change=2', ['winter shoe']],
    ['order_by=change&max_change=1', ['steady shoe']],
    ['min_change_percentage=10.71&max_change_percentage=10.71', ['winter shoe']],
    ['min_change_percentage=10.72', []],
    ['min_year_change=-5&max_year_change=12', ['steady shoe']],
    ['min_click_concentration=0', []],
    ['first_seen_since=02-2025', ['new shoe', 'winter shoe']],
    ['first_seen_since=2-2026', ['new shoe']],
    ['title_gap=true', []],
  ])('%s gives %j', async (query, expected) => {
    expect(await termsOf(query)).toEqual(expected);
  });
});

describe('400', () => {
  it.each([
    ['compare_to=02-2026', "Parameter 'compare_to' names the period '02-2026', which is not before 02-2026."],
    ['compare_to=13-2025', "Parameter 'compare_to' names the period '13-2025', which is not a monthly period."],
    [
      'compare_to=yesterday',
      "Parameter 'compare_to' must be 'year_ago' or a period key such as '05-2026', but is 'yesterday'.",
    ],
    ['include=everything', "Parameter 'include' must be one of 'insights', but is 'everything'."],
    ['include=insights%20', "Parameter 'include' must be one of 'insights', but is 'insights '."],
    ['min_change=1.5', "Parameter 'min_change' must be an integer from -39999999 to 39999999, but is '1.5'."],
    ['min_change=-0', "Parameter 'min_change' must be an integer from -39999999 to 39999999, but is '-0'."],
    [
      'max_change_percentage=101',
      "Parameter 'max_change_percentage' must be a number from -3999999900 to 100, but is '101'.",
    ],
    [
      'first_seen_since=year_ago',
      "Parameter 'first_seen_since' must be a period key such as '05-2026', but is 'year_ago'.",
    ],
  ])('%s', async (query, message) => {
    const answer = await search(query);
    expect([answer.status, answer.json.error.code, answer.json.error.message]).toEqual([
      400,
      'INVALID_PARAMETERS',
      message,
    ]);
  });

  it('a period that the plan cannot see is refused, and the hint names the window', async () => {
    for (const query of ['compare_to=02-2024', 'first_seen_since=02-2024']) {
      const { status, json } = await search(query, pro);
      expect([status, json.error.hint]).toEqual([400, 'Use a monthly period from 03-2024 to 02-2026.']);
      expect((await search(query, studio)).status).toBe(200);
    }
  });
});

describe('GET /v1/trends/change-by', () => {
  async function list(query: string, key = studio) {
    return (await service.request(`/v1/trends/change-by?threshold=0.5&${query}`, { key })).json;
  }

  it('200: compares the periods that are named', async () => {
    const { data, periods } = await list('period=12-2025&compare_to=year_ago&order_by=query&order_direction=ASC');
    expect(periods).toEqual({ previous: '12-2024', current: '12-2025' });
    expect(data.map((each: { query: string; change: number }) => [each.query, each.change])).toEqual([
      ['old shoe', -12],
      ['steady shoe', 12],
    ]);
  });

  it('200: lists nothing where the year before is hidden or missing', async () => {
    expect(await list('period=01-2025&compare_to=year_ago', pro)).toMatchObject({
      data: [],
      periods: { previous: '', current: '01-2025' },
    });
    expect((await list('period=01-2025&compare_to=year_ago', studio)).data).toHaveLength(2);
  });

  it('400: refuses an earlier period that is not earlier', async () => {
    expect((await list('period=01-2025&compare_to=02-2025')).error.message).toBe(
      "Parameter 'compare_to' names the period '02-2025', which is not before 01-2025.",
    );
  });
});
