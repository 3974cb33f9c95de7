// A deep page of a long list in the order of a column. A sample tells between which two values the page lies, and one pass over
// the column keeps the documents between them and counts those before: nothing else is fetched twice.
import type { OrderDirection } from '../../domain/search-query.ts';
import { takeList } from './arena.ts';
import type { DocumentList } from './document-list.ts';
import { guessBounds, HIGHEST_KEY, isGoodGuess, LAST_KEY, SAMPLED_FROM, type Slice, sampleKeys } from './selection.ts';

export interface OrderColumn {
  readonly values: Uint32Array;
  readonly direction: OrderDirection;
}

export interface NearDocuments {
  /** Ascending, among them all of the slice. */
  readonly documents: DocumentList;
  /** Where the slice is among them. */
  readonly slice: Slice;
}

/** Undefined when the list is short, or when the sample gave no good guess. */
export function keepNear(
  documents: DocumentList,
  { slice, column: { values, direction } }: { readonly slice: Slice; readonly column: OrderColumn },
): NearDocuments | undefined {
  if (documents.length < SAMPLED_FROM) return undefined;
  const keyOf = (value: number): number => (direction === 'asc' ? value : HIGHEST_KEY - value);
  const sample = sampleKeys(documents.length, (position) => keyOf(values[documents[position] ?? 0] ?? 0));
  const bounds = guessBounds(sample, { slice, count: documents.length, last: LAST_KEY });
  if (!isGoodGuess(sample, bounds)) return undefined;
  const [low, high] = [keyOf(bounds.low), keyOf(bounds.high)].sort((a, b) => a - b);
  const near = keepBetween(documents, { values, low: low ?? 0, high: high ?? 0 });
  const before = direction === 'asc' ? near.below : documents.length - near.below - near.documents.length;
  const from = slice.from - before;
  const to = Math.min(slice.to, documents.length) - before;
  return from < 0 || to > near.documents.length ? undefined : { documents: near.documents, slice: { from, to } };
}

function keepBetween(
  documents: DocumentList,
  { values, low, high }: { readonly values: Uint32Array; readonly low: number; readonly high: number },
): { readonly documents: DocumentList; readonly below: number } {
  const kept = takeList(documents.length);
  const span = high - low;
  let below = 0;
  let count = 0;
  // Which are kept is unpredictable, so there must be no branch. One below wraps round to a number above every span.
  for (let i = 0; i < documents.length; i += 1) {
    const document = documents[i] ?? 0;
    const above = (values[document] ?? 0) - low;
    kept[count] = document;
    count += Number(above >>> 0 <= span);
    below += Number(above < 0);
  }
  return { documents: kept.subarray(0, count), below };
}
