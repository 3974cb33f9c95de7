// A plan window in terms of the snapshot. Hidden periods are the oldest, and documents are numbered by their newest period,
// so the visible documents are simply the first ones.
import { isSamePeriod } from '../../domain/period.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { SnapshotView, Summaries } from '../format/snapshot-view.ts';

export interface PlanWindow {
  /** Index of the oldest visible period in the view's periods. */
  readonly firstPeriod: number;
  /** Documents below this number are visible. */
  readonly visibleCount: number;
  /** Documents below this number are ranked in the newest period. */
  readonly newestCount: number;
  readonly summaries: Summaries;
}

/** Undefined for an empty window. Any other window must be one that the snapshot has summaries for. */
export function findWindow(view: SnapshotView, { window }: Pick<SearchPlan, 'window'>): PlanWindow | undefined {
  const [oldest] = window;
  if (!oldest) return undefined;
  const firstPeriod = view.periods.length - window.length;
  const summaries = view.summaries.get(window.length);
  const first = view.periods[firstPeriod];
  if (!summaries || !first || !isSamePeriod(first, oldest)) {
    throw new Error(`the snapshot has no window of ${window.length} periods that begins as the plan's`);
  }
  return {
    firstPeriod,
    visibleCount: view.periodEnds[window.length - 1] ?? 0,
    newestCount: view.periodEnds[0] ?? 0,
    summaries,
  };
}
