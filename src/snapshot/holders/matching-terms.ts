import { NO_COMPARISON } from '../../domain/comparison.ts';
import type { Period } from '../../domain/period.ts';
import type { QueryText } from '../../domain/query-text.ts';
import { NO_FILTERS } from '../../domain/search-filter.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { releaseLists } from '../query/arena.ts';
import { countBelow } from '../query/document-list.ts';
import { findMatches } from '../query/matches.ts';
import { findWindow } from '../query/plan-window.ts';

/** The positions of the terms that a search for one of the texts finds; undefined for all of them, when there is none. */
export function findMatching(
  view: SnapshotView,
  {
    plan: { window: periods, queries },
    terms,
  }: {
    readonly plan: { readonly window: readonly Period[]; readonly queries: readonly QueryText[] };
    readonly terms: Uint32Array;
  },
  { throwIfCancelled }: { readonly throwIfCancelled: () => void },
): Uint32Array | undefined {
  const window = findWindow(view, { window: periods });
  if (queries.length === 0 || !window) return undefined;
  releaseLists();
  const { documents } = findMatches({
    view,
    plan: {
      window: periods,
      match: { kind: 'similar', queries, excluded: [] },
      filters: NO_FILTERS,
      order: { kind: 'field', field: 'latest_rank', direction: 'asc' },
      comparison: NO_COMPARISON,
      includesInsights: false,
      offset: 0,
      limit: 0,
    },
    window,
    throwIfCancelled,
  });
  const kept = new Uint32Array(terms.length);
  let count = 0;
  for (let position = 0; position < terms.length; position += 1) {
    const document = view.slotDocuments[terms[position] ?? 0] ?? 0;
    // Matches ascend, so a document stands where as many are below it.
    kept[count] = position;
    count += Number(documents[countBelow(documents, document)] === document);
  }
  return kept.subarray(0, count);
}
