import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tenant } from '../../src/domain/account.ts';
import { PRO, STUDIO } from '../../src/domain/plan.ts';
import type { ClaimedPublication, MemberNews, WatchingMember } from '../../src/domain/publication.ts';
import { takeSnapshot } from '../../src/domain/tracked-keyword.ts';
import {
  listWaitingPublications,
  openPublicationQueue,
  retryPublications,
  type SetAsidePublication,
} from '../../src/postgres/publications.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember, makeWebhook } from '../support/members.ts';

const PERIOD = { frequency: 'monthly', year: 2026, number: 1 } as const;
const PUBLISHED_AT = new Date('2026-02-03T04:05:06Z');
const NEWS = {
  marketplace: 'US',
  source: 'search',
  period: PERIOD,
  revision: 1,
  startDate: '2026-01-01',
  endDate: '2026-01-31',
  keywords: 7,
  publishedAt: PUBLISHED_AT,
};

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() =>
  database.owner.query('DELETE FROM organizations; DELETE FROM users; DELETE FROM publications; DELETE FROM audit_log'),
);

/** A publication that is due, unless it is changed. */
async function queue(change = '', { number, revision } = { number: 1, revision: 1 }): Promise<number> {
  const { rows } = await database.owner.query<{ id: number }>(
    `INSERT INTO publications (marketplace, source, frequency, year, number, revision, start_date, end_date, keywords,
       published_at, manifest_version)
     VALUES ('US', 'search', 'monthly', 2026, $1, $2, '2026-01-01', '2026-01-31', 7, $3, 5) RETURNING id`,
    [number, revision, PUBLISHED_AT],
  );
  if (change) await database.owner.query(`UPDATE publications SET ${change} WHERE id = $1`, [rows[0]?.id]);
  return rows[0]?.id ?? 0;
}

type Work = (publication: ClaimedPublication) => Promise<boolean>;

function take(work: Work = async () => true, setAside: SetAsidePublication[] = [], manifestVersion = 5) {
  const queue = openPublicationQueue(database.operator, (publication) => void setAside.push(publication));
  return queue.takeNext(manifestVersion, work);
}

async function readRows(sql: string) {
  return (await database.owner.query(sql)).rows;
}

async function track(tenant: Tenant, term: string, isActive = true): Promise<string> {
  const { rows } = await database.owner.query<{ id: string }>(
    `INSERT INTO tracked_keywords (organization_id, user_id, original_term, normalized_term, term_hash, notes, is_active,
       priority_enabled, priority_field, priority_operator, priority_value)
     VALUES ($1, $2, $3, $3, sha256(convert_to($3, 'UTF8')), '', $4, true, 'latest_rank', 'gt', 0) RETURNING id`,
    [tenant.organizationId, tenant.userId, term, isActive],
  );
  return rows[0]?.id ?? '';
}

