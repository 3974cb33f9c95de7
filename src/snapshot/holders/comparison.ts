// The keywords of several products of one period, side by side.
import type { ComparePlan, Comparison } from '../../domain/holder.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { directedKey } from '../query/key-order.ts';
import { findWindow } from '../query/plan-window.ts';
import { readSearchTerm } from '../query/search-rows.ts';
import { LAST_KEY } from '../query/selection.ts';
import { NO_ENTRY, ranksOf, selectTerms } from './candidate-terms.ts';
import { emptyList, findHolderSlots, type HeldList, indexOfPeriod, readHeldList, standingAt } from './held-list.ts';
import { findMatching } from './matching-terms.ts';
import { findTitle } from './term-periods.ts';

/** Terms between two looks at the cancellation flag. */
const CHUNK = 16_384;

export function compareProducts(
  view: SnapshotView,
  plan: ComparePlan,
  options: { readonly throwIfCancelled: () => void },
): Comparison {
  const window = findWindow(view, plan);
  const firstPeriod = window?.firstPeriod ?? view.periods.length;
  const period = window ? indexOfPeriod(view, plan.period) : undefined;
  const lists = plan.asins.map((asin) => {
    const slots = findHolderSlots(view, { kind: 'product', asin });
    return period === undefined ? emptyList(slots.kind) : readHeldList(view, slots, period);
  });
  const wanted = listWanted(lists, plan.mode, options.throwIfCancelled);
  const kept = findMatching(view, { plan, terms: wanted }, options);
  const terms = kept ? kept.map((position) => wanted[position] ?? 0) : wanted;
  const ranks = ranksOf(terms, period === undefined ? undefined : view.ranks[period]);
  const keys = ranks.map((rank) => directedKey(rank, plan.direction));
  const slice = { from: plan.offset, to: plan.offset + plan.limit };
  const page = selectTerms(view, { terms, ranks, keys }, { ...options, slice });
  return {
    totalCount: terms.length,
    rows: page.map((position) => {
      const term = terms[position] ?? 0;
      return {
        searchTerm: readSearchTerm(view, view.slotDocuments[term] ?? 0),
        rank: ranks[position] ?? 0,
        standings: lists.map((list) => {
          const entry = findTerm(list, term);
          return entry === NO_ENTRY ? null : standingAt(list, entry);
        }),
      };
    }),
    products: plan.asins.map((asin, i) => {
      return { title: findTitle(view, { asin, firstPeriod }), keywords: lists[i]?.terms.length ?? 0 };
    }),
  };
}

/** The terms that the mode wants of any of the lists; all of them ascend. */
function listWanted(lists: readonly HeldList[], mode: ComparePlan['mode'], throwIfCancelled: () => void): Uint32Array {
  const wanted = new Uint32Array(lists.reduce((sum, { terms }) => sum + terms.length, 0));
  const next = new Uint32Array(lists.length);
  let count = 0;
  for (let seen = 0; ; seen += 1) {
    if (seen % CHUNK === 0) throwIfCancelled();
    let term = LAST_KEY;
    for (let i = 0; i < next.length; i += 1) term = Math.min(term, termAt(lists[i], next[i] ?? 0));
    if (term === LAST_KEY) return wanted.subarray(0, count);
    let holders = 0;
    let isHeldByFirst = false;
    for (let i = 0; i < next.length; i += 1) {
      const at = next[i] ?? 0;
      if (termAt(lists[i], at) !== term) continue;
      next[i] = at + 1;
      holders += 1;
      if (i === 0) isHeldByFirst = true;
    }
    wanted[count] = term;
    count += Number(mode === 'any' || (mode === 'shared' ? holders === lists.length : !isHeldByFirst));
  }
}

function termAt(list: HeldList | undefined, entry: number): number {
  return list && entry < list.terms.length ? (list.terms[entry] ?? 0) >>> 2 : LAST_KEY;
}

function findTerm({ terms }: HeldList, term: number): number {
  let low = 0;
  let high = terms.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((terms[middle] ?? 0) >>> 2 < term) low = middle + 1;
    else high = middle;
  }
  return low < terms.length && (terms[low] ?? 0) >>> 2 === term ? low : NO_ENTRY;
}
