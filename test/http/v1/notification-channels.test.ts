import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

const PATH = '/v1/notification-channels';
const URL_SLACK = 'https://hooks.slack.com/services/T000/B000/secret1234';

async function send(key: string, method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  return await service.request(path, { method, key, headers, ...(body && { body: JSON.stringify(body) }) });
}

describe('201', () => {
  it('adds a channel, of which only its owner sees anything, and nobody the secret of its address', async () => {
    const key = await service.makeKey({ organization: 'Acme', subscription: {}, user: 'ada@acme.example' });
    const colleague = await service.makeKey({ organization: 'Acme', user: 'bob@acme.example' });
    const added = await send(key, 'POST', PATH, { kind: 'slack', url: URL_SLACK, events: ['late', 'alert'] });
    expect([added.status, added.json]).toEqual([
      201,
      {
        data: {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          kind: 'slack',
          address: 'hooks.slack.com/…1234',
          events: ['alert', 'late'],
          frequency: 'at_once',
          created_at: expect.any(String),
          is_active: true,
          paused_reason: null,
          last_message: null,
        },
        error: null,
      },
    ]);
    const { id } = added.json.data;
    expect((await send(key, 'GET', PATH)).json.data).toEqual([added.json.data]);
    expect((await send(colleague, 'GET', PATH)).json.data).toEqual([]);
    expect((await send(key, 'GET', '/v1/webhooks')).json.data).toEqual([]);
    for (const [asker, method, path, body] of [
      [colleague, 'PATCH', `${PATH}/${id}`, { is_active: false }],
      [colleague, 'POST', `${PATH}/${id}/test`, undefined],
      [colleague, 'DELETE', `${PATH}/${id}`, undefined],
      [key, 'DELETE', `/v1/webhooks/${id}`, undefined],
      [key, 'GET', `/v1/webhooks/${id}/deliveries`, undefined],
    ] as const) {
      expect((await send(asker, method, path, body)).status).toBe(404);
    }
    const changed = await send(key, 'PATCH', `${PATH}/${id}`, { is_active: false, frequency: 'weekly' });
    expect(changed.json.data).toMatchObject({ is_active: false, paused_reason: 'owner', frequency: 'weekly' });
    expect((await send(key, 'POST', `${PATH}/${id}/test`)).status).toBe(409);
    expect((await send(key, 'DELETE', `${PATH}/${id}`)).json.data).toEqual({ id });
    expect((await send(key, 'DELETE', `${PATH}/${id}`)).status).toBe(404);
  });

  it('is the same for the same Idempotency-Key', async () => {
    const key = await service.makeKey();
    const headers = { 'idempotency-key': 'once' };
    const body = { kind: 'teams', url: 'https://example.webhook.office.com/webhookb2/1' };
    const answers = [await send(key, 'POST', PATH, body, headers), await send(key, 'POST', PATH, body, headers)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.json).toEqual(answers[0]?.json);
    expect((await send(key, 'POST', PATH, { ...body, kind: 'slack' }, headers)).status).toBe(409);
  });
});

describe('200', () => {
  it('keeps a rule for everything tracked, for its owner alone', async () => {
    const key = await service.makeKey({ organization: 'Rules', subscription: {}, user: 'ada@rules.example' });
    const colleague = await service.makeKey({ organization: 'Rules', user: 'bob@rules.example' });
    const rule = { field: 'rank_change', operator: 'gte', value: 10 };
    const answer = await send(key, 'PATCH', '/v1/notifications', { default_priority_rule: rule });
    expect(answer.json).toEqual({
      data: { email: 'ada@rules.example', is_mail_offered: false, default_priority_rule: rule },
      error: null,
    });
    expect((await send(key, 'GET', '/v1/notifications')).json).toEqual(answer.json);
    expect((await send(colleague, 'GET', '/v1/notifications')).json.data.default_priority_rule).toBeNull();
    const removed = await send(key, 'PATCH', '/v1/notifications', { default_priority_rule: null });
    expect(removed.json.data.default_priority_rule).toBeNull();
  });

  it('leaves a pause of the operator alone', async () => {
    const key = await service.makeKey();
    const { id } = (await send(key, 'POST', PATH, { kind: 'discord', url: 'https://discord.com/api/webhooks/1/a' }))
      .json.data;
    await service.database.operator.query(
      `UPDATE webhooks SET paused_at = now(), paused_reason = 'operator' WHERE id = $1`,
      [id],
    );
    for (const isActive of [true, false, true]) {
      const { json } = await send(key, 'PATCH', `${PATH}/${id}`, { is_active: isActive });
      expect(json.data).toMatchObject({ is_active: false, paused_reason: 'operator' });
    }
  });
});

describe('400', () => {
  it.each([
    [{ kind: 'slack' }, "Field 'url' is missing."],
    [{ kind: 'slack', url: 'https://127.0.0.1/x' }, "Field 'url' is not a public address."],
    [{ kind: 'slack', url: 'https://[::ffff:10.0.0.1]/x' }, "Field 'url' is not a public address."],
    [{ kind: 'slack', url: 'https://localhost/x' }, "Field 'url' is not a public address."],
    [{ kind: 'slack', url: 'http://hooks.slack.com/x' }, "Field 'url' is not an https address."],
    [{ kind: 'slack', url: 'https://a:b@hooks.slack.com/x' }, "Field 'url' holds a user name or password."],
    [{ kind: 'email' }, "Field 'kind' is 'email', but this server is not set up to send mail."],
    [{ kind: 'email', url: URL_SLACK }, "Field 'url' must be absent for mail."],
    [{ kind: 'pager', url: URL_SLACK }, /^Field 'kind' must be one of/],
    [{ kind: 'slack', url: URL_SLACK, events: [] }, /^Field 'events' must be a list of 1 to 3/],
    [{ kind: 'slack', url: URL_SLACK, to: 'eve@example.com' }, "Unknown field 'to'."],
  ])('says what is wrong with %j', async (body, message) => {
    const { status, json } = await send(await service.makeKey(), 'POST', PATH, body);
    expect(status).toBe(400);
    expect(json).toMatchObject({
      data: null,
      error: { code: 'INVALID_PARAMETERS', message: expect.stringMatching(message) },
    });
  });
});

describe('409', () => {
  it('is the answer to a second channel to the same address, and to one too many', async () => {
    const key = await service.makeKey();
    const add = (n: number) => send(key, 'POST', PATH, { kind: 'slack', url: `https://hooks.slack.com/${n}` });
    const statuses = await Promise.all(Array.from({ length: 12 }, (_, n) => add(n)));
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(201), 409, 409]);
    const { json } = await add(
      Number(new URL(`https://${(await send(key, 'GET', PATH)).json.data[0].address}`).pathname.slice(-1)),
    );
    expect(json.error.code).toBe('CONFLICT');
  });
});
