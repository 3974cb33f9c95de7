// Filters narrow a list of documents in one pass each, cheapest first, by columns in document order. Which documents are kept
// is unpredictable, so the passes write every document and advance only behind those that stay: without branches.
import { type FilterField, type Filters, SEARCH_FILTERS } from '../../domain/search-filter.ts';
import { listBrands } from '../build/brand-index.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { listEntries } from '../format/text-column.ts';
import { takeList } from './arena.ts';
import { keepMarkedCategories, markCategories } from './category-filter.ts';
import { type DocumentList, unite } from './document-list.ts';

/** By each text filter but the category, which documents it keeps, visible or not. One that is missing does not compile. */
const LISTS: {
  readonly [F in Exclude<FilterField<'texts'>, 'categories'>]: (view: SnapshotView, wanted: Filters[F]) => DocumentList;
} = { asins: listProductDocuments, brands: listBrandDocuments };

type Column = 'latestRanks' | 'wordCounts';

/** By each bound, the column of what it bounds. One that is missing does not compile. */
const COLUMNS: Readonly<Record<FilterField<'bound'>, Column>> = {
  minRank: 'latestRanks',
  maxRank: 'latestRanks',
  minWords: 'wordCounts',
  maxWords: 'wordCounts',
};

interface Range {
  readonly column: Column;
  min: number;
  max: number;
}

/** Made once per search. */
export interface PreparedFilter {
  /** The documents that have the wanted products, those that have the wanted brands, and so on. */
  readonly lists: readonly DocumentList[];
  readonly ranges: readonly Range[];
  /** Which categories are wanted. */
  readonly categories: Uint8Array | undefined;
}

const LIST_FIELDS = Object.keys(LISTS) as (keyof typeof LISTS)[];
const BOUNDS = (Object.keys(COLUMNS) as FilterField<'bound'>[]).map((field) => {
  return { field, column: COLUMNS[field], isLeast: SEARCH_FILTERS[field].side === 'least' };
});

export function prepareFilter(view: SnapshotView, filters: Filters): PreparedFilter {
  const lists: DocumentList[] = [];
  for (const field of LIST_FIELDS) if (filters[field].length > 0) lists.push(LISTS[field](view, filters[field]));
  return {
    lists,
    ranges: boundColumns(filters),
    categories: filters.categories.length === 0 ? undefined : markCategories(view, filters.categories),
  };
}

/** Both bounds of a column are one pass over it. */
function boundColumns(filters: Filters): readonly Range[] {
  const ranges: Range[] = [];
  for (const { field, column, isLeast } of BOUNDS) {
    const bound = filters[field];
    if (bound === undefined) continue;
    const known = ranges.find((each) => each.column === column);
    const range = known ?? { column, min: 0, max: Number.POSITIVE_INFINITY };
    if (!known) ranges.push(range);
    if (isLeast) range.min = Math.max(range.min, bound);
    else range.max = Math.min(range.max, bound);
  }
  return ranges;
}

/** The product slots of ASINs, one for each title that periods gave a product. */
export function findProducts(view: SnapshotView, asins: readonly string[]): ReadonlySet<number> {
  return new Set(asins.flatMap((asin) => listEntries(view.asinIndex, view.asins, asin)));
}

/** Every document, visible or not, that has one of the products. */
export function listProductDocuments(view: SnapshotView, asins: readonly string[]): DocumentList {
  return uniteLists(findProducts(view, asins), { ends: view.productPostingEnds, postings: view.productPostings });
}

function listBrandDocuments(view: SnapshotView, foldedNames: readonly string[]): DocumentList {
  const brands = new Set(foldedNames.flatMap((name) => listBrands(view.brandIndex, view.brandNames, name)));
  return uniteLists(brands, { ends: view.brandPostingEnds, postings: view.brandPostings });
}

function uniteLists(
  values: ReadonlySet<number>,
  { ends, postings }: { readonly ends: Uint32Array; readonly postings: DocumentList },
): DocumentList {
  return unite(
    [...values].map((value) => postings.subarray(value === 0 ? 0 : (ends[value - 1] ?? 0), ends[value] ?? 0)),
  );
}

/** All but the lists, which the caller intersects with others, the shortest first. */
export function applyFilter(
  view: SnapshotView,
  documents: DocumentList,
  { ranges, categories }: PreparedFilter,
): DocumentList {
  let list = documents;
  for (const range of ranges) list = keepWithin(list, view[range.column], range);
  if (!categories) return list;
  const kept = { documents: takeList(list.length), count: 0 };
  keepMarkedCategories(kept, list, { view, marks: categories, owners: list });
  return kept.documents.subarray(0, kept.count);
}

function keepWithin(list: DocumentList, column: Uint32Array | Uint8Array, { min, max }: Range): DocumentList {
  const out = takeList(list.length);
  let count = 0;
  for (let i = 0; i < list.length; i += 1) {
    const document = list[i] ?? 0;
    const value = column[document] ?? 0;
    out[count] = document;
    count += Number(value >= min) & Number(value <= max);
  }
  return out.subarray(0, count);
}
