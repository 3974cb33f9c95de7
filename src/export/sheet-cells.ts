// Cells of a sheet as XML, written left to right with a cursor; an empty cell is a step of the cursor and costs no bytes.
import assert from 'node:assert/strict';
import { columnLetters } from './columns.ts';
import type { SheetBytes } from './sheet-bytes.ts';
import { type StyleName, styleNumber } from './styles.ts';

const ROW_START = Buffer.from('<row r="');
const ROW_OPEN = Buffer.from('">');
const ROW_END = Buffer.from('</row>');
const NUMBER_END = Buffer.from('</v></c>');
const TEXT_END = Buffer.from('</t></is></c>');
const TEXT_OPEN = Buffer.from(`" s="${styleNumber('text')}" t="inlineStr"><is><t xml:space="preserve">`);

export class SheetCells {
  readonly #bytes: SheetBytes;
  /** `<c r="AB` for every column. */
  readonly #cellStarts: readonly Buffer[];
  /** The digits that every cell reference of the row ends in. */
  #rowNumber = Buffer.alloc(0);
  #column = 0;

  constructor(bytes: SheetBytes, columnCount: number) {
    this.#bytes = bytes;
    this.#cellStarts = Array.from({ length: columnCount }, (_, index) => Buffer.from(`<c r="${columnLetters(index)}`));
  }

  startRow(rowNumber: number): void {
    this.#rowNumber = Buffer.from(String(rowNumber), 'latin1');
    this.#column = 0;
    this.#bytes.raw(ROW_START);
    this.#bytes.raw(this.#rowNumber);
    this.#bytes.raw(ROW_OPEN);
  }

  endRow(): void {
    this.#bytes.raw(ROW_END);
  }

  /** What stands before the number comes from `numberOpen`, once for all cells of a look. */
  number(value: number, open: Buffer): void {
    this.#startCell(open);
    this.#bytes.number(value);
    this.#bytes.raw(NUMBER_END);
  }

  text(text: string): void {
    if (text === '') {
      this.skip(1);
      return;
    }
    this.#startCell(TEXT_OPEN);
    this.#bytes.text(text);
    this.#bytes.raw(TEXT_END);
  }

  skip(count: number): void {
    this.#column += count;
  }

  #startCell(open: Buffer): void {
    const start = this.#cellStarts[this.#column];
    assert(start !== undefined, 'A row has more cells than the sheet has columns.');
    this.#bytes.raw(start);
    this.#bytes.raw(this.#rowNumber);
    this.#bytes.raw(open);
    this.#column += 1;
  }
}

export function numberOpen(style: StyleName): Buffer {
  return Buffer.from(`" s="${styleNumber(style)}"><v>`);
}
