// Users, as operators make and change them.
import { randomBytes } from 'node:crypto';
import { OPERATOR_SCOPES, type UserId } from '../domain/account.ts';
import { OperatorError } from '../domain/error.ts';
import type { LeftBehind } from '../domain/people.ts';
import { PASSWORD_CHARACTERS } from '../domain/person.ts';
import type { Role } from '../domain/role.ts';
import { untilServersHeard } from './account-changes.ts';
import { recordAction } from './audit-log.ts';
import { keepTracked } from './kept-tracking.ts';
import { ensureMember, parseEmail, proveEmail } from './members.ts';
import { getOrganization } from './organizations.ts';
import { hashPassword, writePassword } from './passwords.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';
import { addLink } from './sign-ins.ts';

export interface UserRecord {
  readonly id: UserId;
  readonly email: string;
  readonly isOperator: boolean;
  readonly memberships: readonly { readonly organization: string; readonly role: Role }[];
  readonly hasPassword: boolean;
  readonly hasIdentity: boolean;
  readonly lastSeenAt: Date | null;
}

const SELECT_USER = `SELECT u.id, u.email, u.is_operator AS "isOperator",
    coalesce((SELECT jsonb_agg(jsonb_build_object('organization', o.name, 'role', m.role) ORDER BY lower(o.name))
      FROM memberships m JOIN organizations o ON o.id = m.organization_id WHERE m.user_id = u.id), '[]') AS memberships,
    EXISTS (SELECT FROM passwords p WHERE p.user_id = u.id) AS "hasPassword",
    EXISTS (SELECT FROM identities i WHERE i.user_id = u.id) AS "hasIdentity",
    (SELECT max(s.last_seen_at) FROM sessions s WHERE s.user_id = u.id) AS "lastSeenAt"
  FROM users u`;
const TOKEN_BYTES = 32;

export async function listUsers(pool: Pool): Promise<readonly UserRecord[]> {
  return (await pool.query<UserRecord>(`${SELECT_USER} ORDER BY lower(u.email)`)).rows;
}

export async function createUser(
  pool: Pool,
  user: {
    readonly email: string;
    readonly organization: string;
    readonly role: Role | undefined;
    readonly isOperator: boolean;
  },
): Promise<UserRecord> {
  const email = parseEmail(user.email);
  return await inTransaction(pool, async (transaction) => {
    const { id: organizationId } = await getOrganization(transaction, user.organization);
    const id = await ensureMember(transaction, { organizationId, email, role: user.role });
    if (user.isOperator) await makeOperator(transaction, id);
    await recordAction(transaction, {
      action: 'user.create',
      organizationId,
      details: { email, isOperator: user.isOperator },
    });
    return await getUser(transaction, email);
  });
}

/** The path of a link, which is shown once. */
export async function makeSignInLink(pool: Pool, email: string): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await inTransaction(pool, async (transaction) => {
    const { id } = await getUser(transaction, email);
    await addLink(transaction, { userId: id, token, isMailed: false });
    await recordAction(transaction, { action: 'user.link', details: { email } });
  });
  return `/#sign-in=${token}`;
}

export async function setPassword(
  pool: Pool,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  const clean = password.normalize('NFC').trim();
  const { min, max } = PASSWORD_CHARACTERS;
  if ([...clean].length < min || [...clean].length > max) {
    throw new OperatorError(`A password has ${min} to ${max} characters.`, { hint: 'Use for example four words.' });
  }
  const row = await hashPassword(clean);
  await inTransaction(pool, async (transaction) => {
    const { id } = await getUser(transaction, email);
    await writePassword(transaction, id, row);
    await transaction.query('UPDATE users SET email_verified_at = coalesce(email_verified_at, now()) WHERE id = $1', [
      id,
    ]);
    await transaction.query('DELETE FROM sessions WHERE user_id = $1', [id]);
    await recordAction(transaction, { action: 'user.password', details: { email } });
  });
  await untilServersHeard(pool);
}

