// What whoever watches single terms asks of a snapshot. Synchronous and without side effects; worker threads call it.
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { LatestRankPlan } from '../../domain/trend.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { valueAt } from '../format/sparse-column.ts';
import { countBelow } from './document-list.ts';
import { findMatches, findTerm } from './matches.ts';
import { findWindow } from './plan-window.ts';

export function listTermRanks(view: SnapshotView, plan: LatestRankPlan): readonly (readonly (number | null)[])[] {
  const window = findWindow(view, plan);
  const columns = window ? view.ranks.slice(window.firstPeriod) : [];
  return plan.terms.map((term) => {
    const document = findTerm(view, term);
    const slot = document === undefined ? undefined : view.documentSlots[document];
    return columns.map((ranks) => (slot === undefined ? null : valueAt(ranks, slot) || null));
  });
}

export function listMatches(
  view: SnapshotView,
  { plan, terms }: { readonly plan: SearchPlan; readonly terms: readonly string[] },
  { throwIfCancelled }: { readonly throwIfCancelled: () => void },
): readonly boolean[] {
  const window = findWindow(view, plan);
  if (!window) return terms.map(() => false);
  const { documents } = findMatches({ view, plan, window, throwIfCancelled });
  return terms.map((term) => {
    const document = findTerm(view, term);
    // Matches ascend, so a document stands where as many are below it.
    return document !== undefined && documents[countBelow(documents, document)] === document;
  });
}
