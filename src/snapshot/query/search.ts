// One search over a snapshot: match, order, cut. Synchronous and without side effects; worker threads call it.
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { releaseLists } from './arena.ts';
import { keepPromising } from './block-bounds.ts';
import type { DocumentList } from './document-list.ts';
import { findMatches, type Matches, type SearchContext } from './matches.ts';
import { keepNear, type NearDocuments } from './near-page.ts';
import { boundKeys, findOrderColumn, planSelection } from './order-keys.ts';
import { findWindow, type PlanWindow } from './plan-window.ts';
import { type Slice, selectPositions } from './selection.ts';
import { selectTiers, TIER_BY_TIER, TierBlocks } from './tier-blocks.ts';

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
  const context = { view, plan, window, slice, throwIfCancelled };
  const matches = findMatches(context);
  throwIfCancelled();
  const { totalCount } = matches;
  if (slice.from >= totalCount) return { totalCount, documents: [], window };
  return { totalCount, documents: selectDocuments(context, matches, slice), window };
}

function selectDocuments(context: SearchContext, matches: Matches, slice: Slice): readonly number[] {
  const { codes, page } = matches;
  if (page) return page;
  if (codes instanceof Uint16Array) {
    const blocks = new TierBlocks({ documents: matches.documents, marks: codes, tierByMark: TIER_BY_TIER });
    return selectTiers([blocks.lookAtAll()], { ...slice, direction: context.plan.order.direction });
  }
  const { documents, slice: places } = codes ? { ...matches, slice } : narrow(context, matches.documents, slice);
  const order = planSelection(context, { documents, codes });
  if (!order) return Array.from(documents.subarray(places.from, places.to));
  return selectPositions(order, places).map((position) => documents[position] ?? 0);
}

/** Leaves out documents that are not on the page, as far as that can be seen without their keys. */
function narrow(context: SearchContext, documents: DocumentList, slice: Slice): NearDocuments {
  const keys = boundKeys(context);
  const promising = keys ? keepPromising(documents, { places: slice.to, keys }) : documents;
  const column = findOrderColumn(context);
  const near = column && promising === documents ? keepNear(documents, { slice, column }) : undefined;
  return near ?? { documents: promising, slice };
}
