import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { periodKey } from '../../src/domain/period.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import {
  currentReport,
  fixtureRow,
  fixtureRows,
  jsonReport,
  olderReport,
  WEEK_LINE,
  WEEK_NAME,
  walmartReport,
  writeReport,
} from './report-fixture.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});
beforeEach(() => bench.reset());
afterAll(() => bench[Symbol.asyncDispose]());

describe('an SP-API report', () => {
  it.each([false, true])('is read with the specification behind the data: %s', async (isSpecificationLast) => {
    const blank = fixtureRow(2).products.map((product) => ({ ...product, conversion: '' }));
    const text = jsonReport({ rows: fixtureRows(3, { 2: { products: blank } }), isSpecificationLast });
    const outcome = await bench.importOne(await writeReport(bench.reports, 'report.json.gz', text));
    expect(outcome.periods).toMatchObject([
      { marketplace: 'US', period: { frequency: 'weekly', year: 2026, number: 28 }, keywords: 3 },
    ]);
    const rows = await bench.storedRows();
    expect(rows[0]).toEqual({
      term: 'term 1',
      original: null,
      rank: 1,
      asins: ['B000000101', 'B000000102', 'B000000103'],
      titles: [1, 2, 3].map((slot) => `Product 1-${slot}, with "quotes" and a comma`),
      clicks: [1050, 2050, 3050],
      conversions: [125, 225, 325],
      brands: [null, null, null],
      categories: [null, null, null],
    });
    expect(rows[1]?.conversions).toEqual([null, null, null]);
  });

  it('keeps the ranks of the whole site, not those of departments', async () => {
    const text = jsonReport({ rows: fixtureRows(3), departments: ['Kitchen', 'Amazon.com', 'Toys'] });
    const outcome = await bench.importOne(await writeReport(bench.reports, 'report.json', text));
    expect(outcome).toMatchObject({ status: 'done', rows: 3, departmentRows: 18 });
    expect((await bench.storedRows()).map((row) => row.rank)).toEqual([1001, 1002, 1003]);
  });

  it('is refused when it ranks inside departments only', async () => {
    const text = jsonReport({ rows: fixtureRows(3), departments: ['Kitchen'] });
    const outcome = await bench.importOne(await writeReport(bench.reports, 'report.json', text));
    expect(outcome.error?.message).toBe('The report ranks terms inside departments only, not over the whole site.');
  });

  it('fails whole wherever it was cut', async () => {
    const text = jsonReport({ rows: fixtureRows(3), isSpecificationLast: true });
    for (let length = 1; length < text.length; length += 97) {
      const path = await writeReport(bench.reports, 'report.json', text.slice(0, length));
      const outcome = await bench.importOne(path);
      expect(outcome.error?.message, `cut at ${length}`).toMatch(/^The JSON report is not whole/);
    }
    expect((await bench.manifest()).version).toBe(0);
  });

  it('of a quarter is refused', async () => {
    const text = jsonReport({ rows: fixtureRows(1), period: 'QUARTER' });
    const outcome = await bench.importOne(await writeReport(bench.reports, 'report.json', text));
    expect(outcome.error?.message).toBe('This is a quarterly report; keyrank keeps monthly and weekly ranks.');
  });
});

describe('an Amazon report', () => {
  it('is read by the rules of Amazon when the operator says that it is for Walmart', async () => {
    const products = fixtureRow(2).products.map((product) => ({ ...product, asin: '500010' }));
    const text = currentReport(fixtureRows(300, { 2: { products } }));
    const path = await writeReport(bench.reports, WEEK_NAME, text);
    const outcome = await bench.importOne(path, { flags: { marketplace: 'WM' } });
    expect(outcome).toMatchObject({ status: 'done', rejects: [{ reason: 'asin', rows: 1, first: { line: 4 } }] });
  });
});

describe('an older report', () => {
  it('keeps the ranks of the whole site, not those of departments', async () => {
    const text = olderReport(fixtureRows(3), ['Amazon.com', 'Kitchen', 'Amazon.com']);
    const outcome = await bench.importOne(await writeReport(bench.reports, WEEK_NAME, text));
    expect(outcome).toMatchObject({ departmentRows: 1, rejectedRows: 0 });
    expect((await bench.storedRows()).map((row) => row.rank)).toEqual([1, 3]);
  });
});

