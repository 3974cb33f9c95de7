import { describe, expect, it } from 'vitest';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { PALETTE } from '../../src/export/styles.ts';
import { openWorkbook } from '../../src/export/workbook.ts';
import {
  bytesOf,
  exampleInsights,
  exampleRows,
  inBatches,
  keywordExport,
  keywordRow,
  months,
} from '../support/keyword-export.ts';
import { convertWithLibreOffice, readParts, readWithOpenpyxl } from '../support/spreadsheet-programs.ts';

const GREEN = PALETTE.improvedFill;
const RED = PALETTE.worsenedFill;

/** Comma, double quote, UTF-8, every sheet in a file of its own, cells as they look. */
const CSV_AS_SHOWN = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1';

const periods = months({ count: 4 });

function smallExport(overrides: Partial<Parameters<typeof keywordExport>[1]> = {}) {
  const products = [
    { asin: 'B000000001', title: 'One & only', clickShare: 12.34, conversionShare: 5 },
    { asin: 'B000000002', title: 'Two', clickShare: 0, conversionShare: null },
  ];
  const rows = [
    keywordRow('running shoes', { periods, ranks: [2000, 1500, null, 1515], products, brands: ['Acme', 'Bolt, Inc.'] }),
    keywordRow('2024', { periods, ranks: [null, 10, 10, 40], categories: ['Sports & Outdoors'] }),
  ];
  return keywordExport(rows, { periods, colorThresholdPercent: 2, ...overrides });
}

describe('a workbook read by openpyxl', () => {
  it('has a keyword sheet with frozen panes, a filter over the whole table, and an About sheet', async () => {
    const book = await readWithOpenpyxl(await bytesOf(openWorkbook(keywordTable(smallExport()))));
    expect(book).toMatchObject({
      sheets: ['Keywords', 'About'],
      dimensions: 'A1:X3',
      frozen: 'B2',
      filter: 'A1:X3',
      widths: { A: 40, B: 11.5 },
      links: 0,
    });
    expect(book.rows).toEqual([
      [
        ...['Search term', '01-2024', '02-2024', '03-2024', '04-2024'],
        ...['Latest rank', 'Best rank', 'Worst rank', 'Average rank', 'Periods ranked'],
        ...['Product 1 ASIN', 'Product 1 title', 'Product 1 click share', 'Product 1 conversion share'],
        ...['Product 2 ASIN', 'Product 2 title', 'Product 2 click share', 'Product 2 conversion share'],
        ...['Product 3 ASIN', 'Product 3 title', 'Product 3 click share', 'Product 3 conversion share'],
        ...['Brands', 'Categories'],
      ],
      [
        ...['running shoes', 2000, 1500, null, 1515, 1515, 1500, 2000, 5015 / 3, 3],
        ...['B000000001', 'One & only', 0.1234, 0.05, 'B000000002', 'Two', 0, null, null, null, null, null],
        ...['Acme; Bolt, Inc.', null],
      ],
      ['2024', null, 10, 10, 40, 40, 10, 40, 20, 3, ...Array(13).fill(null), 'Sports & Outdoors'],
    ]);
    expect(book.types[2]?.slice(0, 3)).toEqual(['s', 'n', 'n']);
    expect(book.formats[1]).toEqual([
      ...['@', '#,##0', '#,##0', 'General', '#,##0', '#,##0', '#,##0', '#,##0', '#,##0.0', '#,##0'],
      ...['@', '@', '0.00%', '0.00%', '@', '@', '0.00%', ...Array(5).fill('General')],
      ...['@', 'General'],
    ]);
  });

  it.each([
    ['raw', [2000, 1500, null, 1515], [null, 10, 10, 40], '#,##0'],
    ['delta', [null, 500, null, -15], [null, null, 0, -30], '+#,##0;-#,##0;0'],
    ['percentage', [null, 0.25, null, -0.01], [null, null, 0, -3], '+#,##0.0%;-#,##0.0%;0.0%'],
  ] as const)('shows %s values in the same colours', async (format, first, second, numberFormat) => {
    const book = await readWithOpenpyxl(await bytesOf(openWorkbook(keywordTable(smallExport({ format })))));
    expect(book.rows.slice(1).map((row) => row.slice(1, 5))).toEqual([first, second]);
    expect(book.fills.slice(1).map((row) => row.slice(1, 5))).toEqual([
      [null, GREEN, null, null],
      [null, null, null, RED],
    ]);
    expect(book.formats[2]?.[4]).toBe(numberFormat);
  });

  it('explains itself on the About sheet', async () => {
    const book = await readWithOpenpyxl(await bytesOf(openWorkbook(keywordTable(smallExport({ format: 'delta' })))));
    expect(book.about).toEqual([
      ['Keyword ranks', null],
      ['Search', null],
      ['Query', 'running shoes'],
      ['Brand', 'Acme; Bolt'],
      ['Data', null],
      ['Rows', '2'],
      ['Frequency', 'monthly'],
      ['Periods', '01-2024 to 04-2024 (4)'],
      ['Plan window', 'Pro: the last 24 months'],
      ['Data version', 'US monthly, revision 7'],
      ['Exported at', '2026-11-01 09:30:12'],
      ['How to read it', null],
      ['Period columns', expect.stringContaining('Ranks gained (+) or lost (-)')],
      ['Improved', 'Moved up by at least 2 % since the previous period with a rank.'],
      ['Worsened', 'Moved down by at least 2 % since the previous period with a rank.'],
      ['No colour', 'Changed by less than 2 %, unchanged, or no earlier rank to compare with.'],
      ['Shares', expect.any(String)],
    ]);
  });

  it('has insights behind everything else, with signs, percent and yes or no', async () => {
    const row = keywordRow('snow boots', { periods, ranks: [9, 9, 524, 259], insights: exampleInsights(periods) });
    const book = await readWithOpenpyxl(await bytesOf(openWorkbook(keywordTable(keywordExport([row], { periods })))));
    expect(book.rows[0]?.slice(-13)).toEqual([
      ...['From period', 'To period', 'From rank', 'To rank', 'Change', 'Change in percent', 'Change in a year'],
      ...[
        'Click concentration',
        'Conversion concentration',
        'Conversion to click',
        'Title gap',
        'First seen',
        'Streak',
      ],
    ]);
    expect(book.rows[1]?.slice(-13)).toEqual([
      ...['01-2024', '01-2024', 524, 259, 265, 0.5057, null, 0.1267, 0.2015, 1.5904, 'yes', '01-2024', 2],
    ]);
    expect(book.formats[1]?.slice(-9)).toEqual([
      ...['+#,##0;-#,##0;0', '+#,##0.0%;-#,##0.0%;0.0%', 'General', '0.00%', '0.00%', '0.0000', '@', '@', '#,##0'],
    ]);
  });

  it('may have no rows at all', async () => {
    const book = await readWithOpenpyxl(await bytesOf(openWorkbook(keywordTable(keywordExport([], { periods })))));
    expect(book.rows).toHaveLength(1);
    expect(book.filter).toBe('A1:X1');
  });
});

