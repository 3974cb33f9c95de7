import { describe, expect, it } from 'vitest';
import { MAX_RANK } from './ranking.ts';
import {
  isUnfiltered,
  NO_FILTERS,
  planFilterQuery,
  SEARCH_FILTERS,
  type SearchFilter,
  TREND_FILTERS,
} from './search-filter.ts';

const FILTERS: readonly SearchFilter[] = Object.values(SEARCH_FILTERS);

describe('the filters of a search', () => {
  it('have these names, kinds, bounds and examples', () => {
    const shown = FILTERS.map(({ parameter, title, kind, ...filter }) => [
      parameter,
      title,
      kind,
      ...('min' in filter ? [filter.min] : []),
      ...('side' in filter ? [filter.side, filter.max] : []),
      ...('example' in filter ? [filter.example] : []),
    ]);
    expect(shown).toEqual([
      ['brand', 'Brand', 'texts', 'Hollowbrook'],
      ['product', 'Product', 'texts', 'B0DDBYMN4X'],
      ['category', 'Category', 'texts', 'Apparel, Shoes & Jewelry'],
      ['exclude_nulls', 'Only ranked in the newest period', 'flag'],
      ['min_rank', 'Rank from', 'bound', 'least', MAX_RANK, 1],
      ['max_rank', 'Rank to', 'bound', 'most', MAX_RANK, 10_000],
      ['min_words', 'Words from', 'bound', 'least', 100, 2],
      ['max_words', 'Words to', 'bound', 'most', 100, 5],
      ['min_change', 'Change from', 'measure', 1 - MAX_RANK, 'least', MAX_RANK - 1, 100],
      ['max_change', 'Change to', 'measure', 1 - MAX_RANK, 'most', MAX_RANK - 1, -100],
      ['min_change_percentage', 'Change in percent from', 'measure', -3_999_999_900, 'least', 100, 12.5],
      ['max_change_percentage', 'Change in percent to', 'measure', -3_999_999_900, 'most', 100, 50],
      ['min_year_change', 'Change in a year from', 'measure', 1 - MAX_RANK, 'least', MAX_RANK - 1, 100],
      ['max_year_change', 'Change in a year to', 'measure', 1 - MAX_RANK, 'most', MAX_RANK - 1, -100],
      ['min_click_concentration', 'Click concentration from', 'measure', 0, 'least', 300, 20],
      ['max_click_concentration', 'Click concentration to', 'measure', 0, 'most', 300, 60],
      ['min_conversion_to_click', 'Conversion to click from', 'measure', 0, 'least', 30_000, 0.5],
      ['max_conversion_to_click', 'Conversion to click to', 'measure', 0, 'most', 30_000, 1.5],
      ['first_seen_since', 'First seen since', 'period'],
      ['title_gap', 'A word is in no title', 'flag'],
    ]);
  });

  it('are described to people and to agents, in sentences', () => {
    for (const { description, advice } of FILTERS) {
      expect(description).toMatch(/^Keeps? .+\.$/);
      expect(advice).toMatch(/^\w.+\.$/);
    }
    const described = Object.entries(TREND_FILTERS).map(([field, { describeInTrends }]) => [
      field,
      describeInTrends('current rank'),
    ]);
    expect(described).toEqual([
      ['categories', expect.stringMatching(/^Keeps keywords of .+ Other\.$/)],
      ['minRank', 'Keeps keywords whose current rank is at least this.'],
      ['maxRank', 'Keeps keywords whose current rank is at most this.'],
    ]);
  });

  it('that were not given filter nothing', () => {
    expect(NO_FILTERS).toEqual({ brands: [], asins: [], categories: [], excludeNulls: false, titleGap: false });
    expect(isUnfiltered(NO_FILTERS)).toBe(true);
  });

  it.each([{ brands: ['Ä'] }, { minRank: 1 }, { minChange: 0 }, { excludeNulls: true }])(
    'that were given filter: %j',
    (given) => {
      expect(isUnfiltered(planFilterQuery(SEARCH_FILTERS, given))).toBe(false);
    },
  );

  it('compare brands without case and products in upper case, each once', () => {
    const { brands, asins } = planFilterQuery(SEARCH_FILTERS, {
      brands: ['ACME', 'acme', 'E\u0301'],
      asins: ['b0ddbymn4x', 'B0DDBYMN4X'],
    });
    expect([brands, asins]).toEqual([['acme', '\u00e9'], ['B0DDBYMN4X']]);
  });
});
