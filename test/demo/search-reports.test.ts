import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoReport, generateReports } from '../../demo/report.ts';
import { periodDates } from '../../src/domain/period.ts';
import { normalizeTerm } from '../../src/domain/term.ts';

// As wide as size s, but only as long as a year and a bit: enough to see every season and many pairs of periods.
const SIZE = { terms: 20_000, months: 13, weeks: 3, socialTerms: 0 };
const WRITER = fileURLToPath(new URL('../support/write-demo.mjs', import.meta.url));
const NOW = new Date('2026-11-15T12:00:00Z');

let directory: string;
let reports: readonly DemoReport[];
const sql = await (await DuckDBInstance.create(':memory:')).connect();

async function query(text: string): Promise<readonly Record<string, unknown>[]> {
  return (await sql.runAndReadAll(text)).getRowObjectsJson();
}

async function figure(text: string): Promise<number> {
  return Number(Object.values((await query(text))[0] ?? {})[0]);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyrank-demo-'));
  reports = [...generateReports({ size: SIZE, seed: 7, now: NOW })];
  // The compiled generator writes them: what a test runner makes of the sources is many times slower.
  await promisify(execFile)(process.execPath, [WRITER, directory, JSON.stringify({ size: SIZE, seed: 7, now: NOW })]);
  const [, header = ''] = (await readFile(join(directory, reports[0]?.fileName ?? ''), 'utf8')).split('\n', 2);
  const columns = header
    .slice(1, -1)
    .split('","')
    .map((name) => `'${name}': 'VARCHAR'`);
  // Told the dialect, the reader checks every row against it; guessing it from each file would take a minute.
  await sql.run(`CREATE TABLE report AS SELECT * FROM read_csv('${directory}/*.csv', skip = 1, header = true,
    auto_detect = false, columns = {${columns.join(', ')}}, filename = true, delim = ',', quote = '"', escape = '"',
    strict_mode = true)`);
  await sql.run(`CREATE TABLE rank AS SELECT "Reporting Date" AS day, filename LIKE '%Month%' AS monthly,
    "Search Term" AS term, "Search Frequency Rank"::INTEGER AS rank FROM report`);
});

afterAll(async () => {
  sql.closeSync();
  await rm(directory, { recursive: true, force: true });
});

