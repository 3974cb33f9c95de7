// One fixture per quirk of docs/data.md, "Reports": what real files look like, and what the importer makes of them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CHINESE_HEADER,
  CURRENT_HEADER,
  currentFields,
  currentReport,
  fixtureRow,
  fixtureRows,
  olderReport,
  quoted,
  resavedReport,
  WEEK_LINE,
  WEEK_NAME,
  writeReport,
} from './report-fixture.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
beforeEach(() => bench.reset());
afterAll(() => bench[Symbol.asyncDispose]());

const ROW_1 = {
  term: 'term 1',
  original: null,
  rank: 1,
  asins: ['B000000101', 'B000000102', 'B000000103'],
  titles: [1, 2, 3].map((slot) => `Product 1-${slot}, with "quotes" and a comma`),
  clicks: [1050, 2050, 3050],
  conversions: [125, 225, 325],
  brands: ['Acme', 'Bolt', 'Corvid'],
  categories: ['Kitchen', 'Home', 'Toys'],
};

async function importText(text: string | Buffer, name = WEEK_NAME) {
  return await bench.importOne(await writeReport(bench.reports, name, text));
}

describe('a report is read', () => {
  it('with 21 columns, every field quoted, from marketplace and week to shares', async () => {
    const outcome = await importText(currentReport(fixtureRows(3)));
    expect(outcome).toMatchObject({ status: 'done', rows: 3, rejectedRows: 0, mergedTwins: 0 });
    expect(outcome.periods).toMatchObject([
      {
        marketplace: 'US',
        source: 'search',
        period: { frequency: 'weekly', year: 2026, number: 28 },
        status: 'published',
        revision: 1,
        keywords: 3,
        dataPoints: 3 * 7,
        newTerms: 3,
        warnings: [],
      },
    ]);
    expect(await bench.storedRows()).toEqual([
      ROW_1,
      expect.objectContaining({ rank: 2 }),
      expect.objectContaining({ rank: 3 }),
    ]);
  });

  it('with the singular and the plural of brand in the header', async () => {
    const header = CURRENT_HEADER.map((name) => name.replace('Brands', 'Brand'));
    await importText(currentReport(fixtureRows(1), header));
    expect(await bench.storedRows()).toEqual([ROW_1]);
  });

  it('with its columns in another order', async () => {
    const order = CURRENT_HEADER.map((_, column) => column).reverse();
    const turned = (fields: readonly string[]) => quoted(order.map((column) => fields[column] ?? ''));
    await importText(`${WEEK_LINE}\n${turned(CURRENT_HEADER)}\n${turned(currentFields(fixtureRow(1)))}\n`);
    expect(await bench.storedRows()).toEqual([ROW_1]);
  });

  it('with 15 columns, percent signs and no date, the week from its first line', async () => {
    const outcome = await importText(olderReport(fixtureRows(2)), 'US_old.csv');
    expect(outcome.periods).toMatchObject([{ period: { frequency: 'weekly', year: 2026, number: 28 } }]);
    const [row] = await bench.storedRows();
    expect(row).toEqual({ ...ROW_1, brands: [null, null, null], categories: [null, null, null] });
  });

  it('with a Chinese header and full-width colons', async () => {
    await importText(currentReport(fixtureRows(1), CHINESE_HEADER));
    expect(await bench.storedRows()).toEqual([ROW_1]);
  });

  it('saved again by a spreadsheet: byte order mark, CR LF, padded lines, American dates', async () => {
    const outcome = await importText(resavedReport(fixtureRows(2)), 'US_resaved.csv');
    expect(outcome).toMatchObject({ status: 'done', rows: 2, rejectedRows: 0 });
    expect(outcome.periods).toMatchObject([{ period: { frequency: 'weekly', year: 2026, number: 28 } }]);
    expect((await bench.storedRows())[0]).toEqual(ROW_1);
  });

  it('compressed, whatever its name', async () => {
    const path = await writeReport(bench.reports, 'packed.gz', currentReport(fixtureRows(2)));
    const outcome = await bench.importOne(path, { flags: { marketplace: 'US' } });
    expect(outcome).toMatchObject({ status: 'done', rows: 2 });
  });

  it('with NUL bytes, which are removed and counted', async () => {
    const text = currentReport(fixtureRows(2)).replace('"term 1"', '"te\0rm 1"\0').replace('"2"', '\0"2"');
    const outcome = await importText(text);
    expect(outcome).toMatchObject({ status: 'done', removedNuls: 3, rejectedRows: 0 });
    expect(outcome.periods[0]?.warnings).toEqual(['3 NUL bytes were removed.']);
    expect((await bench.storedRows())[0]).toEqual(ROW_1);
  });

  it('with two kinds of line end in one file', async () => {
    const lines = currentReport(fixtureRows(3)).split('\n');
    await importText(
      lines
        .map((line, index) => (index % 2 === 0 ? `${line}\r\n` : `${line}\n`))
        .join('')
        .trimEnd(),
    );
    expect(await bench.storedRows()).toHaveLength(3);
  });

  it('with line breaks inside quotes', async () => {
    const [product, ...others] = fixtureRow(1).products;
    const products = product ? [{ ...product, title: 'Two\nlines' }, ...others] : [];
    await importText(currentReport(fixtureRows(2, { 1: { products } })));
    expect((await bench.storedRows())[0]?.titles[0]).toBe('Two\nlines');
  });

  it('without a line end after the last row', async () => {
    await importText(currentReport(fixtureRows(2)).trimEnd());
    expect(await bench.storedRows()).toHaveLength(2);
  });
});

