// Filters narrow a list of documents in one pass each, cheapest first, by columns in document order. Which documents are kept
// is unpredictable, so the passes write every document and advance only behind those that stay: without branches.
import { matchesCategory } from '../../domain/category.ts';
import type { Filters } from '../../domain/search-filter.ts';
import { listBrands } from '../build/brand-index.ts';
import type { SnapshotView, Triple } from '../format/snapshot-view.ts';
import { listEntries } from '../format/text-column.ts';
import { takeList } from './arena.ts';
import { type DocumentList, unite } from './document-list.ts';

/** Made once per search: the documents that have the wanted products and those that have the wanted brands, and which categories are wanted. */
export interface PreparedFilter {
  readonly filters: Filters;
  readonly lists: readonly DocumentList[];
  readonly categories: Uint8Array | undefined;
}

export function prepareFilter(view: SnapshotView, filters: Filters): PreparedFilter {
  return {
    filters,
    lists: [
      ...(filters.asins.length === 0 ? [] : [listProductDocuments(view, filters.asins)]),
      ...(filters.brands.length === 0 ? [] : [listBrandDocuments(view, filters.brands)]),
    ],
    categories: filters.categories.length === 0 ? undefined : wantedCategories(view, filters),
  };
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
  { filters, categories }: PreparedFilter,
): DocumentList {
  let list = documents;
  if (filters.minRank !== undefined || filters.maxRank !== undefined) {
    list = keepWithin({ list, column: view.latestRanks, min: filters.minRank, max: filters.maxRank });
  }
  if (filters.minWords !== undefined || filters.maxWords !== undefined) {
    list = keepWithin({ list, column: view.wordCounts, min: filters.minWords, max: filters.maxWords });
  }
  if (categories) list = keepMarked({ list, columns: view.categories, marks: categories });
  return list;
}

function keepWithin({
  list,
  column,
  min = 0,
  max = Number.POSITIVE_INFINITY,
}: {
  readonly list: DocumentList;
  readonly column: Uint32Array | Uint8Array;
  readonly min: number | undefined;
  readonly max: number | undefined;
}): DocumentList {
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

/** Keeps documents of which one of three values is marked. The last mark is that of none. */
function keepMarked({
  list,
  columns: [first, second, third],
  marks,
}: {
  readonly list: DocumentList;
  readonly columns: Triple<Uint16Array>;
  readonly marks: Uint8Array;
}): DocumentList {
  const out = takeList(list.length);
  const none = marks.length - 1;
  let count = 0;
  for (let i = 0; i < list.length; i += 1) {
    const document = list[i] ?? 0;
    const one = first[document] ?? none;
    const two = second[document] ?? none;
    const three = third[document] ?? none;
    out[count] = document;
    count +=
      (marks[one < none ? one : none] ?? 0) |
      (marks[two < none ? two : none] ?? 0) |
      (marks[three < none ? three : none] ?? 0);
  }
  return out.subarray(0, count);
}

function wantedCategories(view: SnapshotView, { categories }: Filters): Uint8Array {
  const marks = new Uint8Array(view.categoryNames.length + 1);
  for (const [category, name] of view.categoryNames.entries()) {
    if (categories.some((wanted) => matchesCategory(name, wanted))) marks[category] = 1;
  }
  return marks;
}
