// Client of the keyrank API. The generated code knows the wire; this is what is pleasant to use.
import { everyOffset, everyPage } from './every-row.ts';
import { createClient } from './generated/client/index.ts';
import { KeyrankError } from './keyrank-error.ts';
import { createOperations, type Operations } from './operations.ts';
import { createTransport } from './transport.ts';

export type { CallOptions, CreateOptions } from './call-options.ts';
export { KeyrankError, type KeyrankErrorCode } from './keyrank-error.ts';
export { type VerifyWebhookOptions, verifyWebhook, type WebhookMessage } from './webhook.ts';

export interface KeyrankOptions {
  /** Address of the service, such as `https://keyrank.example.com`. */
  readonly baseUrl: string;
  /** Undefined is allowed here, so that it can come from the environment, and is then an error with a hint. */
  readonly apiKey: string | undefined;
  /**
   * How long one call may wait in all when the service answers 429, or 503, and says when to come back. Without it, or when
   * that would be too late, the call fails at once with `retryAfterSeconds`.
   */
  readonly maxWaitSeconds?: number | undefined;
  /** In place of the global one. */
  readonly fetch?: typeof fetch | undefined;
}

type Answer<Name extends keyof Operations> = Awaited<ReturnType<Operations[Name]>>;
type Paged = {
  [Name in keyof Operations]: Answer<Name> extends { pagination: unknown } ? Name : never;
}[keyof Operations];

/** Every endpoint with pages has a place here, or this does not compile. */
type Lists = {
  readonly [Name in Paged]: (
    ...parameters: Parameters<Operations[Name]>
  ) => AsyncGenerator<Answer<Name>['data'][number], void, undefined>;
};

export interface Keyrank extends Operations {
  /** The lists that have pages, row by row: `for await (const change of keyrank.all.listRankChanges())`. */
  readonly all: Lists;
}

/** The most digests that the API gives at once. */
const MAX_DIGESTS = 20;

export function createKeyrank({ baseUrl, apiKey, maxWaitSeconds = 0, fetch }: KeyrankOptions): Keyrank {
  if (!apiKey) {
    throw new KeyrankError({
      code: 'NO_API_KEY',
      message: 'There is no API key.',
      hint: 'Set apiKey; an operator of the service makes keys with `keyrank key create`.',
    });
  }
  const client = createClient({
    baseUrl: baseUrl.replace(/\/+$/, ''),
    auth: apiKey,
    throwOnError: true,
    // Looked up at each call, because tests and tracers put another one in its place.
    fetch: createTransport({ fetch: fetch ?? ((request) => globalThis.fetch(request)), maxWaitSeconds }),
  });
  const operations = createOperations(client);
  return { ...operations, all: createLists(operations) };
}

function createLists(operations: Operations): Lists {
  return {
    searchKeywords: everyPage(operations.searchKeywords),
    searchAsin: everyPage(operations.searchAsin),
    compareProducts: everyPage(operations.compareProducts),
    listProductKeywords: (asin, query = {}, options) =>
      everyPage(operations.listProductKeywords.bind(null, asin))(query, options),
    listBrandKeywords: (name, query = {}, options) =>
      everyPage(operations.listBrandKeywords.bind(null, name))(query, options),
    listSearchHistory: everyOffset(operations.listSearchHistory),
    listSocialMediaRanks: everyOffset(operations.listSocialMediaRanks),
    listRankChanges: everyOffset(operations.listRankChanges),
    listNewTerms: everyOffset(operations.listNewTerms),
    listSeasonalTerms: everyOffset(operations.listSeasonalTerms),
    listSearchRoots: everyPage(operations.listSearchRoots),
    listDigests: everyOffset(operations.listDigests, MAX_DIGESTS),
    listShares: everyOffset(operations.listShares),
    listImports: everyOffset(operations.listImports),
    listAuditLog: everyOffset(operations.listAuditLog),
    listLists: everyOffset(operations.listLists),
    listListItems: (id, ...rest) => everyOffset(operations.listListItems.bind(null, id))(...rest),
    listSavedSearches: everyOffset(operations.listSavedSearches),
    listChartNotes: everyOffset(operations.listChartNotes),
    listWebhookDeliveries: (id, ...rest) => everyOffset(operations.listWebhookDeliveries.bind(null, id))(...rest),
  };
}
