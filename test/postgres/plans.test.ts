import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OWNER, PRO, STUDIO } from '../../src/domain/plan.ts';
import { outsidePostgres } from '../../src/postgres/connection.ts';
import { migrate } from '../../src/postgres/migrations.ts';
import { changeSubscription, createOrganization, listOrganizations } from '../../src/postgres/organizations.ts';
import { createPlan, listPlans, removePlan } from '../../src/postgres/plans.ts';
import { makeDatabase, makeEmptyDatabase, type TestDatabase } from '../support/database.ts';

const ACTIVE = { status: 'active', periodEnd: null } as const;

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

describe('plans', () => {
  it('that ship are those of the domain', async () => {
    expect(await listPlans(database.operator)).toEqual(
      [PRO, STUDIO, OWNER].map((plan) => ({ ...plan, isBuiltIn: true, organizations: 0 })),
    );
  });

  it('are removed or given to an organization, and never both, whoever comes first', async () => {
    const { operator } = database;
    await createOrganization(operator, { name: 'Moving', subscription: { plan: 'pro', ...ACTIVE } });
    const seen = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      const name = `round-${round}`;
      await createPlan(operator, { name, searchesPerHour: 1, months: 'all', weeks: 'all' });
      const subscription = { plan: name, ...ACTIVE };
      const give = () =>
        round % 2 === 0
          ? createOrganization(operator, { name: `Organization ${round}`, subscription })
          : changeSubscription(operator, { name: 'Moving', change: { plan: name } });
      const [first, second] =
        round % 4 < 2 ? [give, () => removePlan(operator, name)] : [() => removePlan(operator, name), give];
      const outcomes = await Promise.allSettled([first(), second()]);
      const failures = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
      expect(failures).toHaveLength(1);
      expect(failures[0]).toMatchObject({ name: 'OperatorError' });
      seen.add(failures[0].message.replace(name, 'it').replace(/,.*/, ''));
    }
    expect([...seen].toSorted()).toEqual(['The plan "it" is in use', 'There is no plan "it".']);
    const known = (await listPlans(operator)).map(({ name }) => name);
    for (const { subscription } of await listOrganizations(operator)) expect(known).toContain(subscription.plan);
  });

  it('cannot be had by an organization while they do not exist, nor be absurd, even by hand', async () => {
    const { owner } = database;
    await expect(owner.query(`UPDATE subscriptions SET plan = 'gold'`)).rejects.toThrow('foreign key');
    for (const values of [
      `('0', 1, 1, 1)`,
      `('x', 0, 1, 1)`,
      `('x', 1, 0, 1)`,
      `('x', 1, 1, -1)`,
      `('x', 100001, 1, 1)`,
    ]) {
      const insert = owner.query(`INSERT INTO plans (name, searches_per_hour, months, weeks) VALUES ${values}`);
      await expect(insert, values).rejects.toThrow('violates check constraint');
    }
  });
});

describe('a database of the version before', () => {
  it('keeps the plan of each organization', async () => {
    await using old = await makeEmptyDatabase();
    const client = new pg.Client({ connectionString: old.url.href, options: '-c search_path=keyrank' });
    await client.connect();
    try {
      await migrateTo(client, 11);
      for (const plan of ['pro', 'studio']) {
        await client.query(
          `WITH o AS (INSERT INTO organizations (name) VALUES ($1) RETURNING id)
           INSERT INTO subscriptions (organization_id, plan, status) SELECT id, $1, 'active' FROM o`,
          [plan],
        );
      }
      expect(await migrate(outsidePostgres(old.url))).toContain('0012-plans.sql');
      const { rows } = await client.query(
        `SELECT o.name, s.plan, p.searches_per_hour, p.months, p.weeks
         FROM organizations o JOIN subscriptions s ON s.organization_id = o.id JOIN plans p ON p.name = s.plan ORDER BY 1`,
      );
      expect(rows).toEqual([
        { name: 'pro', plan: 'pro', searches_per_hour: 100, months: 24, weeks: 6 },
        { name: 'studio', plan: 'studio', searches_per_hour: 500, months: null, weeks: 6 },
      ]);
    } finally {
      await client.end();
    }
  });
});

/** What a version with fewer migrations made of an empty database. */
async function migrateTo(client: pg.Client, newest: number): Promise<void> {
  await client.query(`CREATE SCHEMA keyrank; CREATE TABLE keyrank.schema_migrations (
    version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL, applied_at timestamptz DEFAULT now())`);
  const directory = new URL('../../src/postgres/migrations/', import.meta.url);
  for (const name of (await readdir(directory)).toSorted()) {
    const version = Number(name.slice(0, 4));
    if (version > newest) return;
    const sql = await readFile(new URL(name, directory), 'utf8');
    await client.query(sql);
    const checksum = createHash('sha256').update(sql).digest('hex');
    await client.query('INSERT INTO schema_migrations VALUES ($1, $2, $3)', [version, name, checksum]);
  }
}
