// The queue of publications. A claim counts the attempt and puts off the next one, then the row is locked for as long as it
// is worked on: a process that dies gives it back after a pause that grows with every attempt. Each member is told in a transaction of its own, and unique keys keep whoever takes over from
// telling anyone twice.

import type { Tenant } from '../domain/account.ts';
import { digestProduct } from '../domain/digest.ts';
import type { HeldMarketplaces } from '../domain/held-marketplaces.ts';
import { summarizeNews } from '../domain/notice.ts';
import type { Frequency, IsoDate, Period } from '../domain/period.ts';
import type {
  ClaimedPublication,
  MemberNews,
  PublicationQueue,
  PublishedNews,
  WatchingMember,
} from '../domain/publication.ts';
import type { PublishedPeriod, RankSource } from '../domain/store.ts';
import { hasChanged } from '../domain/tracked-product.ts';
import { MAX_ATTEMPTS, RETRY_DELAYS_MS } from '../domain/webhook.ts';
import { presentAlert, presentProductChange } from '../domain/webhook-payload.ts';
import { recordAction } from './audit-log.ts';
import { findListRules } from './list-items.ts';
import { keepNotice, queueNotices } from './notices.ts';
import { findDefaultRule } from './notifications.ts';
import { listPlans, type PlanNumbers, planOf } from './plans.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';
import { TRACKED_KEYWORDS } from './tracked-keywords.ts';
import { TRACKED_PRODUCTS } from './tracked-products.ts';
import { type Address, eventKey, queueMessages, queueNews, sweepDeliveries } from './webhook-deliveries.ts';

interface PublicationRow {
  readonly id: number;
  readonly marketplace: string;
  readonly source: RankSource;
  readonly frequency: Frequency;
  readonly year: number;
  readonly number: number;
  readonly revision: number;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly keywords: number;
  readonly published_at: Date;
  readonly attempts: number;
  readonly setAsideAt: Date | null;
  readonly error: string | null;
}

/** A publication that was given up. */
export interface SetAsidePublication {
  readonly publicationId: number;
  readonly news: PublishedNews;
  readonly attempts: number;
  /** What went wrong at the last attempt; null when its process died. */
  readonly error: string | null;
}

export interface WaitingPublication extends SetAsidePublication {
  /** Null while it will be tried again. */
  readonly setAsideAt: Date | null;
}

const MAX_ERROR_CHARACTERS = 500;
const COLUMNS = `id, marketplace, source, frequency, year, number, revision, start_date::text, end_date::text, keywords,
  published_at, attempts, set_aside_at AS "setAsideAt", error`;

