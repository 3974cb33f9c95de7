// Rows of the keyword sheet. Their period columns are coloured by what is in the other columns, so they are written by themselves.
import assert from 'node:assert/strict';
import { type ExportContent, MAX_PRODUCTS } from '../domain/keyword-export.ts';
import type { SearchRow } from '../domain/search-row.ts';
import { type CellRule, periodCells, shareFraction, type Tone } from './cells.ts';
import { INSIGHT_COLUMNS, LIST_SEPARATOR } from './columns.ts';
import { presentInsights } from './insight-fields.ts';
import { numberOpen, type SheetCells } from './sheet-cells.ts';
import { periodStyle } from './styles.ts';
import { openValues } from './table-rows.ts';

const CELLS_PER_PRODUCT = 4;

const RANK_OPEN = numberOpen('rank');
const AVERAGE_OPEN = numberOpen('average');
const SHARE_OPEN = numberOpen('share');

export class KeywordRows {
  readonly #cells: SheetCells;
  readonly #rule: CellRule;
  readonly #periodCount: number;
  readonly #toneOpens: Readonly<Record<Tone, Buffer>>;
  readonly #writeInsights: ReturnType<typeof openValues>;

  constructor(content: ExportContent, cells: SheetCells) {
    this.#cells = cells;
    this.#rule = content;
    this.#periodCount = content.periods.length;
    this.#toneOpens = {
      improved: numberOpen(periodStyle(content.format, 'improved')),
      worsened: numberOpen(periodStyle(content.format, 'worsened')),
      neutral: numberOpen(periodStyle(content.format, 'neutral')),
    };
    this.#writeInsights = openValues(INSIGHT_COLUMNS, cells);
  }

  write(row: SearchRow): void {
    assert(row.ranks.length === this.#periodCount, 'A row must have one rank or gap per period.');
    const cells = this.#cells;
    cells.text(row.searchTerm);
    for (const cell of periodCells(row.ranks, this.#rule)) {
      if (cell === null) cells.skip(1);
      else cells.number(cell.value, this.#toneOpens[cell.tone]);
    }
    cells.number(row.latestRank, RANK_OPEN);
    cells.number(row.bestRank, RANK_OPEN);
    cells.number(row.worstRank, RANK_OPEN);
    cells.number(row.avgRank, AVERAGE_OPEN);
    cells.number(row.totalPeriods, RANK_OPEN);
    this.#products(row.products);
    cells.text(row.brands.join(LIST_SEPARATOR));
    cells.text(row.categories.join(LIST_SEPARATOR));
    if (row.insights) this.#writeInsights(Object.values(presentInsights(row.insights)));
  }

  #products(products: SearchRow['products']): void {
    for (let place = 0; place < MAX_PRODUCTS; place += 1) {
      const product = products[place];
      if (product === undefined) {
        this.#cells.skip(CELLS_PER_PRODUCT);
        continue;
      }
      this.#cells.text(product.asin);
      this.#cells.text(product.title);
      this.#share(product.clickShare);
      this.#share(product.conversionShare);
    }
  }

  /** A share that the report left blank is unknown, not zero. */
  #share(sharePercent: number | null): void {
    if (sharePercent === null) this.#cells.skip(1);
    else this.#cells.number(shareFraction(sharePercent), SHARE_OPEN);
  }
}
