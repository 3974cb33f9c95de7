// Retry-After against the clock that decides, set by hand: whoever waits for as long as it says is admitted, and whoever comes
// a second earlier is not.
import { randomUUID } from 'node:crypto';
import type { Tenant } from '../../src/domain/account.ts';
import { type RateLimitState, retryAfterSeconds } from '../../src/domain/rate-limit.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { createPlan } from '../../src/postgres/plans.ts';
import type { Queryable } from '../../src/postgres/pool.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import type { Finding, Trial } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';

const HOUR_US = 3_600_000_000;
/** Small, so that a run is short; the rule is the same for every limit. */
const LIMIT = 5;
/** Instants leave the database in milliseconds, rounded so that no promise comes early. */
const ROUNDING_US = 2_000;
const TRIED_AT_ONCE = 250;

export async function tryRetryAfter({ seed, quick, report }: Trial): Promise<Finding> {
  const runs = quick ? 500 : 10_000;
  await using database = await makeDatabase();
  const tenant = await prepare(database);
  const client = await database.service.connect();
  const random = new SeededRandom(seed);
  const untrue: string[] = [];
  try {
    await client.query('SET synchronous_commit = off');
    // Two hours lie between runs, so that none sees what another left.
    let nowUs = 1_800_000_000_000_000;
    for (let run = 0; run < runs; run += 1) {
      nowUs += 2 * HOUR_US + random.below(HOUR_US);
      const clock = new RunClock(client, tenant, nowUs);
      const fault = await tryOnce(clock, random);
      if (fault !== undefined) untrue.push(`run ${run + 1}: ${fault}`);
      if ((run + 1) % TRIED_AT_ONCE === 0) report(`${run + 1} of ${runs} runs`);
      nowUs = clock.nowUs;
    }
  } finally {
    client.release(true);
  }
  return { kept: untrue.length === 0, figure: `${untrue.length} untrue in ${runs} runs ${untrue[0] ?? ''}`.trim() };
}

interface Decision extends RateLimitState {
  readonly admitted: boolean;
}

class RunClock {
  readonly #client: Queryable;
  readonly #tenant: Tenant;
  nowUs: number;

  constructor(client: Queryable, tenant: Tenant, nowUs: number) {
    this.#client = client;
    this.#tenant = tenant;
    this.nowUs = nowUs;
  }

  /** Asks for so many searches at once, at the time that it is. */
  async search(count: number): Promise<readonly Decision[]> {
    await this.#client.query(`SELECT set_config('test.now_us', $1, false)`, [String(this.nowUs)]);
    const attempts = Array.from({ length: count }, () => ({
      id: randomUUID(),
      user: this.#tenant.userId,
      meter: 'search',
      endpoint: '/v1/search/keywords',
      parameters: {},
    }));
    const { rows } = await this.#client.query<Decision>({
      name: 'admit',
      text: `SELECT admitted, rate_limit AS limit, counted, resets_at AS "resetsAt", decided_at AS now
        FROM admit_searches($1, $2)`,
      values: [this.#tenant.organizationId, JSON.stringify(attempts)],
    });
    return rows;
  }
}

/** Uses up the limit in portions at random times, is refused, waits as told; says what was untrue. */
async function tryOnce(clock: RunClock, random: SeededRandom): Promise<string | undefined> {
  const portions = 1 + random.below(4);
  for (let left = LIMIT, n = portions; n > 0; n -= 1) {
    const count = n === 1 ? left : random.below(left + 1);
    if (count > 0) await clock.search(count);
    left -= count;
    clock.nowUs += random.below(Math.floor(HOUR_US / (portions + 1)));
  }
  const [refused] = await clock.search(1);
  if (!refused || refused.admitted) return 'the limit did not hold';
  const seconds = retryAfterSeconds(refused);
  if (!(Number.isInteger(seconds) && seconds >= 1 && seconds <= 3_600)) return `Retry-After: ${seconds}`;
  const refusedAtUs = clock.nowUs;
  if (seconds > 1) {
    clock.nowUs = refusedAtUs + (seconds - 1) * 1_000_000 - ROUNDING_US;
    if ((await clock.search(1))[0]?.admitted) return `${seconds} s were asked for, but one less was enough`;
  }
  clock.nowUs = refusedAtUs + seconds * 1_000_000;
  return (await clock.search(1))[0]?.admitted ? undefined : `refused again after the ${seconds} s that were asked for`;
}

async function prepare(database: TestDatabase): Promise<Tenant> {
  await createPlan(database.operator, { name: 'small', searchesPerHour: LIMIT, months: 1, weeks: 1 });
  const subscription = { plan: 'small', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: 'Patient', subscription });
  await createApiKey(database.operator, { organization: 'Patient', userEmail: 'a@b', scopes: [], expiresAt: null });
  await database.owner.query(`CREATE OR REPLACE FUNCTION rate_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    $$ SELECT 'epoch'::timestamptz + current_setting('test.now_us')::bigint * interval '1 microsecond' $$`);
  const { rows } = await database.operator.query<Tenant>(
    'SELECT organization_id AS "organizationId", user_id AS "userId" FROM memberships',
  );
  const [tenant] = rows;
  if (!tenant) throw new Error('there is no member');
  return tenant;
}
