// Orders by a sort key. A key ascends whatever the direction, and null is behind everything.
import type { OrderDirection } from '../../domain/search-query.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { compareTexts } from '../format/text-column.ts';
import { takeRoom } from './arena.ts';
import { type BlockBounds, type BoundedKeys, keepPromising, LowestKeys } from './block-bounds.ts';
import type { DocumentList } from './document-list.ts';
import type { Matches } from './matches.ts';
import { keepNear, type NearDocuments, type OrderColumn } from './near-page.ts';
import { HIGHEST_KEY, LAST_KEY, type SelectionOrder, type Slice, selectPositions } from './selection.ts';

export const NULL_KEY = LAST_KEY;

export interface KeyOrder {
  /** By position. Undefined when the documents already stand in the wanted order. */
  readonly keysOf: (matches: Pick<Matches, 'documents' | 'codes'>) => Uint32Array | undefined;
  /** What decides among equal keys: the latest rank and then the term, or the order in which documents are numbered. */
  readonly ties: 'rank' | 'document';
  /** What is known of the keys of all documents; with it few of a long list are looked at for a first page. */
  readonly bounded?: () => BoundedKeys;
  /** The column whose values are the keys; with it a deep page takes one pass over the column. */
  readonly column?: OrderColumn;
}

/** The documents at the places of the slice, in order. */
export function selectByKeys(
  view: SnapshotView,
  { order, matches, slice }: { readonly order: KeyOrder; readonly matches: Matches; readonly slice: Slice },
): readonly number[] {
  const near = narrow(order, matches.documents, slice);
  const { documents } = near;
  const keys = order.keysOf({ documents, codes: matches.codes });
  if (!keys) return Array.from(documents.subarray(near.slice.from, near.slice.to));
  const ties = order.ties === 'rank' ? rankTies(view, documents) : undefined;
  return selectPositions({ keys, ties }, near.slice).map((position) => documents[position] ?? 0);
}

/** Leaves out documents that are not on the page, as far as that can be seen without their keys. */
function narrow({ bounded, column }: KeyOrder, documents: DocumentList, slice: Slice): NearDocuments {
  const promising = bounded ? keepPromising(documents, { places: slice.to, keys: bounded() }) : documents;
  const near = column && promising === documents ? keepNear(documents, { slice, column }) : undefined;
  return near ?? { documents: promising, slice };
}

/** Latest rank, then normalised term in code point order. */
function rankTies(view: SnapshotView, documents: DocumentList): NonNullable<SelectionOrder['ties']> {
  const slotAt = (position: number): number => view.documentSlots[documents[position] ?? 0] ?? 0;
  return {
    levels: [(position) => view.latestRanks[documents[position] ?? 0] ?? 0],
    compare: (a, b) => compareTexts(view.terms, [slotAt(a), slotAt(b)]),
  };
}

export function directedKey(value: number, direction: OrderDirection): number {
  return direction === 'asc' ? value : HIGHEST_KEY - value;
}

/** The values of a column as keys. */
export function gatherKeys(
  documents: DocumentList,
  { column, direction }: { readonly column: Uint32Array | Uint16Array; readonly direction: OrderDirection },
): Uint32Array {
  const keys = takeRoom('orderKeys', documents.length).subarray(0, documents.length);
  if (direction === 'asc') {
    for (let i = 0; i < keys.length; i += 1) keys[i] = column[documents[i] ?? 0] ?? 0;
  } else {
    for (let i = 0; i < keys.length; i += 1) keys[i] = HIGHEST_KEY - (column[documents[i] ?? 0] ?? 0);
  }
  return keys;
}

/**
 * Computed lazily per column (a few ms; eight bytes for 64 documents). `addKeys` takes in the keys of all
 * documents, in any order.
 */
export function boundsOf<Column extends object>(
  column: Column,
  options: {
    readonly known: Pick<Map<Column, BlockBounds>, 'get'> & { set(column: Column, bounds: BlockBounds): unknown };
    readonly documentCount: number;
    readonly addKeys: (lowest: LowestKeys) => void;
  },
): BlockBounds {
  const { known, documentCount, addKeys } = options;
  const bounds = known.get(column);
  if (bounds) return bounds;
  const lowest = new LowestKeys(documentCount);
  addKeys(lowest);
  const made = lowest.bounds();
  known.set(column, made);
  return made;
}
