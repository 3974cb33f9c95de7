// Servers keep accounts in memory and hear of changes by notification, which takes a moment to arrive. Whoever changes an
// account therefore waits until every server has confirmed that it heard: when "key disable" returns, the key is dead
// everywhere.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notification } from 'pg';
import { listListeners } from './listener.ts';
import type { Pool, Queryable } from './pool.ts';

/** Triggers of the schema name it too. */
export const CHANGES_CHANNEL = 'keyrank_accounts';
const CONFIRMED_CHANNEL = 'keyrank_accounts_confirmed';
const QUESTION = /^confirm ([0-9a-f-]{36})$/;
const CONFIRM_LIMIT_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/** A listener's answer, once it has forgotten what it knew. */
export async function confirmChange(listener: Queryable, { payload }: Notification): Promise<void> {
  const token = QUESTION.exec(payload ?? '')?.[1];
  if (token) await listener.query(`SELECT pg_notify($1, $2 || ' ' || pg_backend_pid())`, [CONFIRMED_CHANNEL, token]);
}

/**
 * Resolves when every server has heard of all that was committed before: notifications arrive in the order of commits.
 * A server that does not confirm within the limit has lost its connection, and then it remembers nothing.
 */
export async function untilServersHeard(pool: Pool): Promise<void> {
  const client = await pool.connect();
  const token = randomUUID();
  const confirmed = new Set<number>();
  const hear = ({ payload }: Notification) => {
    const [answered, pid] = (payload ?? '').split(' ');
    if (answered === token) confirmed.add(Number(pid));
  };
  client.on('notification', hear);
  try {
    await client.query(`LISTEN ${CONFIRMED_CHANNEL}`);
    await client.query('SELECT pg_notify($1, $2)', [CHANGES_CHANNEL, `confirm ${token}`]);
    for (let waitedMs = 0; waitedMs < CONFIRM_LIMIT_MS; waitedMs += LOOK_AGAIN_MS) {
      const listeners = await listListeners(client);
      if (listeners.every((pid) => confirmed.has(pid))) return;
      await sleep(LOOK_AGAIN_MS);
    }
  } finally {
    client.off('notification', hear);
    await client.query(`UNLISTEN ${CONFIRMED_CHANNEL}`).then(
      () => client.release(),
      (error: Error) => client.release(error),
    );
  }
}
