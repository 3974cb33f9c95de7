import { Type } from 'typebox';
import { type Period, periodKey } from '../../domain/period.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { SearchRow } from '../../domain/search-row.ts';
import type { RankView, SearchPage, SearchPageOptions } from '../../domain/store.ts';
import { presentResult } from '../../export/ndjson.ts';
import { RanksByPeriodSchema, strictObject } from '../schemas.ts';

const SearchProductSchema = strictObject({
  asin: Type.String(),
  title: Type.String(),
  click_share: Type.Number({ minimum: 0, maximum: 100, description: 'Percent.' }),
  conversion_share: Type.Number({ minimum: 0, maximum: 100, description: 'Percent.' }),
});

const SearchSummarySchema = strictObject(
  {
    total_periods: Type.Integer({ minimum: 1 }),
    best_rank: Type.Integer({ minimum: 1 }),
    worst_rank: Type.Integer({ minimum: 1 }),
    avg_rank: Type.Number({ minimum: 1 }),
    latest_rank: Type.Integer({ minimum: 1 }),
    latest_period: Type.String(),
  },
  { description: 'Over the periods that the plan can see.' },
);

/** Spec 2.3. */
export const SearchResultSchema = strictObject({
  search_term: Type.String({ description: 'The term as imported.' }),
  normalized_search_term: Type.String(),
  data: RanksByPeriodSchema,
  summary: SearchSummarySchema,
  latest_data: strictObject({
    brands: Type.Array(Type.String()),
    products: Type.Array(SearchProductSchema),
    categories: Type.Array(Type.String()),
  }),
});

export function presentSearchRow(row: SearchRow, window: readonly Period[]) {
  return presentResult(row, { keys: window.map(periodKey), values: row.ranks });
}

/** A page of any engine: as the engine writes it, or from its rows. */
export async function presentSearchPage(
  view: RankView,
  plan: SearchPlan,
  options: SearchPageOptions,
): Promise<SearchPage> {
  if (view.presenter) return await view.presenter.searchPage(plan, options);
  const { rows, totalCount } = await view.search(plan, options);
  const { before, after } = options.frame(totalCount);
  const data = JSON.stringify(rows.map((row) => presentSearchRow(row, plan.window)));
  return { totalCount, json: Buffer.from(`${before}${data}${after}`), release: () => undefined };
}
