// A CSV file in spreadsheets that expect another separator: they split lines within texts, and must find no formula there.
import { describe, expect, it } from 'vitest';
import { openCsv } from '../../src/export/csv.ts';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { bytesOf, keywordExport, keywordRow, months } from '../support/keyword-export.ts';
import { openCsvWithLibreOffice, readCsvWithPython } from '../support/spreadsheet-programs.ts';
import { TEXT_PAYLOADS } from '../support/text-payloads.ts';

const FORMULA = '=1+1';
const SEPARATORS = [',', ';', '\t', '|', '\n'];
/** A formula between every two separators, with what a reader may skip before it. */
const SPLIT_PAYLOADS = SEPARATORS.flatMap((before) =>
  ['', ' ', '"', ' "', '""'].flatMap((skipped) => [`a${before}${skipped}${FORMULA}${before}z`, `${before}${FORMULA}`]),
);
const TEXTS = [...SPLIT_PAYLOADS, ...TEXT_PAYLOADS];
const LIBRE_OFFICE_FORMULA = /table:formula="([^"]*)"/g;
const periods = months({ count: 2 });

async function hostileCsv(): Promise<Buffer> {
  const rows = TEXTS.flatMap((text) => [
    keywordRow(text, { periods, ranks: [800, 900] }),
    keywordRow('shoes', {
      periods,
      ranks: [800, 900],
      products: [{ asin: text, title: text, clickShare: 1, conversionShare: 1 }],
      brands: ['Acme', text],
      categories: [text],
    }),
  ]);
  return await bytesOf(openCsv(keywordTable(keywordExport(rows, { periods, format: 'delta' }))));
}

/** The same with every apostrophe taken out that was put in. */
function armed(csv: Buffer): Buffer {
  return Buffer.from(csv.toString('utf8').replaceAll(/(?<=[,;|\t\n"])'/g, ''));
}

describe.each([
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
])('read with the %s as separator', (_name, separator) => {
  it('has no formula for LibreOffice, which finds some where the rule is not followed', async () => {
    const csv = await hostileCsv();
    const document = await openCsvWithLibreOffice(csv, separator);
    expect(document.match(/<table:table-row /g)?.length).toBeGreaterThan(TEXTS.length);
    expect([...document.matchAll(LIBRE_OFFICE_FORMULA)].map(([, formula]) => formula)).toEqual([]);
    const control = await openCsvWithLibreOffice(armed(csv), separator);
    expect([...control.matchAll(LIBRE_OFFICE_FORMULA)].length).toBeGreaterThan(0);
  });

  it('has no cell that begins with a sign for Python, which finds some where the rule is not followed', async () => {
    const csv = await hostileCsv();
    const isRisky = (cell: string) => /^[\s"]*[=+\-@＝＋－＠]/u.test(cell) && !/^-?[0-9.]+$/.test(cell);
    expect((await readCsvWithPython(csv, separator)).flat().filter(isRisky)).toEqual([]);
    expect((await readCsvWithPython(armed(csv), separator)).flat().filter(isRisky).length).toBeGreaterThan(0);
  });
});

it('keeps numbers as numbers', async () => {
  const document = await openCsvWithLibreOffice(await hostileCsv(), ',');
  expect(document.match(/office:value-type="float" office:value="-100"/g)).toHaveLength(2 * TEXTS.length);
});
