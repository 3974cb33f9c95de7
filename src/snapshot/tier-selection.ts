// best_match has a handful of tiers, and within a tier the documents' own order counts: newer period, then rank, then term.
// So a page of it needs no keys and no sort: the tiers are counted, and the places of the page counted off.
import type { OrderDirection } from '../domain/search-query.ts';

/** More than there are tiers. */
const TIER_ROOM = 8;
const TURNS = 8;
const BLOCK = 256;

/** The positions at places `from` to `to`, the highest tier first unless ascending. */
export function selectTiers(
  tiers: Uint8Array,
  { from, to, direction }: { readonly from: number; readonly to: number; readonly direction: OrderDirection },
): readonly number[] {
  const counts = countTiers(tiers);
  const order = [...counts.keys()];
  if (direction === 'desc') order.reverse();
  const selected: number[] = [];
  let place = 0;
  for (const tier of order) {
    const end = place + (counts[tier] ?? 0);
    const isTouched = end > from && place < to;
    let i = 0;
    // What is before the page is only counted, block by block and so without a branch that could be mispredicted.
    while (isTouched && place < from) {
      const inBlock = countInBlock(tiers, { tier, start: i });
      if (place + inBlock > from) break;
      place += inBlock;
      i += BLOCK;
    }
    for (; isTouched && place < end && place < to; i += 1) {
      if (tiers[i] !== tier) continue;
      if (place >= from) selected.push(i);
      place += 1;
    }
    place = end;
  }
  return selected;
}

function countInBlock(tiers: Uint8Array, { tier, start }: { readonly tier: number; readonly start: number }): number {
  let count = 0;
  for (let i = start; i < start + BLOCK; i += 1) count += Number(tiers[i] === tier);
  return count;
}

/** Most neighbours have the same tier; counted in turns, no count waits for the one before. */
function countTiers(tiers: Uint8Array): Uint32Array {
  const inTurns = new Uint32Array(TIER_ROOM * TURNS);
  for (let i = 0; i < tiers.length; i += 1) {
    const at = (i % TURNS) * TIER_ROOM + ((tiers[i] ?? 0) % TIER_ROOM);
    inTurns[at] = (inTurns[at] ?? 0) + 1;
  }
  const counts = new Uint32Array(TIER_ROOM);
  for (const [at, count] of inTurns.entries()) counts[at % TIER_ROOM] = (counts[at % TIER_ROOM] ?? 0) + count;
  return counts;
}
