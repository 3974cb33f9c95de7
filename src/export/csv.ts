// An export as CSV: RFC 4180, comma, CR LF, and UTF-8 with a byte order mark, without which Excel reads it as Latin-1.
// Texts go through domain/csv-text.ts, so that no spreadsheet runs them. Numbers are never touched: -5 stays -5.
import type { Readable } from 'node:stream';
import { csvField } from '../domain/csv-text.ts';
import type { KeywordExport } from '../domain/keyword-export.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { cleanText } from './cell-text.ts';
import { type CellRule, rowValues } from './cells.ts';
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
  const fields = rowValues(row, rule).map((value) => {
    if (value === null || typeof value === 'number') return value;
    return csvField(cleanText(typeof value === 'string' ? value : value.join(LIST_SEPARATOR)));
  });
  return fields.join(',') + LINE_END;
}
