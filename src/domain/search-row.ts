import type { Insights } from './insights.ts';
import type { Period } from './period.ts';

/** A keyword of a search or an export. */
export interface SearchRow {
  readonly searchTerm: string;
  readonly normalizedSearchTerm: string;
  /** One per period of the plan's window, oldest first; null where the keyword has no rank. */
  readonly ranks: readonly (number | null)[];
  readonly totalPeriods: number;
  readonly bestRank: number;
  readonly worstRank: number;
  /** Rounded half up to two decimals. */
  readonly avgRank: number;
  readonly latestRank: number;
  readonly latestPeriod: Period;
  readonly brands: readonly string[];
  readonly products: readonly SearchRowProduct[];
  readonly categories: readonly string[];
  /** Given exactly when the plan asks for them. */
  readonly insights?: Insights;
}

export interface SearchRowProduct {
  readonly asin: string;
  readonly title: string;
  /** Percent, 0 to 100; null when the report left it blank. */
  readonly clickShare: number | null;
  readonly conversionShare: number | null;
}
