// Signing in with a real provider, which runs in this process.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unlinkUser } from '../../src/postgres/users.ts';
import { Person } from '../support/person.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { enter, makeTeam, type Team } from './world.ts';

const CLIENT = { client_id: 'keyrank', client_secret: 'a secret between the two' };
/** What the provider says of whoever signs in there, by the name that they type. */
const PEOPLE: Record<string, { email: string; email_verified: boolean }> = {};

let provider: Server;
let issuer: string;
let service: TestService;
let team: Team;

beforeAll(async () => {
  provider = createServer();
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  service = await startTestService({
    KEYRANK_OIDC_ISSUER: issuer,
    KEYRANK_OIDC_CLIENT_ID: CLIENT.client_id,
    KEYRANK_OIDC_CLIENT_SECRET: CLIENT.client_secret,
    KEYRANK_OIDC_NAME: 'Example Login',
  });
  const oidc = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris: [`${service.url}/sign-in/openid/callback`] }],
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    findAccount: async (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...PEOPLE[id] }) }),
    cookies: { keys: ['for tests'] },
    pkce: { required: () => true },
  });
  provider.on('request', oidc.callback());
  team = await makeTeam(service);
  PEOPLE.ada = { email: team.emails.owner, email_verified: true };
  PEOPLE.mallory = { email: team.emails.admin, email_verified: false };
  PEOPLE.stranger = { email: 'stranger@elsewhere.example', email_verified: true };
  PEOPLE.invited = { email: 'invited@example.com', email_verified: true };
}, 60_000);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

/** A browser with one jar for all hosts of this machine, which follows no redirect by itself. */
class Browser {
  readonly #jar = new Map<string, string>();

  get cookies(): string {
    return [...this.#jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** By default as somebody who comes from the provider. */
  async open(url: string, form?: Record<string, string>, site = 'cross-site'): Promise<Response> {
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: this.cookies, 'sec-fetch-site': site },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const set of response.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const [name = '', value = ''] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      if (value === '') this.#jar.delete(name);
      else this.#jar.set(name, value);
    }
    return response;
  }

  /** From the page of the service. */
  begin(start = '/sign-in/openid'): Promise<Response> {
    return this.open(service.url + start, undefined, 'same-origin');
  }

  /** Goes to the provider and signs in there; ends at the address to which the provider sends it back. */
  async visitProvider(login: string, start = '/sign-in/openid'): Promise<string> {
    let target = (await this.begin(start)).headers.get('location') ?? '';
    for (let steps = 0; !target.startsWith(`${service.url}/sign-in/openid/callback`); steps += 1) {
      if (steps > 12) throw new Error(`lost at ${target}`);
      const response = await this.open(new URL(target, issuer).href);
      const text = await response.text();
      const action = /<form[^>]*action="([^"]+)"/.exec(text)?.[1];
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1] ?? '';
      const next = action ? await this.open(new URL(action, issuer).href, { prompt, login, password: 'x' }) : response;
      target = next.headers.get('location') ?? '';
      if (target === '') throw new Error(text.slice(0, 500));
    }
    return target;
  }

  get person(): Person {
    return new Person(service, this.cookies);
  }
}

const goal = async (response: Promise<Response>) => (await response).headers.get('location');

