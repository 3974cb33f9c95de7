// Accounts at Amazon, managed over the API by the admins of an organization and by operators, with a stand-in for Amazon.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../../src/domain/account.ts';
import { type FakeAccount, FakeAmazon } from '../../amazon/fake-amazon.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const PATH = '/v1/connections';

let amazon: FakeAmazon;
let service: TestService;
let ada: string;
let bob: string;
let operator: string;
let account: FakeAccount;
const output: string[] = [];

beforeAll(async () => {
  const never = () => new Date('2999-01-01T00:00:00Z');
  amazon = await FakeAmazon.open({ now: () => new Date(), random: () => 0.9, availableAt: never });
  service = await startTestService({ KEYRANK_AMAZON_URL: amazon.url });
  ada = await service.makeKey({ organization: 'Ada Ltd', user: 'ada@example.com', subscription: {} });
  bob = await service.makeKey({ organization: 'Bob Ltd', user: 'bob@example.com', subscription: {} });
  operator = await service.makeKey({ isOperator: true });
  account = amazon.addAccount();
});
afterEach(() => service.database.operator.query('DELETE FROM connections'));
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await amazon[Symbol.asyncDispose]();
});

const send = async (method: string, path: string, { key = ada, body }: { key?: string; body?: object } = {}) => {
  const answer = await service.request(path, { method, key, ...(body && { body: JSON.stringify(body) }) });
  output.push(answer.text);
  return answer;
};
const wanted = (more: object = {}, of: FakeAccount = account) => ({
  ...{ name: 'acme', region: 'na', marketplaces: ['US', 'CA'], client_id: of.clientId },
  ...{ client_secret: of.clientSecret, refresh_token: of.refreshToken, ...more },
});
const add = async (more: object = {}, key = ada, of: FakeAccount = account) =>
  await send('POST', PATH, { key, body: wanted(more, of) });
const list = async (key: string) =>
  (await send('GET', PATH, { key })).json.data.map(({ name }: { name: string }) => name);

