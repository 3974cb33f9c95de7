// An invitation, looked at and accepted by whoever has its link. The link may have gone through other hands than those of the person
// who is invited: it makes a new account, and lets nobody into an account that is there.
import type { OrganizationId, Tenant, UserId } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import type { Role } from '../domain/role.ts';
import type { SessionToken } from '../domain/session-token.ts';
import { type Invited, type SignInRequest, usedLink, type VouchedPerson } from '../domain/sign-in.ts';
import { recordAct } from './audit-log.ts';
import { findByEmail, findIdentity, linkIdentity } from './identities.ts';
import { proveEmail } from './members.ts';
import { hashPassword, writePassword } from './passwords.ts';
import { inPresence, learn, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';
import { openSession } from './sessions.ts';
import { rememberPlace } from './sign-in-attempts.ts';

interface InvitationRow extends Invited {
  readonly organizationId: OrganizationId;
}

export interface Acceptance {
  readonly token: string;
  /** Of the account that is to be made. */
  readonly password?: string | undefined;
  /** Who is signed in in the same browser. */
  readonly account?: Tenant | undefined;
  /** Of whom a provider says so. */
  readonly person?: VouchedPerson | undefined;
}

export async function findInvitation(pool: Pool, token: string): Promise<Invited> {
  return await inPresence(pool, presenting(token), (transaction) => readInvitation(transaction, token));
}

export async function acceptInvitation(
  pool: Pool,
  acceptance: Acceptance,
  request: SignInRequest,
): Promise<SessionToken> {
  const { token, password, person } = acceptance;
  const row = password === undefined ? undefined : await hashPassword(password);
  return await inPresence(pool, presenting(token), async (transaction) => {
    // Of two who accept at the same moment, the second finds that it was used.
    await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`invitation ${hashOf(token)}`]);
    const { email, organizationId, role } = await readInvitation(transaction, token);
    await learn(transaction, { email });
    const vouched = person?.isEmailVerified && person.email.toLowerCase() === email.toLowerCase() ? person : undefined;
    const known = await findInvited(transaction, { email, vouched, signedIn: acceptance.account?.userId });
    if (!known && !row && !vouched) throw passwordMissing();
    const userId = known ?? (await makeUser(transaction, email));
    await learn(transaction, { user_id: userId });
    await transaction.query(
      'INSERT INTO memberships (organization_id, user_id, role) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
      [organizationId, userId, role],
    );
    await transaction.query('DELETE FROM invitations WHERE hash = $1', [hashSecret(token)]);
    if (vouched) {
      await proveEmail(transaction, userId);
      await linkIdentity(transaction, userId, vouched);
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
    await rememberPlace(transaction, { userId, address: request.place.address });
    return session;
  });
}

function hashOf(token: string): string {
  return hashSecret(token).toString('hex');
}

function presenting(token: string) {
  return { secret_hash: hashOf(token) };
}

/** The account that is there for the address, if whoever accepts may enter it; undefined when there is none. */
async function findInvited(
  transaction: Queryable,
  {
    email,
    vouched,
    signedIn,
  }: {
    readonly email: string;
    readonly vouched: VouchedPerson | undefined;
    readonly signedIn: UserId | undefined;
  },
): Promise<UserId | undefined> {
  const known = await findByEmail(transaction, email);
  if (!vouched) {
    if (known && known !== signedIn) throw signInFirst(email);
    return known;
  }
  await learn(transaction, { issuer: vouched.issuer, subject: vouched.subject });
  // Somebody who is known at the provider stays who they are, whatever their address is by now.
  const linked = await findIdentity(transaction, vouched);
  if (linked && known && linked !== known) throw signInFirst(email);
  return linked ?? known;
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

async function makeUser(transaction: Queryable, email: string): Promise<UserId> {
  const { rows } = await transaction.query<{ id: UserId }>(
    'INSERT INTO users (email) VALUES ($1) ON CONFLICT DO NOTHING RETURNING id',
    [email],
  );
  // Another invitation made the account in this very moment.
  if (!rows[0]) throw signInFirst(email);
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
