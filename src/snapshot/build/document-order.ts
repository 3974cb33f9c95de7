// Equal ranks within one period are rare (only hand-made files have them), but the order of documents must be total:
// newest period, then rank, then normalised term.

import { DOCUMENT_COLUMNS, type DocumentColumn } from '../format/format.ts';
import { compareTexts } from '../format/text-column.ts';
import type { BuildState } from './build-state.ts';
import { currentText } from './growing.ts';

/** Of the documents that this build puts in; all others have theirs. */
export function orderTies(state: BuildState): void {
  let start = 0;
  for (const { documentCount } of state.periods.slice(state.savedPeriodCount).reverse()) {
    orderTiesWithin(state, { start, end: start + documentCount });
    start += documentCount;
  }
}

function orderTiesWithin(state: BuildState, { start, end }: { readonly start: number; readonly end: number }): void {
  const ranks = state.fresh['latest-rank'];
  for (let first = start; first < end; ) {
    let last = first + 1;
    while (last < end && ranks[last] === ranks[first]) last += 1;
    if (last - first > 1) sortRun(state, { start: first, end: last });
    first = last;
  }
}

function sortRun(state: BuildState, { start, end }: { readonly start: number; readonly end: number }): void {
  const terms = currentText(state.terms);
  const slots = state.fresh['document-slot'];
  const order = Array.from({ length: end - start }, (_, i) => start + i);
  order.sort((a, b) => compareTexts(terms, [slots[a] ?? 0, slots[b] ?? 0]));
  for (const name of Object.keys(DOCUMENT_COLUMNS) as DocumentColumn[]) {
    const column = state.fresh[name];
    const sorted = order.map((document) => column[document] ?? 0);
    for (const [i, value] of sorted.entries()) column[start + i] = value;
  }
}
