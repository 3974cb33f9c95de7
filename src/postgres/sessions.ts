// Sessions of people. Every sign-in makes a new token and ends the session that the browser had, so that none can be planted.
import { randomBytes } from 'node:crypto';
import type { OrganizationId, Tenant, UserId } from '../domain/account.ts';
import {
  type Membership,
  SESSION_IDLE_MS,
  SESSION_MS,
  type Session,
  type SignInMethod,
  type SignInPlace,
} from '../domain/session.ts';
import { type SessionToken, sessionToken } from '../domain/session-token.ts';
import { PLACE_MS } from '../domain/sign-in.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';

export interface NewSession {
  readonly userId: UserId;
  readonly method: SignInMethod;
  readonly place: SignInPlace;
  /** The session that the browser presented, which ends. */
  readonly replaces: SessionToken | undefined;
  /** The organization to begin in; without one, that of the session used last, or the oldest membership. */
  readonly organizationId?: OrganizationId;
}

const TOKEN_BYTES = 32;
/** The oldest of a user go when there are more. */
const MAX_SESSIONS = 50;

/** To be called in a transaction that knows the user. Undefined for whoever belongs to no organization. */
export async function openSession(
  transaction: Queryable,
  { userId, method, place, replaces, organizationId }: NewSession,
): Promise<SessionToken | undefined> {
  const token = sessionToken(randomBytes(TOKEN_BYTES).toString('base64url'));
  if (replaces) await transaction.query('DELETE FROM sessions WHERE hash = $1', [hashSecret(replaces)]);
  const { rowCount } = await transaction.query(
    `INSERT INTO sessions (user_id, organization_id, hash, method, expires_at, user_agent, address)
     SELECT m.user_id, m.organization_id, $2::bytea, $3::text, now() + $4 * interval '1 millisecond', $5::text, $6::text
     FROM memberships m
     LEFT JOIN LATERAL (SELECT max(s.last_seen_at) AS seen_at FROM sessions s
       WHERE s.user_id = m.user_id AND s.organization_id = m.organization_id) s ON true
     WHERE m.user_id = $1
     ORDER BY $7::uuid = m.organization_id DESC NULLS LAST, s.seen_at DESC NULLS LAST, m.created_at, m.organization_id LIMIT 1`,
    [userId, hashSecret(token), method, SESSION_MS, place.userAgent, place.address, organizationId ?? null],
  );
  await transaction.query(
    `DELETE FROM sessions WHERE user_id = $1 AND id IN
       (SELECT id FROM sessions WHERE user_id = $1 ORDER BY last_seen_at DESC, id OFFSET $2)`,
    [userId, MAX_SESSIONS],
  );
  return rowCount === 1 ? token : undefined;
}

/** Of the user, newest first. */
export async function listSessions(pool: Pool, tenant: Tenant): Promise<readonly Session[]> {
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<Session>(
      `SELECT s.id, s.user_id AS "userId", s.organization_id AS "organizationId", o.name AS organization, s.method,
         s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt", s.expires_at AS "expiresAt", s.user_agent AS "userAgent",
         s.address
       FROM sessions s JOIN organizations o ON o.id = s.organization_id
       WHERE s.user_id = $1 AND s.expires_at > now() ORDER BY s.last_seen_at DESC, s.id`,
      [tenant.userId],
    ),
  );
  return rows;
}

/** Ends one, or all but the one that is kept. Returns how many ended. */
export async function endSessions(
  pool: Pool,
  tenant: Tenant,
  which: { readonly id: string } | { readonly allBut: string | null },
): Promise<number> {
  const { rowCount } = await changeInTenant(pool, tenant, (transaction) =>
    'id' in which
      ? transaction.query('DELETE FROM sessions WHERE user_id = $1 AND id = $2', [tenant.userId, which.id])
      : transaction.query('DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2', [
          tenant.userId,
          which.allBut,
        ]),
  );
  return rowCount ?? 0;
}

/** Goes on in another organization of the same user; false where the user belongs to no such. */
export async function switchOrganization(
  pool: Pool,
  tenant: Tenant,
  { sessionId, organizationId }: { readonly sessionId: string; readonly organizationId: string },
): Promise<boolean> {
  const { rowCount } = await changeInTenant(pool, tenant, (transaction) =>
    transaction.query(
      `UPDATE sessions s SET organization_id = m.organization_id FROM memberships m
       WHERE s.id = $1 AND s.user_id = $2 AND m.user_id = $2 AND m.organization_id = $3`,
      [sessionId, tenant.userId, organizationId],
    ),
  );
  return rowCount === 1;
}

/** Of the user, by name. */
export async function listMemberships(pool: Pool, tenant: Tenant): Promise<readonly Membership[]> {
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<Membership>(
      `SELECT m.organization_id AS "organizationId", o.name AS organization, m.role
       FROM memberships m JOIN organizations o ON o.id = m.organization_id
       WHERE m.user_id = $1 ORDER BY lower(o.name)`,
      [tenant.userId],
    ),
  );
  return rows;
}

/** What is over goes, some at a time. Returns whether there may be more. */
export async function sweepSessions(pool: Pool): Promise<boolean> {
  const results = await Promise.all([
    pool.query(
      `DELETE FROM sessions WHERE id IN (SELECT id FROM sessions
         WHERE expires_at < now() OR last_seen_at < now() - $1 * interval '1 millisecond' LIMIT 1000)`,
      [SESSION_IDLE_MS],
    ),
    pool.query('DELETE FROM sign_in_links WHERE expires_at < now()'),
    pool.query(`DELETE FROM invitations WHERE expires_at < now() - interval '30 days'`),
    pool.query(`DELETE FROM sign_in_attempts WHERE attempted_at < now() - interval '1 day'`),
    pool.query(`DELETE FROM sign_in_places WHERE seen_at < now() - $1 * interval '1 millisecond'`, [PLACE_MS]),
  ]);
  return (results[0]?.rowCount ?? 0) === 1000;
}
