// A digest tells one user what a published period did to the keywords they track. It is a message: it keeps what was true,
// and visible to the plan, when it was made.
import type { Tenant } from './account.ts';
import type { Slice } from './page.ts';
import { comparePeriods, type Period } from './period.ts';
import { isPriorityHit, type RankSnapshot, type TrackedKeyword, takeSnapshot } from './tracked-keyword.ts';

export interface DigestRow {
  readonly trackedKeywordId: string;
  readonly searchTerm: string;
  /** In the digest's period. */
  readonly rank: number | null;
  /** In the visible period before it. */
  readonly previousRank: number | null;
  readonly rankChange: number | null;
  readonly isPriorityHit: boolean;
}

/** Rows as they were stored. Throws when they are not what was written: a digest is shown as it was told, or not at all. */
export function parseDigestRows(stored: unknown): readonly DigestRow[] {
  if (!Array.isArray(stored)) throw new Error('the rows of a digest are no list');
  return stored.map((row: unknown): DigestRow => {
    if (!isDigestRow(row)) throw new Error(`a row of a digest is damaged: ${JSON.stringify(row)?.slice(0, 200)}`);
    const { trackedKeywordId, searchTerm, rank, previousRank, rankChange, isPriorityHit } = row;
    return { trackedKeywordId, searchTerm, rank, previousRank, rankChange, isPriorityHit };
  });
}

function isDigestRow(row: unknown): row is DigestRow {
  if (typeof row !== 'object' || row === null) return false;
  const { trackedKeywordId, searchTerm, rank, previousRank, rankChange, isPriorityHit } = row as Partial<DigestRow>;
  return (
    typeof trackedKeywordId === 'string' &&
    typeof searchTerm === 'string' &&
    typeof isPriorityHit === 'boolean' &&
    [rank, previousRank, rankChange].every((number) => number === null || Number.isInteger(number))
  );
}

export interface Digest {
  readonly id: string;
  readonly marketplace: string;
  readonly period: Period;
  readonly createdAt: Date;
  readonly isRead: boolean;
  readonly rows: readonly DigestRow[];
}

export interface DigestQuery extends Slice {
  readonly isUnreadOnly: boolean;
}

export interface Digests {
  /** The tenant's own, newest first. */
  list(
    tenant: Tenant,
    query: DigestQuery,
  ): Promise<{ readonly digests: readonly Digest[]; readonly totalCount: number }>;
  /** Marks the tenant's own as read; returns how many were not read before. */
  readAll(tenant: Tenant): Promise<number>;
}

export interface PriorityHit {
  readonly keyword: TrackedKeyword;
  readonly snapshot: RankSnapshot;
}

/** What a period means for keywords: a row for each, and those that call for attention. */
export function evaluatePeriod(
  period: Period,
  {
    keywords,
    window,
    ranks,
  }: {
    readonly keywords: readonly TrackedKeyword[];
    /** The visible periods, oldest first; the period is one of them. */
    readonly window: readonly Period[];
    /** One list per keyword, one rank per period of the window. */
    readonly ranks: readonly (readonly (number | null)[])[];
  },
): { readonly rows: readonly DigestRow[]; readonly hits: readonly PriorityHit[] } {
  const until = window.filter((each) => comparePeriods(each, period) <= 0);
  const rows: DigestRow[] = [];
  const hits: PriorityHit[] = [];
  for (const [i, keyword] of keywords.entries()) {
    const series = ranks[i] ?? [];
    const snapshot = takeSnapshot({ window: until, ranks: series });
    const rank = series[until.length - 1] ?? null;
    const previousRank = series[until.length - 2] ?? null;
    const isHit = isPriorityHit(keyword, { snapshot, period });
    if (isHit) hits.push({ keyword, snapshot });
    rows.push({
      trackedKeywordId: keyword.id,
      searchTerm: keyword.originalTerm,
      rank,
      previousRank,
      rankChange: rank === null || previousRank === null ? null : previousRank - rank,
      isPriorityHit: isHit,
    });
  }
  return { rows, hits };
}
