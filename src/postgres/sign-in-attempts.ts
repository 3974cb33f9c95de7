// Counts attempts before anything is looked at, the same for accounts that are there and that are not.
import type { UserId } from '../domain/account.ts';
import { networkOf } from '../domain/network.ts';
import { ATTEMPT_LIMITS, type AttemptLimit, PLACE_MS, tooManyAttempts } from '../domain/sign-in.ts';
import { inPresence, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';

interface Attempt {
  /** Keeps passwords and links apart. */
  readonly kind: string;
  readonly email: string | undefined;
  readonly address: string;
}

type Counted = readonly [subject: Buffer, limit: AttemptLimit];

/** Counts one, or throws. */
export async function countAttempt(pool: Pool, attempt: Attempt): Promise<void> {
  const { kind, email, address } = attempt;
  const network = networkOf(address);
  const byAddress: Counted = [hashSecret(`${kind} address ${network}`), ATTEMPT_LIMITS.address];
  const byAccount: Counted = [hashSecret(`${kind} account ${email?.toLowerCase()}`), ATTEMPT_LIMITS.account];
  const byPair: Counted = [pairOf(attempt), ATTEMPT_LIMITS.pair];
  const waitSeconds = await inPresence(pool, { email: '' }, async (transaction) => {
    // Those who come at the same moment are counted one after the other.
    await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended('sign-in attempts', 0))`);
    const isKnown = email !== undefined && (await isPlace(transaction, placeOf(email, address)));
    const subjects = email === undefined ? [byAddress] : [byPair, byAccount, byAddress];
    const wait = await longestWait(transaction, isKnown ? [byPair] : subjects);
    // Who has to wait does not wait longer for asking.
    if (wait > 0) return wait;
    await transaction.query('INSERT INTO sign_in_attempts (subject, attempted_at) SELECT unnest($1::bytea[]), now()', [
      subjects.map(([subject]) => subject),
    ]);
    return 0;
  });
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
}

async function longestWait(transaction: Queryable, counted: readonly Counted[]): Promise<number> {
  const waits = [0];
  for (const [subject, { attempts, windowMs }] of counted) {
    const { rows } = await transaction.query<{ seconds: number }>(
      `SELECT ceil(extract(epoch FROM attempted_at + $2 * interval '1 millisecond' - now()))::integer AS seconds
       FROM sign_in_attempts WHERE subject = $1 AND attempted_at > now() - $2 * interval '1 millisecond'
       ORDER BY attempted_at DESC OFFSET $3 LIMIT 1`,
      [subject, windowMs, attempts - 1],
    );
    if (rows[0]) waits.push(Math.max(1, rows[0].seconds));
  }
  return Math.max(...waits);
}

/** Whoever came in may mistype again. */
export async function forgetAttempts(pool: Pool, attempt: Attempt): Promise<void> {
  await inPresence(pool, { email: '' }, (transaction) =>
    transaction.query('DELETE FROM sign_in_attempts WHERE subject = $1', [pairOf(attempt)]),
  );
}

/** Somebody came into the account from there. The transaction knows the user. */
export async function rememberPlace(
  transaction: Queryable,
  { userId, address }: { readonly userId: UserId; readonly address: string },
): Promise<void> {
  const { rows } = await transaction.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [userId]);
  if (!rows[0]) throw new Error('whoever signed in is no user');
  await transaction.query(
    `INSERT INTO sign_in_places (subject, seen_at) VALUES ($1, now())
     ON CONFLICT (subject) DO UPDATE SET seen_at = excluded.seen_at`,
    [placeOf(rows[0].email, address)],
  );
}

async function isPlace(transaction: Queryable, subject: Buffer): Promise<boolean> {
  const { rowCount } = await transaction.query(
    `SELECT FROM sign_in_places WHERE subject = $1 AND seen_at > now() - $2 * interval '1 millisecond'`,
    [subject, PLACE_MS],
  );
  return rowCount === 1;
}

function pairOf({ kind, email, address }: Attempt): Buffer {
  return hashSecret(`${kind} pair ${email?.toLowerCase()} ${networkOf(address)}`);
}

function placeOf(email: string, address: string): Buffer {
  return hashSecret(`place ${email.toLowerCase()} ${networkOf(address)}`);
}
