import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { changeSubscription, createOrganization } from '../../src/postgres/organizations.ts';
import { changePlan, createPlan } from '../../src/postgres/plans.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { sendRequest, type TestAnswer } from '../support/service.ts';

const SERVERS = 4;
const REQUESTS = 1_000;

let database: TestDatabase;
let servers: readonly ServerProcess[];

beforeAll(async () => {
  database = await makeDatabase();
  const settings = { DATABASE_URL: database.url.href, KEYRANK_DATABASE_CONNECTIONS: '8' };
  servers = await Promise.all(Array.from({ length: SERVERS }, () => startServerProcess(settings)));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database[Symbol.asyncDispose]();
});

describe.each([
  ['pro', 100],
  ['studio', 500],
] as const)('%s: 1,000 concurrent searches over 4 processes', (plan, limit) => {
  let answers: readonly TestAnswer[];
  let keys: readonly string[];
  let startSeconds: number;

  beforeAll(async () => {
    keys = await makeKeys(plan);
    startSeconds = Date.now() / 1000;
    answers = await Promise.all(
      Array.from({ length: REQUESTS }, (_, index) => {
        const server = servers[index % SERVERS];
        const path = index % 2 === 0 ? '/v1/search/keywords?query=shoes' : '/v1/search/asin?asin=B0CHX1W1XY';
        return sendRequest(`${server?.url}${path}`, { key: keys[index % keys.length] });
      }),
    );
  }, 120_000);

  it(`admits exactly ${limit}`, () => {
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
    expect(statuses.filter((status) => status === 429)).toHaveLength(REQUESTS - limit);
  });

  it('hands out each RateLimit-Remaining once', () => {
    const remaining = answers
      .filter(({ status }) => status === 200)
      .map((answer) => header(answer, 'ratelimit-remaining'));
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, index) => index));
  });

  it('gives every 429 all headers, a true Retry-After and the envelope', () => {
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expect(header(answer, 'ratelimit-limit')).toBe(limit);
      expect(header(answer, 'ratelimit-remaining')).toBe(0);
      expect(header(answer, 'ratelimit-reset')).toBeGreaterThan(startSeconds + 3590);
      expect(header(answer, 'retry-after')).toBeGreaterThan(3500);
      expect(header(answer, 'retry-after')).toBeLessThanOrEqual(3600);
      expect(answer.json).toEqual({
        data: null,
        error: {
          code: 'RATE_LIMIT_EXCEEDED',
          message: `The organization has used its ${limit} searches of the last hour.`,
          hint: expect.stringMatching(/^Wait [0-9]+ s for the next free slot, or move to a larger plan\.$/),
          docs: '/docs/errors#RATE_LIMIT_EXCEEDED',
        },
      });
    }
  });

  it('has metered and remembered the admitted ones and no others', async () => {
    const usage = await Promise.all(keys.map((key) => sendRequest(`${servers[0]?.url}/v1/usage`, { key })));
    const { search, asin } = usage[0]?.json.data.current_month ?? {};
    expect(search + asin).toBe(limit);
    const histories = await Promise.all(
      keys.map((key) => sendRequest(`${servers[1]?.url}/v1/search/history?limit=1000`, { key })),
    );
    const entries = histories.flatMap((answer) => answer.json.data);
    expect(entries).toHaveLength(limit);
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(limit);
  });
});

