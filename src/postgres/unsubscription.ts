// The links by which mail is ended without signing in. A link names a person and is signed with a key that all servers share; it can
// do this one thing, and does it however often it is followed.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { inTransaction, type Pool } from './pool.ts';

const ID_BYTES = 16;
const SIGNATURE_BYTES = 32;

export class Unsubscription {
  readonly #pool: Pool;
  readonly #secret: Buffer;

  private constructor(pool: Pool, secret: Buffer) {
    this.#pool = pool;
    this.#secret = secret;
  }

  /** @param pool of the operator: a person may belong to several organizations */
  static async open(pool: Pool): Promise<Unsubscription> {
    const { rows } = await pool.query<{ secret: Buffer }>(`SELECT secret FROM link_secrets WHERE name = 'unsubscribe'`);
    const [row] = rows;
    if (!row) throw new Error('the key that signs links is not in the database');
    return new Unsubscription(pool, row.secret);
  }

  tokenOf(userId: string): string {
    const id = Buffer.from(userId.replaceAll('-', ''), 'hex');
    return Buffer.concat([id, this.#sign(id)]).toString('base64url');
  }

  /** Undefined unless the token was made here. Asks nobody, so that wrong ones cost nothing. */
  findUser(token: string): string | undefined {
    const bytes = Buffer.from(token, 'base64url');
    if (bytes.length !== ID_BYTES + SIGNATURE_BYTES) return undefined;
    const id = bytes.subarray(0, ID_BYTES);
    if (!timingSafeEqual(bytes.subarray(ID_BYTES), this.#sign(id))) return undefined;
    return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  /** Ends mail to a person, in all their organizations, until they switch it on again. */
  async end(userId: string): Promise<void> {
    await inTransaction(this.#pool, async (transaction) => {
      await transaction.query(
        `UPDATE webhooks SET paused_at = now(), paused_reason = 'unsubscribed'
         WHERE user_id = $1 AND kind = 'email' AND paused_at IS NULL`,
        [userId],
      );
      await transaction.query(
        `UPDATE webhook_deliveries d SET status = 'failed', error = 'not sent: mail was unsubscribed from'
         FROM webhooks w WHERE w.id = d.webhook_id AND w.user_id = $1 AND w.kind = 'email' AND d.status = 'pending'`,
        [userId],
      );
    });
  }

  #sign(id: Uint8Array): Buffer {
    return createHmac('sha256', this.#secret).update('unsubscribe ').update(id).digest();
  }
}
