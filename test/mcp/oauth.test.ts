// The official client connects by address alone; then everything that could go wrong between a person, a program and an attacker.
import { createHash, randomBytes } from 'node:crypto';
import { Client, type OAuthClientProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { AGENT_SCOPES } from '../../src/domain/agent.ts';
import { hashSecret } from '../../src/postgres/secret-hash.ts';
import { setOperator } from '../../src/postgres/users.ts';
import { startTestService, type TestAnswer, type TestService } from '../support/service.ts';

const REDIRECT = 'http://127.0.0.1:9/callback?kept=1';

let service: TestService;
let ada: Person;
let eve: Person;

interface Person {
  readonly key: string;
  readonly cookie: string;
}

beforeAll(async () => {
  service = await startTestService();
  ada = await makePerson('Acme', 'ada@acme.example');
  eve = await makePerson('Evil', 'eve@evil.example');
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

/** Signed in, with a key for looking at things beside. */
async function makePerson(organization: string, user: string, subscription: object = {}): Promise<Person> {
  const key = await service.makeKey({ organization, user, subscription });
  const token = `kru_${randomBytes(32).toString('base64url')}`;
  await service.database.operator.query(
    `INSERT INTO sessions (user_id, organization_id, hash, method, expires_at, user_agent, address)
     SELECT m.user_id, m.organization_id, $2, 'password', now() + interval '1 day', '', ''
     FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1`,
    [user, hashSecret(token)],
  );
  return { key, cookie: `keyrank=${token}` };
}

async function fetchPage(target: string, init: RequestInit = {}) {
  const response = await fetch(new URL(target, service.url), { redirect: 'manual', ...init });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function readEscaped(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

/** What the form of a consent page would send. */
function formOf(page: string, decision = 'allow'): URLSearchParams {
  const form = new URLSearchParams({ decision });
  for (const [, name = '', value = ''] of page.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
    form.append(name, readEscaped(value));
  }
  for (const [, scope = ''] of page.matchAll(/name="grant" value="([^"]*)"/g)) form.append('grant', scope);
  return form;
}

function answer(form: URLSearchParams, { cookie, headers = {} }: { cookie: string; headers?: Record<string, string> }) {
  const own = { origin: service.url, cookie, ...headers };
  return fetchPage('/oauth/authorize', { method: 'POST', body: form, headers: own });
}

async function register(metadata: object = {}): Promise<string> {
  const own = startAddress();
  const answered = await own.register({ client_name: 'Test agent', redirect_uris: [REDIRECT], ...metadata });
  expect(answered.status, answered.text).toBe(201);
  return answered.json.client_id;
}

function postForm(path: string, fields: Record<string, string>): Promise<TestAnswer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return service.request(path, { method: 'POST', headers, body: new URLSearchParams(fields).toString() });
}

const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

function question(clientId: string, changes: Readonly<Record<string, string | undefined>> = {}): string {
  const fields = {
    ...{ response_type: 'code', client_id: clientId, redirect_uri: REDIRECT, state: 's&t=1' },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256', scope: 'search trends', ...changes },
  };
  const given = Object.entries(fields).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/oauth/authorize?${new URLSearchParams(given)}`;
}

/** The code that ada's browser is sent back with. */
async function letIn(clientId: string, person = ada): Promise<string> {
  const page = await fetchPage(question(clientId), { headers: { cookie: person.cookie } });
  const answered = await answer(formOf(page.text), person);
  expect(answered.status).toBe(303);
  return new URL(answered.headers.get('location') ?? '').searchParams.get('code') ?? '';
}

function exchange(clientId: string, code: string, changes: Record<string, string> = {}): Promise<TestAnswer> {
  const fields = { client_id: clientId, code, redirect_uri: REDIRECT, code_verifier: VERIFIER };
  return postForm('/oauth/token', { grant_type: 'authorization_code', ...fields, ...changes });
}

function refresh(clientId: string, token: string): Promise<TestAnswer> {
  return postForm('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token });
}

const INVALID_GRANT = [400, expect.objectContaining({ error: 'invalid_grant' })];
const outcomeOf = ({ status, json }: TestAnswer) => [status, json];
const asks = async (key: string) => (await service.request('/v1/periods', { key })).status;
const ended = (key: string) => vi.waitFor(async () => expect(await asks(key)).toBe(401), 10_000);

describe('the official client', () => {
  it('connects by address alone, is let in by a person, works, and is ended in the account', async () => {
    let consent: URL | undefined;
    const kept: Record<string, unknown> = {};
    const provider: OAuthClientProvider = {
      redirectUrl: REDIRECT,
      clientMetadata: { client_name: 'Official', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      clientInformation: () => kept.client as never,
      saveClientInformation: (client) => {
        kept.client = client;
      },
      tokens: () => kept.tokens as never,
      saveTokens: (tokens) => {
        kept.tokens = tokens;
      },
      redirectToAuthorization: (url) => {
        consent = url;
      },
      saveCodeVerifier: (verifier) => {
        kept.verifier = verifier;
      },
      codeVerifier: () => kept.verifier as string,
    };
    provider.invalidateCredentials = (what) => {
      if (what === 'all' || what === 'client') delete kept.client;
      if (what === 'all' || what === 'tokens') delete kept.tokens;
    };
    const transport = () => new StreamableHTTPClientTransport(new URL('/mcp', service.url), { authProvider: provider });
    const first = transport();
    await expect(new Client({ name: 'test', version: '1' }).connect(first)).rejects.toThrow();
    expect(consent?.pathname).toBe('/oauth/authorize');
    expect(consent?.searchParams.get('resource')).toBe(`${service.url}/mcp`);
    const page = await fetchPage(consent?.href ?? '', { headers: { cookie: ada.cookie } });
    expect(page.text).toContain('Let “Official” in?');
    expect(page.text).toContain('ada@acme.example');
    expect(page.text).toContain('<b>Acme</b>');
    const answered = await answer(formOf(page.text), ada);
    await first.finishAuth(new URL(answered.headers.get('location') ?? '').searchParams);

    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport());
    const { structuredContent } = await client.callTool({ name: 'get_usage', arguments: {} });
    expect(structuredContent).toMatchObject({ usage: { user: 'ada@acme.example', organization: 'Acme' } });

    const listed = await service.request('/v1/agents', { key: ada.key });
    expect(listed.json.data).toEqual([
      {
        id: expect.any(String),
        name: 'Official',
        scopes: AGENT_SCOPES,
        created_at: expect.any(String),
        last_used_at: expect.any(String),
      },
    ]);
    expect((await service.request('/v1/agents', { key: eve.key })).json.data).toEqual([]);
    const path = `/v1/agents/${listed.json.data[0].id}`;
    expect((await service.request(path, { method: 'DELETE', key: eve.key })).status).toBe(404);
    expect((await service.request(path, { method: 'DELETE', key: ada.key })).status).toBe(200);
    expect(await asks((kept.tokens as { access_token: string }).access_token)).toBe(401);
    await client.close();
    const { data: log } = (await service.request('/v1/audit-log', { key: ada.key })).json;
    expect(log.slice(0, 2)).toMatchObject([
      { actor: 'ada@acme.example', action: 'agent.end', details: { program: 'Official' } },
      { actor: 'ada@acme.example', action: 'agent.allow', details: { program: 'Official', scopes: AGENT_SCOPES } },
    ]);

    // A program that was forgotten meanwhile registers anew by itself.
    const { client_id: before } = kept.client as { client_id: string };
    await service.database.operator.query('DELETE FROM agent_clients WHERE id = $1', [before]);
    consent = undefined;
    await expect(new Client({ name: 'test', version: '1' }).connect(transport())).rejects.toThrow();
    expect((kept.client as { client_id: string }).client_id).not.toBe(before);
    expect((consent as URL | undefined)?.searchParams.get('client_id')).not.toBe(before);
  });
});

describe('discovery', () => {
  it('begins at the 401 of /mcp, whose body is that of every 401', async () => {
    const refused = await service.request('/mcp', { method: 'POST', body: '{}' });
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp"`,
    );
    expect(outcomeOf(refused)).toEqual(outcomeOf(await service.request('/v1/periods')));
    const resource = await service.request('/.well-known/oauth-protected-resource/mcp');
    expect(resource.json).toMatchObject({ resource: `${service.url}/mcp`, authorization_servers: [service.url] });
    const server = await service.request('/.well-known/oauth-authorization-server');
    expect(server.json).toMatchObject({
      issuer: service.url,
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
    });
    expect((await service.request('/oauth/token')).status).toBe(405);
  });
});

