import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PRO, STUDIO } from '../../src/domain/plan.ts';
import type { PublishedNews, WatchingMember } from '../../src/domain/publication.ts';
import { DEFAULT_PRIORITY_RULE, takeSnapshot } from '../../src/domain/tracked-keyword.ts';
import { presentAlert } from '../../src/domain/webhook-payload.ts';
import { DELIVERIES_CHANNEL, queueMessages, queueNews } from '../../src/postgres/webhook-deliveries.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember, makeWebhook } from '../support/members.ts';

const NEWS: PublishedNews = {
  marketplace: 'US',
  source: 'search',
  period: { frequency: 'monthly', year: 2026, number: 1 },
  revision: 1,
  startDate: '2026-01-01' as PublishedNews['startDate'],
  endDate: '2026-01-31' as PublishedNews['endDate'],
  keywords: 7,
  publishedAt: new Date('2026-02-03T04:05:06Z'),
};
const MINUTE_MS = 60_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => database.owner.query('DELETE FROM organizations; DELETE FROM users'));

/** What stands in the table, in the order of its keys. */
async function readAll(columns: string) {
  return (await database.owner.query(`SELECT ${columns} FROM webhook_deliveries ORDER BY event_key, webhook_id`)).rows;
}

const tell = (news = NEWS) => queueNews(database.operator, { news, plans: ['pro'] });

const hitOf = (id: string) => ({
  keyword: {
    id,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    notes: '',
    isActive: true,
    isPriorityEnabled: true,
    priorityRule: DEFAULT_PRIORITY_RULE,
    termId: 1,
    originalTerm: `Term ${id}`,
    normalizedTerm: `term ${id}`,
  },
  rule: DEFAULT_PRIORITY_RULE,
  snapshot: takeSnapshot({ window: [NEWS.period], ranks: [3] }),
});

describe('news of a period', () => {
  it('is queued once for every webhook that asked for it, with what is sent', async () => {
    const tenant = await makeMember(database);
    const id = await makeWebhook(database, tenant, ['tracked_keyword.priority_hit', 'period.published']);
    await makeWebhook(database, tenant, ['tracked_keyword.priority_hit']);
    await tell();
    await tell();
    expect(await readAll('webhook_id, organization_id, event, event_key, payload::json AS payload, status')).toEqual([
      {
        webhook_id: id,
        organization_id: tenant.organizationId,
        event: 'period.published',
        event_key: 'period.published US search monthly 2026-1 revision 1',
        payload: expect.objectContaining({ type: 'period.published', data: expect.objectContaining({ keywords: 7 }) }),
        status: 'pending',
      },
    ]);
    await tell({ ...NEWS, revision: 2 });
    expect(await readAll('event_key')).toHaveLength(2);
  });

  it.each<readonly [string, Parameters<typeof makeMember>[1], number]>([
    ['another plan', { plan: STUDIO.name }, 0],
    ['an inactive subscription', { status: 'inactive' }, 0],
    ['a subscription that has ended', { periodEnd: new Date(Date.now() - MINUTE_MS) }, 0],
    ['a subscription that will end', { periodEnd: new Date(Date.now() + MINUTE_MS) }, 1],
  ])('of an organization with %s', async (_what, subscription, count) => {
    await makeWebhook(database, await makeMember(database, subscription));
    await tell();
    expect(await readAll('id')).toHaveLength(count);
  });

  it('is not queued for a webhook that is paused, or whose owner has no usable key', async () => {
    const ada = await makeMember(database);
    // The key of a colleague, or of somebody elsewhere, is not the owner's.
    await makeMember(database, { colleague: ada });
    const id = await makeWebhook(database, ada);
    const isTold = async () => {
      await database.owner.query('TRUNCATE webhook_deliveries');
      await tell();
      return (await readAll('id')).length === 1;
    };
    const { owner } = database;
    expect(await isTold()).toBe(true);
    await owner.query(`UPDATE webhooks SET paused_at = now(), paused_reason = 'operator' WHERE id = $1`, [id]);
    expect(await isTold()).toBe(false);
    await owner.query('UPDATE webhooks SET paused_at = NULL, paused_reason = NULL');
    for (const [change, expected] of [
      ['disabled_at = now()', false],
      [`disabled_at = NULL, expires_at = now() - interval '1 s'`, false],
      [`expires_at = now() + interval '1 hour'`, true],
      [`disabled_at = now()`, false],
    ] as const) {
      await owner.query(`UPDATE api_keys SET ${change} WHERE user_id = $1`, [ada.userId]);
      expect(await isTold(), change).toBe(expected);
    }
    const elsewhere = await makeMember(database);
    await owner.query(
      `WITH moved AS (INSERT INTO memberships (organization_id, user_id) VALUES ($1, $2))
       INSERT INTO api_keys (organization_id, user_id, prefix, hash, scopes)
       SELECT $1, $2, 'krk', sha256('elsewhere'), scopes FROM api_keys LIMIT 1`,
      [elsewhere.organizationId, ada.userId],
    );
    expect(await isTold()).toBe(false);
  });
});

