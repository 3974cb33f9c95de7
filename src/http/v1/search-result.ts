import { Type } from 'typebox';
import { type Period, periodKey } from '../../domain/period.ts';
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { SearchRow } from '../../domain/search-row.ts';
import type { RankView, SearchPage, SearchPageOptions } from '../../domain/store.ts';
import { presentResult } from '../../export/ndjson.ts';
import { nullable, RanksByPeriodSchema, strictObject } from '../schemas.ts';

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

const nullableRank = (description: string) => nullable(Type.Integer({ minimum: 1 }), description);
const nullableInteger = (description: string) => nullable(Type.Integer(), description);
const nullableNumber = (description: string) => nullable(Type.Number(), description);

const InsightsSchema = strictObject(
  {
    from_period: nullable(Type.String(), 'The compared period; null where there is none that the plan can see.'),
    to_period: nullable(Type.String(), 'The newest period that the plan can see.'),
    from_rank: nullableRank('Rank in from_period.'),
    to_rank: nullableRank('Rank in to_period.'),
    change: nullableInteger('from_rank - to_rank; positive means moved up.'),
    change_percentage: nullableNumber('The change in percent of from_rank, rounded to two decimals.'),
    year_change: nullableInteger('The rank one year before to_period - to_rank; positive means moved up.'),
    click_concentration: nullableNumber('Sum of the known click shares of the latest products, in percent.'),
    conversion_concentration: nullableNumber('Sum of their known conversion shares, in percent.'),
    conversion_to_click: nullableNumber(
      'conversion_concentration / click_concentration, rounded to four decimals; null where nothing was clicked.',
    ),
    title_gap: nullable(
      Type.Boolean(),
      'Whether a word of the term stands in none of the titles of the latest products; null without titles.',
    ),
    first_seen: nullable(Type.String(), 'The first period with a rank that the plan can see.'),
    streak: Type.Integer({ minimum: 0, description: 'Visible periods in a row with a rank, up to to_period.' }),
  },
  { description: 'Given with `include=insights`. A missing rank gives null, never a comparison with another period.' },
);

const SEARCH_RESULT_FIELDS = {
  search_term: Type.String({ description: 'The term as imported.' }),
  normalized_search_term: Type.String(),
  data: RanksByPeriodSchema,
  summary: SearchSummarySchema,
  latest_data: strictObject({
    brands: Type.Array(Type.String()),
    products: Type.Array(SearchProductSchema),
    categories: Type.Array(Type.String()),
  }),
};

/** Spec 2.3. */
export const SearchResultSchema = strictObject(SEARCH_RESULT_FIELDS);

/** The same with what a request may ask for. */
export const InsightfulResultSchema = strictObject({
  ...SEARCH_RESULT_FIELDS,
  insights: Type.Optional(InsightsSchema),
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