describe('values', () => {
  it('take shares by format: 0.5 is half a percent, 100 is all, none to two decimals', async () => {
    const [first, second, third] = fixtureRow(1).products;
    if (!first || !second || !third) throw new Error('three products');
    const products = [
      { ...first, click: '0.5', conversion: '0' },
      { ...second, click: '100', conversion: '0.01' },
      { ...third, click: '33.33', conversion: '1.1' },
    ];
    await importText(currentReport(fixtureRows(1, { 1: { products } })));
    const [row] = await bench.storedRows();
    expect(row?.clicks).toEqual([50, 10_000, 3333]);
    expect(row?.conversions).toEqual([0, 1, 110]);
  });

  it('keep a blank conversion share apart from 0', async () => {
    const products = fixtureRow(1).products.map((product, slot) => ({ ...product, conversion: slot === 0 ? '' : '0' }));
    const outcome = await importText(currentReport(fixtureRows(1, { 1: { products } })));
    expect((await bench.storedRows())[0]?.conversions).toEqual([null, 0, 0]);
    expect(outcome.periods[0]?.dataPoints).toBe(6);
  });

  it('leave a blank brand #1 out, and the others in their places', async () => {
    await importText(currentReport(fixtureRows(1, { 1: { brands: ['', 'Bolt', ''] } })));
    expect((await bench.storedRows())[0]?.brands).toEqual([null, 'Bolt', null]);
  });

  it('accept an ISBN-10 for an ASIN', async () => {
    const products = fixtureRow(1).products.map((product, slot) => ({ ...product, asin: `007352332${'X12'[slot]}` }));
    await importText(currentReport(fixtureRows(1, { 1: { products } })));
    expect((await bench.storedRows())[0]?.asins).toEqual(['007352332X', '0073523321', '0073523322']);
  });

  it('accept thousands separators in ranks', async () => {
    await importText(currentReport(fixtureRows(2, { 2: { rank: '3,141,592' } })));
    expect((await bench.storedRows())[1]?.rank).toBe(3_141_592);
  });

  it('keep doubled quotes, commas, dashes and titles of 200 characters', async () => {
    const title = `12" pan, "non-stick" – ${'x'.repeat(177)}`;
    const products = fixtureRow(1).products.map((product) => ({ ...product, title }));
    await importText(currentReport(fixtureRows(1, { 1: { products, term: '12" pan, "deep" – red' } })));
    const [row] = await bench.storedRows();
    expect(title).toHaveLength(200);
    expect(row?.titles).toEqual([title, title, title]);
    expect(row?.term).toBe('12" pan, "deep" – red');
  });

  it('keep the term as written beside the normalised one', async () => {
    await importText(currentReport(fixtureRows(3, { 1: { term: 'Red  SHOES' }, 2: { term: 'ＬＥＤ Café' } })));
    const rows = await bench.storedRows();
    expect(rows.map(({ term, original }) => [term, original])).toEqual([
      ['red shoes', 'Red  SHOES'],
      ['led café', 'ＬＥＤ Café'],
      ['term 3', null],
    ]);
  });

  it('join the spellings of a brand under the one that ranks best', async () => {
    await importText(
      currentReport(fixtureRows(2, { 1: { brands: ['Nike', 'NIKE', ''] }, 2: { brands: ['nike', '', ''] } })),
    );
    const rows = await bench.storedRows();
    expect(rows.map((row) => row.brands)).toEqual([
      ['Nike', 'Nike', null],
      ['Nike', null, null],
    ]);
  });
});

describe('phantom twins', () => {
  it.each([
    ['an object replacement character', '\uFFFCterm 1'],
    ['a zero-width space', '\u200Bterm 1'],
    ['a direction mark', 'term\u200E 1'],
    ['case and spaces', ' Term  1 '],
  ])('with %s are merged into the lowest rank', async (_what, twin) => {
    const outcome = await importText(currentReport(fixtureRows(3, { 3: { term: twin, rank: '2999999' } })));
    expect(outcome).toMatchObject({ rows: 3, mergedTwins: 1, rejectedRows: 0 });
    expect((await bench.storedRows()).map(({ term, rank }) => [term, rank])).toEqual([
      ['term 1', 1],
      ['term 2', 2],
    ]);
  });

  it('that come first are merged too', async () => {
    const outcome = await importText(
      currentReport(fixtureRows(2, { 1: { term: '\uFFFCterm 2', rank: '2999999' }, 2: { rank: '7' } })),
    );
    expect(outcome.mergedTwins).toBe(1);
    expect((await bench.storedRows()).map(({ term, rank }) => [term, rank])).toEqual([['term 2', 7]]);
  });
});