/** Queues the news, in the transaction that publishes. */
export async function recordPublications(
  connection: Queryable,
  {
    periods,
    manifestVersion,
    publishedAt,
  }: {
    readonly periods: readonly PublishedPeriod[];
    readonly manifestVersion: number;
    readonly publishedAt: Date;
  },
): Promise<void> {
  for (const { marketplace, source, period, revision, startDate, endDate, keywords } of periods) {
    await connection.query(
      `INSERT INTO publications (marketplace, source, frequency, year, number, revision, start_date, end_date, keywords,
         published_at, manifest_version)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
      [
        marketplace,
        source,
        period.frequency,
        period.year,
        period.number,
        revision,
        startDate,
        endDate,
        keywords,
        publishedAt,
        manifestVersion,
      ],
    );
  }
}

/** Of the marketplaces that this process holds; it leaves the others to whoever does. */
export function openPublicationQueue(
  pool: Pool,
  onSetAside: (publication: SetAsidePublication) => void,
  held: HeldMarketplaces = null,
): PublicationQueue {
  return {
    takeNext: async (manifestVersion, work) => {
      const row = await claim(pool, { manifestVersion, held });
      if (!row) return false;
      const news = newsOf(row);
      if (row.setAsideAt) {
        onSetAside({ publicationId: row.id, news, attempts: row.attempts, error: row.error });
        return true;
      }
      const failure = await inTransaction(pool, (holder) => {
        return attempt(holder, { row, work: () => work(claimed(pool, holder, news)) });
      });
      if (failure) throw failure.error;
      return true;
    },
  };
}

/** Those of which not everyone was told yet, oldest first. */
export async function listWaitingPublications(pool: Pool): Promise<readonly WaitingPublication[]> {
  const { rows } = await pool.query<PublicationRow>(`SELECT ${COLUMNS} FROM publications ORDER BY id`);
  return rows.map((row) => {
    const { id: publicationId, attempts, setAsideAt, error } = row;
    return { publicationId, news: newsOf(row), attempts, setAsideAt, error };
  });
}

/** Gives those that were set aside all their attempts again; returns how many. */
export async function retryPublications(pool: Pool): Promise<number> {
  return await inTransaction(pool, async (transaction) => {
    const { rows } = await transaction.query<{ id: number }>(
      `UPDATE publications SET attempts = 0, set_aside_at = NULL, next_attempt_at = now()
       WHERE set_aside_at IS NOT NULL RETURNING id`,
    );
    const publications = rows.map(({ id }) => id);
    if (rows.length > 0) await recordAction(transaction, { action: 'publications.retry', details: { publications } });
    return rows.length;
  });
}

/** The oldest that is due, with the attempt counted; or set aside, when it has had all its attempts. */
async function claim(
  client: Queryable,
  { manifestVersion, held }: { readonly manifestVersion: number; readonly held: HeldMarketplaces },
): Promise<PublicationRow | undefined> {
  const { rows } = await client.query<PublicationRow>(
    `UPDATE publications p SET
       attempts = least(p.attempts + 1, $2),
       set_aside_at = CASE WHEN p.attempts >= $2 THEN now() END,
       next_attempt_at = now() + ($3::bigint[])[least(p.attempts + 1, $2 - 1)] * interval '1 millisecond'
     WHERE id = (SELECT id FROM publications
       WHERE next_attempt_at <= now() AND manifest_version <= $1 AND set_aside_at IS NULL
         AND ($4::text[] IS NULL OR marketplace = ANY ($4))
       ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED)
     RETURNING ${COLUMNS}`,
    [manifestVersion, MAX_ATTEMPTS, RETRY_DELAYS_MS, held],
  );
  return rows[0];
}

/** The publication leaves the queue when everyone was told; when that failed, it waits. Returns the failure. */
async function attempt(
  holder: Queryable,
  { row: { id, attempts }, work }: { readonly row: PublicationRow; readonly work: () => Promise<boolean> },
): Promise<{ readonly error: unknown } | undefined> {
  // Held until everyone was told. A process that stood still since the claim may have been overtaken.
  const held = await holder.query('SELECT FROM publications WHERE id = $1 AND attempts = $2 FOR UPDATE', [
    id,
    attempts,
  ]);
  if (held.rowCount !== 1) return undefined;
  let isTold: boolean;
  try {
    isTold = await work();
  } catch (error) {
    await holder.query('UPDATE publications SET error = $2 WHERE id = $1', [id, describe(error)]);
    return { error };
  }
  const end = isTold
    ? 'DELETE FROM publications WHERE id = $1'
    : 'UPDATE publications SET attempts = attempts - 1, next_attempt_at = now(), error = NULL WHERE id = $1';
  await holder.query(end, [id]);
  if (isTold) await sweepDeliveries(holder);
  return undefined;
}

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  const text = error instanceof Error ? error.message + cause : 'something that is no error was thrown';
  // PostgreSQL's texts have no zero bytes.
  return text.replaceAll('\0', '').slice(0, MAX_ERROR_CHARACTERS);
}

function claimed(pool: Pool, holder: Queryable, news: PublishedNews): ClaimedPublication {
  return {
    news,
    listMembers: () => listMembers(pool),
    tellMember: (member, evaluate) =>
      inTransaction(pool, async (transaction) => {
        const keywords = await TRACKED_KEYWORDS.select(transaction, member, { isActive: true });
        const products = await TRACKED_PRODUCTS.select(transaction, member, { isActive: true });
        if (keywords.length + products.length === 0) return;
        const terms = keywords.map(({ normalizedTerm }) => normalizedTerm);
        const listRules = await findListRules(transaction, member, terms);
        const defaultRule = await findDefaultRule(transaction, member);
        const told = await evaluate({ keywords, listRules, defaultRule, products });
        await tellMember(transaction, { member, news, told });
      }),
    tellWebhooks: (canSee) =>
      inTransaction(pool, async (transaction) => {
        const plans = (await listPlans(transaction)).filter(canSee).map(({ name }) => name);
        await queueNews(transaction, { news, plans });
      }),
    tellPeople: () => queueNotices(pool, noticeKey(news)),
    checkHeld: async () => {
      await holder.query('SELECT 1');
    },
  };
}

/** Of organizations with an active subscription, those who track keywords. */
export async function listMembers(pool: Queryable): Promise<readonly WatchingMember[]> {
  const { rows } = await pool.query<Tenant & PlanNumbers & { readonly plan: string }>(
    `SELECT t.organization_id AS "organizationId", t.user_id AS "userId", s.plan, p.searches_per_hour, p.months, p.weeks
     FROM (SELECT organization_id, user_id FROM tracked_keywords WHERE is_active
       UNION SELECT organization_id, user_id FROM tracked_products WHERE is_active) t
     JOIN subscriptions s ON s.organization_id = t.organization_id JOIN plans p ON p.name = s.plan
     WHERE s.status = 'active' AND (s.period_end IS NULL OR s.period_end > now())
     ORDER BY t.organization_id, t.user_id`,
  );
  return rows.map(({ organizationId, userId, plan, ...numbers }) => ({
    organizationId,
    userId,
    plan: planOf(plan, numbers),
  }));
}

async function tellMember(
  transaction: Queryable,
  { member, news, told }: Address & { readonly told: MemberNews },
): Promise<void> {
  if (news.revision === 1) {
    await transaction.query(
      `INSERT INTO digests (organization_id, user_id, marketplace, frequency, year, number, rows, products)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
      [
        ...[member.organizationId, member.userId, ...placeOf(news)],
        ...[JSON.stringify(told.rows), JSON.stringify(told.products.map(digestProduct))],
      ],
    );
  }
  const hits = await tellAlerts(transaction, { member, news, told });
  await tellProductChanges(transaction, { member, news, told });
  const section = summarizeNews(news, { told, hits });
  if (section) await keepNotice(transaction, member, { eventKey: noticeKey(news), section });
}

