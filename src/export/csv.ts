// An export as CSV: RFC 4180, comma, CR LF, and UTF-8 with a byte order mark, without which Excel reads it as Latin-1.
// Texts go through domain/csv-text.ts, so that no spreadsheet runs them. Numbers are never touched: -5 stays -5.
import type { Readable } from 'node:stream';
import { csvField } from '../domain/csv-text.ts';
import { type KeywordExport, MAX_PRODUCTS } from '../domain/keyword-export.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { cleanText } from './cell-text.ts';
import { type CellRule, periodCells, plainValue } from './cells.ts';
import { exportColumns, LIST_SEPARATOR } from './columns.ts';
import { openLines } from './line-stream.ts';

const BYTE_ORDER_MARK = '\ufeff';
const LINE_END = '\r\n';

export function openCsv(input: KeywordExport): Readable {
  const heading = exportColumns(input.periods).map(({ field }) => field);
  return openLines(input, {
    head: BYTE_ORDER_MARK + heading.join(',') + LINE_END,
    line: (row) => csvLine(row, input),
  });
}

function csvLine(row: SearchRow, rule: CellRule): string {
  const fields = [
    csvText(row.searchTerm),
    ...periodCells(row.ranks, rule).map((cell) => (cell === null ? '' : plainValue(cell, rule))),
    row.latestRank,
    row.bestRank,
    row.worstRank,
    row.avgRank,
    row.totalPeriods,
    ...Array.from({ length: MAX_PRODUCTS }, (_, place) => productFields(row.products[place])).flat(),
    csvText(row.brands.join(LIST_SEPARATOR)),
    csvText(row.categories.join(LIST_SEPARATOR)),
  ];
  return fields.join(',') + LINE_END;
}

function csvText(text: string): string {
  return csvField(cleanText(text));
}

function productFields(product: SearchRow['products'][number] | undefined): readonly (string | number)[] {
  if (product === undefined) return ['', '', '', ''];
  return [csvText(product.asin), csvText(product.title), product.clickShare ?? '', product.conversionShare ?? ''];
}
