// Every parameter of a keyword search at its edges, and text that means something elsewhere.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey({ subscription: { plan: 'studio' } });
  const rows = ['red shoe,1', 'blue shoe,2', '😀,3', 'שלום עולם,4', 'حذاء أحمر,5', `${'word '.repeat(51)}x,6`];
  const lines = rows.map((row) => `monthly,01-2026,${row}`).join('\n');
  await service.publish('ranks.csv', `period_type,period,search_term,rank\n${lines}\n`);
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function search(query: string) {
  return await service.request(`/v1/search/keywords?${query}`, { key });
}

const LONGEST = 'x'.repeat(256);
const TOO_LONG = 'x'.repeat(257);
const values = (name: string, count: number): string =>
  Array.from({ length: count }, (_, n) => `${name}=value${n}`).join('&');

describe('200', () => {
  it.each([
    `query=${LONGEST}`,
    `query=${'😀'.repeat(256)}`,
    values('query', 50),
    'query=shoe&method=exact',
    'query=shoe&method=similar',
    `query=shoe&${values('exclude_query', 50)}`,
    'query=shoe&type=monthly',
    'query=shoe&type=weekly',
    'query=shoe&page=1',
    'query=shoe&page=9999999999&limit=1000',
    'query=shoe&limit=1',
    'query=shoe&limit=1000',
    `query=shoe&${values('brand', 50)}`,
    `query=shoe&${values('product', 50)}`,
    `query=shoe&${values('category', 50)}`,
    ...[
      ...['latest_period', 'latest_rank', 'best_rank', 'worst_rank', 'avg_rank', 'total_periods', 'fts_rank'],
      ...['similarity_score', 'best_match', '1-2026', '01-2026', '001-2026'],
    ].map((order) => `query=shoe&order_by=${order}`),
    ...['asc', 'desc', 'ASC', 'DESC'].map((direction) => `query=shoe&order_direction=${direction}`),
    'query=shoe&exclude_nulls=true',
    'query=shoe&exclude_nulls=false',
    ...['raw', 'delta', 'percentage'].map((format) => `query=shoe&format=${format}`),
    ...['0', '50', '', 'null'].map((threshold) => `query=shoe&color_threshold=${threshold}`),
    'query=shoe&marketplace=us',
    'query=shoe&min_rank=1&max_rank=1',
    'query=shoe&min_rank=9&max_rank=1',
    'query=shoe&min_words=1&max_words=100',
  ])('%.60s is answered', async (query) => {
    const answer = await search(query);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json).toMatchObject({ data: expect.any(Array), error: null });
    expect(answer.headers.get('ratelimit-limit')).toBe('500');
  });

  it.each([
    ['😀', ['😀']],
    ['שלום', ['שלום עולם']],
    ['أحمر حذاء', ['حذاء أحمر']],
    [Array.from({ length: 51 }, () => 'word').join(' '), [`${'word '.repeat(51)}x`]],
    ['red shoe', ['red shoe']],
  ])('%.30s finds what it says', async (text, expected) => {
    const { json } = await search(`query=${encodeURIComponent(text)}`);
    expect(json.data.map((result: { search_term: string }) => result.search_term)).toEqual(expected);
  });

  it('fifty queries find what each of them finds', async () => {
    const others = values('query', 48);
    const { json } = await search(`query=red+shoe&${others}&query=blue+shoe&order_by=latest_rank`);
    expect(json.data.map((result: { search_term: string }) => result.search_term)).toEqual(['red shoe', 'blue shoe']);
  });

  describe.each(['query', 'exclude_query', 'brand', 'product', 'category'])('in %s', (name) => {
    it.each([
      "' OR 1=1; --",
      '"; DROP TABLE organizations; --',
      '<img src=x onerror=alert(1)>',
      '../../../etc/passwd',
      '{{7*7}} $'.concat('{7*7}'),
      '\u202Eevil\u202C',
      'a & b | !c <-> d:*',
      'NEAR("a" "b")',
      '%5C%00'.slice(0, 3),
      '\\N\t\\',
      '__proto__',
      '🏳️‍🌈'.repeat(20),
    ])('%j is only text', async (text) => {
      const query = name === 'query' ? '' : 'query=shoe&';
      const answer = await search(`${query}${name}=${encodeURIComponent(text)}`);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.json.error).toBeNull();
    });
  });
});

describe('400', () => {
  const number = (name: string, min: number, max: number): readonly string[] =>
    [min - 1, max + 1, '', 'x', '01', '1e2', '+5', '1.0', '0x1', ' 5'].map(
      (value) => `${name}=${encodeURIComponent(String(value))}`,
    );
  it.each([
    ...['', 'query=', 'query=%20', 'query=%E2%80%8B', 'query=a%00b', 'query=%ff', 'query=%'],
    ...['query=a&query=', `query=${TOO_LONG}`, values('query', 51)],
    ...['method=fuzzy', 'method=', 'method=exact&method=exact', 'type=daily', 'type=M'],
    ...['exclude_query', 'brand', 'product', 'category'].flatMap((name) => [
      `${name}=`,
      `${name}=${TOO_LONG}`,
      `${name}=a%00`,
      values(name, 51),
    ]),
    ...number('page', 1, 9_999_999_999),
    ...number('limit', 1, 1000),
    ...['min_rank', 'max_rank', 'min_words', 'max_words'].flatMap((name) => [`${name}=0`, `${name}=-1`, `${name}=x`]),
    ...['order_by=', 'order_by=rank', 'order_by=13-2026', 'order_by=0001-2026', 'order_by=01-26', 'order_by=02-2026'],
    ...['order_direction=up', 'order_direction=Asc', 'exclude_nulls=1', 'exclude_nulls=TRUE', 'exclude_nulls='],
    ...['format=xlsx', 'color_threshold=-1', 'color_threshold=51', 'color_threshold=1.5', 'color_threshold=nil'],
    ...['marketplace=', 'marketplace=USA', 'marketplace=1', 'marketplace=de', 'brands=x'],
  ])('%.60s is refused with the parameter and a way out, for free', async (query) => {
    const before = (await service.request('/v1/usage', { key })).text;
    const name = query.split('=')[0] || 'query';
    const answer = await search(name === 'query' ? query : `query=shoe&${query}`);
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
    expect(`${answer.json.error.message} ${answer.json.error.hint}`).toMatch(/marketplace|brand|period|query|'\w+'/i);
    expect(answer.headers.get('ratelimit-remaining')).not.toBeNull();
    expect((await service.request('/v1/usage', { key })).text).toBe(before);
  });
});
