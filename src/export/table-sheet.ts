// The first sheet: one row per element of the list, as XML text built in chunks of a fixed size so that neither the batches of the
// caller nor the length of the export decide how much is in memory, or how long the event loop is held.
import assert from 'node:assert/strict';
import { inlineString } from './cell-text.ts';
import { type Column, columnLetters } from './columns.ts';
import { SheetBytes } from './sheet-bytes.ts';
import { SheetCells } from './sheet-cells.ts';
import { styleNumber } from './styles.ts';
import type { Table } from './table.ts';
import { openValues } from './table-rows.ts';

/** About half a millisecond of work, and well above the size from which deflate's thread hand-over costs nothing. */
const CHUNK_BYTES = 64 * 1024;

/** Room for the row that fills a chunk, so that the buffer seldom has to grow. */
const SPARE_BYTES = 8 * 1024;

const HEADER_HEIGHT_POINTS = 48;

export async function* tableSheet<Row>(table: Table<Row>): AsyncGenerator<Buffer> {
  const { columns } = table;
  const bytes = new SheetBytes(CHUNK_BYTES + SPARE_BYTES);
  const cells = new SheetCells(bytes, columns.length);
  const writeRow = table.openRows?.(cells) ?? openPlainRows(table, cells);
  let rowCount = 0;
  bytes.raw(Buffer.from(sheetStart(columns, table.rowCount)));
  for await (const batch of table.batches) {
    for (const row of batch) {
      rowCount += 1;
      cells.startRow(rowCount + 1);
      writeRow(row);
      cells.endRow();
      if (bytes.length >= CHUNK_BYTES) yield bytes.take();
    }
  }
  assert.equal(rowCount, table.rowCount, 'The batches hold another number of rows than was announced.');
  bytes.raw(Buffer.from(sheetEnd({ columnCount: columns.length, rowCount })));
  yield bytes.take();
}

function openPlainRows<Row>({ columns, valuesOf }: Table<Row>, cells: SheetCells): (row: Row) => void {
  const write = openValues(columns, cells);
  return (row) => write(valuesOf(row));
}

interface TableSize {
  readonly columnCount: number;
  /** Without the header. */
  readonly rowCount: number;
}

/** The whole table with its header, for the filter and the reader's first look: A1:AQ100001. */
function tableRange({ columnCount, rowCount }: TableSize): string {
  return `A1:${columnLetters(columnCount - 1)}${rowCount + 1}`;
}

function sheetStart(columns: readonly Column[], rowCount: number): string {
  const widths = columns.map(
    ({ widthCharacters }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${widthCharacters}" customWidth="1"/>`,
  );
  const headings = columns.map(
    ({ label, header }, index) =>
      `<c r="${columnLetters(index)}1" s="${styleNumber(header)}" t="inlineStr">${inlineString(label)}</c>`,
  );
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
    `<dimension ref="${tableRange({ columnCount: columns.length, rowCount })}"/>`,
    '<sheetViews><sheetView tabSelected="1" workbookViewId="0">',
    '<pane xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"/>',
    '<selection pane="bottomRight" activeCell="B2" sqref="B2"/>',
    '</sheetView></sheetViews>',
    '<sheetFormatPr defaultRowHeight="15"/>',
    `<cols>${widths.join('')}</cols>`,
    `<sheetData><row r="1" ht="${HEADER_HEIGHT_POINTS}" customHeight="1">${headings.join('')}</row>`,
  ].join('');
}

/** Terms such as "2024" are text on purpose, so Excel's green "number stored as text" corners are switched off. */
function sheetEnd(size: TableSize): string {
  const range = tableRange(size);
  return [
    '</sheetData>',
    `<autoFilter ref="${range}"/>`,
    '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>',
    '<pageSetup scale="55" pageOrder="overThenDown" orientation="landscape"/>',
    '<headerFooter><oddFooter>&amp;L&amp;A&amp;RPage &amp;P of &amp;N</oddFooter></headerFooter>',
    `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>`,
    '</worksheet>',
  ].join('');
}
