// Who a person is at an OpenID provider. An account is known by the provider's own name for the person once that was learned, and
// its address counts no more: addresses change hands.
import type { UserId } from '../domain/account.ts';
import { linkedToAnother, noMembership, type VouchedPerson } from '../domain/sign-in.ts';
import { proveEmail } from './members.ts';
import { inPresence, learn, type Pool, type Queryable } from './pool.ts';

type Identity = Pick<VouchedPerson, 'issuer' | 'subject'>;

/** The account of somebody whom a provider names, which is known by that name from then on. */
export async function findByProvider(pool: Pool, person: VouchedPerson): Promise<UserId> {
  const { issuer, subject, email } = person;
  return await inPresence(pool, { issuer, subject, email }, async (transaction) => {
    const known = await findIdentity(transaction, person);
    if (known) return known;
    // An address that the provider does not vouch for could be anybody's.
    const account = person.isEmailVerified ? await findByEmail(transaction, email) : undefined;
    if (!account) throw noMembership();
    await learn(transaction, { user_id: account });
    await proveEmail(transaction, account);
    await linkIdentity(transaction, account, person);
    return account;
  });
}

/** The transaction knows issuer and subject. */
export async function findIdentity(transaction: Queryable, { issuer, subject }: Identity): Promise<UserId | undefined> {
  const { rows } = await transaction.query<{ user_id: UserId }>(
    'SELECT user_id FROM identities WHERE issuer = $1 AND subject = $2',
    [issuer, subject],
  );
  return rows[0]?.user_id;
}

/**
 * Links the account of the user whom the transaction knows. One that is linked to somebody else at the same provider stays theirs:
 * whoever gets a colleague's old address does not get the account with it.
 */
export async function linkIdentity(
  transaction: Queryable,
  userId: UserId,
  { issuer, subject }: Identity,
): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`identities ${userId}`]);
  const { rows } = await transaction.query<{ subject: string }>(
    'SELECT subject FROM identities WHERE user_id = $1 AND issuer = $2',
    [userId, issuer],
  );
  if (rows.some((each) => each.subject !== subject)) throw linkedToAnother();
  await transaction.query(
    'INSERT INTO identities (issuer, subject, user_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [issuer, subject, userId],
  );
}

/** The transaction knows the address. */
export async function findByEmail(transaction: Queryable, email: string): Promise<UserId | undefined> {
  const { rows } = await transaction.query<{ id: UserId }>('SELECT id FROM users WHERE lower(email) = lower($1)', [
    email,
  ]);
  return rows[0]?.id;
}