describe('a change of plan', () => {
  it('helps at once when it is an upgrade, and counts what was spent when it is a downgrade', async () => {
    const [key] = await makeKeys('pro', 'Changing');
    const url = `${servers[0]?.url}/v1/search/keywords?query=shoes`;
    const search = () => sendRequest(url, { key });
    await Promise.all(Array.from({ length: 100 }, search));
    expect((await search()).status).toBe(429);

    await changeSubscription(database.operator, { name: 'Changing', change: { plan: 'studio' } });
    const upgraded = await search();
    expect([upgraded.status, header(upgraded, 'ratelimit-limit'), header(upgraded, 'ratelimit-remaining')]).toEqual([
      200, 500, 399,
    ]);

    await changeSubscription(database.operator, { name: 'Changing', change: { plan: 'pro' } });
    const downgraded = await search();
    expect([downgraded.status, header(downgraded, 'ratelimit-remaining')]).toEqual([429, 0]);
  });

  it('itself counts on every server with the next request, in the middle of an hour, up and down', async () => {
    const { operator } = database;
    await createPlan(operator, { name: 'team', searchesPerHour: 3, months: 'all', weeks: 'all' });
    const [key] = await makeKeys('team', 'Team');
    const ask = async (i: number) => {
      const answer = await sendRequest(`${servers[i % SERVERS]?.url}/v1/search/keywords?query=shoes`, { key });
      return [answer.status, header(answer, 'ratelimit-limit'), header(answer, 'ratelimit-remaining')];
    };
    expect([await ask(0), await ask(1), await ask(2), await ask(3)]).toEqual([
      [200, 3, 2],
      [200, 3, 1],
      [200, 3, 0],
      [429, 3, 0],
    ]);
    // Every server has just refused, and knows that.
    for (let i = 0; i < SERVERS; i += 1) expect((await ask(i))[0]).toBe(429);
    for (let limit = 4; limit < 10; limit += 1) {
      await changePlan(operator, 'team', { searchesPerHour: limit });
      expect([await ask(limit), await ask(limit + 1)]).toEqual([
        [200, limit, 0],
        [429, limit, 0],
      ]);
    }
    await changePlan(operator, 'team', { searchesPerHour: 8 });
    for (let i = 0; i < SERVERS; i += 1) expect(await ask(i)).toEqual([429, 8, 0]);
    const usage = await sendRequest(`${servers[1]?.url}/v1/usage`, { key });
    expect(usage.json.data).toMatchObject({ plan: 'team', rate_limit: { limit: 8, used: 9, remaining: 0 } });
  });

  it('never lets more through than the limit of the moment while it changes under load', async () => {
    const { operator } = database;
    await createPlan(operator, { name: 'shrinking', searchesPerHour: 60, months: 1, weeks: 1 });
    const [key] = await makeKeys('shrinking', 'Shrinking');
    const search = (_: unknown, i: number) =>
      sendRequest(`${servers[i % SERVERS]?.url}/v1/search/keywords?query=shoes`, { key });
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 200 }, search)),
      changePlan(operator, 'shrinking', { searchesPerHour: 10 }),
    ]);
    const admitted = answers.filter(({ status }) => status === 200);
    expect(admitted.length).toBeGreaterThanOrEqual(10);
    expect(admitted.length).toBeLessThanOrEqual(60);
    // Each was counted before the limit that it names was reached.
    const limits = admitted.map((answer) => header(answer, 'ratelimit-limit'));
    expect(limits.filter((limit) => limit !== 60).length).toBeLessThanOrEqual(10);
    const later = await Promise.all(Array.from({ length: 20 }, search));
    expect(later.map((answer) => [answer.status, header(answer, 'ratelimit-limit')])).toEqual(
      Array(20).fill([429, 10]),
    );
  });
});

/** Two users with a key each: the limit is the organization's, not the user's or the key's. */
async function makeKeys(plan: string, name = `Organization on ${plan}`): Promise<string[]> {
  await createOrganization(database.operator, { name, subscription: { plan, status: 'active', periodEnd: null } });
  const issued = await Promise.all(
    ['ada', 'bob'].map((user) =>
      createApiKey(database.operator, {
        organization: name,
        userEmail: `${user}@${plan}.example`,
        scopes: SCOPES,
        expiresAt: null,
      }),
    ),
  );
  return issued.map(({ key }) => key);
}

function header(answer: TestAnswer, name: string): number {
  return Number(answer.headers.get(name));
}
