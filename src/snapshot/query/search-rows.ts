// Documents as rows, for exports and for whoever needs values instead of JSON.
import { openInsights } from '../../domain/insights.ts';
import type { SearchRow, SearchRowProduct } from '../../domain/search-row.ts';
import { readCodedText } from '../format/coded-text.ts';
import { NONE_16, NONE_32 } from '../format/format.ts';
import { latestPeriodIndex, type SnapshotView } from '../format/snapshot-view.ts';
import { valueAt } from '../format/sparse-column.ts';
import { readText } from '../format/text-column.ts';
import type { PlanWindow } from './plan-window.ts';
import type { SearchOutcome } from './search.ts';
import { openTitleGaps } from './title-gap.ts';

export function readRows(
  view: SnapshotView,
  { plan, documents, window }: Pick<SearchOutcome, 'plan' | 'documents' | 'window'>,
): readonly SearchRow[] {
  if (!window) return [];
  const rows = documents.map((document) => readRow(view, { document, window }));
  if (!plan.includesInsights) return rows;
  const insightsOf = openInsights(plan);
  const titleGapOf = openTitleGaps(view);
  return rows.map((row, i) => ({
    ...row,
    insights: insightsOf({ ...row, titleGap: titleGapOf(documents[i] ?? 0) }),
  }));
}

function readRow(
  view: SnapshotView,
  { document, window }: { readonly document: number; readonly window: PlanWindow },
): SearchRow {
  const slot = view.documentSlots[document] ?? 0;
  const term = readText(view.terms, slot);
  const latestPeriod = view.periods[latestPeriodIndex(view, document)];
  if (!latestPeriod) throw new Error(`document ${document} has no period`);
  return {
    searchTerm: readSearchTerm(view, document),
    normalizedSearchTerm: term,
    ranks: view.ranks.slice(window.firstPeriod).map((ranks) => valueAt(ranks, slot) || null),
    totalPeriods: window.summaries.totalPeriods[document] ?? 0,
    bestRank: window.summaries.bestRanks[document] ?? 0,
    worstRank: window.summaries.worstRanks[document] ?? 0,
    avgRank: (window.summaries.avgRanks[document] ?? 0) / 100,
    latestRank: view.latestRanks[document] ?? 0,
    latestPeriod,
    brands: view.brands.flatMap((column) => textOf(column[document], (brand) => readText(view.brandNames, brand))),
    products: view.products.flatMap((column, i) =>
      textOf(column[document], (product): SearchRowProduct => {
        return {
          asin: readText(view.asins, product),
          title: readCodedText(view.titles, product),
          clickShare: shareOf(view.clickShares[i]?.[document]),
          conversionShare: shareOf(view.conversionShares[i]?.[document]),
        };
      }),
    ),
    categories: view.categories.flatMap((column) => {
      const category = column[document] ?? NONE_16;
      return category === NONE_16 ? [] : [view.categoryNames[category] ?? ''];
    }),
  };
}

/** As imported, in the document's newest period. */
export function readSearchTerm(view: SnapshotView, document: number): string {
  const original = valueAt(view.originals, document);
  return original === 0
    ? readText(view.terms, view.documentSlots[document] ?? 0)
    : readText(view.originalTexts, original - 1);
}

function textOf<T>(id: number | undefined, read: (id: number) => T): readonly T[] {
  return id === undefined || id === NONE_32 ? [] : [read(id)];
}

function shareOf(hundredths: number | undefined): number | null {
  return hundredths === undefined || hundredths === NONE_16 ? null : hundredths / 100;
}
