// A table as CSV: RFC 4180, comma, CR LF, and UTF-8 with a byte order mark, without which Excel reads it as Latin-1.
// Texts go through domain/csv-text.ts, so that no spreadsheet runs them. Numbers are never touched: -5 stays -5.
import type { Readable } from 'node:stream';
import { csvField } from '../domain/csv-text.ts';
import { cleanText } from './cell-text.ts';
import { LIST_SEPARATOR } from './columns.ts';
import { openLines } from './line-stream.ts';
import type { CellValue, Table } from './table.ts';

const BYTE_ORDER_MARK = '\ufeff';
const LINE_END = '\r\n';

export function openCsv<Row>(table: Table<Row>): Readable {
  const heading = table.columns.map(({ field }) => field);
  return openLines(table, {
    head: BYTE_ORDER_MARK + heading.join(',') + LINE_END,
    line: (row) => csvLine(table.valuesOf(row)),
  });
}

function csvLine(values: readonly CellValue[]): string {
  const fields = values.map((value) => {
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
    return csvField(cleanText(typeof value === 'string' ? value : value.join(LIST_SEPARATOR)));
  });
  return fields.join(',') + LINE_END;
}
