import type { OrganizationId } from '../domain/account.ts';
import type { Admission, RateLimitState, SearchAttempt } from '../domain/rate-limit.ts';
import { type Pool, queryFor } from './pool.ts';

interface RateLimitRow {
  readonly rate_limit: number;
  readonly counted: number;
  readonly resets_at: Date;
  readonly decided_at: Date;
}

interface PlainRow extends Omit<RateLimitRow, 'counted'> {
  readonly organization_id: OrganizationId;
  readonly counted_before: number;
}

/**
 * Decides on searches of one organization in one round trip: those that the hour has room for, in their order, are
 * counted, metered and written to the history. Undefined without an active subscription.
 */
export async function admitSearches(
  pool: Pool,
  organizationId: OrganizationId,
  attempts: readonly SearchAttempt[],
): Promise<readonly Admission[] | undefined> {
  const errand = { organization: organizationId, kind: 'admitting' } as const;
  const rows = await queryFor<RateLimitRow & { admitted: boolean }>(pool, errand, {
    name: 'admit-searches',
    text: 'SELECT * FROM admit_searches($1, $2)',
    values: [organizationId, JSON.stringify(attempts.map(presentAttempt))],
  });
  if (rows.length === 0) return undefined;
  return rows.map((row) => ({ admitted: row.admitted, rateLimit: fromRow(row) }));
}

/**
 * The same for several organizations at once, as far as all searches of an organization are admitted and nothing has to be waited
 * for. The organizations that are missing in the result were left as they were.
 */
export async function admitTogether(
  pool: Pool,
  attempts: ReadonlyMap<OrganizationId, readonly SearchAttempt[]>,
): Promise<ReadonlyMap<OrganizationId, readonly Admission[]>> {
  const rows = await queryFor<PlainRow>(
    pool,
    { organization: 'several', kind: 'deciding' },
    {
      name: 'admit-together',
      text: 'SELECT * FROM admit_together($1, $2)',
      values: [`{${[...attempts.keys()].join()}}`, JSON.stringify([...attempts.values()].flat().map(presentAttempt))],
    },
  );
  return new Map(
    rows.map((row) => {
      const { organization_id: organizationId, counted_before: before } = row;
      const admitted = (_: unknown, index: number): Admission => ({
        admitted: true,
        rateLimit: fromRow({ ...row, counted: before + index + 1 }),
      });
      return [organizationId, (attempts.get(organizationId) ?? []).map(admitted)];
    }),
  );
}

/** The state of the limit, without spending from it; undefined without an active subscription. */
export async function readRateLimit(pool: Pool, organizationId: OrganizationId): Promise<RateLimitState | undefined> {
  const errand = { organization: organizationId, kind: 'reading' } as const;
  const rows = await queryFor<RateLimitRow>(pool, errand, {
    name: 'read-rate-limit',
    text: 'SELECT * FROM read_rate_limit($1)',
    values: [organizationId],
  });
  return rows[0] && fromRow(rows[0]);
}

function presentAttempt({ id, tenant, meter, endpoint, parameters }: SearchAttempt) {
  return { id, organization: tenant.organizationId, user: tenant.userId, meter, endpoint, parameters };
}

function fromRow(row: RateLimitRow): RateLimitState {
  return { limit: row.rate_limit, counted: row.counted, resetsAt: row.resets_at, now: row.decided_at };
}
