import type { CsvFormat } from './report-format.ts';

/** Our own, for rank series that have no vendor's format. It is the operator's work and belongs to the configured shop. */
export const PLAIN_CSV: CsvFormat = {
  kind: 'csv',
  name: 'plain CSV (period_type,period,search_term,rank)',
  headers: new Map([
    ['period_type', 'period_type'],
    ['period', 'period'],
    ['search_term', 'term'],
    ['rank', 'rank'],
    ['platform', 'platform'],
  ]),
  required: ['period_type', 'period', 'term', 'rank'],
  period: 'of each row',
  marketplace: { from: 'file name or settings' },
};
