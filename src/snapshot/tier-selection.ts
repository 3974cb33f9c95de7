// best_match has a handful of tiers, and within a tier the documents' own order counts: newer period, then rank, then term.
// So a page of it needs no keys and no sort: the tiers are counted, and the places of the page counted off.
import type { OrderDirection } from '../domain/search-query.ts';

/** The positions at places `from` to `to`, the highest tier first unless ascending. */
export function selectTiers(
  tiers: Uint8Array,
  { from, to, direction }: { readonly from: number; readonly to: number; readonly direction: OrderDirection },
): readonly number[] {
  const counts = new Uint32Array(256);
  for (let i = 0; i < tiers.length; i += 1) counts[tiers[i] ?? 0] = (counts[tiers[i] ?? 0] ?? 0) + 1;
  const order = [...counts.keys()];
  if (direction === 'desc') order.reverse();
  const selected: number[] = [];
  let place = 0;
  for (const tier of order) {
    const end = place + (counts[tier] ?? 0);
    const isTouched = end > from && place < to;
    for (let i = 0; isTouched && place < end && place < to; i += 1) {
      if (tiers[i] !== tier) continue;
      if (place >= from) selected.push(i);
      place += 1;
    }
    place = end;
  }
  return selected;
}
