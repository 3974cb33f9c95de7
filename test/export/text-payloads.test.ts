import { beforeAll, describe, expect, it } from 'vitest';
import type { KeywordExport } from '../../src/domain/keyword-export.ts';
import { cleanText } from '../../src/export/cell-text.ts';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { openWorkbook } from '../../src/export/workbook.ts';
import { bytesOf, keywordExport, keywordRow, months } from '../support/keyword-export.ts';
import {
  convertWithLibreOffice,
  readParts,
  readWithOpenpyxl,
  type SheetCell,
  type WorkbookParts,
} from '../support/spreadsheet-programs.ts';
import { TEXT_PAYLOADS } from '../support/text-payloads.ts';

const periods = months({ count: 1 });

/** Every payload in every place where text can stand. */
function hostileExport(): KeywordExport {
  const rows = TEXT_PAYLOADS.map((payload) =>
    keywordRow(payload, {
      periods,
      ranks: [1],
      products: [{ asin: payload, title: payload, clickShare: 1, conversionShare: 1 }],
      brands: [payload],
      categories: [payload],
    }),
  );
  const input = keywordExport(rows, { periods });
  const filters = TEXT_PAYLOADS.map((payload) => ({ name: payload, value: payload }));
  const description = { ...input.description, queries: TEXT_PAYLOADS, filters, planWindow: '=1', dataVersion: '=1' };
  return { ...input, description };
}

/** As Excel decodes a cell's text. */
function decoded(cell: SheetCell | undefined): string | undefined {
  return cell?.text?.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

describe('five hundred hostile texts', () => {
  let bytes: Buffer;
  let parts: WorkbookParts;
  beforeAll(async () => {
    bytes = await bytesOf(openWorkbook(keywordTable(hostileExport())));
    parts = await readParts(bytes);
  });

  it('are five hundred different ones', () => {
    expect(new Set(TEXT_PAYLOADS).size).toBe(500);
  });

  it.each(['A', 'H', 'I', 'T', 'U'])('stand in column %s as the text they are', (column) => {
    const read = TEXT_PAYLOADS.map((_, index) => decoded(parts.keywords[`${column}${index + 2}`]));
    expect(read).toEqual(TEXT_PAYLOADS.map(cleanText));
  });

  it('stand on the About sheet as the text they are', () => {
    const read = Object.values(parts.about).flatMap((cell) => decoded(cell) ?? []);
    for (const payload of TEXT_PAYLOADS) expect(read).toContain(cleanText(payload));
  });

  it('add no formula, link, part or relation to the file', () => {
    const cells = [...Object.values(parts.keywords), ...Object.values(parts.about)];
    expect(cells).toHaveLength(21 + 500 * (1 + 6 + 4 + 2) + Object.keys(parts.about).length);
    expect(new Set(cells.map(({ type, children }) => `${type}: ${children.join(' ')}`))).toEqual(
      new Set(['inlineStr: is t', 'n: v', 'n: ']),
    );
    expect(parts.elements['xl/worksheets/sheet1.xml']).not.toContain('hyperlink');
    expect(parts.entries).toHaveLength(8);
    expect(parts.targets).toEqual([
      ['docProps/core.xml', null],
      ['styles.xml', null],
      ['worksheets/sheet1.xml', null],
      ['worksheets/sheet2.xml', null],
      ['xl/workbook.xml', null],
    ]);
  });

  it('are text to openpyxl', async () => {
    const book = await readWithOpenpyxl(bytes);
    expect(new Set(book.types.slice(1).map((row) => row[0]))).toEqual(new Set(['s']));
    expect(book.types.flat()).not.toContain('f');
    expect(book.links).toBe(0);
  });

  it('are text to LibreOffice', async () => {
    const files = await convertWithLibreOffice(bytes, 'fods');
    const document = files.get('export.fods') ?? '';
    expect(document.match(/<table:table-row /g)?.length).toBeGreaterThan(1000);
    expect(document).not.toMatch(/table:formula=|<text:a |xlink:href="(?!$)/);
  });
});
