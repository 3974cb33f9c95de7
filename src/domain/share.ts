// A share is a link that shows one thing to whoever has it: a chart, a search, a list. It stands for its maker, and allows a closed
// list of calls of the API, each with exactly the parameters that were stored when it was made.
import type { Account, ApiKeyId, Tenant, UserId } from './account.ts';
import { generateSecret, isSecret } from './checked-secret.ts';
import type { SharedItem, SharedItems } from './shared-item.ts';

export const SHARE_KINDS = ['chart', 'search', 'list'] as const;
export type ShareKind = (typeof SHARE_KINDS)[number];

/** Of one organization. */
export const MAX_SHARES = 100;
export const DEFAULT_SHARE_DAYS = 30;
export const MAX_SHARE_DAYS = 365;
/** What one share may take of its maker's searches, so that a link on a public page cannot use them up. */
export const SHARE_SEARCHES_PER_HOUR = 20;

const PREFIX = 'krs_';

export type ShareId = string & { readonly __brand: 'ShareId' };
export type ShareToken = string & { readonly __brand: 'ShareToken' };

export function generateShareToken(randomBytes: (count: number) => Uint8Array): ShareToken {
  return generateSecret(PREFIX, randomBytes) as ShareToken;
}

export function parseShareToken(text: string): ShareToken | undefined {
  return isSecret(PREFIX, text) ? (text as ShareToken) : undefined;
}

export interface Share extends SharedItem {
  readonly kind: ShareKind;
  readonly title: string;
  readonly organization: string;
  /** Paths with their query, as `canonicalTarget` writes them; all are GET. */
  readonly targets: readonly string[];
  readonly endsAt: Date;
}

export interface NewShare extends Pick<Share, 'kind' | 'title' | 'targets' | 'endsAt'> {
  readonly token: ShareToken;
  readonly userId: UserId;
  /** The key that makes it, with which it ends; null for somebody who is signed in. */
  readonly keyId: ApiKeyId | null;
  readonly listId: string | null;
}

/** A share ends with what made it: a deleted one is refused by every server when `delete` resolves. */
export interface Shares extends Omit<SharedItems<Share, NewShare, never, ShareId | undefined>, 'change'> {
  /** The account of its maker, while maker, key and subscription last. */
  findAccount(token: ShareToken, now: Date): Promise<Account | undefined>;
  /**
   * Takes one of the share's searches of this hour, or says when the next one is free. All shares of the organization together have
   * `mostOfAll`.
   */
  takeSearch(
    tenant: Tenant,
    request: { readonly id: ShareId; readonly mostOfAll: number },
  ): Promise<{ readonly freeAt: Date } | undefined>;
}

/** All shares of an organization together leave it this part of its searches. */
export function searchesForShares(searchesPerHour: number): number {
  return Math.max(1, Math.floor(searchesPerHour / 2));
}

/** One spelling for requests that mean the same: parameters by name, in their order, encoded alike. */
export function canonicalTarget(path: string, parameters: ReadonlyMap<string, readonly string[]>): string {
  const pairs = [...parameters].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const query = pairs.flatMap(([name, values]) =>
    values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  );
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}
