// An invitation, looked at and accepted by whoever has its link. The link may have gone through other hands than those of the person
// who is invited: it makes a new account, and lets nobody into an account that is there.
import type { OrganizationId, Tenant, UserId } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import type { Role } from '../domain/role.ts';
import type { SessionToken } from '../domain/session-token.ts';
import { type Invited, type SignInRequest, usedLink } from '../domain/sign-in.ts';
import { recordAct } from './audit-log.ts';
import { hashPassword, writePassword } from './passwords.ts';
import { inPresence, learn, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';
import { openSession } from './sessions.ts';

interface InvitationRow extends Invited {
  readonly organizationId: OrganizationId;
}

export interface Acceptance {
  readonly token: string;
  /** Of the account that is to be made. */
  readonly password?: string | undefined;
  /** Who is signed in in the same browser. */
  readonly account?: Tenant | undefined;
  /** An address that a provider vouches for. */
  readonly vouchedEmail?: string | undefined;
}

export async function findInvitation(pool: Pool, token: string): Promise<Invited> {
  return await inPresence(pool, presenting(token), (transaction) => readInvitation(transaction, token));
}

export async function acceptInvitation(
  pool: Pool,
  acceptance: Acceptance,
  request: SignInRequest,
): Promise<SessionToken> {
  const { token, password } = acceptance;
  const row = password === undefined ? undefined : await hashPassword(password);
  return await inPresence(pool, presenting(token), async (transaction) => {
    const invitation = await readInvitation(transaction, token);
    const { email, organizationId, role } = invitation;
    await learn(transaction, { email });
    const known = await findUser(transaction, email);
    const isVouched = acceptance.vouchedEmail?.toLowerCase() === email.toLowerCase();
    if (known && known !== acceptance.account?.userId && !isVouched) throw signInFirst(email);
    if (!known && !row && !isVouched) throw passwordMissing();
    const userId = known ?? (await makeUser(transaction, email));
    await learn(transaction, { user_id: userId });
    await transaction.query(
      'INSERT INTO memberships (organization_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [organizationId, userId, role],
    );
    const { rowCount } = await transaction.query('DELETE FROM invitations WHERE hash = $1', [hashSecret(token)]);
    if (rowCount !== 1) throw usedLink();
    if (isVouched) {
      await transaction.query('UPDATE users SET email_verified_at = coalesce(email_verified_at, now()) WHERE id = $1', [
        userId,
      ]);
    } else if (row && !known) await writePassword(transaction, userId, row);
    const { replaces } = request;
    if (replaces) await learn(transaction, { secret_hash: hashSecret(replaces).toString('hex') });
    const session = await openSession(transaction, { userId, method: 'invitation', organizationId, ...request });
    if (!session) throw new Error('a new member belongs to no organization');
    await learn(transaction, { organization_id: organizationId });
    await recordAct(transaction, {
      tenant: { organizationId, userId },
      action: 'member.join',
      details: { email, role },
      address: request.place.address,
    });
    return session;
  });
}

function presenting(token: string) {
  return { secret_hash: hashSecret(token).toString('hex') };
}

async function readInvitation(transaction: Queryable, token: string): Promise<InvitationRow> {
  const { rows } = await transaction.query<{
    organizationId: OrganizationId;
    email: string;
    role: Role;
    expiresAt: Date;
  }>(
    `SELECT organization_id AS "organizationId", email, role, expires_at AS "expiresAt" FROM invitations
     WHERE hash = $1 AND expires_at > now()`,
    [hashSecret(token)],
  );
  const [invitation] = rows;
  if (!invitation) throw usedLink();
  await learn(transaction, { organization_id: invitation.organizationId });
  const { rows: named } = await transaction.query<{ name: string }>('SELECT name FROM organizations WHERE id = $1', [
    invitation.organizationId,
  ]);
  return { ...invitation, organization: named[0]?.name ?? '' };
}

async function findUser(transaction: Queryable, email: string): Promise<UserId | undefined> {
  const { rows } = await transaction.query<{ id: UserId }>('SELECT id FROM users WHERE lower(email) = lower($1)', [
    email,
  ]);
  return rows[0]?.id;
}

async function makeUser(transaction: Queryable, email: string): Promise<UserId> {
  const { rows } = await transaction.query<{ id: UserId }>('INSERT INTO users (email) VALUES ($1) RETURNING id', [
    email,
  ]);
  if (!rows[0]) throw new Error('INSERT … RETURNING gave no row');
  return rows[0].id;
}

function signInFirst(email: string): RequestError {
  return new RequestError(
    'CONFLICT',
    `The invitation is for ${email}, who has an account already.`,
    `Sign in as ${email}, then open the link again.`,
  );
}

function passwordMissing(): RequestError {
  return new RequestError('INVALID_PARAMETERS', "Field 'password' is missing.", 'Choose one for your new account.');
}