describe('a workbook opened by LibreOffice', () => {
  it('shows every row with signs, separators and percent', async () => {
    const rows = exampleRows(periods);
    const bytes = await bytesOf(openWorkbook(keywordTable(keywordExport(rows, { periods, format: 'percentage' }))));
    const files = await convertWithLibreOffice(bytes, CSV_AS_SHOWN);
    expect([...files.keys()].sort()).toEqual(['export-About.csv', 'export-Keywords.csv']);
    const lines = files.get('export-Keywords.csv')?.trimEnd().split('\n') ?? [];
    expect(lines).toHaveLength(rows.length + 1);
    expect(lines[1]).toBe(
      'running shoes,,-62.0%,+21.6%,-48.8%,189,100,189,144.5,4,' +
        'B000000000,One & only running shoes,12.34%,7.50%,B000000001,Two < three running shoes,6.17%,6.50%,' +
        'B000000002,"A rather long title of a product, as marketplaces have them, in blue running shoes",4.11%,5.50%,' +
        '"Acme; Bolt, Inc.","Clothing, Shoes & Jewelry; Sports & Outdoors"',
    );
    expect(lines[2], 'ranks with thousands separators').toMatch(/,"1[0-9],[0-9]{3}",/);
    expect(lines.slice(4).map((line) => line.split(',')[0])).toEqual([
      'café crème',
      '2024',
      '靴 メンズ',
      'yoga mat 👟',
    ]);
    expect(files.get('export-About.csv')).toContain('Exported at,2026-11-01 09:30:12 UTC');
  });
});

describe('the archive', () => {
  it('holds exactly these parts, in well-formed XML, dated by the export', async () => {
    const parts = await readParts(await bytesOf(openWorkbook(keywordTable(smallExport()))));
    expect(parts.entries.map(({ name }) => name)).toEqual([
      '[Content_Types].xml',
      '_rels/.rels',
      'docProps/core.xml',
      'xl/workbook.xml',
      'xl/_rels/workbook.xml.rels',
      'xl/styles.xml',
      'xl/worksheets/sheet2.xml',
      'xl/worksheets/sheet1.xml',
    ]);
    for (const { at } of parts.entries) expect(at).toEqual([2026, 11, 1, 9, 30, 12]);
  });

  it('has the parts of a sheet in the order that the standard prescribes', async () => {
    const { order } = await readParts(await bytesOf(openWorkbook(keywordTable(smallExport()))));
    expect(order).toEqual([
      ...['dimension', 'sheetViews', 'sheetFormatPr', 'cols', 'sheetData', 'autoFilter', 'pageMargins', 'pageSetup'],
      ...['headerFooter', 'ignoredErrors'],
    ]);
  });

  it('is whole when the sheet takes many chunks', async () => {
    const rows = Array.from({ length: 200 }, () => exampleRows(periods)).flat();
    const { keywords } = await readParts(await bytesOf(openWorkbook(keywordTable(keywordExport(rows, { periods })))));
    const terms = rows.map((_, index) => keywords[`A${index + 2}`]?.text);
    expect(terms).toEqual(rows.map(({ searchTerm }) => searchTerm));
    expect(keywords.F1401?.value).toBe(String(rows.at(-1)?.latestRank));
  });

  it('is the same to the byte for the same export, however its rows were batched', async () => {
    const rows = Array.from({ length: 40 }, () => exampleRows(periods)).flat();
    const [first, second, later] = await Promise.all(
      [
        keywordExport(rows, { periods, batches: inBatches(rows, 7) }),
        keywordExport(rows, { periods, batches: inBatches(rows, 1000) }),
        keywordExport(rows.toReversed(), { periods }),
      ].map((input) => bytesOf(openWorkbook(keywordTable(input)))),
    );
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
    expect(first?.equals(later ?? Buffer.alloc(0))).toBe(false);
  });
});
