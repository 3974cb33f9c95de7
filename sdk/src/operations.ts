// Every endpoint as a plain function: parameters first, then what concerns the call. Names are the operation ids of the API's document.

import { type CallOptions, type CreateOptions, keyed } from './call-options.ts';
import type { Client } from './generated/client/index.ts';
import * as endpoint from './generated/sdk.gen.ts';
import type * as wire from './generated/types.gen.ts';
import { createLists } from './list-operations.ts';
import { createManagement } from './management-operations.ts';

type Query<Data extends { query?: unknown }> = NonNullable<Data['query']>;

export type Operations = ReturnType<typeof createOperations>;

export function createOperations(client: Client) {
  return {
    ...createSearches(client),
    ...createProducts(client),
    ...createTrends(client),
    ...createTracking(client),
    ...createProductTracking(client),
    ...createLists(client),
    ...createManagement(client),
    ...createWebhooks(client),

    /** The periods that the plan can see, newest first. */
    listPeriods: (query?: Query<wire.ListPeriodsData>, options?: CallOptions): Promise<wire.ListPeriodsResponse> =>
      endpoint.listPeriods({ ...options, client, query }),
    /** Every period of a year, of all marketplaces: there, coming, late or failed. */
    getPeriodCalendar: (
      query?: Query<wire.GetPeriodCalendarData>,
      options?: CallOptions,
    ): Promise<wire.GetPeriodCalendarResponse> => endpoint.getPeriodCalendar({ ...options, client, query }),
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
    /** What each period says of one keyword: rank, products with shares, brands. Costs a search. */
    getKeywordHistory: (
      query: Query<wire.GetKeywordHistoryData>,
      options?: CallOptions,
    ): Promise<wire.GetKeywordHistoryResponse> => endpoint.getKeywordHistory({ ...options, client, query }),
    /** The same of several keywords as a file. */
    exportKeywordHistory: (query: Query<wire.ExportKeywordHistoryData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportKeywordHistory({ ...options, client, parseAs: 'blob', query }),
    /** One page of the words and phrases in all terms that a search finds. Costs a search. */
    listSearchRoots: (
      query: Query<wire.ListSearchRootsData>,
      options?: CallOptions,
    ): Promise<wire.ListSearchRootsResponse> => endpoint.listSearchRoots({ ...options, client, query }),
    /** Every element of the list as a file. */
    exportSearchRoots: (query: Query<wire.ExportSearchRootsData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportSearchRoots({ ...options, client, parseAs: 'blob', query }),
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

function createProducts(client: Client) {
  return {
    /** A product over time. Costs a search. */
    getProduct: (
      asin: string,
      query?: Query<wire.GetProductData>,
      options?: CallOptions,
    ): Promise<wire.GetProductResponse> => endpoint.getProduct({ ...options, client, path: { asin }, query }),
    /** One page of the keywords of a product, with place, shares, and since when. Costs a search. */
    listProductKeywords: (
      asin: string,
      query?: Query<wire.ListProductKeywordsData>,
      options?: CallOptions,
    ): Promise<wire.ListProductKeywordsResponse> =>
      endpoint.listProductKeywords({ ...options, client, path: { asin }, query }),
    /** The keywords of several products side by side. Costs a search. */
    compareProducts: (
      query: Query<wire.CompareProductsData>,
      options?: CallOptions,
    ): Promise<wire.CompareProductsResponse> => endpoint.compareProducts({ ...options, client, query }),
    /** A brand over time. Costs a search. */
    getBrand: (name: string, query?: Query<wire.GetBrandData>, options?: CallOptions): Promise<wire.GetBrandResponse> =>
      endpoint.getBrand({ ...options, client, path: { name }, query }),
    /** One page of the keywords of a brand. Costs a search. */
    listBrandKeywords: (
      name: string,
      query?: Query<wire.ListBrandKeywordsData>,
      options?: CallOptions,
    ): Promise<wire.ListBrandKeywordsResponse> =>
      endpoint.listBrandKeywords({ ...options, client, path: { name }, query }),
    /** The periods of a product or a brand as a file. */
    exportProduct: (asin: string, query?: Query<wire.ExportProductData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportProduct({ ...options, client, parseAs: 'blob', path: { asin }, ...(query && { query }) }),
    exportBrand: (name: string, query?: Query<wire.ExportBrandData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportBrand({ ...options, client, parseAs: 'blob', path: { name }, ...(query && { query }) }),
    /** Every element of a list as a file. */
    exportProductKeywords: (
      asin: string,
      query?: Query<wire.ExportProductKeywordsData>,
      options?: CallOptions,
    ): Promise<Blob> =>
      endpoint.exportProductKeywords({ ...options, client, parseAs: 'blob', path: { asin }, ...(query && { query }) }),
    exportProductComparison: (query: Query<wire.ExportProductComparisonData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportProductComparison({ ...options, client, parseAs: 'blob', query }),
    exportBrandKeywords: (
      name: string,
      query?: Query<wire.ExportBrandKeywordsData>,
      options?: CallOptions,
    ): Promise<Blob> =>
      endpoint.exportBrandKeywords({ ...options, client, parseAs: 'blob', path: { name }, ...(query && { query }) }),
  };
}

function createTrends(client: Client) {
  return {
    /** Every element of a list as a file. */
    exportSocialMediaRanks: (query?: Query<wire.ExportSocialMediaRanksData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportSocialMediaRanks({ ...options, client, parseAs: 'blob', ...(query && { query }) }),
    exportRankChanges: (query?: Query<wire.ExportRankChangesData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportRankChanges({ ...options, client, parseAs: 'blob', ...(query && { query }) }),
    exportNewTerms: (query?: Query<wire.ExportNewTermsData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportNewTerms({ ...options, client, parseAs: 'blob', ...(query && { query }) }),
    exportSeasonalTerms: (query?: Query<wire.ExportSeasonalTermsData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportSeasonalTerms({ ...options, client, parseAs: 'blob', ...(query && { query }) }),
    /** One page of social-media ranks over the last periods. */
    listSocialMediaRanks: (
      query?: Query<wire.ListSocialMediaRanksData>,
      options?: CallOptions,
    ): Promise<wire.ListSocialMediaRanksResponse> => endpoint.listSocialMediaRanks({ ...options, client, query }),
    /** One page of the keywords that moved by more than a threshold between two periods, the newest unless given. */
    listRankChanges: (
      query?: Query<wire.ListRankChangesData>,
      options?: CallOptions,
    ): Promise<wire.ListRankChangesResponse> => endpoint.listRankChanges({ ...options, client, query }),
    /** One page of the keywords that the newest period has seen first. */
    listNewTerms: (query?: Query<wire.ListNewTermsData>, options?: CallOptions): Promise<wire.ListNewTermsResponse> =>
      endpoint.listNewTerms({ ...options, client, query }),
    /** One page of the keywords that peak around the same month every year. */
    listSeasonalTerms: (
      query?: Query<wire.ListSeasonalTermsData>,
      options?: CallOptions,
    ): Promise<wire.ListSeasonalTermsResponse> => endpoint.listSeasonalTerms({ ...options, client, query }),
  };
}

function createTracking(client: Client) {
  return {
    /** Everything that the caller tracks, as a file. */
    exportTrackedKeywords: (query?: Query<wire.ExportTrackedKeywordsData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportTrackedKeywords({ ...options, client, parseAs: 'blob', ...(query && { query }) }),
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
        ...keyed(idempotencyKey),
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

function createProductTracking(client: Client) {
  return {
    /** All of them, as a file. */
    exportTrackedProducts: (query?: Query<wire.ExportTrackedProductsData>, options?: CallOptions): Promise<Blob> =>
      endpoint.exportTrackedProducts({ ...options, client, parseAs: 'blob', ...(query && { query }) }),
    /** All tracked products with how they stand, oldest first. */
    listTrackedProducts: (
      query?: Query<wire.ListTrackedProductsData>,
      options?: CallOptions,
    ): Promise<wire.ListTrackedProductsResponse> => endpoint.listTrackedProducts({ ...options, client, query }),
    /** Tracks one product, or up to 100 at once. */
    createTrackedProducts: (
      body: wire.CreateTrackedProductsData['body'],
      { idempotencyKey, ...options }: CreateOptions = {},
    ): Promise<wire.CreateTrackedProductsResponse> =>
      endpoint.createTrackedProducts({
        ...options,
        client,
        body,
        ...keyed(idempotencyKey),
      }),
    /** One of them. */
    getTrackedProduct: (
      id: string,
      query?: Query<wire.GetTrackedProductData>,
      options?: CallOptions,
    ): Promise<wire.GetTrackedProductResponse> =>
      endpoint.getTrackedProduct({ ...options, client, path: { id }, query }),
    /** Pauses or resumes it, or changes its notes. */
    changeTrackedProduct: (
      id: string,
      body: wire.ChangeTrackedProductData['body'],
      options?: CallOptions,
    ): Promise<wire.ChangeTrackedProductResponse> =>
      endpoint.changeTrackedProduct({ ...options, client, path: { id }, body }),
    /** Stops tracking it. */
    deleteTrackedProduct: (id: string, options?: CallOptions): Promise<wire.DeleteTrackedProductResponse> =>
      endpoint.deleteTrackedProduct({ ...options, client, path: { id } }),
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
