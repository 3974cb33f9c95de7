import { randomBytes } from 'node:crypto';
import type { OrganizationId, Tenant, UserId } from '../domain/account.ts';
import { contain } from '../domain/containment.ts';
import { RequestError } from '../domain/error.ts';
import type { Mailer } from '../domain/mailer.ts';
import type { SignInMethod } from '../domain/session.ts';
import type { SessionToken } from '../domain/session-token.ts';
import {
  LINK_MS,
  noMembership,
  type SignInRequest,
  type SignIns,
  signInAction,
  usedLink,
  wrongPassword,
} from '../domain/sign-in.ts';
import { signInMail } from '../domain/sign-in-mail.ts';
import { untilServersHeard } from './account-changes.ts';
import { recordAct } from './audit-log.ts';
import { findByEmail, findByProvider } from './identities.ts';
import { acceptInvitation, findInvitation } from './invitation-answers.ts';
import { proveEmail } from './members.ts';
import { hashPassword, isPassword, type PasswordRow, readPassword, writePassword } from './passwords.ts';
import { changeInTenant, inPresence, inTenant, learn, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';
import { openSession } from './sessions.ts';
import { countAttempt, forgetAttempts, rememberPlace } from './sign-in-attempts.ts';

const TOKEN_BYTES = 32;
/** Of one account, which wait to be used. */
const MAX_LINKS = 5;

interface Means {
  readonly pool: Pool;
  /** By which servers are told of sessions that ended. */
  readonly operator: Pool;
  readonly mailer: Mailer | null;
  readonly onError: (error: unknown) => void;
}

export function openSignIns({ pool, operator, mailer, onError }: Means): SignIns {
  return {
    withPassword: async ({ email, password }, request) => {
      const attempt = { kind: 'password', email, address: request.place.address };
      await countAttempt(pool, attempt);
      const found = await inPresence(pool, { email }, (transaction) => findPassword(transaction, email));
      if (!(await isPassword(password, found?.password)) || !found) throw wrongPassword();
      await forgetAttempts(pool, attempt);
      return await signIn(pool, { userId: found.userId, method: 'password', request, operator });
    },
    requestLink: async (email, { place, origin }) => {
      await countAttempt(pool, { kind: 'link', email, address: place.address });
      if (!mailer) return;
      void contain(() => mailLink({ pool, mailer }, email, origin), onError);
    },
    findLink: (token) =>
      inPresence(pool, { secret_hash: hashSecret(token).toString('hex') }, async (transaction) => {
        const { user_id: userId } = await findLink(transaction, token);
        await learn(transaction, { user_id: userId });
        const { rows } = await transaction.query<{ email: string }>('SELECT email FROM users WHERE id = $1', [userId]);
        return { email: rows[0]?.email ?? '' };
      }),
    withLink: async (token, request) => {
      await countAttempt(pool, { kind: 'token', email: undefined, address: request.place.address });
      const userId = await inPresence(pool, { secret_hash: hashSecret(token).toString('hex') }, (transaction) =>
        redeemLink(transaction, token),
      );
      return await signIn(pool, { userId, method: 'link', request, operator });
    },
    withProvider: async (person, request) =>
      await signIn(pool, { userId: await findByProvider(pool, person), method: 'openid', request, operator }),
    countProviderAttempt: ({ address }) => countAttempt(pool, { kind: 'openid', email: undefined, address }),
    acceptAsVouched: async (token, person, request) => {
      const session = await acceptInvitation(pool, { token, person }, request);
      await untilServersHeard(operator);
      return session;
    },
    findInvitation: (token) => findInvitation(pool, token),
    acceptInvitation: async (invitation, request) => {
      await countAttempt(pool, { kind: 'token', email: undefined, address: request.place.address });
      const session = await acceptInvitation(pool, invitation, request);
      await untilServersHeard(operator);
      return session;
    },
    changePassword: async (tenant, change) => {
      await changePassword(pool, tenant, change);
      await untilServersHeard(operator);
    },
    end: async (token) => {
      await inPresence(pool, { secret_hash: hashSecret(token).toString('hex') }, (transaction) =>
        transaction.query('DELETE FROM sessions WHERE hash = $1', [hashSecret(token)]),
      );
      await untilServersHeard(operator);
    },
  };
}

async function changePassword(
  pool: Pool,
  tenant: Tenant,
  { current, next, sessionId }: Parameters<SignIns['changePassword']>[1],
): Promise<void> {
  const known = await inTenant(pool, tenant, (transaction) => readPassword(transaction, tenant.userId));
  if (known) {
    const attempt = { kind: 'change', email: tenant.userId, address: '' };
    await countAttempt(pool, attempt);
    if (current === undefined || !(await isPassword(current, known))) {
      throw new RequestError('FORBIDDEN', 'The current password is wrong.', "Give it in 'current_password'.");
    }
    await forgetAttempts(pool, attempt);
  }
  const row = await hashPassword(next);
  await changeInTenant(pool, tenant, async (transaction) => {
    await writePassword(transaction, tenant.userId, row);
    await transaction.query('DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2', [
      tenant.userId,
      sessionId,
    ]);
    // Whoever changes a password may fear for the mailbox.
    await transaction.query('DELETE FROM sign_in_links WHERE user_id = $1', [tenant.userId]);
    await recordAct(transaction, { tenant, action: 'account.password', details: {} });
  });
}

/** A session of somebody who has shown who they are. */
async function signIn(
  pool: Pool,
  {
    userId,
    method,
    request,
    operator,
  }: {
    readonly userId: UserId;
    readonly method: SignInMethod;
    readonly request: SignInRequest;
    readonly operator: Pool;
  },
): Promise<SessionToken> {
  const { replaces } = request;
  const settings = { user_id: userId, ...(replaces && { secret_hash: hashSecret(replaces).toString('hex') }) };
  const session = await inPresence(pool, settings, async (transaction) => {
    const token = await openSession(transaction, { userId, method, ...request });
    if (!token) throw noMembership();
    const { rows } = await transaction.query<{ organizationId: OrganizationId }>(
      'SELECT organization_id AS "organizationId" FROM sessions WHERE hash = $1',
      [hashSecret(token)],
    );
    const organizationId = rows[0]?.organizationId;
    if (organizationId === undefined) throw new Error('the session just made is not there');
    await learn(transaction, { organization_id: organizationId });
    await recordAct(transaction, {
      tenant: { organizationId, userId },
      action: signInAction(method),
      details: {},
      address: request.place.address,
    });
    await rememberPlace(transaction, { userId, address: request.place.address });
    return token;
  });
  // The session before ended by it, and by a proven address others may have.
  if (replaces || method !== 'password') await untilServersHeard(operator);
  return session;
}

async function findPassword(
  transaction: Queryable,
  email: string,
): Promise<{ userId: UserId; password: PasswordRow } | undefined> {
  const userId = await findByEmail(transaction, email);
  // The same statements for nobody.
  await learn(transaction, { user_id: userId ?? '' });
  const password = await readPassword(transaction, userId ?? ('00000000-0000-0000-0000-000000000000' as UserId));
  return userId && password && { userId, password };
}

async function mailLink(
  { pool, mailer }: { pool: Pool; mailer: Mailer },
  email: string,
  origin: string,
): Promise<void> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const address = await inPresence(pool, { email }, async (transaction) => {
    const { rows } = await transaction.query<{ id: UserId; email: string }>(
      'SELECT id, email FROM users WHERE lower(email) = lower($1)',
      [email],
    );
    const [user] = rows;
    if (!user) return undefined;
    await learn(transaction, { user_id: user.id });
    const { rows: waiting } = await transaction.query<{ count: number }>(
      'SELECT count(*) AS count FROM sign_in_links WHERE user_id = $1 AND expires_at > now()',
      [user.id],
    );
    if ((waiting[0]?.count ?? 0) >= MAX_LINKS) return undefined;
    await addLink(transaction, { userId: user.id, token, isMailed: true });
    return user.email;
  });
  // To the address as it was entered when the account was made, and not as it was typed now.
  if (address) await mailer.send(signInMail({ to: address, url: `${origin}/#sign-in=${token}` }));
}

