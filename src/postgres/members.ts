// Users and their memberships, as operators make them.
import type { OrganizationId, UserId } from '../domain/account.ts';
import { OperatorError } from '../domain/error.ts';
import { isEmail } from '../domain/person.ts';
import type { Role } from '../domain/role.ts';
import { learn, type Queryable } from './pool.ts';

interface NewMember {
  readonly organizationId: OrganizationId;
  readonly email: string;
  /** Without one, the first of the organization is its owner and others are members. */
  readonly role?: Role | undefined;
}

/**
 * Makes the user and the membership where they are not there; an address that an operator gives counts as proven. Whoever is a member
 * already keeps their role.
 */
export async function ensureMember(
  transaction: Queryable,
  { organizationId, email, role }: NewMember,
): Promise<UserId> {
  const userId = await ensureUser(transaction, email);
  const { rowCount } = await transaction.query(
    `INSERT INTO memberships (organization_id, user_id, role)
     SELECT $1::uuid, $2::uuid, coalesce($3::text, CASE WHEN EXISTS (SELECT FROM memberships WHERE organization_id = $1) THEN 'member' ELSE 'owner' END)
     ON CONFLICT DO NOTHING`,
    [organizationId, userId, role ?? null],
  );
  if (rowCount === 1) await proveEmail(transaction, userId);
  return userId;
}

/**
 * The address is theirs, from now on. Until now the account may have been anybody's who was handed an invitation for it: their password
 * and their sessions end, and so do the agents that they let in. Keys go on, for programs need them: they are listed under their owner.
 */
export async function proveEmail(transaction: Queryable, userId: UserId): Promise<void> {
  const { rowCount } = await transaction.query(
    'UPDATE users SET email_verified_at = now() WHERE id = $1 AND email_verified_at IS NULL',
    [userId],
  );
  if (rowCount !== 1) return;
  await transaction.query('DELETE FROM passwords WHERE user_id = $1', [userId]);
  await transaction.query('DELETE FROM sessions WHERE user_id = $1', [userId]);
  const { rows } = await transaction.query<{ organizationId: OrganizationId }>(
    'SELECT organization_id AS "organizationId" FROM memberships WHERE user_id = $1',
    [userId],
  );
  for (const { organizationId } of rows) {
    await learn(transaction, { organization_id: organizationId });
    await transaction.query('DELETE FROM agents WHERE organization_id = $1 AND user_id = $2', [organizationId, userId]);
  }
}

export async function ensureUser(transaction: Queryable, email: string): Promise<UserId> {
  await transaction.query('INSERT INTO users (email) VALUES ($1) ON CONFLICT DO NOTHING', [email]);
  const { rows } = await transaction.query<{ id: UserId }>('SELECT id FROM users WHERE lower(email) = lower($1)', [
    email,
  ]);
  const userId = rows[0]?.id;
  if (userId === undefined) throw new Error('the user just inserted is not there');
  return userId;
}

export function parseEmail(text: string): string {
  const email = text.normalize('NFC').trim();
  if (isEmail(email)) return email;
  throw new OperatorError(`"${text}" is not an email address.`, { hint: 'Write it like ada@example.com.' });
}
