import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService({ KEYRANK_METER_SEARCH: 'mtr_61' });
  key = await service.makeKey({ subscription: { plan: 'studio' } });
});
afterAll(() => service[Symbol.asyncDispose]());

describe('GET /v1/meters', () => {
  it('200: gives the configured identifiers', async () => {
    const answer = await service.request('/v1/meters', { key });
    expect(answer.json).toEqual({
      search: 'mtr_61',
      exports: 'meter_exports',
      asin: 'meter_asin',
      alerts: 'meter_alerts',
      error: null,
    });
  });
});

describe('GET /v1/usage', () => {
  it('200: says whose key it is, counts each meter in this and the last month and shows the limit, at no cost', async () => {
    const month = new Date().toISOString().slice(0, 7);
    await service.database.operator.query(
      `INSERT INTO usage_counts SELECT organization_id, '${month}-01'::date - interval '1 month', 'exports', 7
       FROM memberships`,
    );
    const before = Math.floor(Date.now() / 1000);
    await service.request('/v1/search/keywords?query=tea', { key });
    for (let i = 0; i < 3; i += 1) await service.request('/v1/usage', { key });
    const answer = await service.request('/v1/usage', { key });
    const none = { search: 0, exports: 0, asin: 0, alerts: 0 };
    expect(answer.json).toEqual({
      data: {
        organization: 'Organization 1',
        user: 'user1@example.com',
        plan: 'studio',
        current_month: { ...none, month, search: 1 },
        previous_month: { ...none, month: expect.stringMatching(/^[0-9]{4}-[0-9]{2}$/), exports: 7 },
        rate_limit: { limit: 500, used: 1, remaining: 499, reset: expect.any(Number) },
      },
      error: null,
    });
    expect(answer.json.data.rate_limit.reset - before).toBeGreaterThanOrEqual(3600);
    expect(answer.json.data.rate_limit.reset - before).toBeLessThan(3605);
  });

  it('200: counts exactly what was admitted, however many come at once, and nothing that was refused', async () => {
    const busy = await service.makeKey();
    const ask = (path: string) => service.request(path, { key: busy });
    const answers = await Promise.all([
      ...Array.from({ length: 15 }, (_, i) => ask(`/v1/search/keywords?query=tea+${i}`)),
      ...Array.from({ length: 7 }, () => ask('/v1/search/asin?asin=B0CHX1W1XY')),
      ...Array.from({ length: 5 }, () => ask('/v1/search/keywords?query=tea&limit=0')),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([...Array(22).fill(200), ...Array(5).fill(400)]);
    for (let i = 0; i < 3; i += 1) expect((await ask('/v1/search/keywords/export?query=tea')).status).toBe(200);
    expect((await ask('/v1/search/keywords/export?query=tea&limit=0')).status).toBe(400);
    const { current_month, rate_limit } = (await ask('/v1/usage')).json.data;
    expect(current_month).toMatchObject({ search: 15, asin: 7, exports: 3, alerts: 0 });
    expect(rate_limit).toMatchObject({ limit: 100, used: 22, remaining: 78 });
  });
});
