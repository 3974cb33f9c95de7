// What products gained and lost from one period to the next: two lists side by side, read at one place each.
import type { ChangedKeyword, ProductChangePlan, ProductChanges } from '../../domain/tracked-product.ts';
import { NO_CHANGES, standingChange } from '../../domain/tracked-product.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { valueAt } from '../format/sparse-column.ts';
import { compareTexts } from '../format/text-column.ts';
import { findWindow } from '../query/plan-window.ts';
import { readSearchTerm } from '../query/search-rows.ts';
import { findHolderSlots, type HeldList, indexOfPeriod, placeAt, readHeldList } from './held-list.ts';
import { findTitle } from './term-periods.ts';

interface Changed extends Pick<ChangedKeyword, 'change' | 'rank' | 'place' | 'previousPlace'> {
  readonly term: number;
}

export function listProductChanges(
  view: SnapshotView,
  plan: ProductChangePlan,
  { throwIfCancelled }: { readonly throwIfCancelled: () => void },
): readonly ProductChanges[] {
  const window = findWindow(view, plan);
  const period = indexOfPeriod(view, plan.period);
  if (!window || period === undefined) return plan.asins.map(() => NO_CHANGES);
  const previous = indexOfPeriod(view, plan.previous);
  return plan.asins.map((asin) => {
    throwIfCancelled();
    const slots = findHolderSlots(view, { kind: 'product', asin });
    const now = readHeldList(view, slots, period);
    const before = previous === undefined ? undefined : readHeldList(view, slots, previous);
    const changed = before ? listChanged(view, { now, before, period }) : [];
    const countOf = (change: ChangedKeyword['change']) => changed.filter((each) => each.change === change).length;
    return {
      title: findTitle(view, { asin, firstPeriod: window.firstPeriod }),
      keywords: now.terms.length,
      previousKeywords: before?.terms.length ?? null,
      counts: { entered: countOf('entered'), left: countOf('left'), place: countOf('place') },
      rows: sortChanged(view, changed)
        .slice(0, plan.limit)
        .map(({ term, ...row }) => ({ ...row, searchTerm: readSearchTerm(view, view.slotDocuments[term] ?? 0) })),
    };
  });
}

/** Both lists ascend by term. */
function listChanged(
  view: SnapshotView,
  { now, before, period }: { readonly now: HeldList; readonly before: HeldList; readonly period: number },
): readonly Changed[] {
  const ranks = view.ranks[period];
  const changed: Changed[] = [];
  for (let i = 0, j = 0; i < now.terms.length || j < before.terms.length; ) {
    const left = i < now.terms.length ? (now.terms[i] ?? 0) >>> 2 : Number.POSITIVE_INFINITY;
    const right = j < before.terms.length ? (before.terms[j] ?? 0) >>> 2 : Number.POSITIVE_INFINITY;
    const term = Math.min(left, right);
    const place = left === term ? placeAt(now, i) : null;
    const previousPlace = right === term ? placeAt(before, j) : null;
    const change = standingChange(place, previousPlace);
    const rank = (ranks && valueAt(ranks, term)) || null;
    if (change) changed.push({ change, rank, place, previousPlace, term });
    i += left === term ? 1 : 0;
    j += right === term ? 1 : 0;
  }
  return changed;
}

function sortChanged(view: SnapshotView, changed: readonly Changed[]): readonly Changed[] {
  const last = Number.POSITIVE_INFINITY;
  return changed.toSorted((a, b) => {
    const [left, right] = [a.rank ?? last, b.rank ?? last];
    if (left !== right) return left < right ? -1 : 1;
    return compareTexts(view.terms, [a.term, b.term]);
  });
}