export async function addLink(
  transaction: Queryable,
  { userId, token, isMailed }: { readonly userId: UserId; readonly token: string; readonly isMailed: boolean },
): Promise<void> {
  await transaction.query(
    `INSERT INTO sign_in_links (user_id, hash, is_mailed, expires_at) VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond')`,
    [userId, hashSecret(token), isMailed, LINK_MS],
  );
}

async function redeemLink(transaction: Queryable, token: string): Promise<UserId> {
  const link = await findLink(transaction, token);
  await learn(transaction, { user_id: link.user_id });
  const { rowCount } = await transaction.query('DELETE FROM sign_in_links WHERE hash = $1', [hashSecret(token)]);
  // Another who had it was faster.
  if (rowCount !== 1) throw usedLink();
  if (link.is_mailed) await proveEmail(transaction, link.user_id);
  return link.user_id;
}

async function findLink(transaction: Queryable, token: string): Promise<{ user_id: UserId; is_mailed: boolean }> {
  const { rows } = await transaction.query<{ user_id: UserId; is_mailed: boolean }>(
    'SELECT user_id, is_mailed FROM sign_in_links WHERE hash = $1 AND expires_at > now()',
    [hashSecret(token)],
  );
  if (!rows[0]) throw usedLink();
  return rows[0];
}
