// The same sheet by exceljs's streaming writer. It is no dependency: it is unmaintained, and would be installed only to be
// slower; whoever wants to compare names a folder in which it is installed.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { KeywordExport } from '../../src/domain/keyword-export.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import { type PeriodCell, periodCells, shareFraction } from '../../src/export/cells.ts';
import { exportColumns, LIST_SEPARATOR } from '../../src/export/columns.ts';
import { PALETTE } from '../../src/export/styles.ts';

/** The part of its interface that is used. */
interface ExcelJs {
  readonly stream: { readonly xlsx: { readonly WorkbookWriter: new (options: object) => Workbook } };
}
interface Workbook {
  addWorksheet(name: string, options: object): Sheet;
  commit(): Promise<void>;
}
interface Sheet {
  columns: readonly object[];
  addRow(values: readonly unknown[]): Row;
}
interface Row {
  getCell(column: number): { numFmt: string; fill: object };
  commit(): void;
}

/** Bytes written. */
export async function writeWithExceljs(input: KeywordExport, directory: string): Promise<number> {
  const path = createRequire(join(directory, 'any.js')).resolve('exceljs');
  const { default: excel } = (await import(path)) as { readonly default: ExcelJs };
  let sizeBytes = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      done();
    },
  });
  const options = { stream: sink, useStyles: true, useSharedStrings: false };
  const workbook = new excel.stream.xlsx.WorkbookWriter(options);
  await writeRows(workbook, input);
  await workbook.commit();
  sink.end();
  await finished(sink);
  return sizeBytes;
}

async function writeRows(workbook: Workbook, input: KeywordExport): Promise<void> {
  const sheet = workbook.addWorksheet('Keywords', { views: [{ state: 'frozen', xSplit: 1, ySplit: 1 }] });
  const columns = exportColumns(input);
  sheet.columns = columns.map(({ label, widthCharacters }) => ({ header: label, width: widthCharacters }));
  const fills = {
    improved: { type: 'pattern', pattern: 'solid', fgColor: { argb: `FF${PALETTE.improvedFill}` } },
    worsened: { type: 'pattern', pattern: 'solid', fgColor: { argb: `FF${PALETTE.worsenedFill}` } },
  };
  for await (const batch of input.batches) {
    for (const keyword of batch) {
      const cells = periodCells(keyword.ranks, input);
      const row = sheet.addRow(valuesOf(keyword, cells));
      for (const [index, cell] of cells.entries()) {
        if (cell === null) continue;
        const target = row.getCell(index + 2);
        target.numFmt = '#,##0';
        if (cell.tone !== 'neutral') target.fill = fills[cell.tone];
      }
      row.commit();
    }
  }
}

function valuesOf(row: SearchRow, cells: readonly (PeriodCell | null)[]): readonly unknown[] {
  const products = row.products.flatMap((product) => [
    product.asin,
    product.title,
    shareFraction(product.clickShare ?? 0),
    shareFraction(product.conversionShare ?? 0),
  ]);
  return [
    row.searchTerm,
    ...cells.map((cell) => cell?.value ?? null),
    ...[row.latestRank, row.bestRank, row.worstRank, row.avgRank, row.totalPeriods],
    ...products,
    row.brands.join(LIST_SEPARATOR),
    row.categories.join(LIST_SEPARATOR),
  ];
}
