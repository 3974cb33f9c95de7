// best_match has a handful of tiers, and within a tier the documents' own order counts: newer period, then rank, then term.
// So a page of it needs no keys and no sort: the places before it are counted off, tier by tier.
import { MATCH_TIERS } from '../domain/ranking.ts';
import type { OrderDirection } from '../domain/search-query.ts';

const ASCENDING = Object.values(MATCH_TIERS).sort((a, b) => a - b);
const DESCENDING = ASCENDING.toReversed();
/** What is not on the page is only counted, so many at a time and without a branch that could be mispredicted. */
const BLOCK = 256;

/** The positions at places `from` to `to`, the highest tier first unless ascending. */
export function selectTiers(
  tiers: Uint8Array,
  { from, to, direction }: { readonly from: number; readonly to: number; readonly direction: OrderDirection },
): readonly number[] {
  const selected: number[] = [];
  let place = 0;
  for (const tier of direction === 'asc' ? ASCENDING : DESCENDING) {
    for (let start = 0; start < tiers.length && place < to; start += BLOCK) {
      const end = Math.min(start + BLOCK, tiers.length);
      const before = place;
      for (let i = start; i < end; i += 1) place += Number(tiers[i] === tier);
      if (place <= from) continue;
      for (let i = start, at = before; i < end && at < to; i += 1) {
        if (tiers[i] !== tier) continue;
        if (at >= from) selected.push(i);
        at += 1;
      }
    }
  }
  return selected;
}
