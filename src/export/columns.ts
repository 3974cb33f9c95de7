// The columns of a table, and those of a keyword export, left to right: term, periods, summary, products, brands, categories,
// insights.
import assert from 'node:assert/strict';
import { type ExportContent, MAX_PRODUCTS } from '../domain/keyword-export.ts';
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
  /** What its values are; whole numbers and others have a type each where a form has types. */
  readonly type: 'text' | 'texts' | 'integer' | 'decimal' | 'flag';
  /** How a number looks in a sheet. One in percent is written there as the fraction that its format expects. */
  readonly style: StyleName;
}

/** Excel's last column is XFD. */
export const MAX_COLUMNS = 16_384;

/** Between the brands or categories of one cell; their names may hold commas. */
export const LIST_SEPARATOR = '; ';

export function exportColumns({
  periods,
  format,
  includesInsights,
}: Pick<ExportContent, 'periods' | 'format' | 'includesInsights'>): readonly Column[] {
  return [
    textColumn({ label: 'Search term', field: 'search_term', widthCharacters: 40 }),
    ...periodHeadings(periods).map((key) =>
      periodColumn(key, { type: format === 'percentage' ? 'decimal' : 'integer', style: `${format}-neutral` }),
    ),
    rankColumn({ label: 'Latest rank', field: 'latest_rank' }),
    rankColumn({ label: 'Best rank', field: 'best_rank' }),
    rankColumn({ label: 'Worst rank', field: 'worst_rank' }),
    numberColumn({ label: 'Average rank', field: 'avg_rank', type: 'decimal', style: 'average' }),
    rankColumn({ label: 'Periods ranked', field: 'total_periods' }),
    ...Array.from({ length: MAX_PRODUCTS }, (_, index) => productColumns(index + 1)).flat(),
    textColumn({ label: 'Brands', field: 'brands', widthCharacters: 32, type: 'texts' }),
    textColumn({ label: 'Categories', field: 'categories', widthCharacters: 32, type: 'texts' }),
    ...(includesInsights ? INSIGHT_COLUMNS : []),
  ];
}

/** Newest first, as plans list periods, would silently turn every improvement into a loss. */
export function periodHeadings(periods: ExportContent['periods']): readonly PeriodKey[] {
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

export function textColumn({
  type = 'text',
  ...column
}: Pick<Column, 'label' | 'field' | 'widthCharacters'> & { readonly type?: 'text' | 'texts' | 'flag' }): Column {
  return { ...column, header: 'header', type, style: 'text' };
}

export function numberColumn(column: Pick<Column, 'label' | 'field' | 'type' | 'style'>): Column {
  return { ...column, widthCharacters: 13, header: 'numberHeader' };
}

export function rankColumn(column: Pick<Column, 'label' | 'field'>): Column {
  return numberColumn({ ...column, type: 'integer', style: 'rank' });
}

export function changeColumn(column: Pick<Column, 'label' | 'field'>): Column {
  return numberColumn({ ...column, type: 'integer', style: 'delta-neutral' });
}

export function percentColumn(column: Pick<Column, 'label' | 'field'>): Column {
  return numberColumn({ ...column, type: 'decimal', style: 'percentage-neutral' });
}

export function periodColumn(key: PeriodKey, { type, style }: Pick<Column, 'type' | 'style'>): Column {
  return { label: key, field: key, widthCharacters: 11.5, header: 'periodHeader', type, style };
}

export function shareColumn(column: Pick<Column, 'label' | 'field'>): Column {
  return numberColumn({ ...column, type: 'decimal', style: 'share' });
}

/** One of the top products. */
export function productColumns(place: number): readonly Column[] {
  return [
    textColumn({ label: `Product ${place} ASIN`, field: `product_${place}_asin`, widthCharacters: 14 }),
    textColumn({ label: `Product ${place} title`, field: `product_${place}_title`, widthCharacters: 48 }),
    shareColumn({ label: `Product ${place} click share`, field: `product_${place}_click_share` }),
    shareColumn({ label: `Product ${place} conversion share`, field: `product_${place}_conversion_share` }),
  ];
}

/** In the order of their fields in the API. */
export const INSIGHT_COLUMNS: readonly Column[] = [
  textColumn({ label: 'From period', field: 'from_period', widthCharacters: 11.5 }),
  textColumn({ label: 'To period', field: 'to_period', widthCharacters: 11.5 }),
  rankColumn({ label: 'From rank', field: 'from_rank' }),
  rankColumn({ label: 'To rank', field: 'to_rank' }),
  changeColumn({ label: 'Change', field: 'change' }),
  percentColumn({ label: 'Change in percent', field: 'change_percentage' }),
  changeColumn({ label: 'Change in a year', field: 'year_change' }),
  shareColumn({ label: 'Click concentration', field: 'click_concentration' }),
  shareColumn({ label: 'Conversion concentration', field: 'conversion_concentration' }),
  numberColumn({ label: 'Conversion to click', field: 'conversion_to_click', type: 'decimal', style: 'ratio' }),
  textColumn({ label: 'Title gap', field: 'title_gap', widthCharacters: 11.5, type: 'flag' }),
  textColumn({ label: 'First seen', field: 'first_seen', widthCharacters: 11.5 }),
  rankColumn({ label: 'Streak', field: 'streak' }),
];
