// The floor under every search for a word: one pass over its posting list and the key column that keeps the best fifty. No
// engine over this layout can be faster.
import { DEFAULT_SEARCH_LIMIT } from '../../src/domain/search-query.ts';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { LAST_KEY } from '../../src/snapshot/query/selection.ts';

export function scanFloor(view: SnapshotView, stemSlot: number): number {
  const column = view.summaries.get(view.periods.length)?.avgRanks ?? new Uint32Array(0);
  const start = stemSlot === 0 ? 0 : (view.stemPostingEnds[stemSlot - 1] ?? 0);
  const end = view.stemPostingEnds[stemSlot] ?? 0;
  const last = DEFAULT_SEARCH_LIMIT - 1;
  const best = new Uint32Array(DEFAULT_SEARCH_LIMIT).fill(LAST_KEY);
  let worst = LAST_KEY;
  for (let i = start; i < end; i += 1) {
    const key = column[view.stemPostings[i] ?? 0] ?? 0;
    if (key >= worst) continue;
    let at = last;
    for (; at > 0 && (best[at - 1] ?? 0) > key; at -= 1) best[at] = best[at - 1] ?? 0;
    best[at] = key;
    worst = best[last] ?? 0;
  }
  return worst;
}
