// What products gained and lost from one period to the next: two lists side by side, read at one place each.
import type { ProductChangePlan, ProductChanges, StandingChange } from '../../domain/tracked-product.ts';
import { NO_CHANGES, standingChange } from '../../domain/tracked-product.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { findWindow } from '../query/plan-window.ts';
import { readSearchTerm } from '../query/search-rows.ts';
import { LAST_KEY } from '../query/selection.ts';
import { mergeTerms, NO_ENTRY, ranksOf, selectTerms } from './candidate-terms.ts';
import { findHolderSlots, type HeldList, indexOfPeriod, placeAt, readHeldList } from './held-list.ts';
import { findTitle } from './term-periods.ts';

interface Options {
  readonly throwIfCancelled: () => void;
}

/** Both lists of a product; `before` is undefined where there is no period before. */
interface Held {
  readonly now: HeldList;
  readonly before: HeldList | undefined;
}

export function listProductChanges(
  view: SnapshotView,
  plan: ProductChangePlan,
  options: Options,
): readonly ProductChanges[] {
  const window = findWindow(view, plan);
  const period = indexOfPeriod(view, plan.period);
  if (!window || period === undefined) return plan.asins.map(() => NO_CHANGES);
  const previous = indexOfPeriod(view, plan.previous);
  return plan.asins.map((asin) => {
    options.throwIfCancelled();
    const slots = findHolderSlots(view, { kind: 'product', asin });
    const now = readHeldList(view, slots, period);
    const before = previous === undefined ? undefined : readHeldList(view, slots, previous);
    return {
      title: findTitle(view, { asin, firstPeriod: window.firstPeriod }),
      keywords: now.terms.length,
      previousKeywords: before?.terms.length ?? null,
      ...compareLists(view, { now, before, period, limit: plan.limit }, options),
    };
  });
}

/** How many keywords changed, and the most searched of them. */
function compareLists(
  view: SnapshotView,
  { now, before, period, limit }: Held & { readonly period: number; readonly limit: number },
  options: Options,
): Pick<ProductChanges, 'counts' | 'rows'> {
  if (!before) return { counts: NO_CHANGES.counts, rows: [] };
  const merged = mergeTerms(now, before, () => true);
  const places = (position: number) => {
    const [entry, earlier] = [merged.now[position] ?? NO_ENTRY, merged.before[position] ?? NO_ENTRY];
    return {
      place: entry === NO_ENTRY ? null : placeAt(now, entry),
      previousPlace: earlier === NO_ENTRY ? null : placeAt(before, earlier),
    };
  };
  const counts: Record<StandingChange, number> = { entered: 0, left: 0, place: 0 };
  const changed = new Uint32Array(merged.terms.length);
  let count = 0;
  for (let position = 0; position < merged.terms.length; position += 1) {
    const { place, previousPlace } = places(position);
    const change = standingChange(place, previousPlace);
    if (!change) continue;
    counts[change] += 1;
    changed[count] = position;
    count += 1;
  }
  if (limit === 0) return { counts, rows: [] };
  const terms = changed.subarray(0, count).map((position) => merged.terms[position] ?? 0);
  const ranks = ranksOf(terms, view.ranks[period]);
  const keys = ranks.map((rank) => rank || LAST_KEY);
  const page = selectTerms(view, { terms, ranks, keys }, { ...options, slice: { from: 0, to: limit } });
  const rows = page.flatMap((at) => {
    const { place, previousPlace } = places(changed[at] ?? 0);
    const change = standingChange(place, previousPlace);
    const searchTerm = readSearchTerm(view, view.slotDocuments[terms[at] ?? 0] ?? 0);
    return change ? [{ change, rank: ranks[at] || null, place, previousPlace, searchTerm }] : [];
  });
  return { counts, rows };
}
