import { createHash } from 'node:crypto';
import type { Tenant } from '../domain/account.ts';
import { RequestError } from '../domain/error.ts';
import { normalizeTerm } from '../domain/term.ts';
import {
  MAX_ACTIVE_KEYWORDS,
  MAX_TRACKED_KEYWORDS,
  type NewTrackedKeyword,
  type PriorityField,
  type PriorityOperator,
  type TrackedKeyword,
  type TrackedKeywordChange,
  type TrackedKeywords,
  type TrackingOutcome,
  type TrackingRequest,
} from '../domain/tracked-keyword.ts';
import { claimIdempotencyKey, type EarlierRequest, keepOutcome } from './idempotency-keys.ts';
import { changeInTenant, inTenant, type Pool, type Queryable } from './pool.ts';

interface TrackedKeywordRow {
  readonly id: string;
  readonly original_term: string;
  readonly normalized_term: string;
  readonly term_hash: Buffer;
  readonly notes: string;
  readonly is_active: boolean;
  readonly priority_enabled: boolean;
  readonly priority_field: PriorityField;
  readonly priority_operator: PriorityOperator;
  readonly priority_value: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Enough of the hash that no two terms meet, and few enough that every client's integers hold it. */
const TERM_ID_BYTES = 6;

export async function listTrackedKeywords(pool: Pool, tenant: Tenant): Promise<readonly TrackedKeyword[]> {
  return await inTenant(pool, tenant, (transaction) => selectKeywords(transaction, tenant));
}

export async function findTrackedKeyword(pool: Pool, tenant: Tenant, id: string): Promise<TrackedKeyword | undefined> {
  const [keyword] = await inTenant(pool, tenant, (transaction) => selectKeywords(transaction, tenant, { id }));
  return keyword;
}

/** Adds keywords that are not tracked yet, all or nothing. See TrackingRequest. */
export async function addTrackedKeywords(
  pool: Pool,
  tenant: Tenant,
  request: TrackingRequest,
): ReturnType<TrackedKeywords['add']> {
  return await changeInTenant(pool, tenant, async (transaction) => {
    const { idempotency } = request;
    const earlier = idempotency && (await claimIdempotencyKey(transaction, tenant, idempotency));
    if (earlier) return await listEarlier(transaction, tenant, { request, earlier });
    await lockTenant(transaction, tenant);
    const outcomes = await insertKeywords(transaction, tenant, request.keywords);
    const known = outcomes.find(({ isNew }) => !isNew);
    if (known && request.isNewOnly) throw alreadyTracked(known.keyword);
    if (idempotency) {
      const keywordIds = outcomes.map(({ keyword }) => keyword.id);
      await keepOutcome(transaction, tenant, {
        key: idempotency.key,
        keywordIds,
        areNew: outcomes.map(({ isNew }) => isNew),
      });
    }
    return outcomes;
  });
}

/** The outcome of an earlier request, of the same body. Its keywords are shown as they are now, or as they were added. */
async function listEarlier(
  transaction: Queryable,
  tenant: Tenant,
  { request, earlier }: { readonly request: TrackingRequest; readonly earlier: EarlierRequest },
): ReturnType<TrackedKeywords['add']> {
  if (earlier.answer !== '') return { answer: earlier.answer };
  const normalized = request.keywords.map(({ originalTerm }) => normalizeTerm(originalTerm));
  const tracked = await selectKeywords(transaction, tenant, { hashes: normalized.map(hashTerm) });
  const byId = new Map(tracked.map((keyword) => [keyword.id, keyword]));
  return request.keywords.map((keyword, i): TrackingOutcome => {
    const id = earlier.keywordIds[i] ?? '';
    const normalizedTerm = normalized[i] ?? '';
    const asAdded = {
      ...keyword,
      id,
      createdAt: earlier.at,
      updatedAt: earlier.at,
      isActive: true,
      termId: termIdOf(hashTerm(normalizedTerm)),
      normalizedTerm,
    };
    return { keyword: byId.get(id) ?? asAdded, isNew: earlier.areNew[i] ?? false };
  });
}

export async function changeTrackedKeyword(
  pool: Pool,
  tenant: Tenant,
  { id, ...change }: TrackedKeywordChange & { readonly id: string },
): Promise<TrackedKeyword | undefined> {
  return await changeInTenant(pool, tenant, async (transaction) => {
    await lockTenant(transaction, tenant);
    const { priorityRule: rule } = change;
    await transaction.query(
      `UPDATE tracked_keywords SET notes = coalesce($4, notes), is_active = coalesce($5, is_active),
         priority_enabled = coalesce($6, priority_enabled), priority_field = coalesce($7, priority_field),
         priority_operator = coalesce($8, priority_operator), priority_value = coalesce($9, priority_value),
         updated_at = now()
       WHERE organization_id = $1 AND user_id = $2 AND id = $3`,
      [
        tenant.organizationId,
        tenant.userId,
        id,
        change.notes,
        change.isActive,
        change.isPriorityEnabled,
        rule?.field,
        rule?.operator,
        rule?.value,
      ],
    );
    if (change.isActive) await checkLimits(transaction, tenant);
    const [keyword] = await selectKeywords(transaction, tenant, { id });
    return keyword;
  });
}

export async function deleteTrackedKeyword(pool: Pool, tenant: Tenant, id: string): Promise<boolean> {
  const { rowCount } = await changeInTenant(pool, tenant, (transaction) =>
    transaction.query('DELETE FROM tracked_keywords WHERE organization_id = $1 AND user_id = $2 AND id = $3', [
      tenant.organizationId,
      tenant.userId,
      id,
    ]),
  );
  return rowCount === 1;
}

/** A tenant's keywords in the order in which they were added; `hashes` keeps those of some terms. */
export async function selectKeywords(
  transaction: Queryable,
  tenant: Tenant,
  only: { readonly id?: string; readonly hashes?: readonly Buffer[]; readonly isActive?: true } = {},
): Promise<readonly TrackedKeyword[]> {
  const { rows } = await transaction.query<TrackedKeywordRow>(
    `SELECT * FROM tracked_keywords WHERE organization_id = $1 AND user_id = $2 AND ($3::uuid IS NULL OR id = $3)
       AND ($4::bytea[] IS NULL OR term_hash = ANY ($4)) AND ($5::boolean IS NULL OR is_active = $5)
     ORDER BY position`,
    [tenant.organizationId, tenant.userId, only.id, only.hashes, only.isActive],
  );
  return rows.map(fromRow);
}

/** Whoever counts a tenant's keywords must not be overtaken by another who adds some. */
async function lockTenant(transaction: Queryable, { organizationId, userId }: Tenant): Promise<void> {
  await transaction.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
    `tracked keywords ${organizationId} ${userId}`,
  ]);
}

