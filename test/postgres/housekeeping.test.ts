import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startHousekeeping } from '../../src/boot/housekeeping.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { sweepIdempotencyKeys } from '../../src/postgres/idempotency-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { sweepHistory } from '../../src/postgres/search-history.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const MEMBERS = ['ada@example.com', 'bob@example.com'];

async function fill(database: TestDatabase): Promise<void> {
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: 'Acme', subscription });
  for (const userEmail of MEMBERS) {
    await createApiKey(database.operator, { organization: 'Acme', userEmail, scopes: [], expiresAt: null });
  }
  await database.operator.query(
    `INSERT INTO search_history (organization_id, user_id, searched_at, endpoint, parameters)
     SELECT organization_id, user_id, now() - make_interval(days => d) + interval '1 hour', '/v1/search/keywords', '{}'
     FROM memberships, generate_series(1, 40) AS d, generate_series(1, 100)`,
  );
  await database.operator.query(
    `INSERT INTO idempotency_keys (organization_id, user_id, key, fingerprint, created_at)
     SELECT organization_id, user_id, h::text, sha256('a'), now() - make_interval(hours => h) + interval '1 minute'
     FROM memberships, generate_series(1, 1000) AS h`,
  );
}

describe('what is too old', () => {
  it('is removed in steps, of all members, and nothing else is', async () => {
    await using database = await makeDatabase();
    await fill(database);
    const { operator } = database;
    const steps = async (step: () => Promise<boolean>): Promise<number> => {
      for (let count = 1; ; count += 1) if (!(await step())) return count;
    };
    // 10 days of 100 searches of 2 members.
    expect(await steps(() => sweepHistory(operator, 30))).toBe(3);
    const { rows } = await operator.query(
      `SELECT count(*) AS count, max(now() - searched_at) < interval '30 days' AS "areYoung" FROM search_history`,
    );
    expect(rows).toEqual([{ count: 30 * 100 * 2, areYoung: true }]);
    expect(await steps(() => sweepIdempotencyKeys(operator))).toBe(2);
    expect((await operator.query('SELECT count(*) AS count FROM idempotency_keys')).rows).toEqual([{ count: 48 }]);
  });

  it('is removed by the clock, whatever becomes of the other chores', async () => {
    await using database = await makeDatabase();
    await fill(database);
    const failed: string[] = [];
    await using _housekeeping = startHousekeeping({
      chores: [
        { name: 'broken', step: () => Promise.reject(new Error('broken')) },
        {
          name: 'broken at once',
          step: () => {
            throw new Error('broken');
          },
        },
        { name: 'history', step: () => sweepHistory(database.operator, 1) },
      ],
      everyMs: 20,
      onError: (_error, chore) => failed.push(chore),
    });
    const count = async (): Promise<number> =>
      (
        await database.operator.query<{ count: number }>(
          `SELECT count(*) AS count FROM search_history WHERE searched_at < now() - interval '1 day'`,
        )
      ).rows[0]?.count ?? 0;
    while ((await count()) > 0) await sleep(20);
    await database.operator.query(
      `INSERT INTO search_history (organization_id, user_id, searched_at, endpoint, parameters)
       SELECT organization_id, user_id, now() - interval '2 days', '', '{}' FROM memberships`,
    );
    while ((await count()) > 0) await sleep(20);
    expect(new Set(failed)).toEqual(new Set(['broken', 'broken at once']));
  });
});
