// The columns of an export, left to right: term, periods, summary, products, brands, categories.
import assert from 'node:assert/strict';
import { type KeywordExport, MAX_PRODUCTS } from '../domain/keyword-export.ts';
import { comparePeriods, type PeriodKey, periodKey } from '../domain/period.ts';
import type { StyleName } from './styles.ts';

export interface Column {
  /** The heading in a workbook. */
  readonly label: string;
  /** The heading in a CSV file: the field's name in the API. */
  readonly field: string;
  /** In characters of the default font, as spreadsheets measure it; headings share it with the filter button. */
  readonly widthCharacters: number;
  readonly header: StyleName;
}

/** Excel's last column is XFD. */
export const MAX_COLUMNS = 16_384;

/** Between the brands or categories of one cell; their names may hold commas. */
export const LIST_SEPARATOR = '; ';

export function exportColumns(periods: KeywordExport['periods']): readonly Column[] {
  return [
    text({ label: 'Search term', field: 'search_term', widthCharacters: 40 }),
    ...periodHeadings(periods).map(
      (key): Column => ({ label: key, field: key, widthCharacters: 11.5, header: 'periodHeader' }),
    ),
    number({ label: 'Latest rank', field: 'latest_rank' }),
    number({ label: 'Best rank', field: 'best_rank' }),
    number({ label: 'Worst rank', field: 'worst_rank' }),
    number({ label: 'Average rank', field: 'avg_rank' }),
    number({ label: 'Periods ranked', field: 'total_periods' }),
    ...Array.from({ length: MAX_PRODUCTS }, (_, index) => productColumns(index + 1)).flat(),
    text({ label: 'Brands', field: 'brands', widthCharacters: 32 }),
    text({ label: 'Categories', field: 'categories', widthCharacters: 32 }),
  ];
}

/** Newest first, as plans list periods, would silently turn every improvement into a loss. */
export function periodHeadings(periods: KeywordExport['periods']): readonly PeriodKey[] {
  const isChronological = periods.every((period, index) => {
    const before = periods[index - 1];
    return before === undefined || comparePeriods(before, period) < 0;
  });
  assert(isChronological, 'The periods of an export must be different and oldest first.');
  return periods.map(periodKey);
}

/** 0 is A, 25 is Z, 26 is AA. */
export function columnLetters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnLetters(Math.floor(index / 26) - 1) + last;
}

function productColumns(place: number): readonly Column[] {
  return [
    text({ label: `Product ${place} ASIN`, field: `product_${place}_asin`, widthCharacters: 14 }),
    text({ label: `Product ${place} title`, field: `product_${place}_title`, widthCharacters: 48 }),
    number({ label: `Product ${place} click share`, field: `product_${place}_click_share` }),
    number({ label: `Product ${place} conversion share`, field: `product_${place}_conversion_share` }),
  ];
}

function text(column: Omit<Column, 'header'>): Column {
  return { ...column, header: 'header' };
}

function number(column: Omit<Column, 'header' | 'widthCharacters'>): Column {
  return { ...column, widthCharacters: 13, header: 'numberHeader' };
}
