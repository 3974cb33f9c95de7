// One search over a snapshot: match, order, cut. Synchronous and without side effects; worker threads call it.
import type { SearchPlan } from '../domain/search-plan.ts';
import { keepPromising } from './block-bounds.ts';
import { findMatches, type Matches, type SearchContext } from './matches.ts';
import { boundKeys, planSelection } from './order-keys.ts';
import { findWindow, type PlanWindow } from './plan-window.ts';
import { releaseLists } from './scratch-room.ts';
import { selectPositions } from './selection.ts';
import type { SnapshotView } from './snapshot-view.ts';
import { selectTiers } from './tier-selection.ts';

export interface SearchOutcome {
  readonly totalCount: number;
  /** Those of the plan's slice, in order. */
  readonly documents: readonly number[];
  /** Undefined only when there are no documents. */
  readonly window: PlanWindow | undefined;
}

export function search(
  view: SnapshotView,
  plan: SearchPlan,
  { throwIfCancelled }: { readonly throwIfCancelled: () => void },
): SearchOutcome {
  releaseLists();
  const window = findWindow(view, plan);
  if (!window) return { totalCount: 0, documents: [], window };
  const slice = { from: plan.offset, to: plan.offset + plan.limit };
  const context = { view, plan, window, places: slice.to, throwIfCancelled };
  const matches = findMatches(context);
  throwIfCancelled();
  const { totalCount } = matches;
  if (slice.from >= totalCount) return { totalCount, documents: [], window };
  return { totalCount, documents: selectDocuments(context, matches, slice), window };
}

function selectDocuments(
  context: SearchContext,
  matches: Matches,
  slice: { readonly from: number; readonly to: number },
): readonly number[] {
  const { codes } = matches;
  const keys = codes ? undefined : boundKeys(context);
  const documents = keys ? keepPromising(matches.documents, { places: slice.to, keys }) : matches.documents;
  const documentAt = (position: number): number => documents[position] ?? 0;
  if (codes instanceof Uint8Array) {
    return selectTiers(codes, { ...slice, direction: context.plan.order.direction }).map(documentAt);
  }
  const order = planSelection(context, { documents, codes });
  if (!order) return Array.from(documents.subarray(slice.from, slice.to));
  return selectPositions(order, slice).map(documentAt);
}
