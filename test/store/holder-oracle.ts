// The oracle of products, brands and a term's past: plain rows of plain periods, as holder.ts words it. Words are matched by the oracle
// of the search.
import { NO_COMPARISON } from '../../src/domain/comparison.ts';
import {
  type ComparePlan,
  type Comparison,
  type HeldKeyword,
  type HeldKeywordPlan,
  type Holder,
  type HolderPeriod,
  type HolderPlan,
  type HolderSummary,
  MAX_NAMED_BESIDE,
  type NamedCount,
  type Standing,
  shareChange,
  sumShares,
  type TermHistoryPlan,
  type TermPeriod,
} from '../../src/domain/holder.ts';
import { isSamePeriod, type Period } from '../../src/domain/period.ts';
import type { QueryText } from '../../src/domain/query-text.ts';
import { NO_FILTERS } from '../../src/domain/search-filter.ts';
import type { TrendPage } from '../../src/domain/store.ts';
import type { TestData, TestProduct, TestRow } from '../support/rank-data.ts';
import { compareCodePoints, searchEverything } from './oracle.ts';
import { findRow, rowsOf, termsIn } from './oracle-rows.ts';

type Window = readonly Period[];

export function expectedTermPeriods(data: TestData, { window, term }: TermHistoryPlan): readonly TermPeriod[] {
  return window.map((period) => {
    const row = findRow(data, { period, term });
    if (!row) return { rank: null, products: [], brands: [] };
    const products = present(row.products).map((each) => ({ ...each, title: titleOf(data, window, each.asin) }));
    return { rank: row.rank, products, brands: present(row.brands) };
  });
}

export function expectedHolder(data: TestData, { window, holder }: HolderPlan): HolderSummary | undefined {
  const periods = window.map((period) => expectedPeriod(data, { window, holder, period }));
  const last = window[periods.findLastIndex((period) => period !== null)];
  if (!last) return undefined;
  const [newest, previous] = [window.at(-1), window.at(-2)];
  const countOnly = (inside: Period, outside: Period) =>
    [...standingsIn(data, holder, inside).keys()].filter((term) => !standingsIn(data, holder, outside).has(term))
      .length;
  const isComparable = newest !== undefined && previous !== undefined;
  return {
    name: nameOf(data, window, holder),
    title: holder.kind === 'product' ? titleOf(data, window, holder.asin) : '',
    brands: namedBeside(data, { holder, period: last, read: ({ brands }) => present(brands) }),
    categories: namedBeside(data, { holder, period: last, read: ({ categories }) => present(categories) }),
    periods,
    entered: isComparable ? countOnly(newest, previous) : null,
    left: isComparable ? countOnly(previous, newest) : null,
  };
}

export function expectedHeldKeywords(data: TestData, plan: HeldKeywordPlan): TrendPage<HeldKeyword> | undefined {
  const { window, holder, period, previous, status, order } = plan;
  if (window.every((each) => standingsIn(data, holder, each).size === 0)) return undefined;
  if (!period) return { totalCount: 0, rows: [] };
  const now = standingsIn(data, holder, period);
  const before = previous ? standingsIn(data, holder, previous) : new Map<string, Standing>();
  const wanted: Readonly<Record<typeof status, (term: string) => boolean>> = {
    held: (term) => now.has(term),
    entered: (term) => previous !== undefined && now.has(term) && !before.has(term),
    left: (term) => before.has(term) && !now.has(term),
    all: () => true,
  };
  const matchesWords = makeWordFilter(data, plan);
  const keywords = [...new Set([...now.keys(), ...before.keys()])]
    .filter((term) => wanted[status](term) && matchesWords(term))
    .map((term) => ({
      term,
      keyword: {
        searchTerm: newestSpelling(data, window, term),
        rank: findRow(data, { period, term })?.rank ?? null,
        previousRank: previous ? (findRow(data, { period: previous, term })?.rank ?? null) : null,
        standing: now.get(term) ?? null,
        previous: before.get(term) ?? null,
        since: runStart(data, { window, holder, term, last: now.has(term) ? period : (previous ?? period) }),
      },
    }));
  const keyOf = ({ rank, standing, previous: earlier, since }: HeldKeyword): number | null => {
    switch (order.field) {
      case 'search_rank':
        return rank;
      case 'place':
        return standing?.place ?? null;
      case 'click_share':
        return standing?.clickShare ?? null;
      case 'conversion_share':
        return standing?.conversionShare ?? null;
      case 'share_change':
        return shareChange({ standing, previous: earlier });
      case 'since':
        return since.year * 100 + since.number;
    }
  };
  keywords.sort(
    (a, b) =>
      compareKeys(keyOf(a.keyword), keyOf(b.keyword), order.direction) ||
      compareKeys(a.keyword.rank, b.keyword.rank, 'asc') ||
      compareCodePoints(a.term, b.term),
  );
  const rows = keywords.map(({ keyword }) => keyword);
  return { totalCount: rows.length, rows: rows.slice(plan.offset, plan.offset + plan.limit) };
}

