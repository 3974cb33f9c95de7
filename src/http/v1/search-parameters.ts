// The parameters of the searches (spec 4.1, 4.2, 4.10), and the ones that other endpoints borrow.
import { YEAR_AGO } from '../../domain/comparison.ts';
import { MAX_EXPORT_ROWS } from '../../domain/export-gate.ts';
import { VALUE_FORMATS } from '../../domain/keyword-export.ts';
import { FREQUENCIES, PERIOD_KEY_PATTERN } from '../../domain/period.ts';
import { MAX_PRODUCT_ID_CHARACTERS, parseProductId } from '../../domain/product-id.ts';
import {
  DEFAULT_SEARCH_LIMIT,
  MAX_SEARCH_LIMIT,
  ordersAbout,
  SEARCH_METHODS,
  SEARCH_ORDERS,
  SHARE_ORDERS,
} from '../../domain/search-query.ts';
import { searchFilterParameters } from '../filter-parameters.ts';
import {
  choice,
  choiceList,
  integer,
  nullableInteger,
  type Parameter,
  pattern,
  patternList,
  textList,
} from '../parameters.ts';
import { periodParameter } from '../period-parameter.ts';
import { fileFormat } from './file-answer.ts';

export const type = choice('Data frequency.', { values: FREQUENCIES, absent: 'monthly' });

export const page = integer('Page, from 1. A page past the end is empty and carries the true totals.', {
  min: 1,
  absent: 1,
});

export const limit = integer('Results per page.', { min: 1, max: MAX_SEARCH_LIMIT, absent: DEFAULT_SEARCH_LIMIT });

export const orderDirection = choice(
  'Default by field: ranks and period keys ascending, all others descending (best first). Nulls are always last.',
  { values: ['asc', 'desc', 'ASC', 'DESC'], absent: undefined },
);

export const marketplace = pattern('Two-letter code of the marketplace. Default: the configured one.', {
  rule: 'a two-letter marketplace code',
  example: 'US',
  pattern: '^[A-Za-z]{2}$',
  absent: undefined,
  read: (text) => (/^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : undefined),
});

/** One of the named orders, or the key of the period whose ranks decide. */
export function orderBy<T extends string | undefined>(
  description: string,
  { names, absent }: { names: readonly string[]; absent: T },
): Parameter<string | T> {
  return pattern(description, {
    rule: `one of ${names.map((name) => `'${name}'`).join(', ')}, or a period key such as '05-2026'`,
    example: names[0] ?? '',
    pattern: `^(${names.join('|')}|[0-9]{1,3}-[0-9]{4})$`,
    absent,
    read: (text) => (names.includes(text) || PERIOD_KEY_PATTERN.test(text) ? text : undefined),
  });
}

export const compareTo = (description: string) => periodParameter(description, [YEAR_AGO]);

/** What searches by words and by ASIN say beyond ranks. */
const insightParameters = {
  compare_to: compareTo(
    'The period that the newest one is compared with in `change` and `change_percentage`: a key, or `year_ago`. Default: ' +
      'the period before the newest.',
  ),
  include: choiceList('What each result carries beside its ranks: `insights`, arithmetic on what reports say.', {
    values: ['insights'],
  }),
  ...searchFilterParameters('measure'),
  ...searchFilterParameters('period'),
};

export const searchParameters = {
  query: textList('One or more keywords; several are OR-ed.', { required: true, examples: ['running shoes'] }),
  method: choice(
    '`similar`: every word of a query is in the term, in any order, with stemming and typo tolerance. ' +
      '`exact`: the normalised term equals a query.',
    { values: SEARCH_METHODS, absent: 'similar' },
  ),
  exclude_query: textList('Drops terms that contain all words of one of these. Ignored for exact searches.'),
  type,
  page,
  limit,
  ...searchFilterParameters('texts'),
  order_by: orderBy('Order of the results.', { names: SEARCH_ORDERS, absent: 'best_match' }),
  order_direction: orderDirection,
  ...searchFilterParameters('flag'),
  format: choice('Value format of the period columns in exports.', {
    values: VALUE_FORMATS,
    absent: 'raw',
  }),
  color_threshold: nullableInteger('Changes below this percentage show as neutral in exports.', { min: 0, max: 50 }),
  marketplace,
  ...searchFilterParameters('bound'),
  ...insightParameters,
};

export const asinParameters = {
  asin: patternList('One or more ASINs, or item ids of other shops.', {
    required: true,
    rule: `1 to ${MAX_PRODUCT_ID_CHARACTERS} letters and digits`,
    pattern: `^\\s*[A-Za-z0-9]{1,${MAX_PRODUCT_ID_CHARACTERS}}\\s*$`,
    example: 'B0CHX1W1XY',
    read: parseProductId,
  }),
  type,
  page,
  limit,
  // Relevance needs words, and this search has none.
  order_by: orderBy('Order of the results.', {
    names: [...ordersAbout('summary'), ...SHARE_ORDERS, ...ordersAbout('insights')],
    absent: 'latest_rank',
  }),
  order_direction: orderDirection,
  ...searchFilterParameters('flag'),
  marketplace,
  ...insightParameters,
};

export const exportParameters = {
  ...searchParameters,
  limit: integer(`Rows per page. Default: every match, up to ${MAX_EXPORT_ROWS.toLocaleString('en')}.`, {
    min: 1,
    max: 1000,
    absent: undefined,
  }),
  file_format: fileFormat,
};
