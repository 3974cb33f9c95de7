import { createHash } from 'node:crypto';
import type { Tenant } from '../domain/account.ts';
import { normalizeTerm } from '../domain/term.ts';
import {
  MAX_ACTIVE_KEYWORDS,
  MAX_TRACKED_KEYWORDS,
  type NewTrackedKeyword,
  type PriorityField,
  type PriorityOperator,
  type TrackedKeyword,
  type TrackedKeywordChange,
} from '../domain/tracked-keyword.ts';
import type { Queryable } from './pool.ts';
import type { ItemSelection, ItemTable } from './tracked-items.ts';

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

export const TRACKED_KEYWORDS: ItemTable<TrackedKeyword, NewTrackedKeyword, TrackedKeywordChange> = {
  name: 'tracked_keywords',
  noun: 'keyword',
  path: '/v1/tracked-keywords',
  maxActive: MAX_ACTIVE_KEYWORDS,
  maxTotal: MAX_TRACKED_KEYWORDS,
  identify: ({ originalTerm }) => normalizeTerm(originalTerm),
  select: selectKeywords,
  insert: insertKeywords,
  update: updateKeyword,
  asAdded: (keyword, added) => {
    const normalizedTerm = normalizeTerm(keyword.originalTerm);
    return { ...keyword, ...added, termId: termIdOf(hashTerm(normalizedTerm)), normalizedTerm };
  },
};

async function selectKeywords(
  transaction: Queryable,
  tenant: Tenant,
  { id, sameAs, isActive }: ItemSelection<NewTrackedKeyword> = {},
): Promise<readonly TrackedKeyword[]> {
  const hashes = sameAs?.map(({ originalTerm }) => hashTerm(normalizeTerm(originalTerm)));
  const { rows } = await transaction.query<TrackedKeywordRow>(
    `SELECT * FROM tracked_keywords WHERE organization_id = $1 AND user_id = $2 AND ($3::uuid IS NULL OR id = $3)
       AND ($4::bytea[] IS NULL OR term_hash = ANY ($4)) AND ($5::boolean IS NULL OR is_active = $5)
     ORDER BY position`,
    [tenant.organizationId, tenant.userId, id, hashes, isActive],
  );
  return rows.map(fromRow);
}

async function insertKeywords(
  transaction: Queryable,
  tenant: Tenant,
  keywords: readonly NewTrackedKeyword[],
): Promise<readonly TrackedKeyword[]> {
  const normalized = keywords.map(({ originalTerm }) => normalizeTerm(originalTerm));
  const { rows } = await transaction.query<TrackedKeywordRow>(
    `INSERT INTO tracked_keywords (organization_id, user_id, original_term, normalized_term, term_hash, notes,
       priority_enabled, priority_field, priority_operator, priority_value)
     SELECT $1, $2, k.* FROM unnest($3::text[], $4::text[], $5::bytea[], $6::text[], $7::boolean[], $8::text[],
       $9::text[], $10::double precision[]) AS k
     ON CONFLICT (organization_id, user_id, term_hash) DO NOTHING RETURNING *`,
    [
      tenant.organizationId,
      tenant.userId,
      keywords.map((each) => each.originalTerm),
      normalized,
      normalized.map(hashTerm),
      keywords.map((each) => each.notes),
      keywords.map((each) => each.isPriorityEnabled),
      keywords.map((each) => each.priorityRule.field),
      keywords.map((each) => each.priorityRule.operator),
      keywords.map((each) => each.priorityRule.value),
    ],
  );
  return rows.map(fromRow);
}

async function updateKeyword(
  transaction: Queryable,
  tenant: Tenant,
  { id, notes, isActive, isPriorityEnabled, priorityRule: rule }: TrackedKeywordChange & { readonly id: string },
): Promise<void> {
  await transaction.query(
    `UPDATE tracked_keywords SET notes = coalesce($4, notes), is_active = coalesce($5, is_active),
       priority_enabled = coalesce($6, priority_enabled), priority_field = coalesce($7, priority_field),
       priority_operator = coalesce($8, priority_operator), priority_value = coalesce($9, priority_value),
       updated_at = now()
     WHERE organization_id = $1 AND user_id = $2 AND id = $3`,
    [
      ...[tenant.organizationId, tenant.userId, id],
      ...[notes, isActive, isPriorityEnabled, rule?.field, rule?.operator, rule?.value],
    ],
  );
}

export function hashTerm(normalizedTerm: string): Buffer {
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
