// Counts attempts before anything is looked at, the same for accounts that are there and that are not.
import { ATTEMPT_LIMITS, type AttemptLimit, tooManyAttempts } from '../domain/sign-in.ts';
import { inPresence, type Pool } from './pool.ts';
import { hashSecret } from './secret-hash.ts';

/** Counts one, or throws. `kind` keeps passwords and links apart. */
export async function countAttempt(
  pool: Pool,
  { kind, email, address }: { readonly kind: string; readonly email: string | undefined; readonly address: string },
): Promise<void> {
  const account = email?.toLowerCase();
  const subjects: (readonly [string, AttemptLimit])[] = [
    [`${kind} address ${address}`, ATTEMPT_LIMITS.address],
    ...(account === undefined
      ? []
      : ([
          [`${kind} account ${account}`, ATTEMPT_LIMITS.account],
          [`${kind} pair ${account} ${address}`, ATTEMPT_LIMITS.pair],
        ] as const)),
  ];
  const waitSeconds = await inPresence(pool, { email: '' }, async (transaction) => {
    const waits: number[] = [];
    for (const [subject, { attempts, windowMs }] of subjects) {
      const { rows } = await transaction.query<{ seconds: number }>(
        `SELECT ceil(extract(epoch FROM attempted_at + $2 * interval '1 millisecond' - now()))::integer AS seconds
         FROM sign_in_attempts WHERE subject = $1 AND attempted_at > now() - $2 * interval '1 millisecond'
         ORDER BY attempted_at DESC OFFSET $3 LIMIT 1`,
        [hashSecret(subject), windowMs, attempts - 1],
      );
      if (rows[0]) waits.push(Math.max(1, rows[0].seconds));
    }
    // Who has to wait does not wait longer for asking.
    if (waits.length > 0) return Math.max(...waits);
    for (const [subject] of subjects) {
      await transaction.query('INSERT INTO sign_in_attempts (subject, attempted_at) VALUES ($1, now())', [
        hashSecret(subject),
      ]);
    }
    return 0;
  });
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
}

/** Whoever came in may mistype again. */
export async function forgetAttempts(
  pool: Pool,
  { kind, email, address }: { readonly kind: string; readonly email: string; readonly address: string },
): Promise<void> {
  await inPresence(pool, { email: '' }, (transaction) =>
    transaction.query('DELETE FROM sign_in_attempts WHERE subject = $1', [
      hashSecret(`${kind} pair ${email.toLowerCase()} ${address}`),
    ]),
  );
}
