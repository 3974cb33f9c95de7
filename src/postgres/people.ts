// The members of an organization, and who is invited, as its admins and the members themselves change them.
import { randomBytes } from 'node:crypto';
import type { Caller, UserId } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import {
  type Invitation,
  type LeftBehind,
  MAX_INVITATIONS,
  MAX_MEMBERS_SHOWN,
  type Member,
  type OwnAccount,
} from '../domain/people.ts';
import { isAllowed, mayManage, type Role } from '../domain/role.ts';
import { INVITATION_MS } from '../domain/sign-in.ts';
import { recordAct } from './audit-log.ts';
import { keepTracked } from './kept-tracking.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';
import { listMemberships } from './sessions.ts';

const TOKEN_BYTES = 32;

const SELECT_MEMBER = `SELECT m.user_id AS id, u.email, m.role, m.created_at AS "joinedAt",
    greatest((SELECT max(k.last_used_at) FROM api_keys k WHERE k.organization_id = m.organization_id AND k.user_id = m.user_id),
      (SELECT max(a.occurred_at) FROM audit_log a WHERE a.organization_id = m.organization_id AND a.user_id = m.user_id)) AS "lastSeenAt",
    (SELECT count(*) FROM api_keys k WHERE k.organization_id = m.organization_id AND k.user_id = m.user_id
       AND k.agent_id IS NULL AND k.disabled_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) AS "activeKeys"
  FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1`;

export async function readOwnAccount(
  pool: Pool,
  tenant: Caller | Pick<Caller, 'organizationId' | 'userId'>,
): Promise<OwnAccount> {
  const memberships = await listMemberships(pool, tenant);
  const { rows } = await inTenant(pool, tenant, (transaction) =>
    transaction.query<Omit<OwnAccount, 'memberships'>>(
      `SELECT email, email_verified_at IS NOT NULL AS "isEmailVerified",
         EXISTS (SELECT FROM passwords p WHERE p.user_id = users.id) AS "hasPassword" FROM users WHERE id = $1`,
      [tenant.userId],
    ),
  );
  if (!rows[0]) throw new Error('a caller is no user');
  return { ...rows[0], memberships };
}

/** By role, then by address. */
export async function listMembers(pool: Pool, caller: Caller): Promise<readonly Member[]> {
  const { rows } = await inTenant(pool, caller, (transaction) =>
    transaction.query<Member>(
      `${SELECT_MEMBER} ORDER BY array_position(ARRAY['owner', 'admin', 'member', 'viewer'], m.role), lower(u.email) LIMIT $2`,
      [caller.organizationId, MAX_MEMBERS_SHOWN],
    ),
  );
  return rows;
}

export async function changeRole(
  pool: Pool,
  caller: Caller,
  { id, role }: { id: string; role: Role },
): Promise<Member | undefined> {
  return await changeInTenant(pool, caller, async (transaction) => {
    const own = await lockPeople(transaction, caller);
    const member = await findMember(transaction, caller, id);
    if (!member) return undefined;
    if (!isAllowed('members', own)) throw notAllowed(own.role);
    if (!mayManage(own.role, member.role) || !mayManage(own.role, role)) throw ownersOnly();
    if (member.role === 'owner' && role !== 'owner') await keepOneOwner(transaction, caller);
    await transaction.query('UPDATE memberships SET role = $3 WHERE organization_id = $1 AND user_id = $2', [
      caller.organizationId,
      id,
      role,
    ]);
    await recordAct(transaction, {
      tenant: caller,
      action: 'member.role',
      details: { member: member.email, from: member.role, to: role },
    });
    return { ...member, role };
  });
}

export async function removeMember(
  pool: Pool,
  caller: Caller,
  { id, tracked }: { readonly id: string; readonly tracked: LeftBehind },
): Promise<boolean> {
  return await changeInTenant(pool, caller, async (transaction) => {
    const own = await lockPeople(transaction, caller);
    const member = await findMember(transaction, caller, id);
    if (!member) return false;
    const isOwn = member.id === caller.userId;
    if (!isOwn && !isAllowed('members', own)) throw notAllowed(own.role);
    if (!isOwn && !mayManage(own.role, member.role)) throw ownersOnly();
    if (member.role === 'owner') await keepOneOwner(transaction, caller);
    await recordAct(transaction, {
      tenant: caller,
      action: isOwn ? 'member.leave' : 'member.remove',
      details: { member: member.email, role: member.role, tracked },
    });
    if (tracked === 'keep') await keepTracked(transaction, caller, member);
    // Keys, sessions, and what is the member's own go with it.
    await transaction.query('DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2', [
      caller.organizationId,
      id,
    ]);
    return true;
  });
}

export async function listInvitations(pool: Pool, caller: Caller): Promise<readonly Invitation[]> {
  const { rows } = await inTenant(pool, caller, (transaction) =>
    transaction.query<Invitation>(`${SELECT_INVITATION} ORDER BY i.created_at DESC, i.id`, [caller.organizationId]),
  );
  return rows;
}

