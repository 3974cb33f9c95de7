// A new format is one value: nothing else has to know of it.
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAX_PRODUCT_ID_CHARACTERS } from '../../src/domain/product-id.ts';
import { REPORT_FORMATS } from '../../src/ingest/formats/known-formats.ts';
import type { CsvFormat, JsonFormat } from '../../src/ingest/formats/report-format.ts';
import { currentReport, fixtureRows, WEEK_NAME, writeReport } from './report-fixture.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const BAZAAR: CsvFormat = {
  kind: 'csv',
  name: 'Bazaar "Most wanted"',
  headers: new Map([
    ['place', 'rank'],
    ['wanted', 'term'],
    ['until', 'date'],
    ['article', 'asin_1'],
    ['article name', 'title_1'],
    ['clicks', 'click_1'],
  ]),
  required: ['rank', 'term', 'date', 'asin_1'],
  parseMetadataLine: ([first]) => (first === 'Only gifts' ? { filter: 'gifts' } : undefined),
  period: { weekEndsOn: 'any day', findFrequency: () => 'weekly' },
  products: { shares: 'fraction', minIdCharacters: 3, maxIdCharacters: 4 },
  marketplace: { from: 'format', code: 'BZ' },
};

const BAZAAR_JSON: JsonFormat = {
  kind: 'json',
  name: 'Bazaar "Most wanted" (JSON)',
  recordsKey: 'wanted',
  parseRecord: (record) => {
    const { place, words } = record as { readonly place: number; readonly words: string };
    return { rank: place, term: words };
  },
  parseSpecification: (values) => ({
    metadata: { range: values.get('length') === 30 ? 'monthly' : 'weekly' },
    marketplace: 'BJ',
  }),
  period: { weekEndsOn: 'any day' },
  marketplace: { from: 'file name' },
};

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
beforeEach(() => bench.reset());
afterAll(() => bench[Symbol.asyncDispose]());

const formats = [...REPORT_FORMATS, BAZAAR, BAZAAR_JSON];

describe('a made-up format', () => {
  const rows = Array.from({ length: 200 }, (_, index) => `2026-07-08,gift ${index + 2},${index + 2},B78,Box,0.25`);
  const lines = ['Only gifts', 'Until,Wanted,Place,Article,Article name,Clicks', '2026-07-08,gift 1,1,a12,Bow,0.5'];

  it('is recognised, and its files are read by its own columns, period, shares, ids and marketplace', async () => {
    const path = await writeReport(bench.reports, 'wanted.csv', [...lines, ...rows, ''].join('\n'));
    const outcome = await bench.importOne(path, { formats });
    expect(outcome).toMatchObject({
      status: 'done',
      rejectedRows: 0,
      periods: [
        {
          marketplace: 'BZ',
          period: { frequency: 'weekly', year: 2026, number: 28 },
          keywords: 201,
          warnings: ['The download was filtered by search term (gifts): it is not a whole period.'],
        },
      ],
    });
    expect((await bench.storedRows())[0]).toEqual({
      term: 'gift 1',
      original: null,
      rank: 1,
      asins: ['A12', null, null],
      titles: ['Bow', null, null],
      clicks: [5000, null, null],
      conversions: [null, null, null],
      brands: [null, null, null],
      categories: [null, null, null],
    });
  });

  it('rejects ids that are not of its shop', async () => {
    const path = await writeReport(
      bench.reports,
      'wanted.csv',
      [...lines, ...rows, '2026-07-08,x,9,B000000001,,'].join('\n'),
    );
    const { rejects } = await bench.importOne(path, { formats });
    expect(rejects).toMatchObject([{ reason: 'asin', rows: 1, first: { line: 204, detail: 'B000000001' } }]);
  });

  it('says by its name what a header lacks, and stands in the list of what can be imported', async () => {
    const path = await writeReport(bench.reports, 'wanted.csv', 'Until,Wanted,Place\n2026-07-08,gift,1\n');
    expect((await bench.importOne(path, { formats })).error?.message).toBe(
      'The header looks like that of Bazaar "Most wanted" but lacks: "article".',
    );
    const unknown = await bench.importOne(await writeReport(bench.reports, 'x.csv', 'a,b\n1,2\n'), { formats });
    expect(unknown.error?.hint).toContain('Bazaar "Most wanted"');
  });

  it('may be of JSON, told from others by the key of its list', async () => {
    const records = [1, 2, 3].map((place) => ({ place, words: `gift ${place}` }));
    const text = JSON.stringify({ length: 30, wanted: records });
    const path = await writeReport(bench.reports, 'wanted_2026_07_31.json.gz', text);
    expect((await bench.importOne(path, { formats })).periods).toMatchObject([
      { marketplace: 'BJ', period: { frequency: 'monthly', year: 2026, number: 7 }, keywords: 3 },
    ]);
    expect((await bench.importOne(path)).error?.message).toMatch(/^The JSON report is not whole/);
  });

  it('leaves the files of other formats as they are', async () => {
    const path = await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(3)));
    const [known] = (await bench.importOne(path, { isDryRun: true })).periods;
    expect((await bench.importOne(path, { isDryRun: true, formats })).periods).toEqual([known]);
  });
});

describe('every format that is known', () => {
  it('is documented and has products whose ids can be searched for', async () => {
    const page = await readFile(new URL('../../docs/data.md', import.meta.url), 'utf8');
    for (const { name, products } of REPORT_FORMATS) {
      expect(page).toContain(`| ${name} |`);
      expect(products?.maxIdCharacters ?? 0).toBeLessThanOrEqual(MAX_PRODUCT_ID_CHARACTERS);
    }
  });

  it('is named outside its folder by nothing that decides how a file is read', async () => {
    const source = new URL('../../src/', import.meta.url);
    const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'));
    const naming = [];
    for (const name of names) {
      if (/walmart/i.test(await readFile(new URL(name, source), 'utf8'))) naming.push(name);
    }
    const elsewhere = naming.filter((name) => !name.startsWith('ingest/formats/') && !name.endsWith('.test.ts'));
    expect(elsewhere.toSorted()).toEqual(['cli/option-values.ts', 'domain/marketplace.ts', 'domain/product-id.ts']);
  });
});