describe('a Walmart report', () => {
  it('is a marketplace of its own', async () => {
    const path = await writeReport(bench.reports, 'top_search_trends.csv', walmartReport(fixtureRows(2)));
    const outcome = await bench.importOne(path);
    expect(outcome.periods).toMatchObject([
      { marketplace: 'WM', period: { frequency: 'weekly', year: 2026, number: 28 }, keywords: 2 },
    ]);
    expect((await bench.storedRows())[0]).toMatchObject({
      asins: ['500010', '500011', '500012'],
      brands: ['Acme', 'Bolt', 'Corvid'],
      clicks: [1050, 2050, 3050],
    });
  });

  it('is read by the rules of Walmart when the operator says which marketplace it is for', async () => {
    const path = await writeReport(bench.reports, 'top_search_trends.csv', walmartReport(fixtureRows(2)));
    const outcome = await bench.importOne(path, { flags: { marketplace: 'CA' } });
    expect(outcome).toMatchObject({ status: 'done', rejectedRows: 0, periods: [{ marketplace: 'CA', keywords: 2 }] });
    expect((await bench.storedRows())[0]?.asins).toEqual(['500010', '500011', '500012']);
  });

  it('of the last day of a month needs to be told its frequency', async () => {
    const path = await writeReport(bench.reports, 'trends.csv', walmartReport(fixtureRows(2), '2026-07-31'));
    expect((await bench.importOne(path)).error?.message).toBe(
      'Is this report weekly or monthly? Neither its content nor its name says it.',
    );
    const outcome = await bench.importOne(path, { flags: { frequency: 'monthly' } });
    expect(outcome.periods).toMatchObject([{ period: { frequency: 'monthly', year: 2026, number: 7 } }]);
  });
});

describe('a plain file', () => {
  const header = 'period_type,period,search_term,rank';

  it('is read whole when it is so large that it is cut into pieces and several buffers', async () => {
    const count = 700_000;
    // Quoted and of different lengths, with a line break now and then, so that the cuts fall anywhere.
    const rows = Array.from({ length: count }, (_, i) => {
      const term = `"a ${'longer '.repeat(i % 4)}term${i % 1000 === 0 ? '\n' : ' '}${i}, ""quoted"""`;
      return `monthly,10-2026,${term},${i + 1}`;
    });
    const path = await writeReport(bench.reports, 'US_large.csv', [header, ...rows, ''].join('\n'));
    const outcome = await bench.importOne(path, { isDryRun: true, maxRejects: 0 });
    expect(outcome).toMatchObject({ status: 'done', rows: count, rejectedRows: 0, periods: [{ keywords: count }] });
  }, 60_000);

  it('publishes each of its periods on its own', async () => {
    const lines = [
      header,
      'monthly,06-2026,red shoes,1',
      'monthly,07-2026,red shoes,2',
      'monthly,7-2026,blue shoes,1',
      'weekly,28-2026,red shoes,5',
    ];
    const outcome = await bench.importOne(await writeReport(bench.reports, 'ranks.csv', `${lines.join('\n')}\n`));
    expect(outcome.periods.map(({ period, keywords }) => [period.frequency, periodKey(period), keywords])).toEqual([
      ['monthly', '06-2026', 1],
      ['monthly', '07-2026', 2],
      ['weekly', '28-2026', 1],
    ]);
    const manifest = await bench.manifest();
    expect(manifest.version).toBe(3);
    expect((await bench.storedRows('monthly-2026-07')).map(({ term, rank }) => [term, rank])).toEqual([
      ['blue shoes', 1],
      ['red shoes', 2],
    ]);
  });

  it('is filed as social-media ranks on request, of whatever platform ranks a term best', async () => {
    const lines = [`${header},platform`, 'monthly,06-2026,red shoes,9,a', 'monthly,06-2026,Red Shoes,3,b'];
    const path = await writeReport(bench.reports, 'social.csv', lines.join('\n'));
    const outcome = await bench.importOne(path, { source: 'social', flags: { marketplace: 'DE' } });
    expect(outcome).toMatchObject({ mergedTwins: 1, periods: [{ source: 'social', marketplace: 'DE', keywords: 1 }] });
    expect((await bench.storedRows())[0]?.rank).toBe(3);
  });

  it('has rows with impossible periods rejected', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `monthly,06-2026,term ${index},${index + 1}`);
    const path = await writeReport(
      bench.reports,
      'r.csv',
      [header, ...rows, 'monthly,13-2026,x,1', 'daily,1-2026,y,1'].join('\n'),
    );
    expect((await bench.importOne(path)).rejects).toMatchObject([{ reason: 'period', rows: 2, first: { line: 302 } }]);
  });
});

