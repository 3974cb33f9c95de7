// Every endpoint as a plain function: parameters first, then what concerns the call. Names are the operation ids of the API's document.
import type { Client } from './generated/client/index.ts';
import * as endpoint from './generated/sdk.gen.ts';
import type * as wire from './generated/types.gen.ts';

export interface CallOptions {
  /** Gives the request up, also while it waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** With the same key, the same request may be repeated without being done twice. */
  readonly idempotencyKey?: string | undefined;
}

type Query<Data extends { query?: unknown }> = NonNullable<Data['query']>;

export type Operations = ReturnType<typeof createOperations>;

export function createOperations(client: Client) {
  return {
    ...createSearches(client),
    ...createTrends(client),
    ...createTracking(client),
    ...createWebhooks(client),

    /** The periods that the plan can see, newest first. */
    listPeriods: (query?: Query<wire.ListPeriodsData>, options?: CallOptions): Promise<wire.ListPeriodsResponse> =>
      endpoint.listPeriods({ ...options, client, query }),
    /** The identifiers of the billing meters. */
    getMeters: (options?: CallOptions): Promise<wire.GetMetersResponse> => endpoint.getMeters({ ...options, client }),
    /** The plan, counts per meter, and what is left of the hour. Costs no search. */
    getUsage: (options?: CallOptions): Promise<wire.GetUsageResponse> => endpoint.getUsage({ ...options, client }),
  };
}

function createSearches(client: Client) {
  return {
    /** One page of keywords by their words. Costs a search. */
    searchKeywords: (
      query: Query<wire.SearchKeywordsData>,
      options?: CallOptions,
    ): Promise<wire.SearchKeywordsResponse> => endpoint.searchKeywords({ ...options, client, query }),
    /** Every match of a search as a file. */
    exportKeywords: (query: Query<wire.ExportKeywordsData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportKeywords({ ...options, client, query, parseAs: 'blob' }),
    /** One page of the keywords in whose top products an ASIN stands. Costs a search. */
    searchAsin: (query: Query<wire.SearchAsinData>, options?: CallOptions): Promise<wire.SearchAsinResponse> =>
      endpoint.searchAsin({ ...options, client, query }),
    /** One keyword by months and weeks, and those related to it. Costs a search. */
    getSearchKeyword: (
      query: Query<wire.GetSearchKeywordData>,
      options?: CallOptions,
    ): Promise<wire.GetSearchKeywordResponse> => endpoint.getSearchKeyword({ ...options, client, query }),
    /** Keywords that begin like a text. */
    listSuggestions: (
      query: Query<wire.ListSuggestionsData>,
      options?: CallOptions,
    ): Promise<wire.ListSuggestionsResponse> => endpoint.listSuggestions({ ...options, client, query }),
    /** How much data there is, and how new it is. */
    getSearchStats: (options?: CallOptions): Promise<wire.GetSearchStatsResponse> =>
      endpoint.getSearchStats({ ...options, client }),
    /** One page of the caller's own searches, newest first. */
    listSearchHistory: (
      query?: Query<wire.ListSearchHistoryData>,
      options?: CallOptions,
    ): Promise<wire.ListSearchHistoryResponse> => endpoint.listSearchHistory({ ...options, client, query }),
    /** Forgets all of them. */
    deleteSearchHistory: (options?: CallOptions): Promise<wire.DeleteSearchHistoryResponse> =>
      endpoint.deleteSearchHistory({ ...options, client }),
  };
}

function createTrends(client: Client) {
  return {
    /** One page of social-media ranks over the last periods. */
    listSocialMediaRanks: (
      query?: Query<wire.ListSocialMediaRanksData>,
      options?: CallOptions,
    ): Promise<wire.ListSocialMediaRanksResponse> => endpoint.listSocialMediaRanks({ ...options, client, query }),
    /** One page of the keywords that moved by more than a threshold between the two newest periods. */
    listRankChanges: (
      query?: Query<wire.ListRankChangesData>,
      options?: CallOptions,
    ): Promise<wire.ListRankChangesResponse> => endpoint.listRankChanges({ ...options, client, query }),
    /** One page of the keywords that the newest period has seen first. */
    listNewTerms: (query?: Query<wire.ListNewTermsData>, options?: CallOptions): Promise<wire.ListNewTermsResponse> =>
      endpoint.listNewTerms({ ...options, client, query }),
  };
}

function createTracking(client: Client) {
  return {
    /** All tracked keywords with their snapshots, oldest first. */
    listTrackedKeywords: (
      query?: Query<wire.ListTrackedKeywordsData>,
      options?: CallOptions,
    ): Promise<wire.ListTrackedKeywordsResponse> => endpoint.listTrackedKeywords({ ...options, client, query }),
    /** Tracks one keyword, or up to 500 at once. */
    createTrackedKeywords: (
      body: wire.CreateTrackedKeywordsData['body'],
      { idempotencyKey, ...options }: CreateOptions = {},
    ): Promise<wire.CreateTrackedKeywordsResponse> =>
      endpoint.createTrackedKeywords({
        ...options,
        client,
        body,
        ...(idempotencyKey === undefined ? {} : { headers: { 'Idempotency-Key': idempotencyKey } }),
      }),
    /** One of them. */
    getTrackedKeyword: (
      id: string,
      query?: Query<wire.GetTrackedKeywordData>,
      options?: CallOptions,
    ): Promise<wire.GetTrackedKeywordResponse> =>
      endpoint.getTrackedKeyword({ ...options, client, path: { id }, query }),
    /** Pauses or resumes it, changes its notes or its rule. */
    changeTrackedKeyword: (
      id: string,
      body: wire.ChangeTrackedKeywordData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeTrackedKeywordResponse> =>
      endpoint.changeTrackedKeyword({ ...options, client, path: { id }, body }),
    /** Stops tracking it. */
    deleteTrackedKeyword: (id: string, options?: CallOptions): Promise<wire.DeleteTrackedKeywordResponse> =>
      endpoint.deleteTrackedKeyword({ ...options, client, path: { id } }),
    /** One page of digests, newest first. */
    listDigests: (query?: Query<wire.ListDigestsData>, options?: CallOptions): Promise<wire.ListDigestsResponse> =>
      endpoint.listDigests({ ...options, client, query }),
    /** Marks all of them as read. */
    readAllDigests: (options?: CallOptions): Promise<wire.ReadAllDigestsResponse> =>
      endpoint.readAllDigests({ ...options, client }),
  };
}

function createWebhooks(client: Client) {
  return {
    /** The webhooks of the organization. */
    listWebhooks: (options?: CallOptions): Promise<wire.ListWebhooksResponse> =>
      endpoint.listWebhooks({ ...options, client }),
    /** Registers one. The answer has its secret, this once. */
    createWebhook: (body: wire.CreateWebhookData['body'], options?: CallOptions): Promise<wire.CreateWebhookResponse> =>
      endpoint.createWebhook({ ...options, client, body }),
    /** Ends one. */
    deleteWebhook: (id: string, options?: CallOptions): Promise<wire.DeleteWebhookResponse> =>
      endpoint.deleteWebhook({ ...options, client, path: { id } }),
    /** One page of what was sent to a webhook, newest first. */
    listWebhookDeliveries: (
      id: string,
      query?: Query<wire.ListWebhookDeliveriesData>,
      options?: CallOptions,
    ): Promise<wire.ListWebhookDeliveriesResponse> =>
      endpoint.listWebhookDeliveries({ ...options, client, path: { id }, query }),
  };
}
