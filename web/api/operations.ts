// Made by npm run reference; a test compares.

/** What a value is to a program; the address bar holds text. */
export type ParameterKind = 'texts' | 'number' | 'flag' | 'text';

/** What the API can be asked, by path. */
export const OPERATIONS: Readonly<
  Record<string, { readonly name: string; readonly parameters: Readonly<Record<string, ParameterKind>> }>
> = {
  '/v1/search/keywords': {
    name: 'searchKeywords',
    parameters: {
      query: 'texts',
      method: 'text',
      exclude_query: 'texts',
      type: 'text',
      page: 'number',
      limit: 'number',
      brand: 'texts',
      product: 'texts',
      category: 'texts',
      order_by: 'text',
      order_direction: 'text',
      exclude_nulls: 'flag',
      format: 'text',
      color_threshold: 'number',
      marketplace: 'text',
      min_rank: 'number',
      max_rank: 'number',
      min_words: 'number',
      max_words: 'number',
    },
  },
  '/v1/search/keywords/export': {
    name: 'exportKeywords',
    parameters: {
      query: 'texts',
      method: 'text',
      exclude_query: 'texts',
      type: 'text',
      page: 'number',
      limit: 'number',
      brand: 'texts',
      product: 'texts',
      category: 'texts',
      order_by: 'text',
      order_direction: 'text',
      exclude_nulls: 'flag',
      format: 'text',
      color_threshold: 'number',
      marketplace: 'text',
      min_rank: 'number',
      max_rank: 'number',
      min_words: 'number',
      max_words: 'number',
      file_format: 'text',
    },
  },
  '/v1/search/asin': {
    name: 'searchAsin',
    parameters: {
      asin: 'texts',
      type: 'text',
      page: 'number',
      limit: 'number',
      order_by: 'text',
      order_direction: 'text',
      exclude_nulls: 'flag',
      marketplace: 'text',
    },
  },
  '/v1/search/keyword': {
    name: 'getSearchKeyword',
    parameters: {
      term: 'text',
      marketplace: 'text',
    },
  },
  '/v1/search/suggestions': {
    name: 'listSuggestions',
    parameters: {
      query: 'text',
      type: 'text',
      limit: 'number',
      marketplace: 'text',
    },
  },
  '/v1/search/stats': {
    name: 'getSearchStats',
    parameters: {},
  },
  '/v1/search/history': {
    name: 'listSearchHistory',
    parameters: {
      limit: 'number',
      offset: 'number',
    },
  },
  '/v1/trends/social-media-ranks': {
    name: 'listSocialMediaRanks',
    parameters: {
      type: 'text',
      limit: 'number',
      offset: 'number',
      order_by: 'text',
      order_direction: 'text',
      query: 'texts',
      category: 'texts',
      min_rank: 'number',
      max_rank: 'number',
      marketplace: 'text',
    },
  },
  '/v1/trends/change-by': {
    name: 'listRankChanges',
    parameters: {
      type: 'text',
      threshold: 'number',
      direction: 'text',
      limit: 'number',
      offset: 'number',
      order_by: 'text',
      order_direction: 'text',
      query: 'texts',
      category: 'texts',
      min_rank: 'number',
      max_rank: 'number',
      marketplace: 'text',
    },
  },
  '/v1/trends/new': {
    name: 'listNewTerms',
    parameters: {
      type: 'text',
      limit: 'number',
      offset: 'number',
      order_by: 'text',
      order_direction: 'text',
      query: 'texts',
      category: 'texts',
      min_rank: 'number',
      max_rank: 'number',
      marketplace: 'text',
    },
  },
  '/v1/tracked-keywords': {
    name: 'listTrackedKeywords',
    parameters: {
      period: 'text',
      query: 'text',
    },
  },
  '/v1/tracked-keywords/digests': {
    name: 'listDigests',
    parameters: {
      unread_only: 'flag',
      limit: 'number',
      offset: 'number',
    },
  },
  '/v1/webhooks': {
    name: 'listWebhooks',
    parameters: {},
  },
  '/v1/periods': {
    name: 'listPeriods',
    parameters: {
      type: 'text',
      marketplace: 'text',
    },
  },
  '/v1/meters': {
    name: 'getMeters',
    parameters: {},
  },
  '/v1/usage': {
    name: 'getUsage',
    parameters: {},
  },
};

export const SEARCH_FILTERS: readonly {
  readonly parameter: string;
  readonly kind: 'texts' | 'bound' | 'flag';
  readonly title: string;
}[] = [
  {
    parameter: 'brand',
    kind: 'texts',
    title: 'Brand',
  },
  {
    parameter: 'product',
    kind: 'texts',
    title: 'Product',
  },
  {
    parameter: 'category',
    kind: 'texts',
    title: 'Category',
  },
  {
    parameter: 'exclude_nulls',
    kind: 'flag',
    title: 'Only ranked in the newest period',
  },
  {
    parameter: 'min_rank',
    kind: 'bound',
    title: 'Rank from',
  },
  {
    parameter: 'max_rank',
    kind: 'bound',
    title: 'Rank to',
  },
  {
    parameter: 'min_words',
    kind: 'bound',
    title: 'Words from',
  },
  {
    parameter: 'max_words',
    kind: 'bound',
    title: 'Words to',
  },
];

/** What the tools of an agent take, by name. */
export const TOOL_INPUTS: Readonly<Record<string, readonly string[]>> = {
  search_keywords: [
    'query',
    'method',
    'exclude_query',
    'brand',
    'product',
    'category',
    'exclude_nulls',
    'min_rank',
    'max_rank',
    'min_words',
    'max_words',
    'order_by',
    'order_direction',
    'type',
    'page',
    'limit',
    'marketplace',
  ],
  search_asin: ['asin', 'order_by', 'order_direction', 'type', 'page', 'limit', 'marketplace'],
  keyword_history: ['terms', 'type', 'marketplace'],
  rank_changes: [
    'threshold',
    'direction',
    'query',
    'category',
    'min_rank',
    'max_rank',
    'order_by',
    'order_direction',
    'type',
    'limit',
    'offset',
    'marketplace',
  ],
  new_terms: ['query', 'category', 'min_rank', 'max_rank', 'type', 'limit', 'offset', 'marketplace'],
  social_ranks: [
    'query',
    'category',
    'min_rank',
    'max_rank',
    'order_by',
    'order_direction',
    'type',
    'limit',
    'offset',
    'marketplace',
  ],
  list_periods: ['type', 'marketplace'],
  get_usage: [],
  list_tracked_keywords: ['query', 'period'],
};
