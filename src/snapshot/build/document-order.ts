// Equal ranks within one period are rare (only hand-made files have them), but the order of documents must be total:
// newest period, then rank, then normalised term.

import { DOCUMENT_COLUMNS, type DocumentColumn } from '../format/format.ts';
import { compareTexts } from '../format/text-column.ts';
import type { BuildState } from './build-state.ts';
import { gatherTerms } from './slot-ranges.ts';

interface Run {
  readonly start: number;
  readonly end: number;
}

/** Of the documents that this build puts in; all others have theirs. */
export async function orderTies(state: BuildState): Promise<void> {
  const runs = listTies(state);
  if (runs.length === 0) return;
  const slots = state.fresh['document-slot'];
  const tied = runs.flatMap(({ start, end }) => Array.from(slots.subarray(start, end)));
  const terms = await gatherTerms(state, Uint32Array.from(tied));
  let first = 0;
  for (const { start, end } of runs) {
    const order = Array.from({ length: end - start }, (_, i) => i);
    const firstTerm = first;
    order.sort((a, b) => compareTexts(terms, [firstTerm + a, firstTerm + b]));
    for (const name of Object.keys(DOCUMENT_COLUMNS) as DocumentColumn[]) {
      const column = state.fresh[name];
      const sorted = order.map((i) => column[start + i] ?? 0);
      for (const [i, value] of sorted.entries()) column[start + i] = value;
    }
    first += end - start;
  }
}

/** Documents of one period with the same rank, where there are several. */
function listTies({ periods, savedPeriodCount, fresh }: BuildState): readonly Run[] {
  const ranks = fresh['latest-rank'];
  const runs: Run[] = [];
  let start = 0;
  for (const { documentCount } of periods.slice(savedPeriodCount).reverse()) {
    const periodEnd = start + documentCount;
    while (start < periodEnd) {
      let end = start + 1;
      while (end < periodEnd && ranks[end] === ranks[start]) end += 1;
      if (end - start > 1) runs.push({ start, end });
      start = end;
    }
  }
  return runs;
}
