// A plan window in terms of the snapshot. Hidden periods are the oldest, and documents are numbered by their newest period,
// so the visible documents are simply the first ones.
import { checkWindow } from '../../domain/plan.ts';
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

/** Undefined for an empty window. Not everyone who asks for one needs its summaries, so they may be missing until they are read. */
export function findWindow(view: SnapshotView, { window }: Pick<SearchPlan, 'window'>): PlanWindow | undefined {
  if (window.length === 0) return undefined;
  checkWindow(window, view.periods);
  return {
    firstPeriod: view.periods.length - window.length,
    visibleCount: view.periodEnds[window.length - 1] ?? 0,
    newestCount: view.periodEnds[0] ?? 0,
    get summaries() {
      const summaries = view.summaries.get(window.length);
      if (!summaries) throw new Error(`the summaries of ${window.length} periods are not attached`);
      return summaries;
    },
  };
}
