import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Tenant } from '../../src/domain/account.ts';
import type { ClaimedPublication } from '../../src/domain/publication.ts';
import type { RankSet, RankView } from '../../src/domain/store.ts';
import { openPublicationQueue } from '../../src/postgres/publications.ts';
import { startPublicationWorker } from '../../src/watch/publication-worker.ts';
import { periodAt, rankedData } from '../store/search-fixture.ts';
import { expectedTermRanks } from '../store/term-oracle.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember, makeWebhook } from '../support/members.ts';

/** Two years and a month: more than a window of plan pro shows. */
const MONTHS = Array.from({ length: 25 }, (_, i) => [{ term: 'yoga mat', rank: 100 + i }]);
const DATA = rankedData(...MONTHS);
const PERIODS = DATA.periods.map(({ period }) => period);
const NEWEST = MONTHS.length - 1;

let database: TestDatabase;
const started: AsyncDisposable[] = [];
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
afterEach(async () => {
  for (const each of started.splice(0)) await each[Symbol.asyncDispose]();
  vi.useRealTimers();
});
beforeEach(() => database.owner.query('DELETE FROM organizations; DELETE FROM users; DELETE FROM publications'));

async function track(tenant: Tenant, term = 'yoga mat'): Promise<void> {
  await database.owner.query(
    `INSERT INTO tracked_keywords (organization_id, user_id, original_term, normalized_term, term_hash, notes,
       priority_enabled, priority_field, priority_operator, priority_value)
     VALUES ($1, $2, $3, $3, sha256(convert_to($3, 'UTF8')), '', true, 'latest_rank', 'gt', 0)`,
    [tenant.organizationId, tenant.userId, term],
  );
}

async function publish(index = NEWEST, change: Partial<RankSet> = {}): Promise<void> {
  const { year, number } = periodAt(index);
  const { marketplace = 'US', source = 'search' } = change;
  await database.owner.query(
    `INSERT INTO publications (marketplace, source, frequency, year, number, revision, start_date, end_date, keywords,
       published_at, manifest_version)
     VALUES ($3, $4, 'monthly', $1, $2, 1, '2026-01-01', '2026-01-31', 1, now(), 7)`,
    [year, number, marketplace, source],
  );
}

/** The oracle's answers, in the form of a view. */
function openView(set: RankSet): RankView {
  return {
    set,
    periods: PERIODS,
    listTermRanks: async (plan: Parameters<RankView['listTermRanks']>[0]) => expectedTermRanks(DATA, plan),
    [Symbol.dispose]: () => {},
  } as unknown as RankView;
}

interface WorkerChanges {
  readonly view?: (set: RankSet) => RankView | undefined;
  readonly wrap?: (publication: ClaimedPublication) => ClaimedPublication;
  readonly manifestVersion?: number;
}

function startWorker({ view = openView, wrap = (each) => each, manifestVersion = 7 }: WorkerChanges = {}) {
  const errors: [string, unknown][] = [];
  const sets: RankSet[] = [];
  const queue = openPublicationQueue(database.operator, () => expect.unreachable());
  const worker = startPublicationWorker({
    queue: { takeNext: (version, work) => queue.takeNext(version, (publication) => work(wrap(publication))) },
    ranks: {
      catalog: { version: manifestVersion } as never,
      openView: (set) => {
        sets.push(set);
        return view(set);
      },
    },
    trackedMarketplace: 'US',
    onError: (error, about) => void errors.push([(error as Error).message, about]),
  });
  started.push(worker);
  return { worker, errors, sets };
}

async function readAll(sql: string) {
  return (await database.owner.query(sql)).rows;
}

const waiting = async () => (await readAll('SELECT id FROM publications')).length;
const digested = async () => (await readAll('SELECT user_id FROM digests ORDER BY user_id')).map((row) => row.user_id);

