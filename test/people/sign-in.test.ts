import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTEMPT_LIMITS } from '../../src/domain/sign-in.ts';
import { hashSecret } from '../../src/postgres/secret-hash.ts';
import { countAttempt } from '../../src/postgres/sign-in-attempts.ts';
import { makeSignInLink } from '../../src/postgres/users.ts';
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

describe('guessing', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const tryFrom = async (address: string, email: string, password = `wrong ${PASSWORD}`) =>
    (await new Person(service).ask('/v1/sign-in/password', { body: { email, password }, headers: from(address) }))
      .status;

  it('from ever new addresses ends at the limit of the account, and keeps nobody out who came in from their own before', async () => {
    const { owner } = team.emails;
    expect(await tryFrom('192.0.2.1', owner, PASSWORD)).toBe(200);
    expect(await tryFrom('198.51.100.200', owner)).toBe(401);
    // Most of them without the hash that makes each take a while; those who came into the account before count too.
    const guessFrom = (address: string) =>
      countAttempt(service.database.operator, { kind: 'password', email: owner, address }).then(
        () => true,
        () => false,
      );
    let guesses = 1;
    while (await guessFrom(`198.51.100.${guesses}`)) guesses += 1;
    expect(guesses).toBeLessThan(ATTEMPT_LIMITS.account.attempts);
    expect(await tryFrom('203.0.113.1', owner, PASSWORD)).toBe(429);
    expect(await tryFrom('192.0.2.1', owner, PASSWORD)).toBe(200);
  });

  it('from ever new addresses of one IPv6 network is guessing from one', async () => {
    const { viewer } = team.emails;
    const statuses = [];
    for (let n = 1; n <= 6; n += 1) statuses.push(await tryFrom(`2001:db8:7:7::${n}`, viewer));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await tryFrom('2001:db8:7:8::1', viewer)).toBe(401);
  });

  it('at the same moment counts as often as one after the other', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => tryFrom('192.0.2.99', 'at.once@example.com')));
    expect(answers.filter((status) => status === 401)).toHaveLength(ATTEMPT_LIMITS.pair.attempts);
  });

  it('does as much work for nobody as for somebody', async () => {
    // What takes the time is the hash: it is made for both, of the same cost.
    const { rows } = await service.database.owner.query(
      'SELECT DISTINCT cost, block_size, parallelization FROM passwords',
    );
    expect(rows).toEqual([{ cost: 2 ** 15, block_size: 8, parallelization: 3 }]);
    const work = async (email: string, address: string) => {
      const before = process.cpuUsage();
      expect(await tryFrom(address, email)).toBe(401);
      return process.cpuUsage(before).user;
    };
    const [known, unknown] = [
      await work(team.emails.member, '192.0.2.50'),
      await work('no.one@example.com', '192.0.2.51'),
    ];
    expect(unknown).toBeGreaterThan(known / 5);
  });
});

describe('signing in with a link', () => {
  it('shows whom it is for without being used up, as programs do that look through mails', async () => {
    const path = await makeSignInLink(service.database.operator, team.emails.viewer);
    const token = path.split('=')[1];
    for (let n = 0; n < 2; n += 1) {
      const { status, json } = await new Person(service).ask('/v1/sign-in/links/read', { body: { token } });
      expect([status, json.data]).toEqual([200, { email: team.emails.viewer }]);
      // The token stands behind the #, which no browser sends; asking for the page changes nothing.
      expect((await service.request(path)).status).toBe(200);
    }
    expect((await new Person(service).ask('/v1/sign-in/links/redeem', { body: { token } })).status).toBe(200);
    expect((await new Person(service).ask('/v1/sign-in/links/read', { body: { token } })).status).toBe(401);
  });

  it('is over after 15 minutes, and with a new password', async () => {
    const make = async () => (await makeSignInLink(service.database.operator, team.emails.viewer)).split('=')[1];
    const redeem = async (token: string | undefined) =>
      (await new Person(service).ask('/v1/sign-in/links/redeem', { body: { token } })).status;
    const late = await make();
    await service.database.operator.query(
      `UPDATE sign_in_links SET expires_at = expires_at - interval '15 minutes' WHERE hash = $1`,
      [hashSecret(late ?? '')],
    );
    expect(await redeem(late)).toBe(401);
    const viewer = await enter(service, team.emails.viewer);
    const stolen = await make();
    const body = { current_password: PASSWORD, new_password: 'yet another four words' };
    expect((await viewer.ask('/v1/account/password', { method: 'PUT', body })).status).toBe(200);
    expect(await redeem(stolen)).toBe(401);
  });

  it('is signed in to by no other site', async () => {
    const path = await makeSignInLink(service.database.operator, team.emails.viewer);
    for (const headers of [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const answer = await new Person(service).ask('/v1/sign-in/links/redeem', {
        body: { token: path.split('=')[1] ?? '' },
        headers,
      });
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []]);
      const login = { email: team.emails.owner, password: PASSWORD };
      expect((await new Person(service).ask('/v1/sign-in/password', { body: login, headers })).status).toBe(403);
    }
  });

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
    // Nor to another program of the machine that reads the mail.
    for (const headers of [forged, { host: 'localhost:6666' }]) {
      await new Person(service).ask('/v1/sign-in/links', { body: { email: team.emails.owner }, headers });
    }
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

  it('end when nobody used them for 14 days, and after 30 days however they are used', async () => {
    for (const [column, days] of [
      ['last_seen_at', 14],
      ['expires_at', 30],
    ] as const) {
      const ada = await enter(service, team.emails.owner);
      const token = ada.cookie?.split('=')[1] ?? '';
      await service.database.operator.query(
        `UPDATE sessions SET ${column} = ${column} - $2 * interval '1 day' WHERE hash = $1`,
        [hashSecret(token), days],
      );
      expect((await ada.ask('/v1/account')).status, column).toBe(401);
    }
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
