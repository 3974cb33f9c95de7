// What the API says, in its own words: the types that the SDK is made with, by the names that the page uses. Types are all that the
// page has of the SDK.
import type {
  Error as ApiError,
  GetSearchKeywordResponse,
  GetSearchStatsResponse,
  GetUsageResponse,
  ListDigestsResponse,
  ListNewTermsResponse,
  ListPeriodsResponse,
  ListRankChangesResponse,
  ListSearchHistoryResponse,
  ListSocialMediaRanksResponse,
  ListSuggestionsResponse,
  ListTrackedKeywordsResponse,
  ListWebhooksResponse,
  SearchKeywordsResponse,
} from '../../sdk/src/generated/types.gen.ts';

/** The page knows failures that never reached the service, under codes of its own. */
export type WireError = Omit<ApiError, 'code'> & { readonly code: string };

export type SearchAnswer = SearchKeywordsResponse;
export type SearchResult = SearchAnswer['data'][number];
export type Product = SearchResult['latest_data']['products'][number];
export type Pagination = SearchAnswer['pagination'];

export type KeywordAnswer = GetSearchKeywordResponse;
export type SuggestionsAnswer = ListSuggestionsResponse;
export type StatsAnswer = GetSearchStatsResponse;

export type PeriodsAnswer = ListPeriodsResponse;
export type PublishedPeriod = PeriodsAnswer['data'][number];
export type Frequency = PublishedPeriod['type'];

export type ChangesAnswer = ListRankChangesResponse;
export type RankChange = ChangesAnswer['data'][number];
export type NewTermsAnswer = ListNewTermsResponse;
export type SocialAnswer = ListSocialMediaRanksResponse;
export type SocialRank = SocialAnswer['data'][number];

export type UsageAnswer = GetUsageResponse;
export type RateLimit = UsageAnswer['data']['rate_limit'];

export type HistoryAnswer = ListSearchHistoryResponse;
export type HistoryEntry = HistoryAnswer['data'][number];

export type TrackedAnswer = ListTrackedKeywordsResponse;
export type TrackedKeyword = TrackedAnswer['data'][number];
export type PriorityRule = TrackedKeyword['priority_rule'];
export type DigestsAnswer = ListDigestsResponse;
export type Digest = DigestsAnswer['data'][number];
export type DigestRow = Digest['rows'][number];
export type WebhooksAnswer = ListWebhooksResponse;
export type Webhook = WebhooksAnswer['data'][number];
