// A digest tells one user what a published period did to the keywords and products they track. It is a message: it keeps what was true,
// and visible to the plan, when it was made.
import type { Tenant } from './account.ts';
import type { Slice } from './page.ts';
import { comparePeriods, type Period } from './period.ts';
import {
  findMetRule,
  type PriorityRule,
  type RankSnapshot,
  type TrackedKeyword,
  takeSnapshot,
} from './tracked-keyword.ts';
import {
  type ChangedKeyword,
  STANDING_CHANGES,
  type StandingChange,
  type TrackedProductNews,
} from './tracked-product.ts';

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
    [rank, previousRank, rankChange].every(isWholeOrNull)
  );
}

/** What a period brought a product. */
export interface DigestProduct {
  readonly trackedProductId: string;
  readonly asin: string;
  /** In whose top three it stands in the digest's period, and in the visible one before it. */
  readonly keywords: number;
  readonly previousKeywords: number | null;
  readonly counts: Readonly<Record<StandingChange, number>>;
  /** The most searched of the keywords that changed. */
  readonly rows: readonly ChangedKeyword[];
}

export function digestProduct({ product, changes }: TrackedProductNews): DigestProduct {
  const { keywords, previousKeywords, counts, rows } = changes;
  return { trackedProductId: product.id, asin: product.asin, keywords, previousKeywords, counts, rows };
}

/** Products as they were stored, as parseDigestRows does it for keywords. */
export function parseDigestProducts(stored: unknown): readonly DigestProduct[] {
  if (!Array.isArray(stored)) throw new Error('the products of a digest are no list');
  return stored.map((product: unknown): DigestProduct => {
    if (!isDigestProduct(product)) {
      throw new Error(`a product of a digest is damaged: ${JSON.stringify(product)?.slice(0, 200)}`);
    }
    const { trackedProductId, asin, keywords, previousKeywords, counts, rows } = product;
    const { entered, left, place } = counts;
    return { trackedProductId, asin, keywords, previousKeywords, counts: { entered, left, place }, rows };
  });
}

function isDigestProduct(product: unknown): product is DigestProduct {
  if (typeof product !== 'object' || product === null) return false;
  const { trackedProductId, asin, keywords, previousKeywords, counts, rows } = product as Partial<DigestProduct>;
  return (
    typeof trackedProductId === 'string' &&
    typeof asin === 'string' &&
    Number.isInteger(keywords) &&
    isWholeOrNull(previousKeywords) &&
    STANDING_CHANGES.every((change) => Number.isInteger(counts?.[change])) &&
    Array.isArray(rows) &&
    rows.every(isChangedKeyword)
  );
}

function isChangedKeyword(row: unknown): row is ChangedKeyword {
  if (typeof row !== 'object' || row === null) return false;
  const { change, searchTerm, rank, place, previousPlace } = row as Partial<ChangedKeyword>;
  return (
    STANDING_CHANGES.some((known) => known === change) &&
    typeof searchTerm === 'string' &&
    [rank, place, previousPlace].every(isWholeOrNull)
  );
}

function isWholeOrNull(number: unknown): boolean {
  return number === null || Number.isInteger(number);
}

/** Of a period that was published, or of one that should have been and is late; the latter has no rows. */
export const DIGEST_KINDS = ['period', 'late'] as const;
export type DigestKind = (typeof DIGEST_KINDS)[number];

export interface Digest {
  readonly id: string;
  readonly kind: DigestKind;
  readonly marketplace: string;
  readonly period: Period;
  readonly createdAt: Date;
  readonly isRead: boolean;
  readonly rows: readonly DigestRow[];
  readonly products: readonly DigestProduct[];
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
  /** The one that is met: its own, or that of a list. */
  readonly rule: PriorityRule;
  readonly snapshot: RankSnapshot;
}

/** What a period means for keywords: a row for each, and those that call for attention. */
export function evaluatePeriod(
  period: Period,
  {
    keywords,
    listRules,
    defaultRule,
    window,
    ranks,
  }: {
    readonly keywords: readonly TrackedKeyword[];
    /** By normalised term. */
    readonly listRules: ReadonlyMap<string, readonly PriorityRule[]>;
    /** Of keywords without a rule of their own or of a list. */
    readonly defaultRule?: PriorityRule | undefined;
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
    const ofLists = listRules.get(keyword.normalizedTerm) ?? [];
    const rule = findMetRule(keyword, { snapshot, period, listRules: ofLists, defaultRule });
    if (rule) hits.push({ keyword, rule, snapshot });
    rows.push({
      trackedKeywordId: keyword.id,
      searchTerm: keyword.originalTerm,
      rank,
      previousRank,
      rankChange: rank === null || previousRank === null ? null : previousRank - rank,
      isPriorityHit: rule !== undefined,
    });
  }
  return { rows, hits };
}
