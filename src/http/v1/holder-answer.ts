// Products and brands on the wire.
import { type Static, Type } from 'typebox';
import { RequestError } from '../../domain/error.ts';
import {
  type HeldKeyword,
  type HolderSummary,
  MAX_NAMED_BESIDE,
  meanClickShare,
  shareChange,
} from '../../domain/holder.ts';
import { type Period, periodKey } from '../../domain/period.ts';
import { nullable, strictObject } from '../schemas.ts';
import type { HolderView } from './holder-parameters.ts';

export const DateFields = {
  period: Type.String({ description: 'Period key.' }),
  start_date: Type.String({ format: 'date' }),
  end_date: Type.String({ format: 'date' }),
};

export const PlaceSchema = Type.Integer({ minimum: 1, maximum: 3 });
export const RankSchema = Type.Integer({ minimum: 1 });

export function shareSchema(description: string) {
  return nullable(Type.Number({ minimum: 0, maximum: 100 }), description);
}

const CountSchema = Type.Integer({ minimum: 0 });

function namedSchema(kind: string) {
  const fields = { name: Type.String(), keywords: Type.Integer({ minimum: 1 }) };
  const description = `${kind} that the report of last_period names beside it, with for how many of its keywords; most first.`;
  return Type.Array(strictObject(fields), { maxItems: MAX_NAMED_BESIDE, description });
}

const PeriodFields = {
  ...DateFields,
  keywords: Type.Integer({ minimum: 0, description: 'Keywords in whose top 3 it stands.' }),
  place_1: CountSchema,
  place_2: CountSchema,
  place_3: CountSchema,
  best_keyword: nullable(
    strictObject({ search_term: Type.String(), search_rank: RankSchema, place: PlaceSchema }),
    'Its keyword with the lowest search rank.',
  ),
};

const ShareFields = {
  click_share_sum: nullable(Type.Number({ minimum: 0 }), 'Of its keywords, in percent; null when none is known.'),
  click_share_mean: shareSchema('Sum by the number of known ones, in percent.'),
};

function summaryFields<Fields extends typeof PeriodFields>(fields: Fields) {
  return {
    brands: namedSchema('Brands'),
    categories: namedSchema('Categories'),
    first_period: Type.String({ description: 'The first visible period in whose report it stands.' }),
    last_period: Type.String({ description: 'The last one.' }),
    entered: nullable(CountSchema, 'Keywords won between the two newest periods; null when only one is visible.'),
    left: nullable(CountSchema, 'Keywords lost between them.'),
    periods: Type.Array(strictObject(fields), { description: 'Every visible period, oldest first.' }),
  };
}

export const ProductSchema = strictObject({
  asin: Type.String(),
  title: Type.String({ description: 'The newest that is known; empty when none is.' }),
  ...summaryFields({ ...PeriodFields, ...ShareFields }),
});

export const BrandSchema = strictObject({
  name: Type.String({ description: 'As the report of last_period spells it.' }),
  ...summaryFields(PeriodFields),
});

const keywordFields = {
  search_term: Type.String({ description: 'The term as imported.' }),
  search_rank: nullable(RankSchema, 'In the period; null when it has none.'),
  place: nullable(PlaceSchema, 'Null when it left.'),
  previous_search_rank: nullable(RankSchema, 'In the period before.'),
  previous_place: nullable(PlaceSchema, 'Null when it was not held before.'),
  since: Type.String({ description: 'The first period of the unbroken run in the top 3.' }),
};

export const BrandKeywordSchema = strictObject(keywordFields);
export const ProductKeywordSchema = strictObject({
  ...keywordFields,
  click_share: shareSchema('Percent; null when it left or the report has none.'),
  conversion_share: shareSchema('Percent.'),
  previous_click_share: shareSchema('In the period before.'),
  previous_conversion_share: shareSchema('In the period before.'),
  share_change: nullable(Type.Number(), 'Of the click share, in percentage points; null unless both are known.'),
});

/** Which periods a list is about; empty where there is none. */
export const ComparedPeriodsSchema = strictObject({ previous: Type.String(), current: Type.String() });

export function presentPeriods({ period, previous }: { period: Period | undefined; previous: Period | undefined }) {
  return { previous: previous ? periodKey(previous) : '', current: period ? periodKey(period) : '' };
}

/** All of a product; brands leave out what they have not. */
export function presentHolder(summary: HolderSummary, window: readonly Period[], { datesOf }: HolderView) {
  const { brands, categories, entered, left } = summary;
  const seen = window.filter((_, i) => summary.periods[i]);
  const [first, last] = [seen[0], seen.at(-1)].map((period) => (period ? periodKey(period) : ''));
  return {
    brands,
    categories,
    first_period: first ?? '',
    last_period: last ?? '',
    entered,
    left,
    periods: window.map((period, i) => {
      const held = summary.periods[i];
      const [one, two, three] = held?.places ?? [0, 0, 0];
      return {
        period: periodKey(period),
        ...datesOf(period),
        keywords: one + two + three,
        place_1: one,
        place_2: two,
        place_3: three,
        best_keyword: held
          ? { search_term: held.best.searchTerm, search_rank: held.best.rank, place: held.best.place }
          : null,
        click_share_sum: held?.clickShareSum ?? null,
        click_share_mean: held ? meanClickShare(held) : null,
      };
    }),
  };
}

export type PresentedPeriod = ReturnType<typeof presentHolder>['periods'][number];

/** The period of a brand. */
export function withoutShares({ click_share_sum: _sum, click_share_mean: _mean, ...period }: PresentedPeriod) {
  return period;
}

export function presentBrandKeyword(keyword: HeldKeyword): Static<typeof BrandKeywordSchema> {
  return {
    search_term: keyword.searchTerm,
    search_rank: keyword.rank,
    place: keyword.standing?.place ?? null,
    previous_search_rank: keyword.previousRank,
    previous_place: keyword.previous?.place ?? null,
    since: periodKey(keyword.since),
  };
}

export function presentProductKeyword(keyword: HeldKeyword): Static<typeof ProductKeywordSchema> {
  const { standing, previous } = keyword;
  return {
    ...presentBrandKeyword(keyword),
    click_share: standing?.clickShare ?? null,
    conversion_share: standing?.conversionShare ?? null,
    previous_click_share: previous?.clickShare ?? null,
    previous_conversion_share: previous?.conversionShare ?? null,
    share_change: shareChange(keyword),
  };
}

/** Like a search that finds nothing it was counted. */
export function notInReports(what: string): RequestError {
  return new RequestError(
    'NOT_FOUND',
    `${what} stands in no report that your plan can see.`,
    'Reports name the top 3 of each keyword; try the other type or marketplace, or search for it with /v1/search/keywords.',
  );
}
