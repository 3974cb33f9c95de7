// What the API says, in its own words: the types that the SDK is made with, by the names that the page uses. Types are all that the
// page has of the SDK.
import type {
  AddListItemsData,
  Error as ApiError,
  CompareProductsResponse,
  CreateInvitationResponse,
  CreateKeyResponse,
  GetAccountResponse,
  GetBrandResponse,
  GetKeywordHistoryResponse,
  GetNotificationsResponse,
  GetPeriodCalendarResponse,
  GetProductResponse,
  GetSearchKeywordResponse,
  GetSearchStatsResponse,
  GetSignInWaysResponse,
  GetUsageResponse,
  ListAgentsResponse,
  ListAuditLogResponse,
  ListBrandKeywordsResponse,
  ListChartNotesResponse,
  ListConnectionDownloadsResponse,
  ListConnectionsResponse,
  ListDigestsResponse,
  ListImportsResponse,
  ListInvitationsResponse,
  ListKeysResponse,
  ListListItemsResponse,
  ListListsResponse,
  ListMembersResponse,
  ListNewTermsResponse,
  ListNotificationChannelsResponse,
  ListPeriodsResponse,
  ListProductKeywordsResponse,
  ListRankChangesResponse,
  ListSavedSearchesResponse,
  ListSearchHistoryResponse,
  ListSearchRootsResponse,
  ListSeasonalTermsResponse,
  ListSessionsResponse,
  ListSharesResponse,
  ListSocialMediaRanksResponse,
  ListSuggestionsResponse,
  ListTrackedKeywordsResponse,
  ListTrackedProductsResponse,
  ListUsageDaysResponse,
  ListWebhookDeliveriesResponse,
  ListWebhooksResponse,
  ReadInvitationResponse,
  ReadSignInLinkResponse,
  RetryConnectionResponse,
  SearchKeywordsResponse,
  TestConnectionResponse,
} from '../../sdk/src/generated/types.gen.ts';

/** The page knows failures that never reached the service, under codes of its own. */
export type WireError = Omit<ApiError, 'code'> & { readonly code: string };

export type SearchAnswer = SearchKeywordsResponse;
export type SearchResult = SearchAnswer['data'][number];
export type Product = SearchResult['latest_data']['products'][number];
export type Pagination = SearchAnswer['pagination'];

export type KeywordAnswer = GetSearchKeywordResponse;
export type ImportsAnswer = ListImportsResponse;
export type ReportImport = ImportsAnswer['data'][number];
export type ConnectionsAnswer = ListConnectionsResponse;
export type ConnectionRow = ConnectionsAnswer['data'][number];
export type ConnectionTestAnswer = TestConnectionResponse;
export type DownloadsAnswer = ListConnectionDownloadsResponse;
export type Download = DownloadsAnswer['data'][number];
export type RetryAnswer = RetryConnectionResponse;
export type ChartNotesAnswer = ListChartNotesResponse;
export type TermHistoryAnswer = GetKeywordHistoryResponse;

export type ProductAnswer = GetProductResponse;
export type BrandAnswer = GetBrandResponse;
/** A product or a brand; brands have no shares. */
export type HolderData = Pick<BrandAnswer['data'], 'brands' | 'categories' | 'entered' | 'left'> & {
  readonly periods: readonly (BrandAnswer['data']['periods'][number] & Partial<ProductPeriod>)[];
};
type ProductPeriod = ProductAnswer['data']['periods'][number];
export type HeldKeyword = ListBrandKeywordsResponse['data'][number] &
  Partial<ListProductKeywordsResponse['data'][number]>;
export type HeldAnswer = Omit<ListBrandKeywordsResponse, 'data'> & { readonly data: readonly HeldKeyword[] };
export type ComparisonAnswer = CompareProductsResponse;
export type TrackedProductsAnswer = ListTrackedProductsResponse;
export type TrackedProduct = TrackedProductsAnswer['data'][number];
export type SuggestionsAnswer = ListSuggestionsResponse;
export type RootsAnswer = ListSearchRootsResponse;
export type Root = RootsAnswer['data'][number];
export type StatsAnswer = GetSearchStatsResponse;

export type PeriodsAnswer = ListPeriodsResponse;
export type PublishedPeriod = PeriodsAnswer['data'][number];
export type Frequency = PublishedPeriod['type'];

export type CalendarAnswer = GetPeriodCalendarResponse;
export type CalendarEntry = CalendarAnswer['data'][number];

export type ChangesAnswer = ListRankChangesResponse;
export type RankChange = ChangesAnswer['data'][number];
export type NewTermsAnswer = ListNewTermsResponse;
export type SeasonalAnswer = ListSeasonalTermsResponse;
export type SeasonalTerm = SeasonalAnswer['data'][number];
export type SocialAnswer = ListSocialMediaRanksResponse;
export type SocialRank = SocialAnswer['data'][number];

export type UsageAnswer = GetUsageResponse;
export type RateLimit = UsageAnswer['data']['rate_limit'];

export type HistoryAnswer = ListSearchHistoryResponse;
export type HistoryEntry = HistoryAnswer['data'][number];

export type TrackedAnswer = ListTrackedKeywordsResponse;
export type TrackedKeyword = TrackedAnswer['data'][number];
export type PriorityRule = TrackedKeyword['priority_rule'];
export type ListsAnswer = ListListsResponse;
export type KeywordList = ListsAnswer['data'][number];
export type ListItemsAnswer = ListListItemsResponse;
export type ListItem = ListItemsAnswer['data'][number];
export type NewListItem = AddListItemsData['body']['items'][number];
export type SavedSearchesAnswer = ListSavedSearchesResponse;
export type SavedSearch = SavedSearchesAnswer['data'][number];
export type AgentsAnswer = ListAgentsResponse;
export type SharesAnswer = ListSharesResponse;
export type Share = SharesAnswer['data'][number];
export type DigestsAnswer = ListDigestsResponse;
export type Digest = DigestsAnswer['data'][number];
export type DigestRow = Digest['rows'][number];
export type WebhooksAnswer = ListWebhooksResponse;
export type Webhook = WebhooksAnswer['data'][number];
export type NotificationsAnswer = GetNotificationsResponse;
export type NotificationChannelsAnswer = ListNotificationChannelsResponse;
export type NotificationChannel = NotificationChannelsAnswer['data'][number];

export type AccountAnswer = GetAccountResponse;
export type Account = AccountAnswer['data'];
export type Scope = Account['scopes'][number];
export type Role = Account['organization']['role'];
export type SignInWaysAnswer = GetSignInWaysResponse;
export type InvitationAnswer = ReadInvitationResponse;
export type SignInLinkAnswer = ReadSignInLinkResponse;
export type SessionsAnswer = ListSessionsResponse;
export type MembersAnswer = ListMembersResponse;
export type Member = MembersAnswer['data'][number];
export type InvitationsAnswer = ListInvitationsResponse;
export type MadeInvitationAnswer = CreateInvitationResponse;
export type KeysAnswer = ListKeysResponse;
export type ApiKeyRow = KeysAnswer['data'][number];
export type MadeKeyAnswer = CreateKeyResponse;
export type AuditLogAnswer = ListAuditLogResponse;
export type DeliveriesAnswer = ListWebhookDeliveriesResponse;
export type UsageDaysAnswer = ListUsageDaysResponse;
