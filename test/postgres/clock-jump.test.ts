// The database's clock jumps a month ahead while work goes on, and back again.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { OrganizationId, UserId } from '../../src/domain/account.ts';
import { MAX_RUNNING_EXPORTS } from '../../src/domain/export-gate.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { ExportLeases } from '../../src/postgres/export-leases.ts';
import { mendFutureDates } from '../../src/postgres/future-dates.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { admitSearches, readRateLimit } from '../../src/postgres/rate-log.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const LIMIT = 100;
const MINUTE_S = 60;
const HOUR_S = 60 * MINUTE_S;
/** Instants are cut to milliseconds, resets rounded up. */
const ROUNDED_S = 0.002;
const MONTH_S = 30 * 24 * HOUR_S;

let database: TestDatabase;
let organizationId: OrganizationId;
let userId: UserId;
let count = 0;

beforeAll(async () => {
  database = await makeDatabase();
  await database.owner.query('CREATE TABLE test_clock (ahead_s bigint NOT NULL)');
  await database.owner.query('GRANT SELECT ON test_clock TO keyrank_service');
  await database.owner.query('INSERT INTO test_clock VALUES (0)');
  await database.owner.query(`CREATE OR REPLACE FUNCTION rate_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS
    $$ SELECT clock_timestamp() + (SELECT ahead_s FROM test_clock) * interval '1 second' $$`);
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(async () => {
  count += 1;
  const name = `Organization ${count}`;
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  organizationId = (await createOrganization(database.operator, { name, subscription })).id as OrganizationId;
  await createApiKey(database.operator, { organization: name, userEmail: 'a@b', scopes: [], expiresAt: null });
  const { rows } = await database.operator.query('SELECT user_id FROM memberships WHERE organization_id = $1', [
    organizationId,
  ]);
  userId = rows[0].user_id;
  await setClock(0);
});

async function setClock(aheadSeconds: number): Promise<void> {
  await database.owner.query('UPDATE test_clock SET ahead_s = $1', [aheadSeconds]);
}

async function search(times: number): Promise<number> {
  const attempts = Array.from({ length: times }, () => ({
    id: randomUUID(),
    tenant: { organizationId, userId },
    meter: 'search' as const,
    endpoint: '/v1/search/keywords',
    parameters: {},
  }));
  const admissions = await admitSearches(database.service, organizationId, attempts);
  return admissions?.filter(({ admitted }) => admitted).length ?? 0;
}

async function secondsToReset(): Promise<number> {
  const state = await readRateLimit(database.service, organizationId);
  return state ? (state.resetsAt.getTime() - state.now.getTime()) / 1000 : Number.NaN;
}

describe('a clock that jumps a month ahead and back', () => {
  it('locks nobody out for longer than an hour', async () => {
    await setClock(MONTH_S);
    expect(await search(LIMIT)).toBe(LIMIT);
    await setClock(0);
    expect(await search(1)).toBe(0);
    expect(await secondsToReset()).toBeLessThanOrEqual(HOUR_S + ROUNDED_S);
    await setClock(HOUR_S - MINUTE_S);
    expect(await search(1)).toBe(0);
    await setClock(HOUR_S + MINUTE_S);
    expect(await search(1)).toBe(1);
  });

  it('is waited out in an hour by whoever only looks at the limit', async () => {
    await setClock(MONTH_S);
    await search(LIMIT);
    await setClock(0);
    expect(await secondsToReset()).toBeLessThanOrEqual(HOUR_S + ROUNDED_S);
    await setClock(HOUR_S / 2);
    expect(await secondsToReset()).toBeLessThanOrEqual(HOUR_S / 2 + 1);
    await setClock(HOUR_S + MINUTE_S);
    expect(await readRateLimit(database.service, organizationId)).toMatchObject({ counted: 0 });
  });

  it('still counts each search for its whole hour', async () => {
    await setClock(MONTH_S);
    await search(LIMIT - 1);
    await setClock(0);
    expect([await search(1), await search(1)]).toEqual([1, 0]);
  });

  it('refuses for an hour, and not for a month, while another decision is under way', async () => {
    await setClock(MONTH_S);
    await search(LIMIT);
    await setClock(0);
    const holder = await database.owner.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM rate_windows WHERE organization_id = $1 FOR UPDATE', [organizationId]);
      const [refusal] =
        (await admitSearches(database.service, organizationId, [
          { id: randomUUID(), tenant: { organizationId, userId }, meter: 'search', endpoint: '/', parameters: {} },
        ])) ?? [];
      expect(refusal?.admitted).toBe(false);
      const { resetsAt, now } = refusal?.rateLimit ?? { resetsAt: new Date(Number.NaN), now: new Date() };
      expect((resetsAt.getTime() - now.getTime()) / 1000).toBeLessThanOrEqual(HOUR_S + ROUNDED_S);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  it('gives the places of lost exports back after one lease', async () => {
    const exports = new ExportLeases(database.service, () => {});
    const tenant = { organizationId, userId };
    for (let n = 0; n < MAX_RUNNING_EXPORTS; n += 1) expect(await exports.enter(tenant)).toBeDefined();
    await database.owner.query(`UPDATE export_leases SET expires_at = expires_at + interval '30 days'`);
    expect(await exports.enter(tenant)).toBeUndefined();
    const { rows } = await database.owner.query<{ seconds: number }>(
      `SELECT extract(epoch FROM max(expires_at) - clock_timestamp())::float8 AS seconds FROM export_leases
       WHERE organization_id = $1`,
      [organizationId],
    );
    expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
  });

  it('leaves no message, news or answer lying until the date comes', async () => {
    const ahead = `now() + interval '30 days'`;
    await database.owner.query(
      `INSERT INTO publications (marketplace, source, frequency, year, number, revision, start_date, end_date, keywords,
         published_at, manifest_version, next_attempt_at)
       VALUES ('US', 'search', 'monthly', 2026, 1, 1, '2026-01-01', '2026-01-31', 1, now(), 1, ${ahead})`,
    );
    const webhook = await database.owner.query(
      `INSERT INTO webhooks (organization_id, user_id, url, events, secret) VALUES ($1, $2, '', '{}', '') RETURNING id`,
      [organizationId, userId],
    );
    await database.owner.query(
      `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload, next_attempt_at)
       VALUES ($1, $2, '', '', '', ${ahead})`,
      [organizationId, webhook.rows[0].id],
    );
    await database.owner.query(
      `INSERT INTO idempotency_keys (organization_id, user_id, key, fingerprint, created_at)
       VALUES ($1, $2, 'k', sha256(''), ${ahead})`,
      [organizationId, userId],
    );
    await mendFutureDates(database.operator);
    const { rows } = await database.owner.query(
      `SELECT (SELECT max(next_attempt_at) FROM publications) <= now() AND
         (SELECT max(next_attempt_at) FROM webhook_deliveries) <= now() AND
         (SELECT max(created_at) FROM idempotency_keys) <= now() AS mended`,
    );
    expect(rows).toEqual([{ mended: true }]);
  });
});
