import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Person } from '../support/person.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { enter, KeptMails, makeKeyOf, makeTeam, PASSWORD, type Team } from './world.ts';

let service: TestService;
let team: Team;
const mails = new KeptMails();

beforeAll(async () => {
  service = await startTestService({}, { mailer: mails });
  team = await makeTeam(service, { hasPasswords: true });
});
afterAll(() => service[Symbol.asyncDispose]());

describe('signing in with a password', () => {
  it('begins a session in a cookie that no script reads', async () => {
    const ada = new Person(service);
    const answer = await ada.signIn(team.emails.owner.toUpperCase(), PASSWORD);
    expect([answer.status, answer.json]).toEqual([200, { data: { signed_in: true }, error: null }]);
    expect(ada.setCookies).toEqual([
      expect.stringMatching(/^keyrank=kru_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
    ]);
    const { json } = await ada.ask('/v1/account');
    expect(json.data).toMatchObject({
      user: { email: team.emails.owner, is_operator: false, has_password: true },
      organization: { name: team.organization, role: 'owner' },
      key_id: null,
    });
    expect((await ada.ask('/v1/usage')).status).toBe(200);
  });

  it('has a __Host- cookie with Secure behind TLS, and none over http from elsewhere', async () => {
    const ada = new Person(service);
    const forwarded = { headers: { 'x-forwarded-proto': 'https', host: 'ranks.example' } };
    await ada.ask('/v1/sign-in/password', { body: { email: team.emails.owner, password: PASSWORD }, ...forwarded });
    expect(ada.setCookies[0]).toMatch(/^__Host-keyrank=kru_.*; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
  });

  it('ends the session that the browser had, so that none can be planted', async () => {
    const planted = await enter(service, team.emails.viewer);
    const cookie = planted.cookie ?? '';
    const victim = new Person(service, cookie);
    await victim.signIn(team.emails.owner, PASSWORD);
    expect(victim.cookie).not.toBe(cookie);
    expect((await new Person(service, cookie).ask('/v1/account')).status).toBe(401);
    // What the service did not make is never taken for a session.
    const invented = `keyrank=kru_${randomBytes(32).toString('base64url')}`;
    const other = new Person(service, invented);
    await other.signIn(team.emails.owner, PASSWORD);
    expect(other.cookie).not.toBe(invented);
  });

  it('401: says the same of a wrong password and of nobody, and then makes whoever tried wait, equally', async () => {
    const tries = async (email: string) => {
      const answers = [];
      for (let n = 0; n < 6; n += 1) {
        const { status, json, headers } = await new Person(service).signIn(email, `wrong ${PASSWORD}`);
        answers.push([status, json, headers.has('retry-after')]);
      }
      return answers;
    };
    const known = await tries(team.emails.admin);
    const unknown = await tries('nobody@example.com');
    expect(known.map(([status]) => status)).toEqual([401, 401, 401, 401, 401, 429]);
    expect(unknown).toEqual(known);
    // The right one waits too, whatever the case of the address.
    expect((await new Person(service).signIn(team.emails.admin.toUpperCase(), PASSWORD)).status).toBe(429);
    // Others come in, and so does the same person by another way.
    expect((await new Person(service).signIn(team.emails.member, PASSWORD)).status).toBe(200);
    await enter(service, team.emails.admin);
  });
});

describe('signing in with a link', () => {
  it('mails one that works once, and says the same for nobody', async () => {
    const ada = new Person(service);
    const asked = await ada.ask('/v1/sign-in/links', { body: { email: team.emails.viewer } });
    const nobody = await ada.ask('/v1/sign-in/links', { body: { email: 'nobody@example.com' } });
    expect([asked.status, asked.json]).toEqual([nobody.status, nobody.json]);
    const token = await mails.nextToken(team.emails.viewer);
    expect((await ada.ask('/v1/sign-in/links/redeem', { body: { token } })).status).toBe(200);
    expect((await ada.ask('/v1/account')).json.data.user.email).toBe(team.emails.viewer);
    const again = await new Person(service).ask('/v1/sign-in/links/redeem', { body: { token } });
    expect([again.status, again.json.error.code]).toEqual([401, 'UNAUTHORIZED']);
    expect(mails.mails).toEqual([]);
  });

  it('lets one of two in who use it at the same moment', async () => {
    await new Person(service).ask('/v1/sign-in/links', { body: { email: team.emails.member } });
    const token = await mails.nextToken(team.emails.member);
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => new Person(service).ask('/v1/sign-in/links/redeem', { body: { token } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it('mails no link to an address that the Host header names', async () => {
    const forged = { host: 'evil.example', 'x-forwarded-proto': 'https' };
    const { json } = await new Person(service).ask('/v1/sign-in', { headers: forged });
    expect(json.data.link).toBe(false);
    await new Person(service).ask('/v1/sign-in/links', { body: { email: team.emails.owner }, headers: forged });
    expect(mails.mails).toEqual([]);
  });
});

describe('requests with a cookie', () => {
  const list = { body: { name: 'Forged' }, method: 'POST' };

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['another host of this site', { 'sec-fetch-site': 'same-site' }],
    ['a browser that names another origin alone', { 'sec-fetch-site': '', origin: 'https://evil.example' }],
    ['whoever says nothing', { 'sec-fetch-site': '' }],
  ])('403: change nothing when they come from %s', async (_name, headers) => {
    const ada = await enter(service, team.emails.owner);
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
    const answer = await ada.ask('/v1/lists', {
      ...list,
      headers: { ...given, ...(headers['sec-fetch-site'] === '' && { 'sec-fetch-site': 'cross-site' }) },
    });
    expect([answer.status, answer.json.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await ada.ask('/v1/lists')).json.data).toEqual([]);
  });

  it('are judged by the key when they have one', async () => {
    const ada = await enter(service, team.emails.owner);
    const key = await makeKeyOf(service, { organization: team.organization, email: team.emails.member });
    const authorization = { authorization: `Bearer ${key}`, 'sec-fetch-site': 'cross-site' };
    expect((await ada.ask('/v1/account', { headers: authorization })).json.data.user.email).toBe(team.emails.member);
    expect((await ada.ask('/v1/account', { headers: { authorization: 'Bearer nonsense' } })).status).toBe(401);
    // A session's token is no key.
    const token = ada.cookie?.split('=')[1];
    expect(
      (await new Person(service).ask('/v1/account', { headers: { authorization: `Bearer ${token}` } })).status,
    ).toBe(401);
  });
});

describe('sessions', () => {
  it('are listed and ended by their owner alone, at once', async () => {
    const ada = await enter(service, team.emails.owner);
    const other = await enter(service, team.emails.owner);
    const eve = await enter(service, team.emails.viewer);
    const { json } = await ada.ask('/v1/sessions');
    const current = json.data.filter((each: { is_current: boolean }) => each.is_current);
    expect(current).toMatchObject([{ method: 'link', address: '127.0.0.1', organization: team.organization }]);
    const otherId = (await other.ask('/v1/account')).json.data.session_id;
    expect((await eve.ask(`/v1/sessions/${otherId}`, { method: 'DELETE' })).status).toBe(404);
    expect((await ada.ask(`/v1/sessions/${otherId}`, { method: 'DELETE' })).status).toBe(200);
    expect((await other.ask('/v1/account')).status).toBe(401);
    expect((await ada.ask('/v1/sessions', { method: 'DELETE' })).json.data.ended).toBeGreaterThan(0);
    expect((await ada.ask('/v1/sessions')).json.data).toHaveLength(1);
    const cookie = ada.cookie ?? '';
    expect((await ada.ask('/v1/sign-out', { method: 'POST' })).status).toBe(200);
    expect(ada.cookie).toBeUndefined();
    expect((await new Person(service, cookie).ask('/v1/account')).status).toBe(401);
  });

  it('are all ended but one by a new password, which takes the old one', async () => {
    const ada = await enter(service, team.emails.member);
    const other = await enter(service, team.emails.member);
    const change = (body: object) => ada.ask('/v1/account/password', { method: 'PUT', body });
    const next = 'another four words entirely';
    expect((await change({ new_password: next })).status).toBe(403);
    expect((await change({ current_password: 'wrong', new_password: next })).status).toBe(403);
    expect((await change({ current_password: PASSWORD, new_password: 'short' })).status).toBe(400);
    expect((await change({ current_password: PASSWORD, new_password: next })).status).toBe(200);
    expect((await other.ask('/v1/account')).status).toBe(401);
    expect((await ada.ask('/v1/account')).status).toBe(200);
    expect((await new Person(service).signIn(team.emails.member, next)).status).toBe(200);
  });

  it('403: take a person where a key does not do', async () => {
    const key = await makeKeyOf(service, { organization: team.organization, email: team.emails.owner });
    for (const [method, target] of [
      ['GET', '/v1/sessions'],
      ['DELETE', '/v1/sessions'],
    ] as const) {
      expect((await service.request(target, { method, key })).status).toBe(403);
    }
  });
});

describe('what is kept', () => {
  it('holds no secret in the clear', async () => {
    const ada = await enter(service, team.emails.owner);
    const token = ada.cookie?.split('=')[1] ?? 'none';
    const { rows } = await service.database.owner.query(
      `SELECT (SELECT json_agg(s) FROM keyrank.sessions s)::text || (SELECT json_agg(p) FROM keyrank.passwords p)::text
         || (SELECT json_agg(a) FROM keyrank.audit_log a)::text AS everything`,
    );
    expect(rows[0].everything).not.toContain(token);
    expect(rows[0].everything).not.toContain(PASSWORD);
  });
});
