// A server may hold a part of what is published: the ranks of some marketplaces. Which server answers for which marketplace is for
// the proxy in front of them to know; a server only says when it is not the one.
import { RequestError } from './error.ts';
import type { RankSet } from './store.ts';

/** Null: all of them. */
export type HeldMarketplaces = readonly string[] | null;

export function holdsMarketplace(held: HeldMarketplaces, marketplace: string): boolean {
  return held === null || held.includes(marketplace);
}

/** Keywords are tracked in one marketplace, by month. */
export function trackedSetOf(defaultMarketplace: string): RankSet {
  return { marketplace: defaultMarketplace, frequency: 'monthly', source: 'search' };
}

/** Every server holds the ranks of tracked keywords, so that each can answer for them. */
export function holdsSet(
  { marketplace, frequency, source }: RankSet,
  { held, defaultMarketplace }: { readonly held: HeldMarketplaces; readonly defaultMarketplace: string },
): boolean {
  const tracked = trackedSetOf(defaultMarketplace);
  const isTracked = marketplace === tracked.marketplace && frequency === tracked.frequency && source === tracked.source;
  return isTracked || holdsMarketplace(held, marketplace);
}

/** The set is published, and another server holds it. */
export class SetElsewhereError extends RequestError {
  constructor({ marketplace, frequency, source }: RankSet) {
    super(
      'SERVICE_UNAVAILABLE',
      `This server does not hold the ${frequency} ${source} ranks of ${marketplace}.`,
      'Try again shortly: another server does. If this repeats, the proxy leads to the wrong one.',
      { retryAfterSeconds: 1 },
    );
    this.name = 'SetElsewhereError';
  }
}