export function expectedComparison(data: TestData, plan: ComparePlan): Comparison {
  const { window, asins, period, mode, direction } = plan;
  const held = asins.map((asin) => (period ? standingsIn(data, { kind: 'product', asin }, period) : new Map()));
  const wanted: Readonly<Record<typeof mode, (term: string) => boolean>> = {
    shared: (term) => held.every((standings) => standings.has(term)),
    any: () => true,
    gap: (term) => !held[0]?.has(term),
  };
  const matchesWords = makeWordFilter(data, plan);
  const terms = [...new Set(held.flatMap((standings) => [...standings.keys()]))]
    .filter((term) => wanted[mode](term) && matchesWords(term))
    .map((term) => ({ term, rank: (period && findRow(data, { period, term })?.rank) ?? 0 }))
    .sort((a, b) => compareKeys(a.rank, b.rank, direction) || compareCodePoints(a.term, b.term));
  const rows = terms.map(({ term, rank }) => ({
    searchTerm: newestSpelling(data, window, term),
    rank,
    standings: held.map((standings) => standings.get(term) ?? null),
  }));
  return {
    totalCount: rows.length,
    rows: rows.slice(plan.offset, plan.offset + plan.limit),
    products: asins.map((asin, i) => ({ title: titleOf(data, window, asin), keywords: held[i]?.size ?? 0 })),
  };
}

function expectedPeriod(
  data: TestData,
  { window, holder, period }: { readonly window: Window; readonly holder: Holder; readonly period: Period },
): HolderPeriod | null {
  const held = [...standingsIn(data, holder, period)].map(([term, standing]) => {
    return { term, standing, rank: findRow(data, { period, term })?.rank ?? 0 };
  });
  const [best] = held.toSorted((a, b) => a.rank - b.rank || compareCodePoints(a.term, b.term));
  if (!best) return null;
  const shares = held.map(({ standing }) => standing.clickShare);
  const countAt = (place: number) => held.filter(({ standing }) => standing.place === place).length;
  return {
    places: [countAt(1), countAt(2), countAt(3)],
    clickShareSum: sumShares(shares),
    knownClickShares: shares.filter((share) => share !== null).length,
    best: { searchTerm: newestSpelling(data, window, best.term), rank: best.rank, place: best.standing.place },
  };
}

/** By normalised term. */
function standingsIn(data: TestData, holder: Holder, period: Period): ReadonlyMap<string, Standing> {
  const standings = new Map<string, Standing>();
  for (const [term, row] of termsIn(rowsOf(data, period))) {
    const standing = standingOf(row, holder);
    if (standing) standings.set(term, standing);
  }
  return standings;
}

function standingOf({ products = [], brands = [] }: TestRow, holder: Holder): Standing | undefined {
  if (holder.kind === 'brand') {
    const place = 1 + brands.findIndex((brand) => brand?.normalize('NFC').toLowerCase() === holder.name);
    return place === 0 ? undefined : { place, clickShare: null, conversionShare: null };
  }
  const place = 1 + products.findIndex((product) => product?.asin === holder.asin);
  const product = products[place - 1];
  return product ? { place, clickShare: product.clickShare, conversionShare: product.conversionShare } : undefined;
}

function namedBeside(
  data: TestData,
  options: {
    readonly holder: Holder;
    readonly period: Period;
    readonly read: (row: TestRow) => readonly string[];
  },
): readonly NamedCount[] {
  const { holder, period, read } = options;
  const counts = new Map<string, number>();
  for (const row of rowsOf(data, period)) {
    if (!standingOf(row, holder)) continue;
    for (const name of new Set(read(row))) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .filter(([name]) => holder.kind === 'product' || name.normalize('NFC').toLowerCase() !== holder.name)
    .map(([name, keywords]) => ({ name, keywords }))
    .sort((a, b) => b.keywords - a.keywords || compareCodePoints(a.name, b.name))
    .slice(0, MAX_NAMED_BESIDE);
}

function runStart(
  data: TestData,
  { window, holder, term, last }: { window: Window; holder: Holder; term: string; last: Period },
): Period {
  let at = window.findIndex((period) => isSamePeriod(period, last));
  const isHeld = (period: Period | undefined) => period && standingsIn(data, holder, period).has(term);
  while (isHeld(window[at - 1])) at -= 1;
  return window[at] ?? last;
}

function titleOf(data: TestData, window: Window, asin: string): string {
  const seen = newestFirst(data, window).flatMap(({ products }) => present(products));
  return seen.find((product: TestProduct) => product.asin === asin && product.title !== '')?.title ?? '';
}

function nameOf(data: TestData, window: Window, holder: Holder): string {
  if (holder.kind === 'product') return holder.asin;
  const seen = newestFirst(data, window).flatMap(({ brands }) => present(brands));
  return seen.find((name) => name.normalize('NFC').toLowerCase() === holder.name) ?? '';
}

function newestSpelling(data: TestData, window: Window, term: string): string {
  const newest = window.findLast((period) => findRow(data, { period, term }));
  return (newest && findRow(data, { period: newest, term })?.term) ?? '';
}

function newestFirst(data: TestData, window: Window): readonly TestRow[] {
  return window.toReversed().flatMap((period) => rowsOf(data, period));
}

function makeWordFilter(
  data: TestData,
  { window, queries }: { readonly window: Window; readonly queries: readonly QueryText[] },
): (term: string) => boolean {
  if (queries.length === 0) return () => true;
  const found = searchEverything(data, {
    window,
    match: { kind: 'similar', queries, excluded: [] },
    filters: NO_FILTERS,
    order: { kind: 'field', field: 'latest_rank', direction: 'asc' },
    comparison: NO_COMPARISON,
    includesInsights: false,
    offset: 0,
    limit: Number.POSITIVE_INFINITY,
  });
  const terms = new Set(found.map(({ normalizedSearchTerm }) => normalizedSearchTerm));
  return (term) => terms.has(term);
}

function compareKeys(a: number | null, b: number | null, direction: 'asc' | 'desc'): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return direction === 'asc' ? a - b : b - a;
}

function present<T>(values: readonly (T | null)[] | undefined): readonly T[] {
  return (values ?? []).filter((value): value is T => value !== null);
}
