// What every file form writes: a table of any list. Its columns say what their values are; a form decides how they look.
import type { Column } from './columns.ts';
import type { SheetCells } from './sheet-cells.ts';
import type { StyleName } from './styles.ts';

/** Null is an empty cell. Percentages are in percent, as everywhere in the API. */
export type CellValue = string | number | boolean | readonly string[] | null;

export type Fact = readonly [label: string, value: string | number | Date, labelStyle?: StyleName];

export interface AboutSection {
  readonly heading: string;
  readonly facts: readonly Fact[];
}

export interface TableContent {
  /** One word: formulas name sheets, and only those without spaces need no quotes. */
  readonly sheetName: string;
  readonly title: string;
  readonly columns: readonly Column[];
  /** What stands on the second sheet. */
  readonly about: readonly AboutSection[];
  /** Exactly as many rows as the batches will hold; a writer fails when they disagree. */
  readonly rowCount: number;
  readonly exportedAtMs: number;
}

export interface Table<Row> extends TableContent {
  /**
   * Read once, one batch at a time; whatever it holds open must be opened by its first step and closed by `return`. An
   * open export keeps one batch in memory, so a hundred rows or so are a good size.
   */
  readonly batches: AsyncIterable<readonly Row[]>;
  /** In the order of the columns. */
  readonly valuesOf: (row: Row) => readonly CellValue[];
  /** A line of NDJSON: what the API answers. */
  readonly present: (row: Row) => object;
  /** Writes the cells of a row into a sheet, where their look depends on more than the column. */
  readonly openRows?: (cells: SheetCells) => (row: Row) => void;
}
