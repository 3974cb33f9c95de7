import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { currentReport, type FixtureRow, fixtureRow, fixtureRows, WEEK_NAME, writeReport } from './report-fixture.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
beforeEach(() => bench.reset());
afterAll(() => bench[Symbol.asyncDispose]());

/** Enough good rows that a bad one is below one percent. */
const ROWS = 400;
/** The metadata line and the header. */
const SKIPPED = 2;

async function importWith(given: Readonly<Record<number, Partial<FixtureRow>>>, change = (text: string) => text) {
  const text = change(currentReport(fixtureRows(ROWS, given)));
  return await bench.importOne(await writeReport(bench.reports, WEEK_NAME, text));
}

const products = fixtureRow(9).products;

describe('a row that cannot be read', () => {
  it.each([
    ['#NAME?', 'damaged-term', { term: '#NAME?' }],
    ['9.78E+12', 'damaged-term', { term: '9.78E+12' }],
    ['a term of zero-width characters', 'empty-term', { term: '\u200B\uFFFC' }],
    ['a blank term', 'empty-term', { term: '  ' }],
    ['no rank', 'rank', { rank: '' }],
    ['rank 0', 'rank', { rank: '0' }],
    ['a rank with decimals', 'rank', { rank: '17.5' }],
    ['a rank with an exponent', 'rank', { rank: '1E+06' }],
    ['a decimal comma in its rank', 'rank', { rank: '1,5' }],
    ['a negative rank', 'rank', { rank: '-3' }],
    ['a rank beyond all ranks', 'rank', { rank: '4000000000' }],
    [
      'an ASIN of nine characters',
      'asin',
      { products: products.map((product) => ({ ...product, asin: 'B00000001' })) },
    ],
    ['a share above 100', 'share', { products: products.map((product) => ({ ...product, click: '100.01' })) }],
    ['words for a share', 'share', { products: products.map((product) => ({ ...product, conversion: 'none' })) }],
    ['a date that is none', 'date', { date: '2026-13-45' }],
  ] as const)('because of %s is rejected, counted and shown with its line', async (_what, reason, given) => {
    const outcome = await importWith({ 9: given });
    expect(outcome).toMatchObject({ status: 'done', rows: ROWS, rejectedRows: 1 });
    expect(outcome.rejects).toMatchObject([{ reason, rows: 1, first: { line: 9 + SKIPPED } }]);
    expect(outcome.periods[0]?.keywords).toBe(ROWS - 1);
  });

  it.each([
    ['too few fields', 'fields', '"9","term 9"\n'],
    ['too many fields', 'fields', `${'"x",'.repeat(30)}"x"\n`],
    ['a stray quote', 'quotes', `"9","12" pan"${',"x"'.repeat(19)}\n`],
  ] as const)('because of %s is rejected with its line', async (_what, reason, line) => {
    const outcome = await importWith({}, (text) => text.replace(/"9","term 9".*\n/, line));
    expect(outcome.rejects).toMatchObject([{ reason, rows: 1, first: { line: 9 + SKIPPED } }]);
    expect(outcome).toMatchObject({ status: 'done', rows: ROWS });
  });

  it('because it is not UTF-8 is rejected with its line', async () => {
    const bytes = Buffer.from(currentReport(fixtureRows(ROWS, { 9: { term: 'caf\u00E9' } })));
    bytes[bytes.indexOf(Buffer.from('\u00E9'))] = 0xff;
    const outcome = await bench.importOne(await writeReport(bench.reports, WEEK_NAME, bytes));
    expect(outcome.rejects).toMatchObject([{ reason: 'encoding', rows: 1, first: { line: 9 + SKIPPED } }]);
  });

  it('counts for its own file only, of several that are imported', async () => {
    const texts = {
      '2026-07-11': (text: string) => text.replace(/"9","term 9".*\n/, '"9","term 9"\n'),
      '2026-07-18': (text: string) => text,
      '2026-07-25': (text: string) => text.replace(/"7","term 7".*\n/, `"7","12" pan"${',"x"'.repeat(19)}\n`),
    };
    const files = await Promise.all(
      Object.entries(texts).map(([date, change]) => {
        const given = Object.fromEntries(Array.from({ length: ROWS }, (_, i) => [i + 1, { date }]));
        const report = currentReport(fixtureRows(ROWS, given)).replace(/^.*\n/, '');
        return writeReport(bench.reports, `US_Week_${date.replaceAll('-', '_')}.csv`, change(report));
      }),
    );
    const outcomes = await bench.import(files);
    expect(outcomes.map(({ rejects }) => rejects)).toMatchObject([
      [{ reason: 'fields', rows: 1, first: { line: 10 } }],
      [],
      [{ reason: 'quotes', rows: 1, first: { line: 8 } }],
    ]);
  });

  it('is found on its line behind broken rows, blank lines and line breaks inside quotes', async () => {
    const title = 'a title\nof three\nlines';
    const outcome = await importWith(
      { 5: { products: products.map((product) => ({ ...product, title })) }, 300: { term: '#REF!' } },
      (text) => text.replace(/"9","term 9".*\n/, '"9"\n').replace('"20","term 20"', '\n\n"20","term 20"'),
    );
    const lines = Object.fromEntries(outcome.rejects.map(({ reason, first }) => [reason, first.line]));
    // Three titles of three lines make six more; two blank lines come later.
    expect(lines).toEqual({ fields: 9 + SKIPPED + 6, 'damaged-term': 300 + SKIPPED + 6 + 2 });
  });

  it('stands in the rejects file with all others', async () => {
    const outcome = await importWith({ 3: { term: '#NAME?' }, 7: { term: '#NAME?' }, 9: { rank: 'first' } });
    expect(outcome.rejects).toMatchObject([
      { reason: 'damaged-term', rows: 2, first: { line: 5 } },
      { reason: 'rank', rows: 1, first: { line: 11 } },
    ]);
    expect(await readFile(outcome.rejectsFile ?? '', 'utf8')).toBe(
      'line,reason,search_term,detail\n5,damaged-term,#NAME?,\n9,damaged-term,#NAME?,\n11,rank,term 9,first\n',
    );
  });

  it('stops the import when more than one percent are like it, and nothing changes', async () => {
    const bad = Object.fromEntries([1, 2, 3, 4, 5].map((number) => [number, { rank: 'x' }]));
    const outcome = await importWith(bad);
    expect(outcome).toMatchObject({ status: 'failed', rejectedRows: 5, periods: [] });
    expect(outcome.error?.message).toBe('1.25 % of the rows cannot be read, more than the 1 % allowed.');
    expect((await bench.manifest()).version).toBe(0);
    const path = await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(ROWS, bad)));
    expect(await bench.importOne(path, { maxRejects: 0.02 })).toMatchObject({ status: 'done', rejectedRows: 5 });
  });
});