describe('a file is refused, and nothing changes,', () => {
  it.each([
    [
      'without a known header',
      'a,b,c\n1,2,3\n',
      'This is not a report that keyrank knows: no header row was found in its first lines.',
      1,
    ],
    [
      'when a column is gone',
      currentReport(fixtureRows(1)).replace('Top Clicked Product #2: ASIN', 'Something'),
      'The header looks like that of Amazon "Top Search Terms" but lacks: "top clicked product #2: asin".',
      2,
    ],
    ['when it is empty', '', 'The file is empty.', 1],
    ['when it has a header and nothing else', currentReport([]), 'The report has no rows.', 3],
    [
      'when its last row is not complete',
      currentReport(fixtureRows(300)).slice(0, -40),
      'The file was cut short: its last row is not complete.',
      302,
    ],
    [
      'when its last row stops inside quotes',
      currentReport(fixtureRows(300)).slice(0, -3),
      'The file was cut short: its last row is not complete.',
      302,
    ],
    [
      'when its rows are of two dates',
      currentReport(fixtureRows(300, { 200: { date: '2026-07-18' } })),
      'The rows are of several dates: 2026-07-11, 2026-07-18.',
      202,
    ],
    [
      'when rows and first line disagree',
      currentReport(fixtureRows(3)).replaceAll('"2026-07-11"', '"2026-07-18"'),
      'The first line says 2026-07-11, but the rows are of 2026-07-18.',
      1,
    ],
    [
      'when it is dated in the future',
      currentReport(fixtureRows(3))
        .replace(WEEK_LINE, 'Reporting Range=["Weekly"]')
        .replaceAll('2026-07-11', '9999-12-25'),
      'The report is of a period that is not over: weekly 51-9999, which ends on 9999-12-25.',
      3,
    ],
    [
      'when it is dated in the year 1',
      currentReport(fixtureRows(3))
        .replace(WEEK_LINE, 'Reporting Range=["Weekly"]')
        .replaceAll('2026-07-11', '0001-01-06'),
      'The report is dated 0001-01-06, and there are no reports of that year.',
      3,
    ],
    [
      'when its first line is of the year 1',
      olderReport(fixtureRows(3)).replace(
        WEEK_LINE,
        'Reporting Range=["Monthly"],Select year=["0001"],Select month=["July"]',
      ),
      'The report is dated 0001-07-31, and there are no reports of that year.',
      1,
    ],
    [
      'when one of its periods is not over',
      'period_type,period,search_term,rank\nweekly,28-2026,a,1\nmonthly,12-9999,a,1\n',
      'The report is of a period that is not over: monthly 12-9999, which ends on 9999-12-31.',
      3,
    ],
    [
      'when it is of a quarter',
      currentReport(fixtureRows(1)).replace('Weekly', 'Quarterly'),
      'This is a quarterly report; keyrank keeps monthly and weekly ranks.',
      1,
    ],
    [
      'when it is of a day',
      currentReport(fixtureRows(1)).replace('Weekly', 'Daily'),
      'This is a daily report; keyrank keeps monthly and weekly ranks.',
      1,
    ],
    [
      'when it is UTF-16',
      Buffer.from(`\uFEFF${currentReport(fixtureRows(1))}`, 'utf16le'),
      'The file is UTF-16 text.',
      1,
    ],
  ])('%s', async (_what, content, message, line) => {
    const outcome = await bench.importOne(await writeReport(bench.reports, WEEK_NAME, content));
    expect(outcome.error).toMatchObject({ message, line });
    expect(outcome.status).toBe('failed');
    expect((await bench.manifest()).version).toBe(0);
  });

  it('when its gzip is cut or damaged', async () => {
    const whole = await readFile(await writeReport(bench.reports, 'a.csv.gz', currentReport(fixtureRows(2000))));
    const path = `${bench.reports}/US_cut.csv.gz`;
    await writeFile(path, whole.subarray(0, whole.length - 9));
    expect((await bench.importOne(path)).error?.message).toBe('The gzip file ends too early.');
    const damaged = Buffer.from(whole);
    damaged[Math.floor(damaged.length / 2)] = (damaged[Math.floor(damaged.length / 2)] ?? 0) ^ 0xff;
    await writeFile(path, damaged);
    expect((await bench.importOne(path)).error?.message).toMatch(/^The gzip file (is damaged|ends too early)\.$/);
    expect((await bench.manifest()).version).toBe(0);
  });

  it('when it is not there', async () => {
    const outcome = await bench.importOne(`${bench.reports}/nothing.csv`);
    expect(outcome.error?.message).toBe('There is no such file.');
  });

  it('when it is a directory or a device', async () => {
    for (const path of [bench.reports, '/dev/null']) {
      expect((await bench.importOne(path)).error?.message).toBe('That is not a file.');
    }
  });

  it('when it is dated in the future, as JSON, as social-media ranks and by a flag', async () => {
    const json = jsonReport({ rows: fixtureRows(2) }).replaceAll('2026-07-11', '9999-12-25');
    const social = 'period_type,period,search_term,rank\nweekly,52-9999,a,1\n';
    const outcomes = [
      await bench.importOne(await writeReport(bench.reports, 'report.json', json)),
      await bench.importOne(await writeReport(bench.reports, 'social.csv', social), { source: 'social' }),
      await bench.importOne(await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(2))), {
        flags: { period: '52-9999' },
      }),
    ];
    for (const { error } of outcomes) expect(error?.message).toContain('not over: weekly 5');
    expect((await bench.manifest()).version).toBe(0);
  });

  it('while the other files of the same command are imported, whatever was wrong with it', async () => {
    const report = currentReport(fixtureRows(3));
    const good = await writeReport(bench.reports, WEEK_NAME, report);
    const bad = [
      await writeReport(bench.reports, 'bad.csv', 'x'),
      join(bench.reports, 'none.csv'),
      bench.reports,
      await writeReport(bench.reports, 'US_early.csv', report.replaceAll('2026-07-11', '0001-01-06')),
      await writeReport(bench.reports, 'US_cut.csv', report.slice(0, -3)),
    ];
    const outcomes = await bench.import([...bad, good]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([...bad.map(() => 'failed'), 'done']);
  });

  it('while the others are imported when what went wrong is a defect of keyrank', async () => {
    let builds = 0;
    await using fragile = await openWorkbench(async (request) => {
      builds += 1;
      if (builds === 1) throw new TypeError('it is undefined');
      return await buildSnapshot(request);
    });
    const [first, second] = [WEEK_NAME, WEEK_NAME.replace('07_11', '07_18')];
    const text = currentReport(fixtureRows(3)).replace(/^.*\n/, '');
    const files = [
      await writeReport(fragile.reports, first, text),
      await writeReport(fragile.reports, second, text.replaceAll('2026-07-11', '2026-07-18')),
    ];
    const outcomes = await fragile.import(files);
    expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'done']);
    expect(outcomes[0]?.error).toMatchObject({
      message: 'Something unexpected went wrong: it is undefined',
      stack: expect.stringContaining('formats.test.ts'),
    });
    expect((await fragile.manifest()).periods.map(({ endDate }) => endDate)).toEqual(['2026-07-18']);
  });
});