export async function setOperator(
  pool: Pool,
  { email, isOperator }: { readonly email: string; readonly isOperator: boolean },
): Promise<UserRecord> {
  return await change(pool, async (transaction) => {
    const { id } = await getUser(transaction, email);
    if (isOperator) await makeOperator(transaction, id);
    else await transaction.query('UPDATE users SET is_operator = false WHERE id = $1', [id]);
    await recordAction(transaction, { action: 'user.operator', details: { email, isOperator } });
    return await getUser(transaction, email);
  });
}

/** The provider's names for a user are forgotten: whoever has the address there next is linked anew. */
export async function unlinkUser(pool: Pool, email: string): Promise<UserRecord> {
  return await change(pool, async (transaction) => {
    const { id } = await getUser(transaction, email);
    await transaction.query('DELETE FROM identities WHERE user_id = $1', [id]);
    await transaction.query('DELETE FROM sessions WHERE user_id = $1', [id]);
    await recordAction(transaction, { action: 'user.unlink', details: { email } });
    return await getUser(transaction, email);
  });
}

export async function setRole(
  pool: Pool,
  { email, organization, role }: { readonly email: string; readonly organization: string; readonly role: Role },
): Promise<UserRecord> {
  return await change(pool, async (transaction) => {
    const { id: organizationId } = await getOrganization(transaction, organization);
    const { id } = await getUser(transaction, email);
    const { rowCount } = await transaction.query(
      'UPDATE memberships SET role = $3 WHERE organization_id = $1 AND user_id = $2',
      [organizationId, id, role],
    );
    if (rowCount !== 1) throw noMember(email, organization);
    await recordAction(transaction, { action: 'member.role', organizationId, details: { member: email, to: role } });
    return await getUser(transaction, email);
  });
}

export async function removeUser(
  pool: Pool,
  {
    email,
    organization,
    tracked,
  }: { readonly email: string; readonly organization: string; readonly tracked: LeftBehind },
): Promise<UserRecord> {
  return await change(pool, async (transaction) => {
    const { id: organizationId } = await getOrganization(transaction, organization);
    const { id, email: known } = await getUser(transaction, email);
    if (tracked === 'keep') await keepTracked(transaction, { organizationId, userId: id }, { id, email: known });
    const { rowCount } = await transaction.query(
      'DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2',
      [organizationId, id],
    );
    if (rowCount !== 1) throw noMember(email, organization);
    await recordAction(transaction, { action: 'member.remove', organizationId, details: { member: known, tracked } });
    return await getUser(transaction, email);
  });
}

/** Keys that are there already, which admins of an organization may hold, do not become an operator's. */
async function makeOperator(transaction: Queryable, userId: UserId): Promise<void> {
  const { rowCount } = await transaction.query(
    'UPDATE users SET is_operator = true WHERE id = $1 AND NOT is_operator',
    [userId],
  );
  if (rowCount !== 1) return;
  await proveEmail(transaction, userId);
  await transaction.query(
    'UPDATE api_keys SET scopes = ARRAY(SELECT scope FROM unnest(scopes) scope WHERE scope <> ALL ($2)) WHERE user_id = $1',
    [userId, OPERATOR_SCOPES],
  );
}

async function change(pool: Pool, work: (transaction: Queryable) => Promise<UserRecord>): Promise<UserRecord> {
  const record = await inTransaction(pool, work);
  await untilServersHeard(pool);
  return record;
}

async function getUser(queryable: Queryable, email: string): Promise<UserRecord> {
  const { rows } = await queryable.query<UserRecord>(`${SELECT_USER} WHERE lower(u.email) = lower($1)`, [email.trim()]);
  if (rows[0]) return rows[0];
  throw new OperatorError(`There is no user "${email}".`, { hint: 'List them with: keyrank user list' });
}

function noMember(email: string, organization: string): OperatorError {
  return new OperatorError(`${email} is no member of "${organization}".`, {
    hint: 'List them with: keyrank user list',
  });
}
