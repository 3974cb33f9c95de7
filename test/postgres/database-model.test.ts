// The simulation (test/prove/simulation) runs on a model of the database. The same random work on the model and on PostgreSQL must
// lead to the same answers and the same rows, or what the simulation shows means nothing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClaimedPublication } from '../../src/domain/publication.ts';
import { type AttemptOutcome, type DeliveryAttempt, planRetry, WEBHOOK_EVENTS } from '../../src/domain/webhook.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { withFreeImportLock, withImportLock } from '../../src/postgres/import-lock.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import type { Pool } from '../../src/postgres/pool.ts';
import { openPublicationQueue } from '../../src/postgres/publications.ts';
import { openDeliveryQueue } from '../../src/postgres/webhook-deliveries.ts';
import type { Publication } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest, publish } from '../../src/snapshot/manifest/manifest-rows.ts';
import { SeededRandom } from '../prove/seeded-random.ts';
import { ModelDatabase } from '../prove/simulation/model-database.ts';
import { ModelPool, ModelSession } from '../prove/simulation/model-pool.ts';
import type { TableName, Tables } from '../prove/simulation/tables.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const SEQUENCES = 12;
const STEPS = 20;
const CHANGED = ['webhook_deliveries', 'publications', 'digests', 'priority_hits', 'usage_counts'] as const;
const PUBLISHED = ['rank_periods', 'kept_revisions', 'dictionary_deltas', 'snapshot_files'] as const;

/** One of the two, and what only its kind can do. */
interface Side {
  readonly pool: Pool;
  list(table: TableName): Promise<readonly Record<string, unknown>[]>;
  /** Puts off, or brings forward, the next attempts of rows; delays by id. */
  putOff(table: 'webhook_deliveries' | 'publications', delaysMs: ReadonlyMap<string, number>): Promise<void>;
}

let database: TestDatabase;
let fixed: { readonly [Name in 'subscriptions' | 'tracked_keywords' | 'webhooks']: readonly Tables[Name][] };

beforeAll(async () => {
  database = await makeDatabase();
  const { owner, operator } = database;
  for (const [name, plan] of [
    ['Acme', 'pro'],
    ['Bolt', 'studio'],
  ] as const) {
    await createOrganization(operator, { name, subscription: { plan, status: 'active', periodEnd: null } });
    for (const user of ['ada', 'bob']) {
      const userEmail = `${user}@${name}.example`;
      await createApiKey(operator, { organization: name, userEmail, scopes: ['search'], expiresAt: null });
    }
  }
  await owner.query(`INSERT INTO tracked_keywords (organization_id, user_id, original_term, normalized_term, term_hash, notes,
      priority_enabled, priority_field, priority_operator, priority_value)
    SELECT organization_id, user_id, term, term, sha256(term::bytea), '', true, 'latest_rank', 'lt', 5
    FROM memberships, unnest(ARRAY['apple', 'berry']) term`);
  await owner.query(
    `INSERT INTO webhooks (organization_id, user_id, url, events, secret)
     SELECT organization_id, user_id, 'https://' || n || '.example/', $1, 'secret' FROM memberships, generate_series(1, 2) n`,
    [WEBHOOK_EVENTS],
  );
  const read = async <Name extends keyof typeof fixed>(table: Name) =>
    (await owner.query(`SELECT * FROM ${table} ORDER BY 1, 2`)).rows as Tables[Name][];
  fixed = {
    subscriptions: await read('subscriptions'),
    tracked_keywords: await read('tracked_keywords'),
    webhooks: await read('webhooks'),
  };
});
afterAll(() => database[Symbol.asyncDispose]());