describe('signing in with a provider', () => {
  it('knows its name, and sends the browser there with a challenge, a state and a nonce', async () => {
    expect((await service.request('/v1/sign-in')).json.data.openid).toBe('Example Login');
    const browser = new Browser();
    const target = new URL((await goal(browser.begin())) ?? '');
    expect(target.origin).toBe(issuer);
    expect(Object.fromEntries(target.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      state: expect.stringMatching(/.{20}/),
      nonce: expect.stringMatching(/.{20}/),
      redirect_uri: `${service.url}/sign-in/openid/callback`,
    });
  });

  it('begins the session of whoever has the address that the provider vouches for, and knows them by name from then on', async () => {
    const browser = new Browser();
    const callback = await browser.visitProvider('ada');
    const planted = browser.cookies;
    expect(await goal(browser.open(callback))).toBe('/#signed-in=1');
    expect(browser.cookies).not.toBe(planted);
    expect((await browser.person.ask('/v1/account')).json.data.user).toMatchObject({
      email: team.emails.owner,
      is_email_verified: true,
    });
    // Another address at the provider is the same person.
    PEOPLE.ada = { email: 'ada@renamed.example', email_verified: false };
    const later = new Browser();
    expect(await goal(later.open(await later.visitProvider('ada')))).toBe('/#signed-in=1');
    expect((await later.person.ask('/v1/account')).json.data.user.email).toBe(team.emails.owner);
  });

  it('lets nobody in by an address that is not proven, or that no account has', async () => {
    for (const login of ['mallory', 'stranger']) {
      const browser = new Browser();
      expect(await goal(browser.open(await browser.visitProvider(login)))).toBe('/#sign-in-failed=FORBIDDEN');
      expect((await browser.person.ask('/v1/account')).status).toBe(401);
    }
  });

  it('gives an account to nobody else who gets its address at the provider, until an operator unlinks it', async () => {
    PEOPLE.first = { email: team.emails.member, email_verified: true };
    const first = new Browser();
    expect(await goal(first.open(await first.visitProvider('first')))).toBe('/#signed-in=1');
    // The address went to somebody else, or somebody else may write what they like there.
    PEOPLE.second = { email: team.emails.member, email_verified: true };
    const second = new Browser();
    expect(await goal(second.open(await second.visitProvider('second')))).toBe('/#sign-in-failed=CONFLICT');
    expect((await second.person.ask('/v1/account')).status).toBe(401);
    const owner = await enter(service, team.emails.owner);
    const { path } = (await owner.ask('/v1/invitations', { body: { email: 'fresh@example.com', role: 'viewer' } })).json
      .data;
    PEOPLE.first = { email: 'fresh@example.com', email_verified: true };
    const again = new Browser();
    const start = `/sign-in/openid?invitation=${path.split('=')[1]}`;
    // Whoever is known by name stays who they are, whatever the address is by now.
    expect(await goal(again.open(await again.visitProvider('first', start)))).toBe('/#signed-in=1');
    expect((await again.person.ask('/v1/account')).json.data.user.email).toBe(team.emails.member);
    await unlinkUser(service.database.operator, team.emails.member);
    expect((await again.person.ask('/v1/account')).status).toBe(401);
    const moved = new Browser();
    expect(await goal(moved.open(await moved.visitProvider('second')))).toBe('/#signed-in=1');
    expect((await moved.person.ask('/v1/account')).json.data.user.email).toBe(team.emails.member);
  });

  it('is begun by the page alone: no other site signs somebody in, or accepts an invitation for them', async () => {
    const browser = new Browser();
    for (const site of ['cross-site', 'same-site']) {
      const start = `${service.url}/sign-in/openid?invitation=${'a'.repeat(43)}`;
      const answer = await browser.open(start, undefined, site);
      expect([answer.headers.get('location'), answer.headers.getSetCookie()]).toEqual([
        '/#sign-in-failed=FORBIDDEN',
        [],
      ]);
    }
  });

  it('takes an invitation along, and knows by name who accepted it', async () => {
    const owner = await enter(service, team.emails.owner);
    const { path } = (await owner.ask('/v1/invitations', { body: { email: 'invited@example.com', role: 'viewer' } }))
      .json.data;
    const token = path.split('=')[1];
    const wrong = new Browser();
    expect(
      await goal(wrong.open(await wrong.visitProvider('stranger', `/sign-in/openid?invitation=${token}`))),
    ).toMatch(/sign-in-failed/);
    const browser = new Browser();
    expect(
      await goal(browser.open(await browser.visitProvider('invited', `/sign-in/openid?invitation=${token}`))),
    ).toBe('/#signed-in=1');
    expect((await browser.person.ask('/v1/account')).json.data).toMatchObject({
      user: { is_email_verified: true },
      organization: { role: 'viewer' },
    });
    PEOPLE.invited = { email: 'other@example.com', email_verified: false };
    const later = new Browser();
    expect(await goal(later.open(await later.visitProvider('invited')))).toBe('/#signed-in=1');
    expect((await later.person.ask('/v1/account')).json.data.user.email).toBe('invited@example.com');
  });

  it('refuses a code that was used, that another browser began, or whose state is another', async () => {
    const browser = new Browser();
    const kept = await (async () => {
      const callback = await browser.visitProvider('ada');
      const cookies = browser.cookies;
      expect(await goal(browser.open(callback))).toBe('/#signed-in=1');
      return { callback, cookies };
    })();
    // Again in the same browser, whose journey is over; and by somebody who kept its cookies.
    expect(await goal(browser.open(kept.callback))).toBe('/#sign-in-failed=UNAUTHORIZED');
    const replayed = await fetch(kept.callback, { redirect: 'manual', headers: { cookie: kept.cookies } });
    expect(replayed.headers.get('location')).toBe('/#sign-in-failed=UNAUTHORIZED');
    expect(replayed.headers.getSetCookie().join()).not.toMatch(/keyrank=kru_/);

    const victim = new Browser();
    const attacker = new Browser();
    const planted = await attacker.visitProvider('ada');
    expect(await goal(victim.open(planted))).toBe('/#sign-in-failed=UNAUTHORIZED');
    await victim.begin();
    expect(await goal(victim.open(planted))).toBe('/#sign-in-failed=UNAUTHORIZED');
  });

  it('refuses an answer in the name of another provider, and what was made for another journey', async () => {
    /** Comes back with another journey or to another address than began. */
    const comeBack = async (changes: object, parameters: Record<string, string> = {}) => {
      const browser = new Browser();
      const target = new URL(await browser.visitProvider('ada'));
      expect(target.searchParams.get('iss')).toBe(issuer);
      for (const [name, value] of Object.entries(parameters)) target.searchParams.set(name, value);
      const kept = /keyrank-openid=([\w-]+)/.exec(browser.cookies)?.[1] ?? '';
      const journey = { ...JSON.parse(Buffer.from(kept, 'base64url').toString()), ...changes };
      const cookie = `keyrank-openid=${Buffer.from(JSON.stringify(journey)).toString('base64url')}`;
      const answer = await fetch(target, { redirect: 'manual', headers: { cookie } });
      return [answer.headers.get('location'), /keyrank=kru_/.test(answer.headers.getSetCookie().join())];
    };
    const refused = ['/#sign-in-failed=UNAUTHORIZED', false];
    expect(await comeBack({})).toEqual(['/#signed-in=1', true]);
    expect(await comeBack({}, { iss: 'https://evil.example' })).toEqual(refused);
    expect(await comeBack({ nonce: 'n'.repeat(43) })).toEqual(refused);
    expect(await comeBack({ verifier: 'v'.repeat(43) })).toEqual(refused);
  });

  it.each(['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)'])(
    'sends nobody to %s',
    async (target) => {
      const query = ['return', 'return_to', 'next', 'redirect_uri', 'invitation']
        .map((name) => `${name}=${encodeURIComponent(target)}`)
        .join('&');
      const browser = new Browser();
      const began = new URL((await goal(browser.begin(`/sign-in/openid?${query}`))) ?? '');
      expect([began.origin, began.searchParams.get('redirect_uri')]).toEqual([
        issuer,
        `${service.url}/sign-in/openid/callback`,
      ]);
      expect(await goal(browser.open(`${service.url}/sign-in/openid/callback?${query}&code=x&state=y`))).toBe(
        '/#sign-in-failed=UNAUTHORIZED',
      );
    },
  );
});