function noticeKey(news: PublishedNews): string {
  return eventKey('notice', news);
}

type Telling = Address & { readonly told: MemberNews };

/** Returns those that were not told before. */
async function tellAlerts(
  transaction: Queryable,
  { member, news, told }: Telling,
): Promise<readonly MemberNews['hits'][number][]> {
  const ids = told.hits.map(({ keyword }) => keyword.id);
  const hits = await insertTold(transaction, { member, news, ids, told: PRIORITY_HITS });
  if (hits.size === 0) return [];
  await transaction.query(
    `INSERT INTO usage_counts AS u (organization_id, month, meter, count)
     VALUES ($1, date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC'), 'alerts', $2)
     ON CONFLICT ON CONSTRAINT usage_counts_pkey DO UPDATE SET count = u.count + excluded.count`,
    [member.organizationId, hits.size],
  );
  const newHits = told.hits.filter(({ keyword }) => hits.has(keyword.id));
  await queueMessages(transaction, {
    ...{ member, news, event: 'tracked_keyword.priority_hit' },
    messages: newHits.map((hit) => ({ itemId: hit.keyword.id, payload: presentAlert(hit, news) })),
  });
  return newHits;
}

async function tellProductChanges(transaction: Queryable, { member, news, told }: Telling): Promise<void> {
  const changed = told.products.filter(({ changes }) => hasChanged(changes));
  const ids = changed.map(({ product }) => product.id);
  const isNew = await insertTold(transaction, { member, news, ids, told: PRODUCT_CHANGES });
  const fresh = changed.filter(({ product }) => isNew.has(product.id));
  if (fresh.length === 0) return;
  await queueMessages(transaction, {
    ...{ member, news, event: 'tracked_product.changed' },
    messages: fresh.map((each) => ({ itemId: each.product.id, payload: presentProductChange(each, news) })),
  });
}

/** Where it is kept what was told of an item. */
const PRIORITY_HITS = { table: 'priority_hits', column: 'tracked_keyword_id', items: 'tracked_keywords' } as const;
const PRODUCT_CHANGES = { table: 'product_changes', column: 'tracked_product_id', items: 'tracked_products' } as const;

/** Ids of the items that were not told of for the period yet. One deleted in the meantime is told of no more. */
async function insertTold(
  transaction: Queryable,
  {
    member,
    news,
    ids,
    told: { table, column, items },
  }: Address & { readonly ids: readonly string[]; readonly told: typeof PRIORITY_HITS | typeof PRODUCT_CHANGES },
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const { rows } = await transaction.query<{ id: string }>(
    `INSERT INTO ${table} (${column}, organization_id, marketplace, frequency, year, number)
     SELECT t.id, t.organization_id, $3, $4, $5, $6 FROM
       (SELECT id, organization_id FROM ${items}
        WHERE organization_id = $1 AND user_id = $2 AND id = ANY ($7::uuid[]) FOR KEY SHARE) t
     ON CONFLICT DO NOTHING RETURNING ${column} AS id`,
    [member.organizationId, member.userId, ...placeOf(news), ids],
  );
  return new Set(rows.map(({ id }) => id));
}

function placeOf({ marketplace, period }: { readonly marketplace: string; readonly period: Period }) {
  return [marketplace, period.frequency, period.year, period.number];
}

function newsOf(row: PublicationRow): PublishedNews {
  return {
    marketplace: row.marketplace,
    source: row.source,
    period: { frequency: row.frequency, year: row.year, number: row.number },
    revision: row.revision,
    startDate: row.start_date,
    endDate: row.end_date,
    keywords: row.keywords,
    publishedAt: row.published_at,
  };
}