describe('a publication worker', () => {
  it('tells webhooks and members, with ranks of the window that ends with the period', async () => {
    const [ada, bob] = [await makeMember(database), await makeMember(database)];
    await makeWebhook(database, ada, ['period.published', 'tracked_keyword.priority_hit']);
    await track(ada);
    await track(ada, 'never ranked');
    await track(bob, 'never ranked');
    await publish();
    const { worker, errors, sets } = startWorker();
    await expect.poll(waiting).toBe(0);
    await worker[Symbol.asyncDispose]();
    expect(errors).toEqual([]);
    expect(sets).toEqual([{ marketplace: 'US', source: 'search', frequency: 'monthly' }]);
    const rows = await readAll(
      `SELECT user_id, r ->> 'searchTerm' AS term, (r ->> 'rank')::int AS rank, (r ->> 'previousRank')::int AS previous
       FROM digests, jsonb_array_elements(rows::jsonb) AS r ORDER BY term DESC, user_id = '${bob.userId}'`,
    );
    expect(rows).toEqual([
      { user_id: ada.userId, term: 'yoga mat', rank: 124, previous: 123 },
      { user_id: ada.userId, term: 'never ranked', rank: null, previous: null },
      { user_id: bob.userId, term: 'never ranked', rank: null, previous: null },
    ]);
    const events = await readAll('SELECT event FROM webhook_deliveries ORDER BY event');
    expect(events.map(({ event }) => event)).toEqual(['period.published', 'tracked_keyword.priority_hit']);
  });

  it('tells all that waits, of which it has the data', async () => {
    // Nobody looks again by the clock.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    await publish(NEWEST - 1);
    await publish(NEWEST);
    const { worker } = startWorker({ manifestVersion: 6 });
    await database.owner.query('SELECT pg_sleep(0.05)');
    await worker[Symbol.asyncDispose]();
    expect(await waiting()).toBe(2);
    const { worker: newer } = startWorker();
    await expect.poll(waiting).toBe(0);
    await newer[Symbol.asyncDispose]();
  });

  it('tells nobody of a period that the plan cannot see', async () => {
    const pro = await makeMember(database);
    const studio = await makeMember(database, { plan: 'studio' });
    for (const member of [pro, studio]) {
      await track(member);
      await makeWebhook(database, member);
    }
    await publish(0);
    const { worker } = startWorker();
    await expect.poll(waiting).toBe(0);
    await worker[Symbol.asyncDispose]();
    expect(await digested()).toEqual([studio.userId]);
    const told = await readAll('SELECT organization_id FROM webhook_deliveries');
    expect(told).toEqual([{ organization_id: studio.organizationId }]);
  });

  it.each([{ source: 'social' }, { marketplace: 'DE' }] as const)(
    'makes no digest of %j, but tells webhooks',
    async (change) => {
      const member = await makeMember(database);
      await track(member);
      await makeWebhook(database, member);
      await publish(NEWEST, change);
      const { worker, errors } = startWorker();
      await expect.poll(waiting).toBe(0);
      await worker[Symbol.asyncDispose]();
      expect([await digested(), errors]).toEqual([[], []]);
      expect(await readAll('SELECT event FROM webhook_deliveries')).toEqual([{ event: 'period.published' }]);
    },
  );

  it('has nothing to tell of a set that is gone', async () => {
    const member = await makeMember(database);
    await makeWebhook(database, member);
    await publish();
    const { worker, errors } = startWorker({ view: () => undefined });
    await expect.poll(waiting).toBe(0);
    await worker[Symbol.asyncDispose]();
    expect([errors, await readAll('SELECT id FROM webhook_deliveries')]).toEqual([[], []]);
  });

  it('tells the others when one cannot be told, says who, and leaves the publication to wait', async () => {
    const members = [await makeMember(database), await makeMember(database)];
    for (const member of members) await track(member);
    const [poisoned, other] = members.map(({ userId }) => userId);
    await publish();
    let checks = 0;
    const { worker, errors } = startWorker({
      wrap: (publication) => ({
        ...publication,
        tellWebhooks: () => Promise.reject(new Error('no webhooks')),
        tellMember: (member, evaluate) =>
          member.userId === poisoned ? Promise.reject(new Error('no luck')) : publication.tellMember(member, evaluate),
        checkHeld: () => {
          checks += 1;
          return publication.checkHeld();
        },
      }),
    });
    await expect.poll(() => errors.length).toBe(3);
    await worker[Symbol.asyncDispose]();
    const { organizationId, userId } = members[0] as Tenant;
    expect(errors).toEqual(
      expect.arrayContaining([
        ['no webhooks', { period: expect.stringMatching(/^[0-9]{2}-[0-9]{4}$/) }],
        ['no luck', { period: expect.stringMatching(/^[0-9]{2}-[0-9]{4}$/), organizationId, userId }],
        ['2 could not be told', undefined],
      ]),
    );
    expect(checks).toBe(2);
    expect(await digested()).toEqual([other]);
    expect(await readAll('SELECT attempts, error FROM publications')).toEqual([
      { attempts: 1, error: '2 could not be told: no webhooks' },
    ]);
  });

  it('leaves the publication to wait also when a single one could not be told', async () => {
    await track(await makeMember(database));
    await publish();
    const { worker, errors } = startWorker({
      wrap: (publication) => ({ ...publication, tellMember: () => Promise.reject(new Error('no luck')) }),
    });
    await expect.poll(() => errors.map(([message]) => message)).toEqual(['no luck', '1 could not be told']);
    await worker[Symbol.asyncDispose]();
    expect(await waiting()).toBe(1);
  });

  it('goes on no further once its claim is lost', async () => {
    for (const member of [await makeMember(database), await makeMember(database)]) await track(member);
    await publish();
    let told = 0;
    const { worker, errors } = startWorker({
      wrap: (publication) => ({
        ...publication,
        tellMember: () => {
          told += 1;
          return Promise.reject(new Error('no luck'));
        },
        checkHeld: () => Promise.reject(new Error('the claim is lost')),
      }),
    });
    await expect.poll(() => errors.map(([message]) => message)).toEqual(['no luck', 'the claim is lost']);
    await worker[Symbol.asyncDispose]();
    expect(told).toBe(1);
  });

  it('leaves the rest to others when it is stopped, and the publication has lost no attempt', async () => {
    for (const member of [await makeMember(database), await makeMember(database)]) await track(member);
    await publish(NEWEST - 1);
    await publish(NEWEST);
    const { worker, errors } = startWorker({
      wrap: (publication) => ({
        ...publication,
        tellMember: async (member, evaluate) => {
          worker.stop();
          await publication.tellMember(member, evaluate);
        },
      }),
    });
    await expect.poll(digested).toHaveLength(1);
    await worker[Symbol.asyncDispose]();
    expect(errors).toEqual([]);
    expect(await readAll('SELECT attempts FROM publications')).toEqual([{ attempts: 0 }, { attempts: 0 }]);
    const { worker: next } = startWorker();
    await expect.poll(waiting).toBe(0);
    await next[Symbol.asyncDispose]();
    expect(await digested()).toHaveLength(4);
  });
});
