// The terms that two lists of a product or a brand have between them, as columns: what is listed, ordered and cut may be a hundred thousand.
import type { SnapshotView } from '../format/snapshot-view.ts';
import { gatherValues, type SparseColumn } from '../format/sparse-column.ts';
import { compareTexts } from '../format/text-column.ts';
import { LAST_KEY, type SelectionOrder, type Slice, selectPositions } from '../query/selection.ts';
import type { HeldList } from './held-list.ts';

/** No entry in a list. */
export const NO_ENTRY = -1;

/** By position, ascending by term. */
export interface CandidateTerms {
  readonly terms: Uint32Array;
  /** The entry of the term in the list of the period, and in that of the one before. */
  readonly now: Int32Array;
  readonly before: Int32Array;
}

/** Those of either list that are wanted. */
export function mergeTerms(
  now: HeldList,
  before: HeldList,
  isWanted: (isHeld: boolean, wasHeld: boolean) => boolean,
): CandidateTerms {
  const room = now.terms.length + before.terms.length;
  const [terms, nowEntries, beforeEntries] = [new Uint32Array(room), new Int32Array(room), new Int32Array(room)];
  const wanted = { both: isWanted(true, true), held: isWanted(true, false), left: isWanted(false, true) };
  let count = 0;
  for (let i = 0, j = 0; i < now.terms.length || j < before.terms.length; ) {
    const left = i < now.terms.length ? (now.terms[i] ?? 0) >>> 2 : LAST_KEY;
    const right = j < before.terms.length ? (before.terms[j] ?? 0) >>> 2 : LAST_KEY;
    const [isHeld, wasHeld] = [left <= right, right <= left];
    terms[count] = isHeld ? left : right;
    nowEntries[count] = isHeld ? i : NO_ENTRY;
    beforeEntries[count] = wasHeld ? j : NO_ENTRY;
    count += Number(isHeld ? (wasHeld ? wanted.both : wanted.held) : wanted.left);
    i += Number(isHeld);
    j += Number(wasHeld);
  }
  return {
    terms: terms.subarray(0, count),
    now: nowEntries.subarray(0, count),
    before: beforeEntries.subarray(0, count),
  };
}

/** Of each term, 0 for none. */
export function ranksOf(terms: Uint32Array, ranks: SparseColumn | undefined): Uint32Array {
  const values = terms.slice();
  if (!ranks) return values.fill(0);
  gatherValues(ranks, { values, count: values.length, width: 1, from: 0, to: 0 });
  return values;
}

/** The positions of a page: by key, then by rank, those without one last, then by term. */
export function selectTerms(
  view: SnapshotView,
  { terms, ranks, keys }: { readonly terms: Uint32Array; readonly ranks: Uint32Array; readonly keys: Uint32Array },
  options: { readonly slice: Slice; readonly throwIfCancelled: () => void },
): readonly number[] {
  const ties: SelectionOrder['ties'] = {
    levels: [(position) => ranks[position] || LAST_KEY],
    compare: (a, b) => compareTexts(view.terms, [terms[a] ?? 0, terms[b] ?? 0]),
  };
  return selectPositions({ keys, ties }, options.slice, options.throwIfCancelled);
}
