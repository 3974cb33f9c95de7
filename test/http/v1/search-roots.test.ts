import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let key: string;

const HEADER = 'period_type,period,search_term,rank\n';

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey({ subscription: { plan: 'pro' } });
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function list(query: string) {
  const answer = await service.request(`/v1/search/roots?${query}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer;
}

async function roots(query: string): Promise<string[]> {
  return (await list(query)).json.data.map((element: { root: string }) => element.root);
}

it('200: GET /v1/search/roots is empty while nothing is published', async () => {
  const { json } = await list('query=boots');
  expect([json.data, json.pagination.total_count, json.error]).toEqual([[], 0, null]);
});

describe('GET /v1/search/roots', () => {
  beforeAll(async () => {
    const months = {
      '01-2026': ['Snow Boots', 'hiking boots', 'crème boots'],
      '02-2026': ['hiking boots', 'Snow Boots', 'snow boots kids', 'boots & boots', 'lamp'],
    };
    const lines = Object.entries(months).flatMap(([month, terms]) =>
      terms.map((term, i) => `monthly,${month},${term},${i + 1}`),
    );
    await service.publish('months.csv', `${HEADER}${lines.join('\n')}\n`);
  }, 180_000);

  it('200: counts the words and phrases of all matches, with their best rank and how they moved', async () => {
    const { json } = await list('query=boot&limit=4');
    expect(json).toEqual({
      data: [
        { root: 'boots', kind: 'word', terms: 5, best_rank: 1, rising: 1, falling: 1 },
        { root: 'snow', kind: 'word', terms: 2, best_rank: 1, rising: 0, falling: 1 },
        { root: 'snow boots', kind: 'phrase', terms: 2, best_rank: 1, rising: 0, falling: 1 },
        { root: 'hiking', kind: 'word', terms: 1, best_rank: 1, rising: 1, falling: 0 },
      ],
      pagination: {
        ...{ current_page: 1, page_size: 4, total_count: 10, total_pages: 3 },
        ...{ has_next: true, has_previous: false },
      },
      error: null,
    });
  });

  it.each([
    ['query=boot&kind=phrase', ['snow boots', 'hiking boots', 'boots kids', 'creme boots', 'boots boots']],
    ['query=boot&kind=word&order_by=best_rank&order_direction=desc&limit=2', ['creme', 'kids']],
    ['query=boot&kind=word&order_by=rising&limit=2', ['boots', 'hiking']],
    ['query=boot&kind=word&order_by=falling&limit=2', ['boots', 'snow']],
    ['query=boot&kind=word&page=2&limit=3', ['creme', 'kids']],
    ['query=boot&kind=word&page=1000&limit=1000', []],
    ['query=boots&exclude_query=snow&kind=word', ['boots', 'hiking', 'creme']],
    ['query=hiking+boots&method=exact&kind=word', ['boots', 'hiking']],
    ['query=boot&max_rank=1&kind=word', ['boots', 'hiking']],
    ['query=boot&min_words=3&kind=word', ['boots', 'kids', 'snow']],
    ['query=nothing', []],
  ])('200: %s', async (query, expected) => {
    expect(await roots(query)).toEqual(expected);
  });

  it('200: costs one search and stands in the history with its number of roots', async () => {
    const before = (await service.request('/v1/usage', { key })).json.data.rate_limit.used;
    const { headers } = await list('query=boot');
    expect(headers.get('ratelimit-limit')).toBe('100');
    expect((await service.request('/v1/usage', { key })).json.data.rate_limit.used).toBe(before + 1);
    await expect
      .poll(async () => (await service.request('/v1/search/history?limit=1', { key })).json.data[0])
      .toMatchObject({ endpoint: '/v1/search/roots', result_count: 10 });
  });

  it('200: has the elements of the list, in its order, as a file that spends no search', async () => {
    const asked = 'query=boot&order_by=best_rank';
    const { data } = (await list(asked)).json;
    const before = (await service.request('/v1/usage', { key })).json.data.rate_limit.used;
    const download = (query: string) => service.request(`/v1/search/roots/export?${query}`, { key });
    const lines = (await download(`${asked}&file_format=ndjson`)).text.split('\n').filter((line) => line !== '');
    expect(lines.map((line) => JSON.parse(line))).toEqual(data);
    const csv = async () => (await download('query=boot&kind=phrase&limit=1&file_format=csv')).text;
    await expect.poll(csv).toBe('root,kind,terms,best_rank,rising,falling\r\nsnow boots,phrase,2,1,0,1\r\n');
    expect((await service.request('/v1/usage', { key })).json.data.rate_limit.used).toBe(before);
    for (const wrong of ['', 'query=boot&page=2', 'query=boot&limit=0'])
      expect((await download(wrong)).status).toBe(400);
  });

  it.each([
    '',
    'query=boot&order_by=latest_rank',
    'query=boot&format=raw',
    'query=boot&kind=words',
    'query=boot&page=1001',
  ])('400: %s is refused and costs nothing', async (query) => {
    const before = (await service.request('/v1/usage', { key })).json.data.rate_limit.used;
    const answer = await service.request(`/v1/search/roots?${query}`, { key });
    expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect((await service.request('/v1/usage', { key })).json.data.rate_limit.used).toBe(before);
  });
});
