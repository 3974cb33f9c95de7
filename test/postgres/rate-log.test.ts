// The limiter against a model: the same random sequence of searches, readings, plan changes and waits, on the database's
// own functions with a clock of ours, and on a plain list of instants.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { createPlan } from '../../src/postgres/plans.ts';
import type { Queryable } from '../../src/postgres/pool.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const SEQUENCES = 2_000;
const HOUR_US = 3_600_000_000;
/** Small limits, so that short sequences reach and pass them. */
const PLANS = ['small', 'large'] as const;

type PlanName = (typeof PLANS)[number];
type Step =
  | { readonly kind: 'search'; readonly count: number; readonly isContended: boolean }
  | { readonly kind: 'read' }
  | { readonly kind: 'wait'; readonly us: number }
  | { readonly kind: 'plan'; readonly plan: PlanName }
  | { readonly kind: 'limit'; readonly limit: number };

interface Decision {
  readonly admitted?: boolean;
  readonly limit: number;
  readonly counted: number;
  readonly resetsAtUs: number;
}

class Model {
  #admitted: number[] = [];

  search(limit: number, nowUs: number): Decision {
    const admitted = this.#inHour(nowUs).length < limit;
    if (admitted) this.#admitted.push(nowUs);
    return { admitted, ...this.read(limit, nowUs) };
  }

  read(limit: number, nowUs: number): Decision {
    const counted = this.#inHour(nowUs);
    // The slot frees when the count falls below the limit, or, with slots to spare, when the count falls at all.
    const first = counted[Math.max(0, counted.length - limit)];
    const resetsAtUs = first === undefined ? nowUs : first + HOUR_US;
    return { limit, counted: counted.length, resetsAtUs: Math.ceil(resetsAtUs / 1000) * 1000 };
  }

  /** Most searches that any window of one hour, closed at one end and open at the other, has seen. */
  fullestHour(): number {
    return Math.max(
      0,
      ...this.#admitted.map((end) => this.#admitted.filter((t) => t <= end && t > end - HOUR_US).length),
    );
  }

  #inHour(nowUs: number): number[] {
    return this.#admitted.filter((instant) => instant > nowUs - HOUR_US);
  }
}

let database: TestDatabase;
let organizationId: string;
let userId: string;
/** Each sequence begins two hours after the last one ended, when nothing of it is counted any more. */
let nowUs = 1_800_000_000_123_456;

beforeAll(async () => {
  database = await makeDatabase();
  for (const name of PLANS) {
    await createPlan(database.operator, { name, searchesPerHour: 1, months: 'all', weeks: 'all' });
  }
  await createOrganization(database.operator, {
    name: 'Model',
    subscription: { plan: 'small', status: 'active', periodEnd: null },
  });
  await createApiKey(database.operator, { organization: 'Model', userEmail: 'a@b', scopes: [], expiresAt: null });
  const { rows } = await database.operator.query('SELECT organization_id, user_id FROM memberships');
  [organizationId, userId] = [rows[0].organization_id, rows[0].user_id];
  await database.owner.query(`CREATE OR REPLACE FUNCTION rate_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    $$ SELECT 'epoch'::timestamptz + current_setting('test.now_us')::bigint * interval '1 microsecond' $$`);
});
afterAll(() => database[Symbol.asyncDispose]());

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      count: fc.constantFrom(1, 1, 1, 2, 3),
      isContended: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'read' } as const) },
  {
    weight: 3,
    arbitrary: fc
      .oneof(
        // The edges: a microsecond, 3599.999 s, one microsecond short of the hour, the hour itself.
        fc.constantFrom(1, 999, 3_599_999_000, HOUR_US - 1, HOUR_US, HOUR_US + 1),
        fc.integer({ min: 0, max: HOUR_US }),
        fc.integer({ min: 0, max: HOUR_US / 8 }),
      )
      .map((us) => ({ kind: 'wait', us }) as const),
  },
  { weight: 1, arbitrary: fc.constantFrom(...PLANS).map((plan) => ({ kind: 'plan', plan }) as const) },
  // The operator changes the plan that the organization has.
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }).map((limit) => ({ kind: 'limit', limit }) as const) },
);

