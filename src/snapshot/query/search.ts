// One search over a snapshot: match, order, cut. Synchronous and without side effects; worker threads call it.
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { releaseLists } from './arena.ts';
import { findMatches } from './matches.ts';
import { findWindow, type PlanWindow } from './plan-window.ts';
import { openOrder } from './search-order.ts';

export interface SearchOutcome {
  readonly plan: SearchPlan;
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
  if (!window) return { plan, totalCount: 0, documents: [], window };
  const slice = { from: plan.offset, to: plan.offset + plan.limit };
  const context = { view, plan, window, slice, direction: plan.order.direction, throwIfCancelled };
  const order = openOrder(context);
  const matches = findMatches(context, order.openRelevance);
  throwIfCancelled();
  const { totalCount } = matches;
  if (slice.from >= totalCount) return { plan, totalCount, documents: [], window };
  return { plan, totalCount, documents: order.select(matches), window };
}
