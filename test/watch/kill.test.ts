// Servers are killed while they tell of publications and while they send messages. Whoever is left finishes the work, and
// nobody is told twice. Two servers on one database share it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { plainReport, untilTold } from '../support/publications.ts';
import { sendRequest } from '../support/service.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const ORGANIZATIONS = 4;
const USERS = 6;
const MEMBERS = ORGANIZATIONS * USERS;
const KEYWORDS = 5;
/** A few rounds in every run; KEYRANK_KILL_ROUNDS=50 for the full proof. */
const ROUNDS = Number(process.env.KEYRANK_KILL_ROUNDS ?? 1);

let bench: Workbench;
let receiver: WebhookReceiver;
/** One key per organization has a webhook. */
let keys: readonly string[];
let month = 0;

beforeAll(async () => {
  bench = await openWorkbench();
  receiver = await openWebhookReceiver();
  await using server = await start();
  const made: string[] = [];
  for (let i = 0; i < MEMBERS; i += 1) made.push(await makeMember(server, i));
  keys = made;
}, 300_000);
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await bench[Symbol.asyncDispose]();
});

function start(): Promise<ServerProcess> {
  return startServerProcess({
    DATABASE_URL: bench.database.url.href,
    KEYRANK_DATA_DIR: bench.dataDirectory,
    KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true',
    KEYRANK_WORKERS: '1',
  });
}

async function makeMember(server: ServerProcess, index: number): Promise<string> {
  const organization = `Organization ${index % ORGANIZATIONS}`;
  if (index < ORGANIZATIONS) {
    const subscription = { plan: 'studio', status: 'active', periodEnd: null } as const;
    await createOrganization(bench.database.operator, { name: organization, subscription });
  }
  const userEmail = `user${index}@example.com`;
  const { key } = await createApiKey(bench.database.operator, {
    organization,
    userEmail,
    scopes: SCOPES,
    expiresAt: null,
  });
  const post = (path: string, body: object) =>
    sendRequest(server.url + path, { method: 'POST', key, body: JSON.stringify(body) });
  const priority_rule = { field: 'latest_rank', operator: 'gt', value: 0 };
  const keywords = Array.from({ length: KEYWORDS }, (_, i) => ({ search_term: `term ${i}`, priority_rule }));
  expect((await post('/v1/tracked-keywords', { keywords })).status).toBe(201);
  if (index < ORGANIZATIONS) expect((await post('/v1/webhooks', { url: `${receiver.url}/${index}` })).status).toBe(201);
  return key;
}

async function publish(): Promise<string> {
  month += 1;
  const period = `${String(1 + (month % 12)).padStart(2, '0')}-${2020 + Math.floor(month / 12)}`;
  const ranks = Object.fromEntries(Array.from({ length: KEYWORDS }, (_, i) => [`term ${i}`, month + i]));
  const file = join(bench.reports, `${period}.csv`);
  await writeFile(file, plainReport({ frequency: 'monthly', period }, ranks));
  const outcome = await bench.importOne(file);
  expect(outcome.status, JSON.stringify(outcome)).toBe('done');
  return period;
}

async function count(sql: string): Promise<number> {
  const { rows } = await bench.database.operator.query<{ count: number }>(sql);
  return rows[0]?.count ?? 0;
}

/** Everyone was told of all months so far, once each. */
async function expectToldOnce(): Promise<void> {
  const perMember = await bench.database.operator.query(
    `SELECT count(*) AS digests, count(DISTINCT (year, number)) AS periods FROM digests GROUP BY organization_id, user_id`,
  );
  expect(perMember.rows).toEqual(Array.from({ length: MEMBERS }, () => ({ digests: month, periods: month })));
  const alerts = month * MEMBERS * KEYWORDS;
  expect(await count('SELECT count(*) FROM priority_hits')).toBe(alerts);
  expect(await count(`SELECT sum(count)::bigint AS count FROM usage_counts WHERE meter = 'alerts'`)).toBe(alerts);
  // Each webhook hears of the month, and of the alerts of the one who registered it.
  const messages = month * ORGANIZATIONS * (1 + KEYWORDS);
  expect(await count('SELECT count(*) FROM webhook_deliveries')).toBe(messages);
}

/** Every message has arrived at least once. */
async function untilDelivered(): Promise<void> {
  while ((await count(`SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'`)) > 0) await sleep(50);
  const { rows } = await bench.database.operator.query<{ id: string; payload: string; status: string }>(
    'SELECT id, payload, status FROM webhook_deliveries',
  );
  expect(rows.filter(({ status }) => status !== 'delivered')).toEqual([]);
  for (const { id, payload } of rows) {
    const received = receiver.messages.filter(({ headers }) => headers['webhook-id'] === id);
    expect(received.length).toBeGreaterThan(0);
    for (const { body } of received) expect(body).toBe(payload);
  }
  expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).toBe(rows.length);
}