describe('the rate log', () => {
  it(`decides like the model in ${SEQUENCES} random sequences, and never admits more than the limit in any hour`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 24 }), async (steps) => {
        const client = await database.service.connect();
        try {
          await client.query('SET synchronous_commit = off');
          const model = new Model();
          const largest = await play(steps, model, client);
          expect(model.fullestHour()).toBeLessThanOrEqual(largest);
        } finally {
          client.release();
        }
      }),
      { numRuns: fc.readConfigureGlobal().numRuns ?? SEQUENCES },
    );
  }, 300_000);
});

/** Plays the steps on both; returns the largest limit that was in force. */
async function play(steps: readonly Step[], model: Model, client: Queryable): Promise<number> {
  let plan: PlanName = 'small';
  const limits = { small: 2, large: 4 };
  let largest = 0;
  nowUs += 2 * HOUR_US;
  await setPlan(plan);
  for (const name of PLANS) await setLimit(name, limits[name]);
  for (const each of steps) {
    if (each.kind === 'wait') nowUs += each.us;
    else if (each.kind === 'plan') {
      plan = each.plan;
      await setPlan(plan);
    } else if (each.kind === 'limit') {
      limits[plan] = each.limit;
      await setLimit(plan, each.limit);
    } else {
      const limit = limits[plan];
      largest = Math.max(largest, limit);
      if (each.kind === 'read') expect(await read(client)).toEqual(model.read(limit, nowUs));
      else {
        // A full hour is seen while another decision is under way, too; with room left, that has to be waited for.
        const isFull = model.read(limit, nowUs).counted >= limit;
        const expected = Array.from({ length: each.count }, () => model.search(limit, nowUs));
        await using _lock = isFull && each.isContended ? await lockWindow() : undefined;
        expect(await search(client, each.count)).toEqual(expected);
      }
    }
  }
  return largest;
}

async function lockWindow(): Promise<AsyncDisposable> {
  const client = await database.owner.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM rate_windows FOR UPDATE');
  return {
    [Symbol.asyncDispose]: async () => {
      await client.query('ROLLBACK');
      client.release();
    },
  };
}

async function setLimit(plan: PlanName, limit: number): Promise<void> {
  await database.owner.query('UPDATE plans SET searches_per_hour = $2 WHERE name = $1 AND searches_per_hour <> $2', [
    plan,
    limit,
  ]);
}

async function setPlan(plan: PlanName): Promise<void> {
  await database.owner.query('UPDATE subscriptions SET plan = $1 WHERE plan <> $1', [plan]);
}

async function search(client: Queryable, count: number): Promise<readonly Decision[]> {
  const attempts = Array.from({ length: count }, () => ({
    id: randomUUID(),
    user: userId,
    meter: 'search',
    endpoint: '/',
    parameters: {},
  }));
  return await ask(client, 'admitted,', { call: 'admit_searches(clock.organization, clock.attempts)', attempts });
}

async function read(client: Queryable): Promise<Decision | undefined> {
  const [decision] = await ask(client, '', { call: 'read_rate_limit(clock.organization)', attempts: [] });
  return decision;
}

/** Arguments reach the call through the row that sets the clock, so that it is set before the call is made. */
async function ask(
  client: Queryable,
  columns: string,
  { call, attempts }: { readonly call: string; readonly attempts: readonly unknown[] },
): Promise<readonly Decision[]> {
  const { rows } = await client.query<Decision>(
    `SELECT ${columns} rate_limit AS limit, counted,
       round(extract(epoch FROM resets_at) * 1000000)::bigint AS "resetsAtUs"
     FROM (SELECT $1::uuid AS organization, $2::jsonb AS attempts, set_config('test.now_us', $3, false) OFFSET 0) clock,
       LATERAL ${call}`,
    [organizationId, JSON.stringify(attempts), String(nowUs)],
  );
  return rows;
}
