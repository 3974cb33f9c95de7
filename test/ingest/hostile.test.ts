import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeOutcome } from '../../src/cli/import-summary.ts';
import { DEFAULT_REPORT_LIMITS } from '../../src/ingest/reading/report-fault.ts';
import {
  CURRENT_HEADER,
  currentReport,
  fixtureRow,
  fixtureRows,
  jsonReport,
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

const ROWS = 300;
const REPORT = currentReport(fixtureRows(ROWS));

/** A report in which one line is another. */
function withLine(number: number, change: (line: string) => string): string {
  const lines = REPORT.split('\n');
  return lines.with(number - 1, change(lines[number - 1] ?? '')).join('\n');
}

describe('a report that no shop ever wrote is refused with its line', () => {
  it.each([
    [
      'when its header has 20,000 columns',
      WEEK_NAME,
      currentReport(fixtureRows(3), [...CURRENT_HEADER, ...Array.from({ length: 20_000 }, (_, n) => `c${n}`)]),
      { message: 'The line has more than 250 columns.', line: 2 },
    ],
    [
      'when a row has thousands of columns',
      WEEK_NAME,
      withLine(150, (line) => line + ',"x"'.repeat(10_000)),
      { message: 'The line has more than 250 columns.', line: 150 },
    ],
    [
      'when a line is longer than a megabyte',
      WEEK_NAME,
      withLine(150, (line) => line.replace('term', 'x'.repeat(1_100_000))),
      { message: 'The line has more than 1,048,576 bytes.', line: 150 },
    ],
    [
      'when a packed line is longer than a megabyte',
      `${WEEK_NAME}.gz`,
      withLine(150, (line) => line.replace('term', 'x'.repeat(1_100_000))),
      { message: 'The line has more than 1,048,576 bytes.', line: 150 },
    ],
    [
      'when it unpacks to more than a hundred times its size',
      `${WEEK_NAME}.gz`,
      Buffer.concat([Buffer.from(REPORT), Buffer.alloc(80_000_000, '\n')]),
      { message: 'The gzip file unpacks to more than 100 times its size.' },
    ],
    [
      'when it is JSON that unpacks to more than a hundred times its size',
      'report.json.gz',
      jsonReport({ rows: fixtureRows(3) }).replace('{', `{${' '.repeat(80_000_000)}`),
      { message: 'The gzip file unpacks to more than 100 times its size.', line: 1 },
    ],
    [
      'when JSON is nested deeply',
      'report.json',
      jsonReport({ rows: fixtureRows(3) }).replace('"term 1"', `${'['.repeat(1e5)}${']'.repeat(1e5)}`),
      { message: 'The JSON report is not whole: it is nested too deeply.', line: 1 },
    ],
    [
      'when JSON has a flood of keys',
      'report.json',
      jsonReport({ rows: fixtureRows(3) }).replace(
        '{',
        `{${Array.from({ length: 500_000 }, (_, n) => `"k${n}":1,`).join('')}`,
      ),
      { message: 'The JSON report is not whole: there is too much beside the list.', line: 1 },
    ],
    [
      'when none of its rows can be split',
      WEEK_NAME,
      REPORT.replaceAll(/^("\d+"),.*$/gm, '$1'),
      { message: '100 % of the rows cannot be read, more than the 1 % allowed.', line: 3 },
    ],
    [
      'when half of its quotes are never closed',
      WEEK_NAME,
      REPORT.replaceAll(/"term (\d*[02468])"/g, '"term $1'),
      { message: expect.stringContaining('of the rows cannot be read'), line: 4 },
    ],
  ])('%s', async (_what, name, content, error) => {
    const path = join(bench.reports, name);
    await writeFile(path, name.endsWith('.gz') ? gzipSync(content) : content);
    const outcome = await bench.importOne(path);
    expect(outcome.error).toMatchObject(error);
    expect(outcome.error?.line).toBeGreaterThan(0);
    expect((await bench.manifest()).version).toBe(0);
    expect(await readdir(join(bench.dataDirectory, 'tmp'))).toEqual([]);
  });

  it('when it is larger than is allowed, packed or not', async () => {
    const limits = { ...DEFAULT_REPORT_LIMITS, unpackedBytes: 50_000 };
    for (const name of [WEEK_NAME, `${WEEK_NAME}.gz`]) {
      const outcome = await bench.importOne(await writeReport(bench.reports, name, REPORT), { limits });
      expect(outcome.error?.message).toBe('The report is larger than 0 MB.');
    }
  });

  it('when it has more categories than a snapshot can hold', async () => {
    const rows = fixtureRows(22_000).map((row) => ({ ...row, categories: [1, 2, 3].map((n) => `${row.rank}-${n}`) }));
    const outcome = await bench.importOne(await writeReport(bench.reports, WEEK_NAME, currentReport(rows)));
    expect(outcome.error?.message).toBe('With this report there would be 66,000 categories, more than 65,535.');
  });
});

describe('a report that is odd but real', () => {
  it('is imported around a quote that is never closed, without a row behind it', async () => {
    const text = withLine(150, (line) => line.replace('"term 148"', '"term 148'));
    const outcome = await bench.importOne(await writeReport(bench.reports, WEEK_NAME, text));
    expect(outcome.rejects).toMatchObject([{ reason: 'quotes', rows: 1, first: { line: 150 } }]);
    expect(outcome.periods).toMatchObject([{ keywords: ROWS - 1 }]);
  });

  it('keeps a text of 4,000 bytes, and rejects a longer one', async () => {
    const term = 'é'.repeat(2000);
    const rows = fixtureRows(ROWS, { 3: { term }, 7: { term: `${term}é` }, 9: { brands: ['x'.repeat(4001), '', ''] } });
    const outcome = await bench.importOne(await writeReport(bench.reports, WEEK_NAME, currentReport(rows)));
    expect(outcome.rejects).toMatchObject([
      { reason: 'long-text', rows: 2, first: { line: 9, term: 'é'.repeat(300) } },
    ]);
    expect((await bench.storedRows()).some((row) => row.term === term)).toBe(true);
  });

  it('is JSON of one long line', async () => {
    const text = jsonReport({ rows: fixtureRows(10_000) });
    expect(text.split('\n')).toHaveLength(1);
    expect(text.length).toBeGreaterThan(DEFAULT_REPORT_LIMITS.lineBytes);
    expect(await bench.importOne(await writeReport(bench.reports, 'report.json', text))).toMatchObject({
      status: 'done',
    });
  });
});

describe('rows that are rejected by the ten thousand', () => {
  it('are all counted, and the first of them written down', async () => {
    const rows = fixtureRows(60_000).map((row) => ({ ...row, rank: 'x'.repeat(2000) }));
    const path = await writeReport(
      bench.reports,
      WEEK_NAME,
      currentReport([...rows, fixtureRow(1, { term: '#REF!' })]),
    );
    const outcome = await bench.importOne(path, { maxRejects: 1 });
    expect(outcome.rejects).toMatchObject([
      { reason: 'rank', rows: 60_000, first: { line: 3 } },
      { reason: 'damaged-term', rows: 1, first: { line: 60_003 } },
    ]);
    const lines = (await readFile(outcome.rejectsFile ?? '', 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(1 + 50_000 + 1 + 1);
    expect(lines.at(-1)).toBe(',,,and 10000 more');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(1100);
  });
});

describe('texts of a report', () => {
  it('do not command the terminal, and a name is kept without control characters', async () => {
    const rows = fixtureRows(ROWS, { 5: { rank: '\u001b[2Jx', term: 'a\u0007b\u001b]0;title' } });
    const name = `US_Week_2026_07_11\u001b[31m\n: done.csv`;
    const outcome = await bench.importOne(await writeReport(bench.reports, name, currentReport(rows)));
    expect(outcome.status).toBe('done');
    expect(describeOutcome(outcome).join('')).not.toMatch(/\p{Cc}/u);
    expect((await bench.manifest()).periods[0]?.sourceFile).toBe('US_Week_2026_07_11\uFFFD[31m\uFFFD: done.csv');
  });
});

describe('a report that changes while it is read', () => {
  it('is refused when it was written again in the same size', async () => {
    const path = await writeReport(bench.reports, WEEK_NAME, REPORT);
    const importing = bench.importOne(path);
    for (let touched = false; !touched; ) {
      touched = (await readdir(join(bench.dataDirectory, 'imports')).catch(() => [])).length > 0;
    }
    let isOver = false;
    const ended = importing.finally(() => (isOver = true));
    for (let n = 1; !isOver; n += 1) await utimes(path, n, n);
    expect((await ended).error?.message).toBe('The file changed while it was read.');
  });
});
