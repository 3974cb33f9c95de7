import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let studio: string;
let pro: string;

beforeAll(async () => {
  service = await startTestService();
  studio = await service.makeKey({ subscription: { plan: 'studio' } });
  pro = await service.makeKey({ subscription: { plan: 'pro' } });
  const lines = Array.from({ length: 25 }, (_, index) => {
    const month = `${String(1 + (index % 12)).padStart(2, '0')}-${2024 + Math.floor(index / 12)}`;
    const terms = index === 0 ? ['Hidden Shelf'] : ['Running Shoes', 'shoe rack', 'running shorts'];
    return terms.map((term, rank) => `monthly,${month},${term},${rank + 1}`).join('\n');
  });
  const week = 'weekly,02-2026,shower curtain,1';
  await service.publish('ranks.csv', `period_type,period,search_term,rank\n${lines.join('\n')}\n${week}\n`);
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function suggest(query: string, key = studio) {
  const answer = await service.request(`/v1/search/suggestions?${query}`, { key });
  return [answer.status, answer.json];
}

function found(...terms: string[]) {
  return [200, { data: terms.map((term) => ({ search_term: term })), error: null }];
}

describe('GET /v1/search/suggestions', () => {
  it('200: completes the last word, the most searched first', async () => {
    expect(await suggest('query=SH')).toEqual(found('Running Shoes', 'shoe rack', 'running shorts', 'Hidden Shelf'));
    expect(await suggest('query=sh&limit=1')).toEqual(found('Running Shoes'));
    expect(await suggest('query=run+sho')).toEqual(found('Running Shoes', 'running shorts'));
    expect(await suggest('query=shoe+run')).toEqual(found('Running Shoes'));
    expect(await suggest('query=zebra')).toEqual(found());
  });

  it('200: looks at the weeks when asked to', async () => {
    expect(await suggest('query=sho&type=weekly')).toEqual(found('shower curtain'));
  });

  it('200: never shows a term that the plan cannot see', async () => {
    expect(await suggest('query=hid', studio)).toEqual(found('Hidden Shelf'));
    expect(await suggest('query=hid', pro)).toEqual(found());
  });

  it('200: costs no search and leaves no trace in the history', async () => {
    const key = await service.makeKey();
    const answer = await service.request('/v1/search/suggestions?query=sh', { key });
    expect(answer.headers.has('ratelimit-limit')).toBe(false);
    expect((await service.request('/v1/usage', { key })).json.data.rate_limit.used).toBe(0);
    expect((await service.request('/v1/search/history', { key })).json.data).toEqual([]);
  });

  it('400: asks for what was typed, and for at most 10', async () => {
    const [status, body] = await suggest('limit=11&query=a');
    expect([status, body.error.message]).toEqual([
      400,
      "Parameter 'limit' must be an integer from 1 to 10, but is '11'.",
    ]);
    expect((await suggest(''))[1].error.message).toBe("Parameter 'query' is missing.");
    expect((await suggest('query=+'))[1].error.message).toBe("Parameter 'query' is blank.");
  });
});
