// What there is to tell members by mail and in chats. A row is kept for each member and event, in the transaction that tells of it;
// when all were told, messages are made of them and queued as those to webhooks are. A person who belongs to several organizations
// gets one mail: the unique key of who is told of what decides, so neither repeats nor other servers add a second.
import { composeNotice, lastWeek, type NoticeSection, TEST_NOTICE } from '../domain/notice.ts';
import type { ChannelKind, NoticeFrequency } from '../domain/notification.ts';
import type { WatchingMember } from '../domain/publication.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';
import { announce } from './webhook-deliveries.ts';

/** People whose messages are made at once. */
const PEOPLE_AT_ONCE = 100;
/** A weekly summary looks back two weeks at most. */
const KEPT_DAYS = 30;
const SWEPT_AT_ONCE = 1_000;

/** Under this name messages of all channels stand in the log of deliveries. */
const NOTICE_EVENT = 'notice';

export const IS_TOLD = 'channel_pause(w.needs_key, w.paused_reason, w.organization_id, w.user_id) IS NULL';

/** Keeps what there is to tell a member; once for each event. */
export async function keepNotice(
  transaction: Queryable,
  { organizationId, userId }: Pick<WatchingMember, 'organizationId' | 'userId'>,
  { eventKey, section }: { readonly eventKey: string; readonly section: NoticeSection },
): Promise<void> {
  await transaction.query(
    `INSERT INTO notices (organization_id, user_id, event_key, section) SELECT $1, $2, $3, $4
     WHERE EXISTS (SELECT FROM webhooks w WHERE w.organization_id = $1 AND w.user_id = $2 AND w.kind <> 'webhook')
     ON CONFLICT DO NOTHING`,
    [organizationId, userId, eventKey, JSON.stringify(section)],
  );
}

/** Queues the messages about an event for those who want to hear of it at once. Whoever was told is not told again. */
export async function queueNotices(pool: Pool, eventKey: string): Promise<void> {
  await queueInBatches(pool, { key: eventKey, frequency: 'at_once', from: null, until: null });
}

/** Queues the summaries of the last week; on Mondays there are some. */
export async function queueWeeklyNotices(pool: Pool, now: Date): Promise<void> {
  await queueInBatches(pool, { ...lastWeek(now), frequency: 'weekly' });
}

interface Selection {
  readonly key: string;
  readonly frequency: NoticeFrequency;
  /** Null for the event of the key itself. */
  readonly from: Date | null;
  readonly until: Date | null;
}

interface NoticeRow {
  readonly webhookId: string;
  readonly kind: ChannelKind;
  readonly userId: string;
  readonly organizationId: string;
  readonly organization: string;
  readonly events: readonly string[];
  readonly section: NoticeSection;
}

async function queueInBatches(pool: Pool, selection: Selection): Promise<void> {
  for (let after: string | undefined = NOBODY; after !== undefined; ) {
    after = await inTransaction(pool, (transaction) => queueBatch(transaction, selection, after ?? NOBODY));
  }
}

const NOBODY = '00000000-0000-0000-0000-000000000000';

/** Returns who was last; undefined when nobody is left. */
async function queueBatch(transaction: Queryable, selection: Selection, after: string): Promise<string | undefined> {
  const { key, frequency, from, until } = selection;
  const { rows } = await transaction.query<NoticeRow>(
    `WITH told AS (
       SELECT w.id, w.kind, w.user_id, w.organization_id, w.events, w.created_at FROM webhooks w
       WHERE w.kind <> 'webhook' AND w.frequency = $2 AND w.user_id > $5 AND ${IS_TOLD}
         AND EXISTS (SELECT FROM notices n WHERE n.organization_id = w.organization_id AND n.user_id = w.user_id
           AND CASE WHEN $3::timestamptz IS NULL THEN n.event_key = $1 ELSE n.created_at >= $3 AND n.created_at < $4 END)
         AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.event_key = $1)
         AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE w.kind = 'email' AND d.recipient_key = w.user_id || ' ' || $1)),
     people AS (SELECT DISTINCT user_id FROM told ORDER BY user_id LIMIT $6)
     SELECT t.id AS "webhookId", t.kind, t.user_id AS "userId", t.organization_id AS "organizationId",
       o.name AS organization, t.events, n.section
     FROM told t JOIN people USING (user_id) JOIN organizations o ON o.id = t.organization_id
     JOIN notices n ON n.organization_id = t.organization_id AND n.user_id = t.user_id
       AND CASE WHEN $3::timestamptz IS NULL THEN n.event_key = $1 ELSE n.created_at >= $3 AND n.created_at < $4 END
     ORDER BY t.user_id, t.created_at, t.id, n.created_at, n.event_key`,
    [key, frequency, from, until, after, PEOPLE_AT_ONCE],
  );
  const messages = composeMessages(rows, selection);
  if (messages.length > 0) {
    const { rowCount } = await transaction.query(
      `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload, recipient_key)
       SELECT m.organization_id, m.webhook_id, $1, $2, m.payload, m.recipient_key
       FROM unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]) AS m (organization_id, webhook_id, payload, recipient_key)
       ON CONFLICT DO NOTHING`,
      [
        ...[NOTICE_EVENT, key, messages.map((each) => each.organizationId), messages.map((each) => each.webhookId)],
        ...[messages.map(({ payload }) => payload), messages.map(({ recipientKey }) => recipientKey)],
      ],
    );
    await announce(transaction, rowCount);
  }
  return rows.at(-1)?.userId;
}

/** One for each person by mail, of all their organizations, and one for each chat. */
function composeMessages(rows: readonly NoticeRow[], { key, frequency }: Selection) {
  const groups = new Map<string, NoticeRow[]>();
  for (const row of rows) {
    const name = row.kind === 'email' ? row.userId : row.webhookId;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const notice = composeNotice(frequency, group);
    if (!first || !notice) return [];
    const recipientKey = first.kind === 'email' ? `${first.userId} ${key}` : null;
    return [{ ...first, payload: JSON.stringify(notice), recipientKey }];
  });
}

/** Queues a message that says that it is a test. */
export async function queueTest(
  transaction: Queryable,
  {
    organizationId,
    channelId,
    key,
  }: { readonly organizationId: string; readonly channelId: string; readonly key: string },
): Promise<void> {
  await transaction.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload) VALUES ($1, $2, 'test', $3, $4)`,
    [organizationId, channelId, key, JSON.stringify(TEST_NOTICE)],
  );
  await announce(transaction, 1);
}

/** Removes some of what no summary needs any more; true when there may be more. */
export async function sweepNotices(operator: Queryable): Promise<boolean> {
  const { rowCount } = await operator.query(
    `DELETE FROM notices WHERE (organization_id, user_id, event_key) IN (
       SELECT organization_id, user_id, event_key FROM notices WHERE created_at < now() - make_interval(days => $1) LIMIT $2
       FOR UPDATE SKIP LOCKED)`,
    [KEPT_DAYS, SWEPT_AT_ONCE],
  );
  return rowCount === SWEPT_AT_ONCE;
}
