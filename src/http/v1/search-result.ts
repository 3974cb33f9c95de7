import { Type } from 'typebox';
import { RanksByPeriodSchema } from '../schemas.ts';

const SearchProductSchema = Type.Object(
  {
    asin: Type.String(),
    title: Type.String(),
    click_share: Type.Number({ minimum: 0, maximum: 100, description: 'Percent.' }),
    conversion_share: Type.Number({ minimum: 0, maximum: 100, description: 'Percent.' }),
  },
  { additionalProperties: false },
);

const SearchSummarySchema = Type.Object(
  {
    total_periods: Type.Integer({ minimum: 1 }),
    best_rank: Type.Integer({ minimum: 1 }),
    worst_rank: Type.Integer({ minimum: 1 }),
    avg_rank: Type.Number({ minimum: 1 }),
    latest_rank: Type.Integer({ minimum: 1 }),
    latest_period: Type.String(),
  },
  { additionalProperties: false, description: 'Over the periods that the plan can see.' },
);

/** Spec 2.3. */
export const SearchResultSchema = Type.Object(
  {
    search_term: Type.String({ description: 'The term as imported.' }),
    normalized_search_term: Type.String(),
    data: RanksByPeriodSchema,
    summary: SearchSummarySchema,
    latest_data: Type.Object(
      {
        brands: Type.Array(Type.String()),
        products: Type.Array(SearchProductSchema),
        categories: Type.Array(Type.String()),
      },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
);
