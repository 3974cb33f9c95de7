import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateReports } from '../../demo/report.ts';
import { periodKey } from '../../src/domain/period.ts';

const WRITER = fileURLToPath(new URL('../support/write-demo.mjs', import.meta.url));
const WEEKS = 110;
const SEARCH_ROWS = 5_000;
const SOCIAL_ROWS = 1_500;

/** Fashions of the vocabulary without a season. */
const FASHIONS = [
  'korean skin care',
  'cowboy boots',
  'ashwagandha',
  'crochet kit',
  'barefoot shoes',
  'snail mucin',
  'ballet flats',
  'baggy jeans',
  'digital camera',
  'berberine',
  'claw clips',
  'montessori toys',
  'fantasy books',
  'blind box figures',
];

type Series = Map<string, number[]>;
let directory: string;
let socialLines: readonly string[] = [];
const social: Series = new Map();
const search: Series = new Map();

function note(series: Series, point: { readonly term: string; readonly week: number; readonly rank: number }): void {
  const ranks = series.get(point.term) ?? Array.from({ length: WEEKS }, () => SEARCH_ROWS * 2);
  ranks[point.week] = point.rank;
  series.set(point.term, ranks);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyrank-demo-'));
  const size = { terms: SEARCH_ROWS, months: 0, weeks: WEEKS, socialTerms: SOCIAL_ROWS };
  const options = { size, seed: 1, now: new Date('2026-11-15T00:00:00Z') };
  await promisify(execFile)(process.execPath, [WRITER, directory, JSON.stringify(options)]);
  const weeks = new Map<string, number>();
  for (const report of generateReports(options)) {
    const lines = (await readFile(join(directory, report.fileName), 'utf8')).trimEnd().split('\n');
    if (report.kind === 'social') {
      socialLines = lines;
      for (const line of lines.slice(1)) {
        const [, key = '', term = '', rank = ''] = line.split(',');
        note(social, { term, week: weeks.get(key) ?? -1, rank: Number(rank) });
      }
    } else {
      const week = weeks.size;
      for (const period of report.periods) weeks.set(periodKey(period), week);
      for (const line of lines.slice(2)) {
        const [rank = '', term = ''] = line.slice(1).split('","', 2);
        note(search, { term, week, rank: Number(rank) });
      }
    }
  }
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** How alike the movements of two series are when the second is read some weeks later. */
function likeness({
  a,
  b,
  lagWeeks,
}: {
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly lagWeeks: number;
}): number {
  const pairs = a
    .slice(0, WEEKS - lagWeeks)
    .map((rank, week) => [Math.log(rank), Math.log(b[week + lagWeeks] ?? 1)] as const);
  const meanA = pairs.reduce((sum, [x]) => sum + x, 0) / pairs.length;
  const meanB = pairs.reduce((sum, [, y]) => sum + y, 0) / pairs.length;
  let [both, onlyA, onlyB] = [0, 0, 0];
  for (const [x, y] of pairs) {
    both += (x - meanA) * (y - meanB);
    onlyA += (x - meanA) ** 2;
    onlyB += (y - meanB) ** 2;
  }
  return both / Math.sqrt(onlyA * onlyB);
}

describe('the social feed', () => {
  it('is our plain CSV with every week ranked from 1', () => {
    expect(socialLines[0]).toBe('period_type,period,search_term,rank');
    expect(socialLines).toHaveLength(1 + WEEKS * SOCIAL_ROWS);
    const odd = socialLines.slice(1).filter((line) => !/^weekly,[0-9]{2}-[0-9]{4},[^,"]+,[0-9]+$/.test(line));
    expect(odd).toEqual([]);
    const ranks = socialLines.slice(1, 1 + SOCIAL_ROWS).map((line) => Number(line.split(',')[3]));
    expect(ranks).toEqual(Array.from({ length: SOCIAL_ROWS }, (_, index) => index + 1));
  });

  it('moves ahead of the searches for fashions by a few weeks', () => {
    const ranked = FASHIONS.flatMap((term) => {
      const [a, b] = [social.get(term), search.get(term)];
      return a && b ? [{ a, b }] : [];
    });
    expect(ranked.length).toBeGreaterThan(7);
    const lags = Array.from(
      { length: 15 },
      (_, lagWeeks) => ranked.reduce((sum, series) => sum + likeness({ ...series, lagWeeks }), 0) / ranked.length,
    );
    const best = lags.indexOf(Math.max(...lags));
    expect(lags[best]).toBeGreaterThan(0.7);
    expect(best).toBeGreaterThanOrEqual(3);
    expect(best).toBeLessThanOrEqual(8);
  });
});