async function insertKeywords(
  transaction: Queryable,
  tenant: Tenant,
  keywords: readonly NewTrackedKeyword[],
): Promise<readonly TrackingOutcome[]> {
  const wanted = keywords.map((keyword) => {
    const normalizedTerm = normalizeTerm(keyword.originalTerm);
    return { ...keyword, normalizedTerm, hash: hashTerm(normalizedTerm) };
  });
  // Of two spellings of one term the first wins.
  const terms = new Set<string>();
  const distinct = wanted.filter(({ normalizedTerm: term }) => !terms.has(term) && terms.add(term));
  const tracked = await selectKeywords(transaction, tenant, { hashes: distinct.map(({ hash }) => hash) });
  const byTerm = new Map(tracked.map((keyword) => [keyword.normalizedTerm, keyword]));
  const added = distinct.filter(({ normalizedTerm }) => !byTerm.has(normalizedTerm));
  // Before the work: whoever tries again and again to add too many costs little.
  await checkLimits(transaction, tenant, { adding: added.length });
  const { rows } = await transaction.query<TrackedKeywordRow>(
    `INSERT INTO tracked_keywords (organization_id, user_id, original_term, normalized_term, term_hash, notes,
       priority_enabled, priority_field, priority_operator, priority_value)
     SELECT $1, $2, k.* FROM unnest($3::text[], $4::text[], $5::bytea[], $6::text[], $7::boolean[], $8::text[],
       $9::text[], $10::double precision[]) AS k
     ON CONFLICT (organization_id, user_id, term_hash) DO NOTHING RETURNING *`,
    [
      tenant.organizationId,
      tenant.userId,
      added.map((each) => each.originalTerm),
      added.map((each) => each.normalizedTerm),
      added.map((each) => each.hash),
      added.map((each) => each.notes),
      added.map((each) => each.isPriorityEnabled),
      added.map((each) => each.priorityRule.field),
      added.map((each) => each.priorityRule.operator),
      added.map((each) => each.priorityRule.value),
    ],
  );
  const newIds = new Set(rows.map(({ id }) => id));
  for (const keyword of rows.map(fromRow)) byTerm.set(keyword.normalizedTerm, keyword);
  return wanted.map(({ normalizedTerm }) => {
    const keyword = byTerm.get(normalizedTerm);
    if (!keyword) throw new Error('a keyword just added is not there');
    // A second spelling in the same request finds the keyword there already.
    return { keyword, isNew: newIds.delete(keyword.id) };
  });
}

/** Whether there is room for so many more active ones. */
async function checkLimits(
  transaction: Queryable,
  tenant: Tenant,
  { adding }: { readonly adding: number } = { adding: 0 },
): Promise<void> {
  const { rows } = await transaction.query<{ active: number; total: number }>(
    `SELECT $3::bigint + count(*) FILTER (WHERE is_active) AS active, $3::bigint + count(*) AS total FROM tracked_keywords
     WHERE organization_id = $1 AND user_id = $2`,
    [tenant.organizationId, tenant.userId, adding],
  );
  const { active = 0, total = 0 } = rows[0] ?? {};
  if (active > MAX_ACTIVE_KEYWORDS) {
    throw new RequestError(
      'CONFLICT',
      `This would make ${active} active tracked keywords, and at most ${MAX_ACTIVE_KEYWORDS} are allowed.`,
      'Pause or delete some first; nothing was changed.',
    );
  }
  if (total > MAX_TRACKED_KEYWORDS) {
    throw new RequestError(
      'CONFLICT',
      `This would make ${total} tracked keywords, paused ones included, and at most ${MAX_TRACKED_KEYWORDS} are allowed.`,
      'Delete some first; nothing was changed.',
    );
  }
}

function alreadyTracked({ id }: TrackedKeyword): RequestError {
  return new RequestError(
    'CONFLICT',
    'This keyword is tracked already.',
    `Change it with PATCH /v1/tracked-keywords/${id}.`,
  );
}

function hashTerm(normalizedTerm: string): Buffer {
  return createHash('sha256').update(normalizedTerm).digest();
}

function termIdOf(hash: Buffer): number {
  return hash.readUIntBE(0, TERM_ID_BYTES);
}

function fromRow(row: TrackedKeywordRow): TrackedKeyword {
  return {
    id: row.id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    notes: row.notes,
    isActive: row.is_active,
    isPriorityEnabled: row.priority_enabled,
    priorityRule: { field: row.priority_field, operator: row.priority_operator, value: row.priority_value },
    termId: termIdOf(row.term_hash),
    originalTerm: row.original_term,
    normalizedTerm: row.normalized_term,
  };
}