describe('flags stand above the file', () => {
  it('for marketplace, frequency and period', async () => {
    const path = await writeReport(bench.reports, WEEK_NAME, currentReport(fixtureRows(2)));
    const outcome = await bench.importOne(path, {
      flags: { marketplace: 'CA', frequency: 'weekly', period: '30-2026' },
    });
    expect(outcome.periods).toMatchObject([
      {
        marketplace: 'CA',
        period: { number: 30 },
        warnings: ['Imported as 30-2026 by request; the file itself says 28-2026.'],
      },
    ]);
  });

  it('and a file name that disagrees with the content is remembered as a warning', async () => {
    const name = WEEK_NAME.replace('2026_07_11', '2026_07_18');
    const outcome = await bench.importOne(await writeReport(bench.reports, name, currentReport(fixtureRows(2))));
    expect(outcome.periods[0]?.warnings).toEqual([
      'The file name says 2026-07-18, the content says 2026-07-11: the content was believed.',
    ]);
  });

  it('and a filtered download is imported with a warning', async () => {
    const text = currentReport(fixtureRows(2)).replace(WEEK_LINE, `${WEEK_LINE},Search Term=["shoes"]`);
    const outcome = await bench.importOne(await writeReport(bench.reports, WEEK_NAME, text));
    expect(outcome.periods[0]?.warnings).toEqual([
      'The download was filtered by search term (shoes): it is not a whole period.',
    ]);
  });
});
