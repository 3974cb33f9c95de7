// Rows of the keyword sheet as XML. Cells are written left to right with a cursor; an empty cell is a step of the cursor
// and costs no bytes.
import assert from 'node:assert/strict';
import { type KeywordExport, MAX_PRODUCTS } from '../domain/keyword-export.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { type CellRule, periodCells, shareFraction, type Tone } from './cells.ts';
import { columnLetters, LIST_SEPARATOR } from './columns.ts';
import type { SheetBytes } from './sheet-bytes.ts';
import { periodStyle, type StyleName, styleNumber } from './styles.ts';

const CELLS_PER_PRODUCT = 4;

const ROW_START = Buffer.from('<row r="');
const ROW_OPEN = Buffer.from('">');
const ROW_END = Buffer.from('</row>');
const NUMBER_END = Buffer.from('</v></c>');
const TEXT_END = Buffer.from('</t></is></c>');
const TEXT_OPEN = Buffer.from(`" s="${styleNumber('text')}" t="inlineStr"><is><t xml:space="preserve">`);
const RANK_OPEN = numberOpen('rank');
const AVERAGE_OPEN = numberOpen('average');
const SHARE_OPEN = numberOpen('share');

export class KeywordRows {
  readonly #bytes: SheetBytes;
  readonly #rule: CellRule;
  readonly #periodCount: number;
  /** `<c r="AB` for every column. */
  readonly #cellStarts: readonly Buffer[];
  readonly #toneOpens: Readonly<Record<Tone, Buffer>>;
  /** The digits that every cell reference of the row ends in. */
  #rowNumber = Buffer.alloc(0);
  #column = 0;

  constructor(
    input: KeywordExport,
    { bytes, columnCount }: { readonly bytes: SheetBytes; readonly columnCount: number },
  ) {
    this.#bytes = bytes;
    this.#rule = input;
    this.#periodCount = input.periods.length;
    this.#cellStarts = Array.from({ length: columnCount }, (_, index) => Buffer.from(`<c r="${columnLetters(index)}`));
    this.#toneOpens = {
      improved: numberOpen(periodStyle(input.format, 'improved')),
      worsened: numberOpen(periodStyle(input.format, 'worsened')),
      neutral: numberOpen(periodStyle(input.format, 'neutral')),
    };
  }

  write(row: SearchRow, rowNumber: number): void {
    assert(row.ranks.length === this.#periodCount, 'A row must have one rank or gap per period.');
    this.#startRow(rowNumber);
    this.#text(row.searchTerm);
    for (const cell of periodCells(row.ranks, this.#rule)) {
      if (cell === null) this.#skip(1);
      else this.#number(cell.value, this.#toneOpens[cell.tone]);
    }
    this.#number(row.latestRank, RANK_OPEN);
    this.#number(row.bestRank, RANK_OPEN);
    this.#number(row.worstRank, RANK_OPEN);
    this.#number(row.avgRank, AVERAGE_OPEN);
    this.#number(row.totalPeriods, RANK_OPEN);
    this.#products(row.products);
    this.#text(row.brands.join(LIST_SEPARATOR));
    this.#text(row.categories.join(LIST_SEPARATOR));
    this.#bytes.raw(ROW_END);
  }

  #products(products: SearchRow['products']): void {
    for (let place = 0; place < MAX_PRODUCTS; place += 1) {
      const product = products[place];
      if (product === undefined) {
        this.#skip(CELLS_PER_PRODUCT);
        continue;
      }
      this.#text(product.asin);
      this.#text(product.title);
      this.#share(product.clickShare);
      this.#share(product.conversionShare);
    }
  }

  /** A share that the report left blank is unknown, not zero. */
  #share(sharePercent: number | null): void {
    if (sharePercent === null) this.#skip(1);
    else this.#number(shareFraction(sharePercent), SHARE_OPEN);
  }

  #startRow(rowNumber: number): void {
    this.#rowNumber = Buffer.from(String(rowNumber), 'latin1');
    this.#column = 0;
    this.#bytes.raw(ROW_START);
    this.#bytes.raw(this.#rowNumber);
    this.#bytes.raw(ROW_OPEN);
  }

  #startCell(open: Buffer): void {
    const start = this.#cellStarts[this.#column];
    assert(start !== undefined, 'A row has more cells than the sheet has columns.');
    this.#bytes.raw(start);
    this.#bytes.raw(this.#rowNumber);
    this.#bytes.raw(open);
    this.#column += 1;
  }

  #number(value: number, open: Buffer): void {
    this.#startCell(open);
    this.#bytes.number(value);
    this.#bytes.raw(NUMBER_END);
  }

  #text(text: string): void {
    if (text === '') {
      this.#skip(1);
      return;
    }
    this.#startCell(TEXT_OPEN);
    this.#bytes.text(text);
    this.#bytes.raw(TEXT_END);
  }

  #skip(count: number): void {
    this.#column += count;
  }
}

function numberOpen(style: StyleName): Buffer {
  return Buffer.from(`" s="${styleNumber(style)}"><v>`);
}