describe('demo search reports', () => {
  it('come in order of their last day, named and headed like native files', async () => {
    const ends = reports.map((report) => report.periods.map((period) => periodDates(period).end).join());
    expect(ends).toEqual([...ends].sort());
    expect(reports.at(-1)?.fileName).toBe('US_Top_Search_Terms_Simple_Week_2026_11_14.csv');
    const lines = (await readFile(join(directory, reports.at(-1)?.fileName ?? ''), 'utf8')).split('\n', 3);
    expect(lines[0]).toBe('Reporting Range=["Weekly"],Select week=["Week 46 | 2026-11-08 - 2026-11-14 2026"]');
    expect(lines[1]?.split('","')).toHaveLength(21);
    expect(lines[2]).toMatch(/^"1","[a-z0-9 ]+","/);
  });

  it('are read by an independent CSV reader, every row with its date', async () => {
    expect(await figure('SELECT count(*) FROM report')).toBe(SIZE.terms * (SIZE.months + SIZE.weeks));
    const wrong = `SELECT count(*) FROM report WHERE strpos(filename, replace("Reporting Date", '-', '_')) = 0`;
    expect(await figure(wrong)).toBe(0);
  });

  it('rank from 1 without gaps', async () => {
    const rows =
      await query(`SELECT count(DISTINCT rank) AS ranks, min(rank) AS first, max(rank) AS last, count(*) AS rows
      FROM rank GROUP BY day, monthly`);
    expect(rows).toHaveLength(SIZE.months + SIZE.weeks);
    for (const row of rows) expect(row).toMatchObject({ first: 1, last: SIZE.terms, ranks: String(SIZE.terms) });
  });

  it('exchange 20 to 30 % of their terms from one period to the next, mostly far down', async () => {
    const rows =
      await query(`WITH p AS (SELECT DISTINCT monthly, day, lag(day) OVER (PARTITION BY monthly ORDER BY day) AS before
        FROM (SELECT DISTINCT monthly, day FROM rank))
      SELECT p.day, avg((b.term IS NULL)::INTEGER) AS churn,
        avg((b.term IS NULL)::INTEGER) FILTER (a.rank <= ${SIZE.terms / 20}) AS top
      FROM p JOIN rank a ON a.day = p.day AND a.monthly = p.monthly
      LEFT JOIN rank b ON b.day = p.before AND b.monthly = p.monthly AND b.term = a.term
      WHERE p.before IS NOT NULL GROUP BY p.day, p.monthly`);
    expect(rows).toHaveLength(SIZE.months + SIZE.weeks - 2);
    for (const { day, churn, top } of rows) {
      expect(Number(churn), String(day)).toBeGreaterThan(0.2);
      expect(Number(churn), String(day)).toBeLessThan(0.3);
      expect(Number(top), String(day)).toBeLessThan(0.06);
    }
  });

  it('leave the first brand blank in 13 % of the rows', async () => {
    const share = await figure(`SELECT avg((coalesce("Top Clicked Brand #1", '') = '')::INTEGER) FROM report`);
    expect(share).toBeGreaterThan(0.12);
    expect(share).toBeLessThan(0.14);
  });

  it('have blank and zero conversion shares, and click shares that fall and stay below 100', async () => {
    const column = '"Top Clicked Product #1: Conversion Share"';
    expect(await figure(`SELECT avg((coalesce(${column}, '') = '')::INTEGER) FROM report`)).toBeGreaterThan(0.01);
    expect(await figure(`SELECT avg((${column} = '0')::INTEGER) FROM report`)).toBeGreaterThan(0.1);
    const clicks = [1, 2, 3].map((place) => `coalesce("Top Clicked Product #${place}: Click Share", '0')::DOUBLE`);
    expect(
      await figure(`SELECT count(*) FROM report WHERE ${clicks[0]} < ${clicks[1]} OR ${clicks[1]} < ${clicks[2]}
      OR ${clicks.join(' + ')} > 100`),
    ).toBe(0);
  });

  it('name products by ASIN, some of them by ISBN, and never one ASIN with two titles', async () => {
    await sql.run(
      `CREATE TEMP TABLE product AS ${[1, 2, 3]
        .map(
          (place) =>
            `SELECT "Top Clicked Product #${place}: ASIN" AS asin, "Top Clicked Product #${place}: Product Title" AS title FROM report`,
        )
        .join(' UNION ALL ')}`,
    );
    await sql.run(`DELETE FROM product WHERE coalesce(asin, '') = ''`);
    expect(
      await figure(`SELECT count(*) FROM product WHERE NOT regexp_full_match(asin, 'B0[0-9A-Z]{8}|[0-9]{9}[0-9X]')`),
    ).toBe(0);
    expect(await figure(`SELECT count(*) FROM product WHERE asin NOT LIKE 'B0%'`)).toBeGreaterThan(100);
    expect(
      await figure('SELECT count(*) FROM (SELECT asin FROM product GROUP BY asin HAVING count(DISTINCT title) > 1)'),
    ).toBe(0);
    expect(await figure('SELECT max(length(title)) FROM product')).toBeLessThanOrEqual(200);
  });

  it.each([
    ['halloween costume', '10'],
    ['halloween decorations', '10'],
    ['christmas lights', '12'],
    ['christmas tree', '12'],
    ['dumbbells', '01'],
    ['yoga mat', '01'],
  ])('rank %j best in month %s', async (term, month) => {
    const rows = await query(`SELECT strftime(day::DATE, '%m') AS month FROM rank
      WHERE monthly AND term = '${term}' AND day < '2026-09-01' ORDER BY rank LIMIT 1`);
    expect(rows).toEqual([{ month }]);
  });

  it.each([
    'running shoes',
    'iphone case',
    'wireless earbuds',
    'halloween costume',
    'christmas lights',
    'protein powder',
  ])('know %j and many ways to ask for it', async (term) => {
    expect(await figure(`SELECT count(DISTINCT day) FROM rank WHERE monthly AND term = '${term}'`)).toBeGreaterThan(5);
    const words = term.split(' ').map((word) => `contains(term, '${word}')`);
    expect(await figure(`SELECT count(DISTINCT term) FROM rank WHERE ${words.join(' AND ')}`)).toBeGreaterThan(30);
  });

  it('repeat a term only as a phantom twin with a worse rank', async () => {
    const rows = await query(`SELECT term, rank FROM rank WHERE day = '2026-10-31' AND monthly ORDER BY rank`);
    const ranks = new Map<string, number>();
    let twins = 0;
    for (const { term, rank } of rows) {
      const text = String(term);
      const normalized = normalizeTerm(text);
      if (normalized !== text) {
        twins += 1;
        expect(ranks.get(normalized)).toBeLessThan(Number(rank));
      } else {
        expect(ranks.has(normalized), text).toBe(false);
        ranks.set(normalized, Number(rank));
      }
    }
    expect(twins).toBe(10);
  });

  it('have one to six words, with accents, apostrophes and hyphens among them', async () => {
    expect(await figure(`SELECT count(*) FROM rank WHERE len(string_split(term, ' ')) > 6 OR term = ''`)).toBe(0);
    for (const mark of ['[áéíóúñ]', "''", '[a-z]-[a-z]|[0-9]-[0-9]']) {
      expect(
        await figure(`SELECT count(DISTINCT term) FROM rank WHERE regexp_matches(term, '${mark}')`),
        mark,
      ).toBeGreaterThan(3);
    }
  });
});
