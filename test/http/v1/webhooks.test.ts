import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

function register(key: string, body: unknown) {
  return service.request('/v1/webhooks', { method: 'POST', key, body: JSON.stringify(body) });
}

const URL_HINT = 'Use for example https://hooks.example.com/keyrank.';

describe('POST /v1/webhooks', () => {
  it('201: shows the secret once', async () => {
    const key = await service.makeKey();
    const answer = await register(key, { url: 'https://Hooks.Example.com/x?y=1', events: ['period.published'] });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        url: 'https://hooks.example.com/x?y=1',
        events: ['period.published'],
        created_at: expect.stringMatching(/Z$/),
        is_own: true,
        is_active: true,
        paused_reason: null,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
      error: null,
    });
    const { secret, ...webhook } = answer.json.data;
    const listed = await service.request('/v1/webhooks', { key });
    expect(listed.json).toEqual({ data: [webhook], error: null });
    expect(listed.text).not.toContain(secret);
  });

  it('201: is told of everything unless it says of what', async () => {
    const key = await service.makeKey();
    const { json } = await register(key, { url: 'https://hooks.example.com/' });
    expect(json.data.events).toEqual([
      'period.published',
      'tracked_keyword.priority_hit',
      'tracked_product.changed',
      'data.late',
    ]);
  });

  it.each([
    [{}, "Field 'url' is missing.", 'Add "url" to the body.'],
    [{ url: 'nonsense' }, "Field 'url' is not an https address.", URL_HINT],
    [{ url: 'ftp://example.com/' }, "Field 'url' is not an https address.", URL_HINT],
    [{ url: 'http://example.com/' }, "Field 'url' is not an https address.", URL_HINT],
    [{ url: 'https://a:b@example.com/' }, "Field 'url' holds a user name or password.", URL_HINT],
    [{ url: 'https://example.com/#x' }, "Field 'url' has a fragment, which is never sent.", URL_HINT],
    [{ url: 'https://10.0.0.1/' }, "Field 'url' is not a public address.", URL_HINT],
    [{ url: 'https://localhost/' }, "Field 'url' is not a public address.", URL_HINT],
    [
      { url: `https://example.com/${'a'.repeat(2048)}` },
      "Field 'url' has 2068 characters, and at most 2048 are allowed.",
      'Shorten the value.',
    ],
    [
      { url: 'https://example.com/', events: ['period'] },
      "Field 'events[0]' must be one of 'period.published', 'tracked_keyword.priority_hit', 'tracked_product.changed', 'data.late', but is 'period'.",
      'The fields and their rules are listed in /openapi.json.',
    ],
    [
      { url: 'https://example.com/', events: [] },
      "Field 'events' must be a list of 1 to 4, but is a list of 0.",
      'The fields and their rules are listed in /openapi.json.',
    ],
    [{ url: 'https://example.com/', event: [] }, "Unknown field 'event'.", "Did you mean 'events'?"],
  ])('400: %j', async (body, message, hint) => {
    const key = await service.makeKey();
    const answer = await register(key, body);
    expect([answer.status, answer.json]).toEqual([
      400,
      { data: null, error: { code: 'INVALID_PARAMETERS', message, hint, docs: '/docs/errors#INVALID_PARAMETERS' } },
    ]);
    expect((await service.request('/v1/webhooks', { key })).json.data).toEqual([]);
  });

  it('409: at most 20 per organization, however many requests come at once', async () => {
    const key = await service.makeKey();
    const answers = await Promise.all(
      Array.from({ length: 24 }, () => register(key, { url: 'https://hooks.example.com/' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), ...Array(4).fill(409)]);
    expect((await service.request('/v1/webhooks', { key })).json.data).toHaveLength(20);
  });
});

describe('webhooks of an organization', () => {
  it('200: are seen and deleted by its members, and by nobody else', async () => {
    const [organization, other] = [`Acme ${randomUUID()}`, `Other ${randomUUID()}`];
    const ada = await service.makeKey({ organization, subscription: {}, user: 'ada@acme.example' });
    const bob = await service.makeKey({ organization, user: 'bob@acme.example' });
    const elsewhere = await service.makeKey({ organization: other, subscription: {}, user: 'ada@acme.example' });
    const { id } = (await register(ada, { url: 'https://hooks.example.com/ada' })).json.data;
    const list = async (key: string) => (await service.request('/v1/webhooks', { key })).json.data;
    expect(await list(ada)).toMatchObject([{ id, is_own: true }]);
    expect(await list(bob)).toMatchObject([{ id, is_own: false }]);
    expect(await list(elsewhere)).toEqual([]);
    const log = await service.request(`/v1/webhooks/${id}/deliveries`, { key: bob });
    expect(log.json).toMatchObject({ data: [], pagination: { total_count: 0, page_size: 50 }, error: null });
    const remove = (key: string) => service.request(`/v1/webhooks/${id}`, { method: 'DELETE', key });
    expect((await remove(elsewhere)).status).toBe(404);
    const removed = await remove(bob);
    expect([removed.status, removed.json]).toEqual([200, { data: { id }, error: null }]);
    expect((await remove(ada)).status).toBe(404);
  });
});
