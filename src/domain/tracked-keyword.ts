// Keywords that a user watches in an organization. What is stored is the term and what the user wants to know; every rank is
// read from the published data at the moment of asking.
import { isSamePeriod, type Period } from './period.ts';
import { averageRankHundredths } from './ranking.ts';
import type { TrackedItem, TrackedItemChange, TrackedItems } from './tracked-item.ts';

/** Spec 2.5. */
export const PRIORITY_FIELDS = ['latest_rank', 'rank_change', 'best_rank', 'worst_rank', 'avg_rank'] as const;
export type PriorityField = (typeof PRIORITY_FIELDS)[number];

export const PRIORITY_OPERATORS = ['lt', 'lte', 'gt', 'gte', 'eq'] as const;
export type PriorityOperator = (typeof PRIORITY_OPERATORS)[number];

export interface PriorityRule {
  readonly field: PriorityField;
  readonly operator: PriorityOperator;
  readonly value: number;
}

/** The rule of keywords that were given none; it is off until it is switched on. */
export const DEFAULT_PRIORITY_RULE: PriorityRule = { field: 'latest_rank', operator: 'lt', value: 1000 };

/** Of one user in one organization. Paused ones count only in the second. */
export const MAX_ACTIVE_KEYWORDS = 500;
export const MAX_TRACKED_KEYWORDS = 1000;

export interface TrackedKeyword extends TrackedItem {
  readonly isPriorityEnabled: boolean;
  readonly priorityRule: PriorityRule;
  /** The same for the same normalised term, whoever tracks it and whether it is in the data or not. */
  readonly termId: number;
  /** As the user wrote it. */
  readonly originalTerm: string;
  readonly normalizedTerm: string;
}

export type NewTrackedKeyword = Pick<TrackedKeyword, 'originalTerm' | 'notes' | 'isPriorityEnabled' | 'priorityRule'>;

export interface TrackedKeywordChange extends TrackedItemChange {
  readonly isPriorityEnabled: boolean | undefined;
  readonly priorityRule: PriorityRule | undefined;
}

export type TrackedKeywords = TrackedItems<TrackedKeyword, NewTrackedKeyword, TrackedKeywordChange>;

/** Ranks of one keyword as of the last period of a window. */
export interface RankSnapshot {
  /** The newest period that has a rank; undefined without any. */
  readonly latestPeriod: Period | undefined;
  readonly latestRank: number | null;
  /** In the period just before the latest one. */
  readonly previousRank: number | null;
  /** Positive is up. */
  readonly rankChange: number | null;
  readonly bestRank: number | null;
  readonly worstRank: number | null;
  readonly avgRank: number | null;
  readonly totalPeriods: number;
  /** Over the whole window, oldest first; empty without any rank. */
  readonly history: readonly { readonly period: Period; readonly rank: number | null }[];
}

export interface RankSeries {
  /** Oldest first. */
  readonly window: readonly Period[];
  /** One per period of the window, or more: what lies behind the window's end does not count. */
  readonly ranks: readonly (number | null)[];
}

export function takeSnapshot({ window, ranks }: RankSeries): RankSnapshot {
  const history = window.map((period, i) => ({ period, rank: ranks[i] ?? null }));
  const known = history.flatMap(({ rank }) => (rank === null ? [] : [rank]));
  const latestIndex = history.findLastIndex(({ rank }) => rank !== null);
  const latest = history[latestIndex];
  if (!latest || latest.rank === null) return NO_RANKS;
  const previousRank = history[latestIndex - 1]?.rank ?? null;
  const rankSum = known.reduce((sum, rank) => sum + rank, 0);
  return {
    latestPeriod: latest.period,
    latestRank: latest.rank,
    previousRank,
    rankChange: previousRank === null ? null : previousRank - latest.rank,
    bestRank: Math.min(...known),
    worstRank: Math.max(...known),
    avgRank: averageRankHundredths({ rankSum, periodCount: known.length }) / 100,
    totalPeriods: known.length,
    history,
  };
}

const NO_RANKS: RankSnapshot = {
  latestPeriod: undefined,
  latestRank: null,
  previousRank: null,
  rankChange: null,
  bestRank: null,
  worstRank: null,
  avgRank: null,
  totalPeriods: 0,
  history: [],
};

/** Whether a rule holds for a snapshot. A value that is not known satisfies no rule. */
export function isRuleMet({ field, operator, value }: PriorityRule, snapshot: RankSnapshot): boolean {
  const actual = {
    latest_rank: snapshot.latestRank,
    rank_change: snapshot.rankChange,
    best_rank: snapshot.bestRank,
    worst_rank: snapshot.worstRank,
    avg_rank: snapshot.avgRank,
  }[field];
  if (actual === null) return false;
  switch (operator) {
    case 'lt':
      return actual < value;
    case 'lte':
      return actual <= value;
    case 'gt':
      return actual > value;
    case 'gte':
      return actual >= value;
    case 'eq':
      return actual === value;
  }
}

/**
 * The rule by which a keyword calls for attention; undefined when it does not. It must be ranked in the very period asked about. Its
 * own rule counts when it is on; otherwise those of the lists that it stands in, of which the first that is met is told; and where
 * there is none of either, the user's rule for everything tracked.
 */
export function findMetRule(
  keyword: Pick<TrackedKeyword, 'isPriorityEnabled' | 'priorityRule'>,
  asked: {
    readonly snapshot: RankSnapshot;
    readonly period: Period;
    readonly listRules: readonly PriorityRule[];
    readonly defaultRule?: PriorityRule | undefined;
  },
): PriorityRule | undefined {
  const { snapshot, period, listRules, defaultRule } = asked;
  if (!snapshot.latestPeriod || !isSamePeriod(snapshot.latestPeriod, period)) return undefined;
  const given = keyword.isPriorityEnabled ? [keyword.priorityRule] : listRules;
  const rules = given.length === 0 && defaultRule ? [defaultRule] : given;
  return rules.find((rule) => isRuleMet(rule, snapshot));
}
