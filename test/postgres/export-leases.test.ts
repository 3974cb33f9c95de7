import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Tenant } from '../../src/domain/account.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { ExportLeases } from '../../src/postgres/export-leases.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let leases: ExportLeases;
let errors: unknown[];
let organizations = 0;
let tenant: Tenant;

beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(async () => {
  errors = [];
  leases = new ExportLeases(database.service, (error) => errors.push(error));
  tenant = await makeTenant();
});
afterEach(() => {
  vi.useRealTimers();
});

async function makeTenant(): Promise<Tenant> {
  organizations += 1;
  const organization = `Organization ${organizations}`;
  await createOrganization(database.operator, {
    name: organization,
    subscription: { plan: 'pro', status: 'active', periodEnd: null },
  });
  await createApiKey(database.operator, { organization, userEmail: 'a@b', scopes: [], expiresAt: null });
  const { rows } = await database.operator.query<Tenant>(
    `SELECT organization_id AS "organizationId", user_id AS "userId"
      FROM memberships JOIN organizations ON organizations.id = organization_id WHERE name = $1`,
    [organization],
  );
  if (!rows[0]) throw new Error('there is no member');
  return rows[0];
}

/** Seconds until each lease of the tenant ends, by the clock of the database. */
async function listSecondsLeft(): Promise<readonly number[]> {
  const { rows } = await database.owner.query<{ left: number }>(
    `SELECT extract(epoch FROM expires_at - clock_timestamp())::float AS left FROM export_leases
     WHERE organization_id = $1 ORDER BY expires_at`,
    [tenant.organizationId],
  );
  return rows.map(({ left }) => left);
}

/** The one that ends first comes first. */
async function listIds(): Promise<readonly string[]> {
  const { rows } = await database.owner.query<{ id: string }>(
    'SELECT id FROM export_leases WHERE organization_id = $1 ORDER BY expires_at',
    [tenant.organizationId],
  );
  return rows.map(({ id }) => id);
}

async function setSecondsLeft(seconds: number): Promise<void> {
  await database.owner.query(
    `UPDATE export_leases SET expires_at = clock_timestamp() + make_interval(secs => $2) WHERE organization_id = $1`,
    [tenant.organizationId, seconds],
  );
}

describe('places for running exports', () => {
  it('are two for an organization, whatever others do, and free again when an export ends', async () => {
    const [first, second] = [await leases.enter(tenant), await leases.enter(tenant)];
    expect(first && second).toBeDefined();
    expect(await leases.enter(tenant)).toBeUndefined();
    const other = await makeTenant();
    const elsewhere = await leases.enter(other);
    expect(elsewhere).toBeDefined();
    await first?.[Symbol.asyncDispose]();
    expect(await listSecondsLeft()).toHaveLength(1);
    expect(await leases.enter(tenant)).toBeDefined();
    expect(await leases.enter(tenant)).toBeUndefined();
    expect(errors).toEqual([]);
  });

  it('are given back after a minute by a server that has died', async () => {
    await leases.enter(tenant);
    await leases.enter(tenant);
    for (const left of await listSecondsLeft()) expect(Math.abs(left - 60)).toBeLessThan(30);
    await setSecondsLeft(-0.001);
    expect(await leases.enter(tenant)).toBeDefined();
    expect(await listSecondsLeft()).toHaveLength(1);
  });

  it('are counted on the meter, and only when one was taken', async () => {
    for (let i = 0; i < 3; i += 1) await leases.enter(tenant);
    const { rows } = await database.owner.query(
      `SELECT count FROM usage_counts WHERE organization_id = $1 AND meter = 'exports'`,
      [tenant.organizationId],
    );
    expect(rows).toEqual([{ count: 2 }]);
  });

  it('are kept while an export runs, each for itself, and no longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const first = await leases.enter(tenant);
    const [firstId] = await listIds();
    vi.advanceTimersByTime(10_000);
    const second = await leases.enter(tenant);
    const [secondId] = (await listIds()).filter((id) => id !== firstId);
    await setSecondsLeft(10);
    const connect = vi.spyOn(database.service, 'connect');
    vi.advanceTimersByTime(9_999);
    expect(connect).not.toHaveBeenCalled();
    connect.mockRestore();
    // A third of a minute after it was taken: the first is renewed, the second not yet.
    vi.advanceTimersByTime(1);
    while (((await listSecondsLeft())[1] ?? 0) < 30) await sleep(10);
    expect((await listSecondsLeft())[0]).toBeLessThan(11);
    expect(await listIds()).toEqual([secondId, firstId]);
    await first?.[Symbol.asyncDispose]();
    expect(await listIds()).toEqual([secondId]);
    expect(vi.getTimerCount()).toBe(1);
    await second?.[Symbol.asyncDispose]();
    expect(await listIds()).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('tell when one could not be given back, and fail nobody', async () => {
    const lease = await leases.enter(tenant);
    await database.owner.query('ALTER TABLE export_leases RENAME TO export_leases_away');
    try {
      await lease?.[Symbol.asyncDispose]();
    } finally {
      await database.owner.query('ALTER TABLE export_leases_away RENAME TO export_leases');
    }
    expect(errors).toEqual([expect.objectContaining({ code: '42P01' })]);
  });
});
