// The filters that the API has, and how the page names those that it has better words for.
import { SEARCH_FILTERS } from '../api/operations.ts';
import { CATEGORY_BUCKETS } from '../parts/categories.ts';

export interface ListFilter {
  readonly param: string;
  readonly name: string;
  /** Before the value on a chip. */
  readonly word: string;
  readonly placeholder: string;
  readonly choices?: readonly string[];
}

/** From `min` to `max`, where there is such a bound. */
export interface RangeFilter {
  readonly min?: string;
  readonly max?: string;
  readonly name: string;
  readonly unit: string;
}

export interface FlagFilter {
  readonly param: string;
  readonly name: string;
  readonly hint: string;
}

const LIST_WORDS: Readonly<Record<string, Partial<ListFilter>>> = {
  brand: { placeholder: 'for example Anker' },
  category: { word: 'in', placeholder: 'Choose or type a category', choices: CATEGORY_BUCKETS },
  product: { name: 'ASIN', word: 'ASIN', placeholder: 'for example B0CHX1W1XY' },
};
const FLAG_WORDS: Readonly<Record<string, Partial<FlagFilter>>> = {
  exclude_nulls: { name: 'Newest only', hint: 'Only keywords that have a rank in the newest period' },
};

const ofKind = (kind: string) => SEARCH_FILTERS.filter((filter) => filter.kind === kind);

export const LIST_FILTERS: readonly ListFilter[] = ofKind('texts').map(({ parameter, title }) => {
  return { param: parameter, name: title, word: title.toLowerCase(), placeholder: '', ...LIST_WORDS[parameter] };
});

export const FLAG_FILTERS: readonly FlagFilter[] = ofKind('flag').map(({ parameter, title }) => {
  return { param: parameter, name: title, hint: title, ...FLAG_WORDS[parameter] };
});

/** Two bounds of one thing are one range: `min_rank` and `max_rank` are those of the rank. */
export const RANGE_FILTERS: readonly RangeFilter[] = listRanges(ofKind('bound').map(({ parameter }) => parameter));

function listRanges(names: readonly string[]): readonly RangeFilter[] {
  const things = new Set(names.map((name) => name.replace(/^(min|max)_/, '')));
  return [...things].map((thing) => {
    const unit = thing.replaceAll('_', ' ');
    const [min, max] = [`min_${thing}`, `max_${thing}`];
    return {
      ...(names.includes(min) ? { min } : {}),
      ...(names.includes(max) ? { max } : {}),
      name: unit.charAt(0).toUpperCase() + unit.slice(1),
      unit,
    };
  });
}
