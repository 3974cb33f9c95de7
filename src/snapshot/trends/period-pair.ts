// Two periods, as a list of changes needs them. For the newest pair the build has sorted everything (change-lists.ts, moves.ts). For any other
// there are the two columns of ranks, and a list is one pass over both (pair-moves.ts).
import { isSamePeriod, type Period } from '../../domain/period.ts';
import type { ChangePlan } from '../../domain/trend.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import type { SparseColumn } from '../format/sparse-column.ts';

export interface PeriodPair {
  readonly previous: SparseColumn;
  readonly latest: SparseColumn;
  /** The two newest periods. */
  readonly isNewest: boolean;
}

/** Undefined where one of the two has no data. */
export function openPair(
  view: SnapshotView,
  { previous, current }: Pick<ChangePlan, 'previous' | 'current'>,
): PeriodPair | undefined {
  const [from, to] = [indexOf(view, previous), indexOf(view, current)];
  const [earlier, later] = [view.ranks[from], view.ranks[to]];
  if (!earlier || !later) return undefined;
  const newest = view.periods.length - 1;
  return { previous: earlier, latest: later, isNewest: to === newest && from === newest - 1 };
}

function indexOf({ periods }: SnapshotView, wanted: Period | undefined): number {
  return wanted ? periods.findIndex((period) => isSamePeriod(period, wanted)) : -1;
}