describe('the next publication', () => {
  it('is the oldest that is due and that the server has the data of, and is gone when everyone was told', async () => {
    const first = await queue('', { number: 2, revision: 3 });
    const second = await queue();
    const told: unknown[] = [];
    const tell: Work = async ({ news }) => told.push(news) > 0;
    expect(await take(tell, [], 4)).toBe(false);
    expect(await take(tell)).toBe(true);
    expect(told).toEqual([{ ...NEWS, period: { ...PERIOD, number: 2 }, revision: 3 }]);
    expect(await readRows('SELECT id FROM publications')).toEqual([{ id: second }]);
    expect(first).toBeLessThan(second);
    await database.owner.query(`UPDATE publications SET next_attempt_at = now() + interval '1 minute'`);
    expect(await take(tell)).toBe(false);
    await database.owner.query('UPDATE publications SET next_attempt_at = now(), set_aside_at = now()');
    expect(await take(tell)).toBe(false);
  });

  it('is put off by a pause that grows while it is worked on, and held', async () => {
    for (const [attempts, pauseS] of [
      [0, 5],
      [1, 60],
      [3, 1_800],
      [8, 27_000],
    ] as const) {
      await database.owner.query('DELETE FROM publications');
      const id = await queue(`attempts = ${attempts}`);
      let seen: unknown;
      await take(async ({ checkHeld }) => {
        await checkHeld();
        const columns = `attempts, set_aside_at, round(extract(epoch FROM next_attempt_at - now()))::int AS pause`;
        seen = (await readRows(`SELECT ${columns} FROM publications`))[0];
        const locked = database.owner.query('SELECT FROM publications WHERE id = $1 FOR UPDATE NOWAIT', [id]);
        await expect(locked).rejects.toMatchObject({ code: '55P03' });
        expect(await take()).toBe(false);
        return true;
      });
      expect(seen).toEqual({ attempts: attempts + 1, set_aside_at: null, pause: pauseS });
    }
  });

  it('is not waited for while another server has it', async () => {
    const id = await queue();
    const other = await queue('', { number: 2, revision: 1 });
    const holder = await database.owner.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM publications WHERE id = $1 FOR UPDATE', [id]);
      expect(await take()).toBe(true);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect(await readRows('SELECT id FROM publications')).toEqual([{ id }]);
    expect(other).toBeGreaterThan(id);
  });

  it('is set aside when it has had its attempts, with what went wrong at the last', async () => {
    const id = await queue(`attempts = 9, error = 'no luck'`);
    await queue('', { number: 2, revision: 1 });
    const setAside: SetAsidePublication[] = [];
    expect(await take(() => expect.unreachable(), setAside)).toBe(true);
    expect(setAside).toEqual([{ publicationId: id, news: NEWS, attempts: 9, error: 'no luck' }]);
    expect(await listWaitingPublications(database.operator)).toEqual([
      { publicationId: id, news: NEWS, attempts: 9, error: 'no luck', setAsideAt: expect.any(Date) },
      expect.objectContaining({ attempts: 0, error: null, setAsideAt: null }),
    ]);
    expect(await retryPublications(database.operator)).toBe(1);
    const columns = 'attempts, set_aside_at, next_attempt_at <= now() AS is_due';
    expect(await readRows(`SELECT ${columns} FROM publications WHERE id = ${id}`)).toEqual([
      { attempts: 0, set_aside_at: null, is_due: true },
    ]);
    expect(await retryPublications(database.operator)).toBe(0);
    expect(await readRows('SELECT action, details FROM audit_log')).toEqual([
      { action: 'publications.retry', details: { publications: [id] } },
    ]);
  });

  it('has lost no attempt when the server stopped, and is due at once', async () => {
    await queue(`attempts = 3, error = 'no luck'`);
    await queue(`next_attempt_at = now() + interval '1 hour', attempts = 5`, { number: 2, revision: 1 });
    expect(await take(async () => false)).toBe(true);
    expect(
      await readRows('SELECT attempts, error, next_attempt_at <= now() AS is_due FROM publications ORDER BY id'),
    ).toEqual([
      { attempts: 3, error: null, is_due: true },
      { attempts: 5, error: null, is_due: false },
    ]);
  });

  it.each<readonly [string, unknown, string]>([
    ['its cause', new Error('1 could not be told', { cause: new Error('a\0b') }), '1 could not be told: ab'],
    ['no cause', new Error('lost'), 'lost'],
    ['a cause that is no error', new Error('lost', { cause: 'text' }), 'lost'],
    ['no error', 'text', 'something that is no error was thrown'],
    ['at most 500 characters', new Error('x'.repeat(600)), 'x'.repeat(500)],
  ])('keeps what went wrong: %s', async (_what, thrown, error) => {
    await queue();
    await queue(`next_attempt_at = now() + interval '1 hour'`, { number: 2, revision: 1 });
    await expect(take(() => Promise.reject(thrown))).rejects.toBe(thrown);
    expect(await readRows('SELECT error FROM publications ORDER BY id')).toEqual([{ error }, { error: null }]);
    // The connection is of use again.
    expect(await take()).toBe(false);
    expect(database.operator.idleCount).toBe(database.operator.totalCount);
  });

  it('is left to whoever has overtaken a server that stood still', async () => {
    await queue();
    // As if it had been claimed once more between the claim and the lock.
    const operator = Object.create(database.operator, {
      query: { value: database.operator.query.bind(database.operator) },
      connect: {
        value: async () => {
          const client = await database.operator.connect();
          return Object.create(client, {
            query: {
              value: async (...given: Parameters<typeof client.query>) => {
                if (String(given[0]) === 'BEGIN') await database.owner.query('UPDATE publications SET attempts = 7');
                return await client.query(...given);
              },
            },
            release: { value: client.release.bind(client) },
          });
        },
      },
    }) as typeof database.operator;
    const { takeNext } = openPublicationQueue(operator, () => expect.unreachable());
    expect(await takeNext(5, () => expect.unreachable())).toBe(true);
    expect(await readRows('SELECT attempts FROM publications')).toEqual([{ attempts: 7 }]);
  });

  it('sweeps old deliveries when it is done', async () => {
    const tenant = await makeMember(database);
    const webhookId = await makeWebhook(database, tenant);
    await database.owner.query(
      `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload, status, created_at)
       VALUES ($1, $2, '', 'old', '', 'failed', now() - interval '40 days')`,
      [tenant.organizationId, webhookId],
    );
    await queue();
    await take();
    expect(await readRows('SELECT FROM webhook_deliveries')).toEqual([]);
  });

  it('of a server whose connection breaks waits for its pause', async () => {
    await queue();
    let held = '';
    const breaking = take(async ({ checkHeld }) => {
      await database.owner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'idle in transaction'`,
      );
      held = await checkHeld().then(
        () => 'still held',
        () => 'lost',
      );
      return true;
    });
    await expect(breaking).rejects.toThrow();
    expect(held).toBe('lost');
    expect(await readRows('SELECT attempts FROM publications')).toEqual([{ attempts: 1 }]);
    expect(database.operator.idleCount).toBe(database.operator.totalCount);
  });

  it('that cannot be finished leaves no transaction behind', async () => {
    await queue();
    await database.owner.query('ALTER TABLE webhook_deliveries RENAME TO webhook_deliveries_away');
    try {
      await expect(take()).rejects.toMatchObject({ code: '42P01' });
    } finally {
      await database.owner.query('ALTER TABLE webhook_deliveries_away RENAME TO webhook_deliveries');
    }
    await database.owner.query('UPDATE publications SET next_attempt_at = now()');
    expect(await take()).toBe(true);
    expect(await readRows('SELECT FROM publications')).toEqual([]);
  });
});

describe('those who are told', () => {
  /** Takes the publication and leaves it to the test what to do with it. */
  const withClaimed = (work: (publication: ClaimedPublication) => Promise<void>) =>
    take(async (publication) => {
      await work(publication);
      return true;
    });

  it('are members of organizations with an active subscription who track an active keyword, each once', async () => {
    const ada = await makeMember(database, { plan: STUDIO.name });
    const bob = await makeMember(database, { colleague: ada });
    const carl = await makeMember(database, { periodEnd: new Date(Date.now() + 60_000) });
    const others = [
      await makeMember(database, { status: 'inactive' }),
      await makeMember(database, { periodEnd: new Date(Date.now() - 60_000) }),
    ];
    for (const tenant of [ada, carl, ...others]) for (const term of ['a', 'b']) await track(tenant, term);
    await track(bob, 'paused', false);
    await queue();
    let members: readonly WatchingMember[] = [];
    await withClaimed(async ({ listMembers }) => {
      members = await listMembers();
    });
    const expected = [
      { ...ada, plan: STUDIO },
      { ...carl, plan: PRO },
    ].sort((a, b) => (a.organizationId < b.organizationId ? -1 : 1));
    expect(members).toEqual(expected);
  });

  it('get a digest, the meter, and messages for hits that are new, all of it once', async () => {
    const tenant = await makeMember(database);
    const bob = await makeMember(database, { colleague: tenant });
    const [hit, miss] = [await track(tenant, 'hit'), await track(tenant, 'miss')];
    await track(tenant, 'paused', false);
    const theirs = await track(bob, 'theirs');
    await makeWebhook(database, tenant, ['tracked_keyword.priority_hit']);
    const member = { ...tenant, plan: PRO } as const;
    const seen: string[][] = [];
    const snapshot = takeSnapshot({ window: [PERIOD], ranks: [3] });
    const rows = [
      { trackedKeywordId: hit, searchTerm: 'hit', rank: 3, previousRank: null, rankChange: null, isPriorityHit: true },
    ];
    const tell = (revision: number) => async (publication: ClaimedPublication) => {
      await publication.tellMember(member, async ({ keywords }): Promise<MemberNews> => {
        seen.push(keywords.map(({ originalTerm }) => originalTerm).sort());
        // One that belongs to somebody else does not alert.
        const foreign = keywords
          .map((keyword) => ({ keyword: { ...keyword, id: theirs }, rule: keyword.priorityRule, snapshot }))
          .slice(0, 1);
        const own = keywords
          .filter(({ id }) => id === hit || revision > 1)
          .map((keyword) => ({ keyword, rule: keyword.priorityRule, snapshot }));
        return { rows, hits: [...own, ...foreign], products: [] };
      });
    };
    await queue();
    await withClaimed(tell(1));
    const digest = {
      user_id: tenant.userId,
      organization_id: tenant.organizationId,
      marketplace: 'US',
      frequency: 'monthly',
      year: 2026,
      number: 1,
      rows,
    };
    const digests = () =>
      readRows(
        'SELECT user_id, organization_id, marketplace, frequency, year, number, rows::jsonb AS rows FROM digests',
      );
    const hits = () =>
      readRows(
        'SELECT tracked_keyword_id AS id, organization_id, marketplace, frequency, year, number FROM priority_hits ORDER BY 1',
      );
    const messages = () =>
      readRows(`SELECT payload::json #>> '{data,tracked_keyword_id}' AS id FROM webhook_deliveries`);
    const meter = () =>
      readRows(
        `SELECT meter, count, month = date_trunc('month', now() AT TIME ZONE 'UTC')::date AS is_this_month FROM usage_counts`,
      );
    const place = {
      organization_id: tenant.organizationId,
      marketplace: 'US',
      frequency: 'monthly',
      year: 2026,
      number: 1,
    };
    expect(seen).toEqual([['hit', 'miss']]);
    expect(await digests()).toEqual([digest]);
    expect(await hits()).toEqual([{ id: hit, ...place }]);
    expect(await messages()).toEqual([{ id: hit }]);
    expect(await meter()).toEqual([{ meter: 'alerts', count: 1, is_this_month: true }]);
    // Told again by another server, and of a revision in which there is one hit more.
    await queue();
    await withClaimed(tell(1));
    expect([await digests(), await messages(), await meter()].map((each) => each.length)).toEqual([1, 1, 1]);
    await database.owner.query('DELETE FROM digests');
    await queue('', { number: 1, revision: 2 });
    await withClaimed(tell(2));
    expect(await digests()).toEqual([]);
    expect((await hits()).map(({ id }) => id)).toEqual([hit, miss].sort());
    expect((await messages()).map(({ id }) => id).sort()).toEqual([hit, miss].sort());
    expect(await meter()).toEqual([{ meter: 'alerts', count: 2, is_this_month: true }]);
  });

  it('hear of a single hit, and webhooks of the period', async () => {
    const tenant = await makeMember(database);
    await track(tenant, 'only');
    await makeWebhook(database, tenant);
    await queue();
    const snapshot = takeSnapshot({ window: [PERIOD], ranks: [3] });
    await withClaimed(async ({ tellMember, tellWebhooks }) => {
      await tellMember({ ...tenant, plan: PRO }, async ({ keywords }) => ({
        rows: [],
        products: [],
        hits: keywords.map((keyword) => ({ keyword, rule: keyword.priorityRule, snapshot })),
      }));
      await tellWebhooks(() => true);
    });
    expect(await readRows('SELECT count FROM usage_counts')).toEqual([{ count: 1 }]);
    expect(await readRows('SELECT event FROM webhook_deliveries')).toEqual([{ event: 'period.published' }]);
  });

  it('are not asked about when they have no active keyword left, and have no meter without a hit', async () => {
    const tenant = await makeMember(database);
    const member = { ...tenant, plan: PRO } as const;
    await queue();
    await withClaimed(({ tellMember }) => tellMember(member, () => expect.unreachable()));
    await track(tenant, 'quiet');
    await queue('', { number: 2, revision: 1 });
    await withClaimed(({ tellMember }) => tellMember(member, async () => ({ rows: [], hits: [], products: [] })));
    expect(await readRows('SELECT FROM usage_counts')).toEqual([]);
    expect(await readRows('SELECT number FROM digests')).toEqual([{ number: 2 }]);
  });
});