describe('registration', () => {
  it.each([
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://agent.example/'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: Array.from({ length: 6 }, (_, i) => `https://a.example/${i}`) }, 'invalid_redirect_uri'],
    [{ token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
    [{ grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ response_types: ['token'] }, 'invalid_client_metadata'],
  ])('refuses %j', async (metadata, error) => {
    const own = startAddress();
    const answered = await own.register({ redirect_uris: [REDIRECT], ...metadata });
    expect([answered.status, answered.json.error]).toEqual([400, error]);
  });

  it('429: one address registers few at a time; 503: and all together so many that nobody let in', async () => {
    const own = startAddress();
    const answers = [];
    for (let i = 0; i < 12; i += 1) answers.push((await own.register({ redirect_uris: [REDIRECT] })).status);
    expect(answers.filter((status) => status === 201).length).toBeGreaterThanOrEqual(10);
    expect(answers.at(-1)).toBe(429);
    const { operator } = service.database;
    await operator.query(
      `INSERT INTO agent_clients (name, redirect_uris) SELECT 'flood', '{}' FROM generate_series(1, 1000)`,
    );
    const other = startAddress();
    expect((await other.register({ redirect_uris: [REDIRECT] })).status).toBe(503);
    // Whoever floods pushes out what is older than a person takes to answer, and keeps nobody out for long.
    await operator.query(`UPDATE agent_clients SET created_at = now() - interval '11 minutes' WHERE name = 'flood'`);
    expect((await other.register({ redirect_uris: [REDIRECT] })).status).toBe(201);
    const { rows } = await operator.query(`SELECT count(*) AS count FROM agent_clients`);
    expect(rows[0].count).toBeLessThanOrEqual(1000);
    await operator.query(`DELETE FROM agent_clients WHERE name = 'flood'`);
  });
});

/** As from another address, which a proxy on this machine tells. */
function startAddress() {
  const address = `10.${randomBytes(3).join('.')}`;
  return {
    register: (metadata: object) =>
      service.request('/oauth/register', {
        method: 'POST',
        headers: { 'x-forwarded-for': address },
        body: JSON.stringify(metadata),
      }),
  };
}

describe('the question', () => {
  it('sends nobody anywhere while client and address do not belong together', async () => {
    const clientId = await register();
    for (const target of [
      question('01234567-89ab-4cde-8f01-23456789abcd'),
      question('nonsense'),
      question(clientId, { redirect_uri: 'https://evil.example/' }),
      question(clientId, { redirect_uri: `${REDIRECT}&more=1` }),
      question(clientId, { redirect_uri: REDIRECT.toUpperCase() }),
      question(clientId, { redirect_uri: undefined }),
      `${question(clientId)}&redirect_uri=https://evil.example/`,
    ]) {
      const page = await fetchPage(target, { headers: { cookie: ada.cookie } });
      expect([page.status, page.headers.get('location')], target).toEqual([400, null]);
    }
  });

  it('takes another port on the device of the person, and nothing else', async () => {
    const clientId = await register();
    const page = (redirect_uri: string) =>
      fetchPage(question(clientId, { redirect_uri }), { headers: { cookie: ada.cookie } });
    const moved = await page('http://127.0.0.1:52001/callback?kept=1');
    expect(moved.status).toBe(200);
    expect(moved.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:52001");
    for (const uri of [
      'http://localhost:9/callback?kept=1',
      'http://127.0.0.1:9/other?kept=1',
      'http://127.0.0.1:9@evil.example/callback?kept=1',
      'http://127.0.0.1:99999/callback?kept=1',
      'https://127.0.0.1:9/callback?kept=1',
    ]) {
      expect((await page(uri)).status, uri).toBe(400);
    }
    const remote = await register({ redirect_uris: ['https://agent.example:8443/callback'] });
    const asked = await fetchPage(question(remote, { redirect_uri: 'https://agent.example:8444/callback' }), {
      headers: { cookie: ada.cookie },
    });
    expect(asked.status).toBe(400);
  });

  it('tells the client what is wrong with the rest when the person goes there, and sends nobody by itself', async () => {
    const clientId = await register();
    for (const [changes, error] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
      [{ scope: 'operator people' }, 'invalid_scope'],
    ] as const) {
      const page = await fetchPage(question(clientId, changes), { headers: { cookie: ada.cookie } });
      expect([page.status, page.headers.get('location')]).toEqual([400, null]);
      const sent = new URL(readEscaped(/<a href="([^"]*)"/.exec(page.text)?.[1] ?? ''));
      expect(sent.origin + sent.pathname).toBe('http://127.0.0.1:9/callback');
      expect(Object.fromEntries(sent.searchParams)).toMatchObject({
        kept: '1',
        error,
        state: 's&t=1',
        iss: service.url,
      });
    }
  });

  it('asks nobody who is not signed in, cannot be framed, and shows names as text', async () => {
    const clientId = await register({ client_name: '<img src=x onerror=alert(1)>\u202eknab' });
    const stranger = await fetchPage(question(clientId));
    expect(stranger.status).toBe(401);
    expect(stranger.text).toContain('Sign in first');
    const unpaid = await makePerson('Unpaid', 'una@unpaid.example', { status: 'inactive' });
    const refused = await fetchPage(question(clientId), { headers: { cookie: unpaid.cookie } });
    expect([refused.status, refused.headers.get('location')]).toEqual([400, null]);
    expect(refused.text).toContain('no active subscription');
    const page = await fetchPage(question(clientId), { headers: { cookie: ada.cookie } });
    expect(page.text).not.toMatch(/<img|\u202e|<script/);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:9");
    expect(page.headers.get('x-frame-options')).toBe('DENY');
    expect(page.headers.get('cache-control')).toBe('no-store');
  });
});

describe('the answer', () => {
  it('counts from our own page, of this session, to this very question', async () => {
    const clientId = await register();
    const other = await register();
    const page = await fetchPage(question(clientId), { headers: { cookie: ada.cookie } });
    const form = () => formOf(page.text);
    const changed = (name: string, value: string) => {
      const fields = form();
      fields.set(name, value);
      return fields;
    };
    for (const [fields, by] of [
      [form(), { cookie: '' }],
      [form(), { cookie: eve.cookie }],
      [form(), { cookie: ada.cookie, headers: { origin: 'https://evil.example' } }],
      [form(), { cookie: ada.cookie, headers: { 'sec-fetch-site': 'cross-site' } }],
      [changed('form_token', 'x'), ada],
      [changed('client_id', other), ada],
      [changed('code_challenge', 'x'.repeat(43)), ada],
      [changed('scope', 'search trends tracked:write'), ada],
    ] as const) {
      const answered = await answer(fields, by);
      expect([answered.status, answered.headers.get('location')]).toEqual([403, null]);
    }
    const { rows } = await service.database.operator.query('SELECT FROM agents WHERE client_id = $1', [clientId]);
    expect(rows).toEqual([]);
  });

  it('may be no, and yes to a part', async () => {
    const clientId = await register();
    const page = await fetchPage(question(clientId), { headers: { cookie: ada.cookie } });
    const refused = await answer(formOf(page.text, 'deny'), ada);
    expect(new URL(refused.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied');
    const form = formOf(page.text);
    form.delete('grant');
    for (const scope of ['trends', 'tracked:write']) form.append('grant', scope);
    const answered = await answer(form, ada);
    const code = new URL(answered.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const { json } = await exchange(clientId, code);
    expect(json).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'trends' });
    expect((await service.request('/v1/search/keywords?query=a', { key: json.access_token })).status).toBe(403);
    expect((await service.request('/v1/trends/new', { key: json.access_token })).status).toBe(200);
  });
});

describe('codes', () => {
  it('are for the client, the address and the verifier that they were asked with', async () => {
    const [clientId, other] = [await register(), await register()];
    const code = await letIn(clientId);
    for (const changes of [
      { client_id: other },
      { redirect_uri: 'http://127.0.0.1:9/callback' },
      { code_verifier: 'w'.repeat(43) },
      { code: 'x' },
      { resource: 'https://elsewhere.example/mcp' },
    ] as Record<string, string>[]) {
      expect(outcomeOf(await exchange(clientId, code, changes))).toEqual(INVALID_GRANT);
    }
    expect((await exchange(clientId, code, { code_verifier: CHALLENGE.slice(1) })).status).toBe(400);
    expect((await exchange(clientId, code, { resource: `${service.url}/mcp` })).status).toBe(200);
  });

  it('count once: when one comes again, what was given for it ends', async () => {
    const clientId = await register();
    const code = await letIn(clientId);
    const { json } = await exchange(clientId, code);
    expect(await asks(json.access_token)).toBe(200);
    expect(outcomeOf(await exchange(clientId, code))).toEqual(INVALID_GRANT);
    await ended(json.access_token);
    expect(outcomeOf(await refresh(clientId, json.refresh_token))).toEqual(INVALID_GRANT);
  });

  it('count once when they come twice at the same time', async () => {
    const clientId = await register();
    const code = await letIn(clientId);
    const answers = await Promise.all([1, 2, 3].map(() => exchange(clientId, code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400]);
  });

  it('last a minute', async () => {
    const clientId = await register();
    const code = await letIn(clientId);
    await service.database.operator.query('UPDATE agents SET code_expires_at = now() WHERE code_hash = $1', [
      hashSecret(code),
    ]);
    expect(outcomeOf(await exchange(clientId, code))).toEqual(INVALID_GRANT);
  });
});

describe('tokens', () => {
  const connect = async () => {
    const clientId = await register();
    const { json } = await exchange(clientId, await letIn(clientId));
    return { clientId, access: json.access_token as string, refreshed: json.refresh_token as string };
  };

  it('are renewed, each by the next; a refresh token that comes again ends the agent', async () => {
    const { clientId, access, refreshed } = await connect();
    const other = await register();
    expect(outcomeOf(await refresh(other, refreshed))).toEqual(INVALID_GRANT);
    const { json } = await refresh(clientId, refreshed);
    expect(json.refresh_token).not.toBe(refreshed);
    await ended(access);
    expect(await asks(json.access_token)).toBe(200);
    expect(outcomeOf(await refresh(clientId, refreshed))).toEqual(INVALID_GRANT);
    await ended(json.access_token);
    expect(outcomeOf(await refresh(clientId, json.refresh_token))).toEqual(INVALID_GRANT);
  });

  it('end when they are revoked, by their own client alone, and with the membership', async () => {
    const { clientId, access } = await connect();
    const other = await register();
    expect((await postForm('/oauth/revoke', { token: access, client_id: other })).status).toBe(200);
    expect(await asks(access)).toBe(200);
    expect((await postForm('/oauth/revoke', { token: access, client_id: clientId })).status).toBe(200);
    await ended(access);
    const leaver = await makePerson('Leavers', 'leaver@acme.example');
    const agent = await register();
    const { json } = await exchange(agent, await letIn(agent, leaver));
    expect(await asks(json.access_token)).toBe(200);
    await service.database.operator.query(
      `DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE email = 'leaver@acme.example')`,
    );
    await ended(json.access_token);
    expect(outcomeOf(await refresh(agent, json.refresh_token))).toEqual(INVALID_GRANT);
  });

  it('are renewed for the service that they were given for, of a program that is known', async () => {
    const { clientId, refreshed } = await connect();
    const renew = (fields: Record<string, string>) =>
      postForm('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: refreshed,
        ...fields,
      });
    expect(outcomeOf(await renew({ resource: 'https://elsewhere.example/mcp' }))).toEqual(INVALID_GRANT);
    expect(outcomeOf(await renew({ client_id: '01234567-89ab-4cde-8f01-23456789abcd' }))).toEqual([
      401,
      expect.objectContaining({ error: 'invalid_client' }),
    ]);
    expect((await renew({ resource: `${service.url}/mcp` })).status).toBe(200);
  });

  it('come and go, and what was made with one lasts as long as the agent', async () => {
    const clientId = await register();
    const page = await fetchPage(question(clientId, { scope: 'search tracked:read tracked:write' }), {
      headers: { cookie: ada.cookie },
    });
    const answered = await answer(formOf(page.text), ada);
    const code = new URL(answered.headers.get('location') ?? '').searchParams.get('code') ?? '';
    const { json } = await exchange(clientId, code);
    const body = JSON.stringify({ search: 'query=boots' });
    const made = await service.request('/v1/shares', { method: 'POST', key: json.access_token, body });
    expect(made.status, made.text).toBe(201);
    const { json: next } = await refresh(clientId, json.refresh_token);
    await ended(json.access_token);
    expect((await service.request('/v1/shares', { key: made.json.token })).status).toBe(200);
    expect((await service.request('/v1/members', { key: ada.key })).json.data).toMatchObject([{ active_keys: 1 }]);
    const agents = (await service.request('/v1/agents', { key: ada.key })).json.data;
    await service.request(`/v1/agents/${agents.at(-1).id}`, { method: 'DELETE', key: ada.key });
    expect(await asks(next.access_token)).toBe(401);
    await vi.waitFor(
      async () => expect((await service.request('/v1/shares', { key: made.json.token })).status).toBe(401),
      10_000,
    );
  });

  it('that are over pause no webhook of their person', async () => {
    const wendy = await makePerson('Hooks', 'wendy@hooks.example');
    const { operator } = service.database;
    const body = JSON.stringify({ url: 'https://hooks.example/x', events: ['period.published'] });
    expect((await service.request('/v1/webhooks', { method: 'POST', key: wendy.key, body })).status).toBe(201);
    const clientId = await register();
    const { json } = await exchange(clientId, await letIn(clientId, wendy));
    // Who works in the browser has no key but that of the agent, which is over.
    const webhooksOf = `FROM memberships m JOIN organizations o ON o.id = m.organization_id
      WHERE o.name = 'Hooks' AND m.organization_id = k.organization_id`;
    await operator.query(
      `DELETE FROM api_keys k USING memberships WHERE k.agent_id IS NULL AND EXISTS (SELECT ${webhooksOf})`,
    );
    await operator.query(`UPDATE api_keys k SET expires_at = now() WHERE EXISTS (SELECT ${webhooksOf})`);
    await ended(json.access_token);
    const { rows } = await operator.query(
      `SELECT channel_pause(needs_key, paused_reason, organization_id, user_id) AS reason FROM webhooks`,
    );
    expect(rows).toEqual([{ reason: null }]);
  });

  it('end when the address of an account is first proven: until then it may have been anybody’s', async () => {
    const planted = await makePerson('Planted', 'planted@acme.example');
    const { operator } = service.database;
    await operator.query(`UPDATE users SET email_verified_at = NULL WHERE email = 'planted@acme.example'`);
    const clientId = await register();
    const { json } = await exchange(clientId, await letIn(clientId, planted));
    expect(await asks(json.access_token)).toBe(200);
    await setOperator(operator, { email: 'planted@acme.example', isOperator: true });
    expect(await asks(json.access_token)).toBe(401);
    expect(outcomeOf(await refresh(clientId, json.refresh_token))).toEqual(INVALID_GRANT);
    // Programs that work by key go on.
    expect(await asks(planted.key)).toBe(200);
  });

  it('stand nowhere in the database, and are no sessions', async () => {
    const { access, refreshed } = await connect();
    const { rows } = await service.database.owner.query(
      `SELECT (SELECT jsonb_agg(a)::text FROM agents a) || (SELECT jsonb_agg(r)::text FROM agent_refresh_tokens r) ||
         (SELECT jsonb_agg(k)::text FROM api_keys k) AS text`,
    );
    expect(rows[0].text).not.toContain(access);
    expect(rows[0].text).not.toContain(refreshed);
    expect(await asks(refreshed)).toBe(401);
    const clientId = await register();
    const page = await fetchPage(question(clientId), { headers: { authorization: `Bearer ${access}` } });
    expect(page.status).toBe(401);
  });
});