const SELECT_INVITATION = `SELECT i.id, i.email, i.role, u.email AS "invitedBy", i.created_at AS "createdAt",
    i.expires_at AS "expiresAt"
  FROM invitations i LEFT JOIN users u ON u.id = i.invited_by WHERE i.organization_id = $1`;

export async function invite(
  pool: Pool,
  caller: Caller,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<{ readonly invitation: Invitation; readonly token: string }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return await changeInTenant(pool, caller, async (transaction) => {
    const { organizationId, userId } = caller;
    const own = await lockPeople(transaction, caller);
    if (!isAllowed('members', own)) throw notAllowed(own.role);
    if (!mayManage(own.role, role)) throw ownersOnly();
    await transaction.query('DELETE FROM invitations WHERE organization_id = $1 AND lower(email) = lower($2)', [
      organizationId,
      email,
    ]);
    await checkInvitable(transaction, caller, email);
    const { rows } = await transaction.query<{ id: string }>(
      `INSERT INTO invitations (organization_id, email, role, hash, invited_by, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond') RETURNING id`,
      [organizationId, email, role, hashSecret(token), userId, INVITATION_MS],
    );
    const { rows: made } = await transaction.query<Invitation>(`${SELECT_INVITATION} AND i.id = $2`, [
      organizationId,
      rows[0]?.id,
    ]);
    const [invitation] = made;
    if (!invitation) throw new Error('an invitation just made is not there');
    await recordAct(transaction, { tenant: caller, action: 'member.invite', details: { email, role } });
    return { invitation, token };
  });
}

async function checkInvitable(transaction: Queryable, { organizationId }: Caller, email: string): Promise<void> {
  const { rowCount } = await transaction.query(
    `SELECT FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.organization_id = $1 AND lower(u.email) = lower($2)`,
    [organizationId, email],
  );
  if (rowCount !== 0) {
    throw new RequestError('CONFLICT', `${email} is a member already.`, 'Change their role instead.');
  }
  const { rows } = await transaction.query<{ count: number }>(
    'SELECT count(*) AS count FROM invitations WHERE organization_id = $1',
    [organizationId],
  );
  if ((rows[0]?.count ?? 0) < MAX_INVITATIONS) return;
  throw new RequestError(
    'CONFLICT',
    `There are ${MAX_INVITATIONS} invitations, and no more are allowed.`,
    'Withdraw one first.',
  );
}

export async function withdrawInvitation(pool: Pool, caller: Caller, id: string): Promise<boolean> {
  return await changeInTenant(pool, caller, async (transaction) => {
    const { rows } = await transaction.query<{ email: string }>(
      'DELETE FROM invitations WHERE organization_id = $1 AND id = $2 RETURNING email',
      [caller.organizationId, id],
    );
    const [invitation] = rows;
    if (!invitation) return false;
    await recordAct(transaction, { tenant: caller, action: 'member.uninvite', details: { email: invitation.email } });
    return true;
  });
}

/**
 * Whoever changes members of an organization waits for whoever does already, and may do what their role is by then: it may have been
 * changed meanwhile.
 */
async function lockPeople(transaction: Queryable, caller: Caller): Promise<Pick<Caller, 'role' | 'isOperator'>> {
  const { organizationId, userId, isOperator } = caller;
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`people ${organizationId}`]);
  const { rows } = await transaction.query<{ role: Role }>(
    'SELECT role FROM memberships WHERE organization_id = $1 AND user_id = $2',
    [organizationId, userId],
  );
  if (!rows[0]) throw new RequestError('FORBIDDEN', 'You are no member of this organization any more.');
  return { role: rows[0].role, isOperator };
}

async function findMember(transaction: Queryable, { organizationId }: Caller, id: string): Promise<Member | undefined> {
  const { rows } = await transaction.query<Member>(`${SELECT_MEMBER} AND m.user_id = $2`, [organizationId, id]);
  return rows[0];
}

async function keepOneOwner(transaction: Queryable, { organizationId }: Caller): Promise<void> {
  const { rows } = await transaction.query<{ id: UserId }>(
    `SELECT user_id AS id FROM memberships WHERE organization_id = $1 AND role = 'owner'`,
    [organizationId],
  );
  if (rows.length > 1) return;
  throw new RequestError(
    'CONFLICT',
    'This is the last owner of the organization.',
    'Make another member an owner first.',
  );
}

function ownersOnly(): RequestError {
  return new RequestError(
    'FORBIDDEN',
    'Only owners make and unmake owners.',
    'Ask an owner of the organization to do it.',
  );
}

function notAllowed(role: Role): RequestError {
  return new RequestError(
    'FORBIDDEN',
    `Your role in the organization, '${role}', does not allow this.`,
    'Ask an owner or admin of the organization to do it, or to change your role.',
  );
}