describe('alerts', () => {
  it('go to the webhooks of the owner that asked for them, one for each keyword and period, whatever its revision', async () => {
    const ada = await makeMember(database);
    const bob = await makeMember(database, { colleague: ada });
    const id = await makeWebhook(database, ada, ['period.published', 'tracked_keyword.priority_hit']);
    await makeWebhook(database, ada, ['period.published']);
    const paused = await makeWebhook(database, ada, ['tracked_keyword.priority_hit']);
    await database.owner.query(`UPDATE webhooks SET paused_at = now(), paused_reason = 'operator' WHERE id = $1`, [
      paused,
    ]);
    await makeWebhook(database, bob, ['tracked_keyword.priority_hit']);
    await makeWebhook(database, await makeMember(database), ['tracked_keyword.priority_hit']);
    const hits = ['b', 'a', 'c'].map(hitOf);
    const member = { ...ada, plan: PRO } as const;
    for (const revision of [1, 2]) {
      await queueAlerts(member, { hits, news: { ...NEWS, revision } });
    }
    const rows = await readAll(
      `webhook_id, organization_id, event, event_key, payload::json #>> '{data,tracked_keyword_id}' AS keyword`,
    );
    expect(rows).toEqual(
      ['a', 'b', 'c'].map((keyword) => ({
        webhook_id: id,
        organization_id: ada.organizationId,
        event: 'tracked_keyword.priority_hit',
        event_key: `tracked_keyword.priority_hit ${keyword} US search monthly 2026-1 revision 0`,
        keyword,
      })),
    );
  });

  it('are the business of one member of one organization, whoever else the user is', async () => {
    const ada = await makeMember(database);
    const other = await makeMember(database);
    await makeWebhook(database, ada, ['tracked_keyword.priority_hit']);
    const member = { organizationId: other.organizationId, userId: ada.userId, plan: PRO } as const;
    await queueAlerts(member, { hits: [hitOf('a')] });
    expect(await readAll('id')).toEqual([]);
  });
});

function queueAlerts(
  member: WatchingMember,
  { hits, news = NEWS }: { readonly hits: readonly ReturnType<typeof hitOf>[]; readonly news?: PublishedNews },
): Promise<void> {
  const messages = hits.map((hit) => ({ itemId: hit.keyword.id, payload: presentAlert(hit, news) }));
  return queueMessages(database.operator, { member, news, event: 'tracked_keyword.priority_hit', messages });
}

it('servers hear of messages, but only when there are any', async () => {
  const client = new pg.Client(database.server.connection('keyrank_owner'));
  await client.connect();
  const heard: unknown[] = [];
  client.on('notification', ({ channel, payload }) => heard.push([channel, payload]));
  try {
    await client.query(`LISTEN ${DELIVERIES_CHANNEL}`);
    await tell();
    await client.query('SELECT 1');
    expect(heard).toEqual([]);
    const tenant = await makeMember(database);
    await makeWebhook(database, tenant, ['period.published', 'tracked_keyword.priority_hit']);
    await tell();
    while (heard.length < 1) await sleep(5);
    await queueAlerts({ ...tenant, plan: PRO }, { hits: [hitOf('a')] });
    while (heard.length < 2) await sleep(5);
    expect(heard).toEqual(Array(2).fill(['keyrank_deliveries', '']));
  } finally {
    await client.end();
  }
});
