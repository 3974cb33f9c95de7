// Filters narrow a list of documents in one pass each, cheapest first, by columns in document order.
import { matchesCategory } from '../domain/category.ts';
import type { Filters } from '../domain/search-plan.ts';
import { listBrands } from './brand-index.ts';
import type { DocumentList } from './document-list.ts';
import type { SnapshotView, Triple } from './snapshot-view.ts';
import { findEntry } from './text-column.ts';

/** Made once per search: which brands, products and categories are wanted. */
export interface PreparedFilter {
  readonly filters: Filters;
  readonly brands: Uint8Array | undefined;
  readonly products: ReadonlySet<number> | undefined;
  readonly categories: Uint8Array | undefined;
}

export function prepareFilter(view: SnapshotView, filters: Filters): PreparedFilter {
  return {
    filters,
    brands: filters.brands.length === 0 ? undefined : wantedBrands(view, filters.brands),
    products: filters.asins.length === 0 ? undefined : findProducts(view, filters.asins),
    categories: filters.categories.length === 0 ? undefined : wantedCategories(view, filters),
  };
}

/** The product slots of ASINs; those that no document names are left out. */
export function findProducts(view: SnapshotView, asins: readonly string[]): ReadonlySet<number> {
  const products = new Set<number>();
  for (const asin of asins) {
    const product = findEntry(view.asinIndex, view.asins, asin);
    if (product !== undefined) products.add(product);
  }
  return products;
}

export function applyFilter(view: SnapshotView, documents: DocumentList, prepared: PreparedFilter): DocumentList {
  const { filters, brands, products, categories } = prepared;
  let list = documents;
  if (filters.minRank !== undefined || filters.maxRank !== undefined) {
    list = keepWithin({ list, column: view.latestRanks, min: filters.minRank, max: filters.maxRank });
  }
  if (filters.minWords !== undefined || filters.maxWords !== undefined) {
    list = keepWithin({ list, column: view.wordCounts, min: filters.minWords, max: filters.maxWords });
  }
  if (brands) list = keepMarked({ list, columns: view.brands, marks: brands });
  if (categories) list = keepMarked({ list, columns: view.categories, marks: categories });
  if (products) list = keepProducts({ list, columns: view.products, products });
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
  const out = new Uint32Array(list.length);
  let count = 0;
  for (let i = 0; i < list.length; i += 1) {
    const document = list[i] ?? 0;
    const value = column[document] ?? 0;
    out[count] = document;
    count += value >= min && value <= max ? 1 : 0;
  }
  return out.subarray(0, count);
}

/** Keeps documents of which one of three values is marked. Values beyond the marks, such as none, are not. */
function keepMarked({
  list,
  columns: [first, second, third],
  marks,
}: {
  readonly list: DocumentList;
  readonly columns: Triple<Uint32Array> | Triple<Uint16Array>;
  readonly marks: Uint8Array;
}): DocumentList {
  const out = new Uint32Array(list.length);
  let count = 0;
  for (let i = 0; i < list.length; i += 1) {
    const document = list[i] ?? 0;
    const isKept =
      marks[first[document] ?? 0] === 1 || marks[second[document] ?? 0] === 1 || marks[third[document] ?? 0] === 1;
    out[count] = document;
    count += isKept ? 1 : 0;
  }
  return out.subarray(0, count);
}

function keepProducts({
  list,
  columns: [first, second, third],
  products,
}: {
  readonly list: DocumentList;
  readonly columns: Triple<Uint32Array>;
  readonly products: ReadonlySet<number>;
}): DocumentList {
  const [only] = products;
  if (only === undefined) return new Uint32Array(0);
  const isWanted =
    products.size === 1 ? (product: number) => product === only : (product: number) => products.has(product);
  const out = new Uint32Array(list.length);
  let count = 0;
  for (let i = 0; i < list.length; i += 1) {
    const document = list[i] ?? 0;
    out[count] = document;
    const isKept = isWanted(first[document] ?? 0) || isWanted(second[document] ?? 0) || isWanted(third[document] ?? 0);
    count += isKept ? 1 : 0;
  }
  return out.subarray(0, count);
}

function wantedBrands(view: SnapshotView, foldedNames: readonly string[]): Uint8Array {
  const marks = new Uint8Array(view.brandNames.ends.length);
  for (const name of foldedNames) {
    for (const brand of listBrands(view.brandIndex, view.brandNames, name)) marks[brand] = 1;
  }
  return marks;
}

function wantedCategories(view: SnapshotView, { categories }: Filters): Uint8Array {
  return Uint8Array.from(view.categoryNames, (name) =>
    categories.some((category) => matchesCategory(name, category)) ? 1 : 0,
  );
}