describe('the model of the database', () => {
  it(`does the same as PostgreSQL in ${SEQUENCES} random sequences of ${STEPS} steps`, async () => {
    const seen = new Set<string>();
    for (let seed = 1; seed <= SEQUENCES; seed += 1) {
      const sides = [await openReal(), await openModel()] as const;
      const script = new Script(new SeededRandom(seed));
      for (let step = 1; step <= STEPS; step += 1) {
        const { name, run } = script.drawStep(
          await sides[0].list('webhook_deliveries'),
          await sides[0].list('publications'),
        );
        const answers = [await run(sides[0]), await run(sides[1])];
        expect(answers[1], `seed ${seed}, step ${step}: ${name}`).toEqual(answers[0]);
        const states = [await describeState(sides[0]), await describeState(sides[1])];
        expect(states[1], `seed ${seed}, step ${step}: after ${name}`).toEqual(states[0]);
        seen.add(`${name}: ${JSON.stringify(answers[0]).slice(0, 12)}`);
      }
    }
    expect([...seen].length).toBeGreaterThan(12);
  });

  it.each([
    ['is undone', 'ROLLBACK', 1],
    ['is committed', 'COMMIT', 0],
  ])('waits for a transaction with the same key, as PostgreSQL does, until it %s', async (_title, end, inserted) => {
    for (const side of [await openReal(), await openModel()]) {
      const [member] = fixed.webhooks;
      const insert = [
        `INSERT INTO digests (organization_id, user_id, marketplace, frequency, year, number, rows)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
        [member?.organization_id, member?.user_id, 'US', 'monthly', 2026, 1, '[]'],
      ] as const;
      const client = await side.pool.connect();
      await client.query('BEGIN');
      await client.query(insert[0], [...insert[1]]);
      let isDone = false;
      const second = side.pool.query(insert[0], [...insert[1]]).finally(() => {
        isDone = true;
      });
      await side.pool.query(`SELECT 1`);
      expect(isDone).toBe(false);
      await client.query(end);
      client.release();
      expect((await second).rowCount).toBe(inserted);
    }
  });

  it('gives the import lock to one at a time, as PostgreSQL does', async () => {
    for (const side of [await openReal(), await openModel()]) {
      const inside = await withImportLock(side.pool, { onWait: () => {} }, () =>
        withFreeImportLock(side.pool, async () => 'too'),
      );
      expect(inside).toBeUndefined();
      expect(await withFreeImportLock(side.pool, async () => 'free')).toBe('free');
    }
  });
});

async function openReal(): Promise<Side> {
  const { owner, operator } = database;
  for (const table of [...CHANGED, ...PUBLISHED]) await owner.query(`DELETE FROM ${table}`);
  await owner.query('UPDATE rank_statistics SET version = 0, computed_at = NULL, total_data_points = 0');
  return {
    pool: operator,
    list: async (table) => (await owner.query(`SELECT *, extract(epoch FROM now()) * 1000 AS now FROM ${table}`)).rows,
    putOff: async (table, delaysMs) => {
      await owner.query(
        `UPDATE ${table} SET next_attempt_at = now() + delay * interval '1 millisecond'
         FROM unnest($1::text[], $2::integer[]) AS given (given_id, delay) WHERE id::text = given_id`,
        [[...delaysMs.keys()], [...delaysMs.values()]],
      );
    },
  };
}

async function openModel(): Promise<Side> {
  const model = new ModelDatabase({ nowMs: Date.now, random: Math.random });
  const transaction = model.begin();
  const { rows } = await database.owner.query<Tables['rank_statistics']>('SELECT * FROM rank_statistics');
  if (rows[0]) await transaction.insert('rank_statistics', '', { ...rows[0], version: 0 });
  for (const row of fixed.subscriptions) await transaction.insert('subscriptions', row.organization_id, row);
  for (const row of fixed.tracked_keywords) await transaction.insert('tracked_keywords', row.id, row);
  for (const row of fixed.webhooks) await transaction.insert('webhooks', row.id, row);
  transaction.commit();
  const connect = async () => new ModelSession(model);
  const query = (session: ModelSession, sql: string, values: readonly unknown[]) => session.execute(sql, values);
  const pool = new ModelPool({ connect, query, close: (session) => session.end() }, 4).asPool;
  return {
    pool,
    list: async (table) => model.list(table).map((row) => ({ ...row, now: Date.now() })),
    putOff: async (table, delaysMs) => {
      const change = model.begin();
      for (const row of model.list(table)) {
        const delayMs = delaysMs.get(String(row.id));
        if (delayMs === undefined) continue;
        const key = 'event_key' in row ? `${row.webhook_id} ${row.event_key}` : String(row.id);
        await change.lock(table, key);
        change.write(table, key, { ...row, next_attempt_at: Date.now() + delayMs } as never);
      }
      change.commit();
    },
  };
}

/** What can be compared: ids and the exact time differ, and the pause after a claim is drawn. */
async function describeState(side: Side): Promise<object> {
  const manifest = await loadManifest(side.pool);
  const describe = (row: Record<string, unknown>) => {
    const {
      id: _id,
      created_at: _created,
      read_at: _read,
      rows: _rows,
      products: _products,
      month: _month,
      meter: _meter,
      now,
      ...rest
    } = row;
    const waitS = (new Date(rest.next_attempt_at as string).getTime() - Number(now)) / 1000;
    const isPending = rest.status === undefined || rest.status === 'pending';
    return {
      ...rest,
      ...('next_attempt_at' in rest && { next_attempt_at: isPending ? roughly(waitS) : 'settled' }),
      ...('last_attempt_at' in rest && { last_attempt_at: rest.last_attempt_at !== null }),
      ...('set_aside_at' in rest && { set_aside_at: rest.set_aside_at !== null }),
      ...('published_at' in rest && { published_at: new Date(rest.published_at as string).getTime() }),
      ...('start_date' in rest && { start_date: '', end_date: '' }),
    };
  };
  const state: Record<string, unknown> = { manifest };
  for (const table of CHANGED) {
    const rows = (await side.list(table)).map((row) =>
      JSON.stringify(describe(row), Object.keys(describe(row)).sort()),
    );
    state[table] = rows.toSorted();
  }
  return state;
}

/** The step of the schedule of retries that a pause belongs to, with its jitter. */
function roughly(waitS: number): string {
  if (waitS < 1) return 'due';
  return `from ${[1, 20, 50, 200, 1_500, 6_000, 15_000, 25_000].findLast((least) => waitS >= least)} s`;
}

interface Step {
  readonly name: string;
  run(side: Side): Promise<unknown>;
}

/** Draws what is done next, once for both sides; rows are named by what they are about, because their ids differ. */
class Script {
  readonly #random: SeededRandom;
  readonly #attempts = new Map<Side, DeliveryAttempt[]>();
  #published = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  drawStep(deliveries: readonly Record<string, unknown>[], publications: readonly Record<string, unknown>[]): Step {
    const draw = this.#random.below(10);
    if (draw < 2 || this.#published === 0) return this.#publish();
    if (draw < 5) return this.#tell(publications);
    if (draw < 8) return this.#claim(deliveries);
    return this.#settle();
  }

  #publish(): Step {
    this.#published += 1;
    const publication = drawPublication(this.#random, this.#published);
    return {
      name: 'publish',
      run: async (side) => {
        const client = await side.pool.connect();
        const answer = await publish(client, publication).catch(codeOf);
        client.release();
        return answer;
      },
    };
  }

  #tell(publications: readonly Record<string, unknown>[]): Step {
    const random = this.#random;
    const offsets = new Map(publications.map((row) => [placeOf(row), random.below(3) === 0 ? 60_000 : -1_000]));
    const version = random.below(this.#published + 1);
    const end = random.pick(['told', 'stopped', 'failed', 'nested'] as const);
    const hits = new Set([...fixed.tracked_keywords].filter(() => random.below(2) === 0).map(({ id }) => id));
    const skipped = random.below(4);
    return {
      name: `tell, ${end}`,
      run: async (side) => {
        const rows = await side.list('publications');
        await side.putOff('publications', new Map(rows.map((row) => [String(row.id), offsets.get(placeOf(row)) ?? 0])));
        const setAside: unknown[] = [];
        const take = (work: (publication: ClaimedPublication) => Promise<boolean>) =>
          openPublicationQueue(side.pool, ({ attempts, error }) => setAside.push({ attempts, error })).takeNext(
            version,
            work,
          );
        const told: unknown[] = [];
        const answer = await take(async (publication) => {
          told.push(publication.news.period, publication.news.revision);
          await publication.tellWebhooks(({ name }) => name === 'pro');
          for (const member of (await publication.listMembers()).slice(skipped)) {
            told.push(member);
            await publication.tellMember(member, async ({ keywords }) => ({
              rows: [],
              products: [],
              hits: keywords
                .filter(({ id }) => hits.has(id))
                .map((keyword) => ({ keyword, rule: keyword.priorityRule, snapshot: {} as never })),
            }));
          }
          if (end === 'nested') told.push(await take(async ({ news }) => told.push(news.period) > 0));
          if (end === 'failed') throw new Error('failed');
          return end !== 'stopped';
        }).catch((error: Error) => error.message);
        return { answer, told, setAside };
      },
    };
  }

  #claim(deliveries: readonly Record<string, unknown>[]): Step {
    const random = this.#random;
    // Of two that are due for one webhook the one that waits longest comes first.
    const offsets = new Map(
      deliveries.map((row, i) => [eventOf(row), random.below(3) === 0 ? 60_000 : -10_000 - 1_000 * i]),
    );
    const busyWebhookIds = fixed.webhooks.filter(() => random.below(4) === 0).map(({ id }) => id);
    return {
      name: 'claim',
      run: async (side) => {
        const pending = (await side.list('webhook_deliveries')).filter(({ status }) => status === 'pending');
        const delaysMs = new Map(pending.map((row) => [String(row.id), offsets.get(eventOf(row)) ?? 0]));
        await side.putOff('webhook_deliveries', delaysMs);
        const setAside: unknown[] = [];
        const queue = openDeliveryQueue(side.pool, ({ webhookId, error }) => setAside.push([webhookId, error]));
        const claimed = await queue.claim({ limit: 100, busyWebhookIds });
        this.#attempts.set(side, [...(this.#attempts.get(side) ?? []), ...claimed].toSorted(byContent));
        const shown = claimed.toSorted(byContent).map(({ deliveryId: _id, secret: _secret, ...rest }) => rest);
        return { claimed: shown, setAside: setAside.map(String).toSorted() };
      },
    };
  }

  #settle(): Step {
    const random = this.#random;
    const position = random.next();
    const outcome: AttemptOutcome = random.pick([
      { kind: 'accepted', responseStatus: 200 },
      { kind: 'refused', responseStatus: 500, error: 'answered 500' },
      { kind: 'refused', responseStatus: 410, error: 'answered 410' },
      { kind: 'unreachable', error: 'no answer' },
    ] as const);
    return {
      name: `settle, ${outcome.kind}`,
      run: async (side) => {
        const attempts = this.#attempts.get(side) ?? [];
        const attempt = attempts[Math.floor(position * attempts.length)];
        if (!attempt) return 'nothing';
        const queue = openDeliveryQueue(side.pool, () => {});
        await queue.settle(attempt, { outcome, retryAfterMs: planRetry(attempt, { outcome, random: 0.5 }) });
        return attempt.attempt;
      },
    };
  }
}

/** Now and then with a delta that is there already: then nothing of it may stay. */
function drawPublication(random: SeededRandom, count: number): Publication {
  const file = (path: string) => ({ path: `${path}-${count}`, sizeBytes: count, sha256: '0'.repeat(64) });
  const set = { marketplace: 'US', source: 'search', frequency: 'monthly' } as const;
  const period = { frequency: 'monthly', year: 2026, number: 1 + random.below(3) } as const;
  const sequence = random.below(4) === 0 ? 1 : count;
  return {
    publishedAt: new Date(Date.UTC(2026, 0, count)),
    snapshots: [{ ...set, files: [file('b'), file('a')] }],
    prepared: [
      {
        period: {
          ...{
            ...set,
            period,
            revision: count,
            keywords: 3,
            dataPoints: 3,
            digest: random.pick(['x', 'y']),
            warnings: ['w'],
            sourceFile: 'f',
          },
          ...{ startDate: '2026-01-01' as never, endDate: '2026-01-31' as never, publishedAt: new Date(0) },
          segment: file('segment'),
        },
        dictionaries: [{ marketplace: 'US', kind: 'terms', sequence, nextId: count, file: file('delta') }],
      },
    ],
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function placeOf(row: Record<string, unknown>): string {
  return `${String(row.number)} ${String(row.revision)}`;
}

function eventOf(row: Record<string, unknown>): string {
  return `${String(row.webhook_id)} ${String(row.event_key)}`;
}

function byContent(a: DeliveryAttempt, b: DeliveryAttempt): number {
  const [first, second] = [a, b].map(({ webhookId, payload, attempt }) => `${webhookId} ${payload} ${attempt}`);
  return (first ?? '') < (second ?? '') ? -1 : 1;
}