describe('servers that are killed', () => {
  it('after the publication and before anyone was told: the next one tells everybody', async () => {
    const doomed = await start();
    await doomed.stop('SIGKILL');
    await publish();
    expect(await count('SELECT count(*) FROM digests')).toBe(0);
    expect(await count('SELECT count(*) FROM publications')).toBe(1);
    await using _server = await start();
    await untilTold(bench.database);
    await expectToldOnce();
    await untilDelivered();
  }, 120_000);

  it(`while they tell, ${ROUNDS} times: whoever comes next goes on, and nobody is told twice`, async () => {
    let interrupted = 0;
    // More often where they are so fast that none was interrupted.
    for (let round = 0; round < ROUNDS || interrupted === 0; round += 1) {
      await publish();
      const before = (month - 1) * MEMBERS;
      const doomed = await start();
      // A different number of members has been told each time.
      const wanted = before + 1 + ((round * 13) % MEMBERS);
      while ((await count('SELECT count(*) FROM digests')) < wanted);
      await doomed.stop('SIGKILL');
      if ((await count('SELECT count(*) FROM digests')) < before + MEMBERS) interrupted += 1;
      await using _server = await start();
      await untilTold(bench.database);
      await expectToldOnce();
    }
    // What they were sending is sent again after half a minute. The next test waits as long, and then looks at all messages.
  }, 600_000);

  it('while a receiver holds their message: it is sent again under the same id', async () => {
    await using holding = await openWebhookReceiver(() => {});
    const [key = ''] = keys;
    const doomed = await start();
    const body = JSON.stringify({ url: holding.url, events: ['period.published'] });
    const made = await sendRequest(`${doomed.url}/v1/webhooks`, { method: 'POST', key, body });
    await publish();
    const [first] = await holding.untilReceived(1);
    await doomed.stop('SIGKILL');
    await using server = await start();
    const [, second] = await holding.untilReceived(2);
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    const { id } = made.json.data;
    expect((await sendRequest(`${server.url}/v1/webhooks/${id}`, { method: 'DELETE', key })).status).toBe(200);
    await untilTold(bench.database);
    await expectToldOnce();
    await untilDelivered();
  }, 180_000);
});

describe('two servers on one database', () => {
  it('share the work and tell everybody once', async () => {
    await using one = await start();
    await using two = await start();
    const before = receiver.messages.length;
    for (let i = 0; i < 3; i += 1) await publish();
    await untilTold(bench.database);
    await expectToldOnce();
    await untilDelivered();
    // While no server dies no message is sent twice.
    expect(receiver.messages.length - before).toBe(3 * ORGANIZATIONS * (1 + KEYWORDS));
    const [key] = keys;
    const read = ({ url }: ServerProcess) =>
      sendRequest(`${url}/v1/tracked-keywords/digests/read-all`, { method: 'POST', ...(key && { key }) });
    const answers = await Promise.all([read(one), read(two)]);
    expect(answers.reduce((sum, { json }) => sum + json.updated_count, 0)).toBe(month);
  }, 300_000);
});

describe('a server that is stopped', () => {
  it('finishes the message that is under way and leaves the rest to others', async () => {
    const releases: (() => void)[] = [];
    await using slow = await openWebhookReceiver((_message, response) => {
      releases.push(() => response.writeHead(200).end());
    });
    const [key = ''] = keys;
    const server = await start();
    const body = JSON.stringify({ url: slow.url, events: ['tracked_keyword.priority_hit'] });
    const { id } = (await sendRequest(`${server.url}/v1/webhooks`, { method: 'POST', key, body })).json.data;
    await publish();
    await slow.untilReceived(1);
    const stopping = server.stop('SIGTERM');
    while (!server.log().includes('"msg":"stopping"')) await sleep(20);
    for (const release of releases) release();
    expect((await stopping).code).toBe(0);
    expect(slow.messages).toHaveLength(1);
    const log = await bench.database.operator.query(
      'SELECT status, attempts FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY status',
      [id],
    );
    expect(log.rows).toEqual([
      { status: 'delivered', attempts: 1 },
      ...Array.from({ length: KEYWORDS - 1 }, () => ({ status: 'pending', attempts: 0 })),
    ]);
  }, 120_000);
});
