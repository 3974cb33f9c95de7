// What the API says, in its own words: the parts of the OpenAPI document that the page reads.

export interface WireError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly docs?: string;
}

export interface Pagination {
  readonly current_page: number;
  readonly page_size: number;
  readonly total_count: number;
  readonly total_pages: number;
  readonly has_next: boolean;
  readonly has_previous: boolean;
}

export type Frequency = 'monthly' | 'weekly';

export interface Product {
  readonly asin: string;
  readonly title: string;
  readonly click_share: number;
  readonly conversion_share: number;
}

export interface SearchResult {
  readonly search_term: string;
  readonly normalized_search_term: string;
  readonly data: Readonly<Record<string, number>>;
  readonly summary: {
    readonly total_periods: number;
    readonly best_rank: number;
    readonly worst_rank: number;
    readonly avg_rank: number;
    readonly latest_rank: number;
    readonly latest_period: string;
  };
  readonly latest_data: {
    readonly brands: readonly string[];
    readonly products: readonly Product[];
    readonly categories: readonly string[];
  };
}

export interface SearchAnswer {
  readonly data: readonly SearchResult[];
  readonly pagination: Pagination;
}

export interface KeywordAnswer {
  readonly data: {
    readonly search_term: string;
    readonly normalized_search_term: string;
    readonly monthly: SearchResult | null;
    readonly weekly: SearchResult | null;
    readonly related: {
      readonly containing: readonly SearchResult[];
      readonly sharing_products: readonly SearchResult[];
    };
  };
}

export interface SuggestionsAnswer {
  readonly data: readonly { readonly search_term: string }[];
}

export interface PublishedPeriod {
  readonly type: Frequency;
  readonly period: string;
  readonly start_date: string;
  readonly end_date: string;
  readonly keywords: number;
  readonly data_points: number;
  readonly published_at: string;
  readonly revision: number;
  readonly source: 'search' | 'social';
}

export interface PeriodsAnswer {
  readonly data: readonly PublishedPeriod[];
  readonly marketplace: string;
  readonly marketplaces: readonly string[];
}

export interface RankChange {
  readonly query: string;
  readonly previous_rank: number;
  readonly current_rank: number;
  readonly change: number;
  readonly abs_change: number;
  readonly change_percentage: number;
}

export interface ChangesAnswer {
  readonly data: readonly RankChange[];
  readonly periods: { readonly previous: string; readonly current: string };
  readonly pagination: Pagination;
}

export interface NewTermsAnswer {
  readonly data: readonly { readonly query: string; readonly current_rank: number }[];
  readonly periods: { readonly oldest: string; readonly current: string };
  readonly pagination: Pagination;
}

export interface SocialRank {
  readonly query: string;
  readonly start_rank: number;
  readonly end_rank: number;
  readonly total_improvement: number;
  readonly ranks: Readonly<Record<string, number | null>>;
  readonly search_rank: number | null;
}

export interface SocialAnswer {
  readonly data: readonly SocialRank[];
  readonly periods: { readonly start: string; readonly end: string; readonly values: readonly string[] };
  readonly pagination: Pagination;
}

export interface UsageAnswer {
  readonly data: {
    readonly organization: string;
    readonly user: string;
    readonly plan: string;
    readonly current_month: MonthlyUsage;
    readonly previous_month: MonthlyUsage;
    readonly rate_limit: RateLimit;
  };
}

export interface MonthlyUsage {
  readonly month: string;
  readonly search: number;
  readonly exports: number;
  readonly asin: number;
  readonly alerts: number;
}

export interface RateLimit {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Unix second at which the next slot frees. */
  readonly reset: number;
}

export interface StatsAnswer {
  readonly stats: { readonly computedAt: string; readonly totalDataPoints: string };
}

export interface HistoryEntry {
  readonly id: string;
  readonly searched_at: string;
  readonly endpoint: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly result_count: number | null;
}

export interface HistoryAnswer {
  readonly data: readonly HistoryEntry[];
  readonly pagination: Pagination;
}
