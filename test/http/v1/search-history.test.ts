import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let ada: string;
let bob: string;
let adaElsewhere: string;

beforeAll(async () => {
  service = await startTestService();
  const active = { plan: 'pro', status: 'active' } as const;
  ada = await service.makeKey({ organization: 'Acme', user: 'ada@example.com', subscription: active });
  bob = await service.makeKey({ organization: 'Acme', user: 'bob@example.com' });
  adaElsewhere = await service.makeKey({ organization: 'Other', user: 'ada@example.com', subscription: active });
  for (const key of [ada, bob, adaElsewhere]) await service.request('/v1/search/keywords?query=tea', { key });
  await service.request('/v1/search/asin?asin=b0chx1w1xy&limit=5', { key: ada });
});
afterAll(() => service[Symbol.asyncDispose]());

describe('GET /v1/search/history', () => {
  it("200: lists the caller's own searches in this organization, newest first, with their parameters", async () => {
    const answer = await service.request('/v1/search/history', { key: ada });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      data: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          searched_at: expect.stringMatching(/^2[0-9]{3}-.*Z$/),
          endpoint: '/v1/search/asin',
          parameters: {
            asin: ['B0CHX1W1XY'],
            type: 'monthly',
            page: 1,
            limit: 5,
            order_by: 'latest_rank',
            exclude_nulls: false,
            title_gap: false,
          },
          result_count: 0,
        },
        expect.objectContaining({
          endpoint: '/v1/search/keywords',
          parameters: expect.objectContaining({ query: ['tea'] }),
        }),
      ],
      pagination: {
        current_page: 1,
        page_size: 50,
        total_count: 2,
        total_pages: 1,
        has_next: false,
        has_previous: false,
      },
      error: null,
    });
  });

  it('200: keeps the beginning of long parameters and says how much is left out', async () => {
    const key = await service.makeKey();
    const brands = Array.from({ length: 50 }, (_, n) => `brand=${n}${'\u{1F460}'.repeat(200)}`);
    const queries = Array.from({ length: 50 }, (_, n) => `query=tea+number+${n}+${'x'.repeat(100)}`);
    expect((await service.request(`/v1/search/keywords?${[...queries, ...brands].join('&')}`, { key })).status).toBe(
      200,
    );
    const { json, text } = await service.request('/v1/search/history', { key });
    const { query, brand, abbreviated, ...rest } = json.data[0].parameters;
    expect(query).toEqual([`tea number 0 ${'x'.repeat(100)}`]);
    expect(brand).toEqual([expect.stringMatching(/^0\u{1F460}{20,80}\u2026$/u)]);
    expect(abbreviated).toEqual({ query: 49, brand: 50 });
    expect(rest).toMatchObject({ method: 'similar', type: 'monthly', page: 1, limit: 50 });
    expect(Buffer.byteLength(text)).toBeLessThan(2_000);
  });

  it('200: of a thousand long searches that were kept whole, before an upgrade, makes a page of a few megabytes', async () => {
    const key = await service.makeKey({ organization: 'Old', user: 'old@example.com', subscription: {} });
    await service.request('/v1/search/keywords?query=tea', { key });
    await service.database.operator.query(
      `INSERT INTO search_history (organization_id, user_id, searched_at, endpoint, parameters)
       SELECT m.organization_id, m.user_id, now(), '/v1/search/keywords', jsonb_build_object('page', 1, 'query',
         (SELECT jsonb_agg(q || repeat('\u00e9', 250)) FROM generate_series(1, 50) AS q))
       FROM memberships m JOIN organizations o ON o.id = m.organization_id, generate_series(1, 1000)
       WHERE o.name = 'Old'`,
    );
    const { json, text } = await service.request('/v1/search/history?limit=1000', { key });
    expect(json.data).toHaveLength(1000);
    expect(json.data[0].parameters).toMatchObject({ page: 1, abbreviated: { query: 50 } });
    expect(Buffer.byteLength(text)).toBeLessThan(1_000_000);
  });

  it('200: pages by limit and offset', async () => {
    const answer = await service.request('/v1/search/history?limit=1&offset=1', { key: ada });
    expect(answer.json.data.map((entry: { endpoint: string }) => entry.endpoint)).toEqual(['/v1/search/keywords']);
    expect(answer.json.pagination).toMatchObject({
      current_page: 2,
      total_pages: 2,
      has_next: false,
      has_previous: true,
    });
  });

  it('does not list searches that were refused', async () => {
    await service.request('/v1/search/keywords?query=tea&limit=0', { key: bob });
    expect((await service.request('/v1/search/history', { key: bob })).json.pagination.total_count).toBe(1);
  });
});

describe('DELETE /v1/search/history', () => {
  it("200: removes the caller's own searches in this organization and says how many", async () => {
    const remove = () => service.request('/v1/search/history', { method: 'DELETE', key: ada });
    expect((await remove()).json).toEqual({ success: true, deleted_count: 2, error: null });
    expect((await remove()).json).toEqual({ success: true, deleted_count: 0, error: null });
    for (const key of [bob, adaElsewhere]) {
      expect((await service.request('/v1/search/history', { key })).json.pagination.total_count).toBe(1);
    }
  });

  it('leaves the usage and the limit as they are', async () => {
    const usage = (await service.request('/v1/usage', { key: ada })).json.data;
    expect(usage.current_month).toMatchObject({ search: 2, asin: 1, exports: 0, alerts: 0 });
    expect(usage.rate_limit).toMatchObject({ limit: 100, used: 3, remaining: 97 });
  });
});
