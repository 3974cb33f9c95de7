// The oracle of roots: every result of the search, its words as text, counted in a map.
import type { RootPlan } from '../../src/domain/root.ts';
import type { RootRow, TrendPage } from '../../src/domain/store.ts';
import { parseWords } from '../../src/domain/words.ts';
import type { TestData } from '../support/rank-data.ts';
import { compareCodePoints, searchEverything } from './oracle.ts';

export function expectedRoots(data: TestData, { search, kind, order }: RootPlan): TrendPage<RootRow> {
  const roots = new Map<string, RootRow>();
  for (const { normalizedSearchTerm, bestRank, ranks } of searchEverything(data, search)) {
    const words = parseWords(normalizedSearchTerm);
    const phrases = words.slice(1).map((word, i) => `${words[i]} ${word}`);
    const [previous, latest] = ranks.length < 2 ? [null, null] : ranks.slice(-2);
    const isCompared = typeof previous === 'number' && typeof latest === 'number';
    for (const root of new Set([...(kind === 'phrase' ? [] : words), ...(kind === 'word' ? [] : phrases)])) {
      const known = roots.get(root);
      roots.set(root, {
        root,
        kind: root.includes(' ') ? 'phrase' : 'word',
        terms: (known?.terms ?? 0) + 1,
        bestRank: Math.min(known?.bestRank ?? bestRank, bestRank),
        rising: (known?.rising ?? 0) + (isCompared && latest < previous ? 1 : 0),
        falling: (known?.falling ?? 0) + (isCompared && latest > previous ? 1 : 0),
      });
    }
  }
  const sign = order.direction === 'asc' ? 1 : -1;
  const fieldOf = ({ terms, bestRank, rising, falling }: RootRow): number =>
    ({ terms, best_rank: bestRank, rising, falling })[order.field];
  const sorted = [...roots.values()].sort(
    (a, b) => sign * (fieldOf(a) - fieldOf(b)) || a.bestRank - b.bestRank || compareCodePoints(a.root, b.root),
  );
  return { totalCount: sorted.length, rows: sorted.slice(search.offset, search.offset + search.limit) };
}
