import { WALMART } from '../../domain/marketplace.ts';
import { monthOf, periodDates } from '../../domain/period.ts';
import { type CsvFormat, PRODUCT_COLUMNS, type ReportColumn, SLOTS } from './report-format.ts';

export const WALMART_CSV: CsvFormat = {
  kind: 'csv',
  name: 'Walmart "Top Search Trends"',
  headers: new Map<string, ReportColumn>([
    ['reportdate', 'date'],
    ['searchkeyword', 'term'],
    ['searchkeywordfrequencyrank', 'rank'],
    ...SLOTS.flatMap((slot): [string, ReportColumn][] => [
      [`item${slot}id`, `asin_${slot}`],
      [`item${slot}name`, `title_${slot}`],
      [`item${slot}brandname`, `brand_${slot}`],
      [`item${slot}clickshare`, `click_${slot}`],
      [`item${slot}conversionshare`, `conversion_${slot}`],
    ]),
  ]),
  required: ['rank', 'term', 'date', ...PRODUCT_COLUMNS],
  period: {
    // They end on a Friday, inside the same ISO week as the Saturday after it.
    weekEndsOn: 'any day',
    // The files do not say how long their period is. Only the last day of a month could be either.
    findFrequency: (lastDay) => (periodDates(monthOf(lastDay)).end === lastDay ? undefined : 'weekly'),
  },
  products: { shares: 'percent', minIdCharacters: 1, maxIdCharacters: 20 },
  marketplace: { from: 'format', code: WALMART },
};