describe('connections over the API', () => {
  it('201: keeps secrets that Amazon takes, sealed, and shows them nowhere', async () => {
    const added = await add({ since: '2026-01-01', look_back_weeks: 2 });
    expect(added.status, added.text).toBe(201);
    expect(added.json.data).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      ...{ name: 'acme', is_own: true, region: 'na', marketplaces: ['US', 'CA'], client_id: account.clientId },
      ...{ look_back_weeks: 2, look_back_months: 3, since: '2026-01-01', created_at: expect.any(String) },
      ...{ disabled_at: null, fault: null, held_until: null, downloads: { imported: 0, coming: 0, failed: 0 } },
    });
    const one = `${PATH}/${added.json.data.id}`;
    const works = { works: true, message: null, hint: null };
    expect((await send('POST', `${one}/test`)).json.data).toEqual(works);
    const secrets = { client_secret: account.clientSecret, refresh_token: account.refreshToken };
    expect((await send('POST', `${one}/rotate`, { body: secrets })).status).toBe(200);
    await send('GET', PATH);
    const { owner } = service.database;
    for (const table of ['connections', 'audit_log', 'downloads', 'idempotency_keys'])
      output.push(JSON.stringify((await owner.query(`SELECT * FROM ${table}`)).rows));
    const seen = output.join('\n');
    expect(seen).toContain('acme');
    const hexes = [...amazon.secrets].map((secret) => Buffer.from(secret).toString('hex'));
    expect([...amazon.secrets, ...hexes].filter((secret) => seen.includes(secret))).toEqual([]);
    const log = (await send('GET', '/v1/audit-log')).json.data;
    expect(log.slice(0, 2)).toMatchObject([
      { actor: 'ada@example.com', action: 'connection.rotate', details: { connection: 'acme' } },
      { actor: 'ada@example.com', action: 'connection.add', details: { connection: 'acme' } },
    ]);
  });

  it('409: keeps nothing that Amazon refuses, nor what would be fetched twice or not at all', async () => {
    const faultOf = async (more: object, of = account) => {
      const { status, json } = await add(more, ada, of);
      return [status, json.error.message];
    };
    expect(await faultOf({ refresh_token: 'Atzr|wrong' })).toEqual([
      409,
      expect.stringMatching(/^Amazon did not answer as it should: invalid_grant/),
    ]);
    expect(await faultOf({ marketplaces: ['US', 'DE'] })).toEqual([409, 'DE is no marketplace of the region na.']);
    expect(await faultOf({ look_back_weeks: 0, look_back_months: 0 })).toEqual([409, 'Nothing would be fetched.']);
    expect((await service.database.owner.query('SELECT FROM connections')).rowCount).toBe(0);
    expect((await add()).status).toBe(201);
    expect(await faultOf({})).toEqual([409, 'There is a connection "acme" already.']);
    expect(await faultOf({ name: 'b' })).toEqual([409, 'US is fetched by the connection "acme" already.']);
    expect(await faultOf({ name: 'b', marketplaces: ['MX'] })).toEqual([
      409,
      'The connection "acme" is of the same account.',
    ]);
    // To others not even the name is told.
    const told = async (more: object, of: FakeAccount) =>
      (await add({ name: 'b', ...more }, bob, of)).json.error.message;
    expect(await told({}, amazon.addAccount())).toBe(
      'US is fetched by another connection of this installation already.',
    );
    expect(await told({ marketplaces: ['MX'] }, account)).toBe(
      'A connection of this installation is of the same account.',
    );
  });

  it('409: two are never of one account, whether they are added at once or given its secrets later', async () => {
    const both = await Promise.all([add(), add({ name: 'b', marketplaces: ['MX'] })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    await service.database.operator.query('DELETE FROM connections');
    const other = amazon.addAccount();
    await add();
    const { id } = (await add({ name: 'b', marketplaces: ['MX'] }, ada, other)).json.data;
    const { clientId: client_id, clientSecret: client_secret, refreshToken: refresh_token } = account;
    const rotated = await send('POST', `${PATH}/${id}/rotate`, { body: { client_id, client_secret, refresh_token } });
    expect([rotated.status, rotated.json.error.message]).toEqual([
      409,
      'The connection "acme" is of the same account.',
    ]);
  });

  it('400: names what is wrong without repeating a secret', async () => {
    const wrong: readonly (readonly [object, string])[] = [
      [{ client_secret: 'top secret' }, "Field 'client_secret' is empty, too long, or has spaces in it."],
      [{ refresh_token: 'secret'.repeat(9000) }, ''],
      [{ refresh_token: 7 }, "Field 'refresh_token' is empty, too long, or has spaces in it."],
      [{ client_id: '' }, "Field 'client_id' is empty, too long, or has spaces in it."],
      [{ name: 'a\u202eb' }, "Field 'name' is blank or has characters that cannot be seen."],
      [{ marketplaces: ['USA'] }, "Field 'marketplaces[0]' must be a two-letter code such as US, but is 'USA'."],
      [{ marketplaces: [] }, "Field 'marketplaces' must be a list of 1 to 30, but is a list of 0."],
      [{ region: 'asia' }, "Field 'region' must be one of 'na', 'eu', 'fe', but is 'asia'."],
      [{ look_back_weeks: 121 }, "Field 'look_back_weeks' must be a whole number from 0 to 120, but is 121."],
      [{ since: '2026-02-30' }, "Field 'since' must be a date such as 2026-01-01, but is '2026-02-30'."],
    ];
    for (const [more, message] of wrong) {
      const { json, text } = await add(more);
      expect(json.error, text.slice(0, 200)).toMatchObject({ code: expect.stringMatching(/^(INVALID_PARA|PAYLOAD)/) });
      if (message !== '') expect(json.error.message).toBe(message);
      expect(text).not.toMatch(/top secret|secretsecret/);
    }
  });

  it('404: of other organizations nothing is seen or changed; operators look after all', async () => {
    const { id } = (await add()).json.data;
    const one = `${PATH}/${id}`;
    const secrets = { client_secret: account.clientSecret, refresh_token: account.refreshToken };
    const attempts: readonly (readonly [string, string, object?])[] = [
      ['PATCH', one, { is_enabled: false }],
      ['DELETE', one],
      ['POST', `${one}/test`],
      ['POST', `${one}/rotate`, secrets],
      ['POST', `${one}/retry`, {}],
      ['GET', `${one}/downloads`],
    ];
    // A key of an operator who is nothing but a viewer elsewhere, without the scope of operators.
    const narrow = await service.makeKey({ isOperator: true, scopes: SCOPES.filter((scope) => scope !== 'operator') });
    for (const key of [bob, narrow]) {
      expect(await list(key)).toEqual([]);
      for (const [method, path, body] of attempts) {
        const answer = await send(method, path, { key, ...(body && { body }) });
        expect([answer.status, method, path]).toEqual([404, method, path]);
      }
    }
    expect([await list(ada), await list(operator)]).toEqual([['acme'], ['acme']]);
    expect((await send('GET', PATH, { key: operator })).json.data[0].is_own).toBe(false);
    expect((await send('PATCH', one, { key: operator, body: { is_enabled: false } })).status).toBe(200);
    // What was added in a shell belongs to the operators.
    await service.database.owner.query('UPDATE connections SET organization_id = NULL');
    expect([await list(ada), await list(operator)]).toEqual([[], ['acme']]);
    await service.database.owner.query(
      'UPDATE connections SET organization_id = (SELECT id FROM organizations WHERE name = $1)',
      ['Ada Ltd'],
    );
    // What an operator did to it stands in the log of the organization.
    expect((await send('GET', '/v1/audit-log')).json.data[0]).toMatchObject({ action: 'connection.disable' });
    expect((await send('DELETE', one)).json).toEqual({ data: { id }, error: null });
    expect(await list(operator)).toEqual([]);
  });

  it('says that a test failed, and asks no more often than Amazon allows', async () => {
    const of = amazon.addAccount();
    const { id } = (await add({}, ada, of)).json.data;
    const test = async () => (await send('POST', `${PATH}/${id}/test`)).json.data;
    amazon.removeAccount(of);
    expect(await test()).toMatchObject({
      works: false,
      message: expect.stringMatching(/invalid_client/),
      hint: expect.stringMatching(/^Check the client id/),
    });
    const answers = [];
    for (let count = 0; count < 20; count += 1) answers.push((await test()).message);
    expect(answers.at(-1)).toBe('Amazon allows this account no more questions at the moment.');
    expect(amazon.overRate).toBe(0);
    const missing = { client_secret: 'x', refresh_token: 'y' };
    const rotated = await send('POST', `${PATH}/${id}/rotate`, { body: missing });
    expect([rotated.status, rotated.json.error.code]).toEqual([409, 'CONFLICT']);
  });

  it('disables and enables, and tries one period, one marketplace or all again', async () => {
    const { id } = (await add()).json.data;
    const one = `${PATH}/${id}`;
    expect((await send('PATCH', one, { body: { is_enabled: false } })).json.data.disabled_at).not.toBeNull();
    const { operator: database } = service.database;
    // A server may have planned it before it was disabled.
    await database.query('DELETE FROM downloads');
    await database.query(
      `INSERT INTO downloads (connection_id, marketplace, frequency, year, number, end_date, state, wanted_since, message, reason)
       SELECT $1, code, 'weekly', 2026, n, '2026-06-06', 'failed', now(), 'given up', 'not-made'
       FROM unnest('{US,CA}'::text[]) code, generate_series(22, 24) n`,
      [id],
    );
    const states = async () =>
      (await send('GET', `${one}/downloads`)).json.data.filter(({ state }: { state: string }) => state === 'failed')
        .length;
    expect(await states()).toBe(6);
    expect((await send('GET', PATH)).json.data[0].downloads).toEqual({ imported: 0, coming: 0, failed: 6 });
    const retry = async (body: object) => (await send('POST', `${one}/retry`, { body })).json;
    expect((await retry({ type: 'weekly' })).error.code).toBe('INVALID_PARAMETERS');
    expect((await retry({ type: 'weekly', period: '99-2026' })).error.code).toBe('INVALID_PARAMETERS');
    const week = { marketplace: 'US', type: 'weekly', period: '23-2026' };
    expect((await retry(week)).data).toEqual({ retried: 1 });
    expect((await retry({ marketplace: 'us' })).data).toEqual({ retried: 2 });
    expect(await states()).toBe(3);
    expect((await retry({})).data).toEqual({ retried: 3 });
    const [download] = (await send('GET', `${one}/downloads`)).json.data;
    expect(download).toEqual({
      ...{ marketplace: 'CA', type: 'weekly', period: expect.stringMatching(/^2[234]-2026$/), state: 'wanted' },
      ...{ message: 'tried again, because somebody said so', is_under_way: false, next_at: expect.any(String) },
      ...{ imported_at: null, revision: null },
    });
    expect((await send('PATCH', one, { body: { is_enabled: true } })).json.data.disabled_at).toBeNull();
  });

  it('waits no longer for an Amazon that does not answer than it must, and asks nobody else', async () => {
    const asked: string[] = [];
    const strange = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(account.clientSecret);
    });
    await new Promise<void>((resolve) => strange.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(strange.address() as AddressInfo).port}`;
    await using other = await startTestService({ KEYRANK_AMAZON_URL: url });
    const key = await other.makeKey();
    const answer = await other.request(PATH, { method: 'POST', key, body: JSON.stringify(wanted()) });
    strange.close();
    expect([answer.status, asked]).toEqual([409, ['/auth/o2/token']]);
    expect(answer.text).not.toContain(account.clientSecret);
  });
});
