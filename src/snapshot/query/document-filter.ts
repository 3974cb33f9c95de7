// Filters narrow a list of documents in one pass each, cheapest first, by columns in document order. Which documents are kept
// is unpredictable, so the passes write every document and advance only behind those that stay: without branches.
import { comparePeriods } from '../../domain/period.ts';
import { type FilterField, type Filters, SEARCH_FILTERS } from '../../domain/search-filter.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import { listBrands } from '../build/brand-index.ts';
import type { SnapshotView } from '../format/snapshot-view.ts';
import { listEntries } from '../format/text-column.ts';
import { takeList } from './arena.ts';
import { keepMarkedCategories, markCategories } from './category-filter.ts';
import { type DocumentList, unite } from './document-list.ts';
import { type MeasureName, openMeasure } from './measure.ts';
import type { PlanWindow } from './plan-window.ts';
import { keepTitleGaps } from './title-gap.ts';

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

/** By each bound of the insights, the number that it bounds. One that is missing does not compile. */
const MEASURES: Readonly<Record<FilterField<'measure'>, MeasureName>> = {
  minChange: 'change',
  maxChange: 'change',
  minChangePercentage: 'change_percentage',
  maxChangePercentage: 'change_percentage',
  minYearChange: 'year_change',
  maxYearChange: 'year_change',
  minClickConcentration: 'click_concentration',
  maxClickConcentration: 'click_concentration',
  minConversionToClick: 'conversion_to_click',
  maxConversionToClick: 'conversion_to_click',
};

interface Range<Bounded> {
  readonly bounded: Bounded;
  min: number;
  max: number;
}

interface FilterContext {
  readonly view: SnapshotView;
  readonly plan: SearchPlan;
  readonly window: PlanWindow;
  readonly throwIfCancelled: () => void;
}

/** Made once per search. */
export interface PreparedFilter {
  /** The documents that have the wanted products, those that have the wanted brands, and so on. */
  readonly lists: readonly DocumentList[];
  readonly ranges: readonly Range<Column>[];
  readonly measures: readonly Range<MeasureName>[];
  /** Which categories are wanted. */
  readonly categories: Uint8Array | undefined;
}

const LIST_FIELDS = Object.keys(LISTS) as (keyof typeof LISTS)[];

export function prepareFilter(view: SnapshotView, filters: Filters): PreparedFilter {
  const lists: DocumentList[] = [];
  for (const field of LIST_FIELDS) if (filters[field].length > 0) lists.push(LISTS[field](view, filters[field]));
  return {
    lists,
    ranges: listRanges(filters, COLUMNS),
    measures: listRanges(filters, MEASURES),
    categories: filters.categories.length === 0 ? undefined : markCategories(view, filters.categories),
  };
}

/** Both bounds of one thing are one pass. */
function listRanges<Field extends FilterField<'bound' | 'measure'>, Bounded>(
  filters: Filters,
  things: Readonly<Record<Field, Bounded>>,
): readonly Range<Bounded>[] {
  const ranges: Range<Bounded>[] = [];
  for (const field of Object.keys(things) as Field[]) {
    const bound = filters[field];
    const bounded = things[field];
    if (typeof bound !== 'number') continue;
    const known = ranges.find((each) => each.bounded === bounded);
    const range = known ?? { bounded, min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY };
    if (!known) ranges.push(range);
    if (SEARCH_FILTERS[field].side === 'least') range.min = Math.max(range.min, bound);
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
  context: FilterContext,
  documents: DocumentList,
  { ranges, measures, categories }: PreparedFilter,
): DocumentList {
  const { view, plan, throwIfCancelled } = context;
  let list = documents;
  for (const range of ranges) list = keepWithin(list, view[range.bounded], range);
  if (plan.filters.firstSeenSince) list = keepFirstSeen(list, context);
  for (const range of measures) list = keepMeasured(list, context, range);
  if (categories) {
    const kept = { documents: takeList(list.length), count: 0 };
    keepMarkedCategories(kept, list, { view, marks: categories, owners: list });
    list = kept.documents.subarray(0, kept.count);
  }
  return plan.filters.titleGap ? keepTitleGaps(view, list, throwIfCancelled) : list;
}

function keepFirstSeen(list: DocumentList, { plan, window }: FilterContext): DocumentList {
  const { firstSeenSince: since } = plan.filters;
  const min = since ? plan.window.filter((period) => comparePeriods(period, since) < 0).length : 0;
  return keepWithin(list, window.summaries.firstPeriods, { min, max: Number.POSITIVE_INFINITY });
}

function keepMeasured(list: DocumentList, { view, plan }: FilterContext, range: Range<MeasureName>): DocumentList {
  const measure = openMeasure(view, plan, range.bounded);
  if (!measure) return list.subarray(0, 0);
  const values = measure.valuesOf(list);
  const out = takeList(list.length);
  let count = 0;
  for (let i = 0; i < list.length; i += 1) {
    // As it is shown, so that the double that a caller wrote is the one that it is compared with.
    const shown = (values[i] ?? Number.NaN) / measure.steps;
    out[count] = list[i] ?? 0;
    count += Number(shown >= range.min) & Number(shown <= range.max);
  }
  return out.subarray(0, count);
}

function keepWithin(
  list: DocumentList,
  column: Uint32Array | Uint16Array | Uint8Array,
  { min, max }: { readonly min: number; readonly max: number },
): DocumentList {
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
