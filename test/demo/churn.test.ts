import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoOptions, generateReports } from '../../demo/report.ts';
import { normalizeTerm } from '../../src/domain/term.ts';

const TERMS = 4000;
const WEEKS = 14;
const NOW = new Date('2026-11-15T12:00:00Z');
/** Returning terms of the weeks before the first one are new to it; from here on all of them are known. */
const SETTLED_WEEK = 4;

let directory: string;
let weeks: readonly (readonly string[])[];

async function readTerms(options: DemoOptions): Promise<readonly (readonly string[])[]> {
  const periods: string[][] = [];
  for (const report of generateReports(options)) {
    const path = join(directory, report.fileName);
    await report.write(path);
    const rows = (await readFile(path, 'utf8')).trimEnd().split('\n').slice(2);
    // Twins repeat a term, and are merged when they are imported.
    periods.push([...new Set(rows.map((row) => normalizeTerm(row.split('","')[1] ?? '')))]);
  }
  return periods;
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'keyrank-demo-'));
  weeks = await readTerms({
    size: { terms: TERMS, months: 0, weeks: WEEKS, socialTerms: 0, churn: 0.25 },
    seed: 5,
    now: NOW,
  });
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** For every term in how many weeks it is. */
function countWeeks(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const term of weeks.flat()) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

describe('demo reports with a churn of a quarter', () => {
  it('have as many rows as asked for, and no term twice', () => {
    expect(weeks).toHaveLength(WEEKS);
    for (const terms of weeks) {
      expect(terms.length).toBeGreaterThan(TERMS * 0.999);
      expect(terms.length).toBeLessThanOrEqual(TERMS);
    }
  });

  it('have a quarter of terms that no earlier week had', () => {
    const known = new Set<string>();
    const shares = weeks.map((terms) => {
      const share = terms.filter((term) => !known.has(term)).length / terms.length;
      for (const term of terms) known.add(term);
      return share;
    });
    for (const share of shares.slice(SETTLED_WEEK)) {
      expect(share).toBeGreaterThan(0.245);
      expect(share).toBeLessThan(0.255);
    }
  });

  it('show three quarters of the new terms once only, and the others four times', () => {
    const counts = countWeeks();
    const known = new Set(weeks.slice(0, SETTLED_WEEK).flat());
    // New in a week after which all that return have time to.
    const fresh = (weeks[SETTLED_WEEK] ?? []).filter((term) => !known.has(term));
    const once = fresh.filter((term) => counts.get(term) === 1).length / fresh.length;
    expect(once).toBeGreaterThan(0.73);
    expect(once).toBeLessThan(0.77);
    const returning = fresh.map((term) => counts.get(term) ?? 0).filter((count) => count !== 1);
    // Twins push the last few rows out of a report.
    expect(returning.filter((count) => count === 4).length / returning.length).toBeGreaterThan(0.98);
    expect(Math.max(...returning)).toBe(4);
  });

  it('keep a core of more than half in every week, which holds most of the top', () => {
    const counts = countWeeks();
    const isCore = (term: string): boolean => counts.get(term) === WEEKS;
    for (const terms of weeks) {
      const core = terms.filter(isCore).length / TERMS;
      expect(core).toBeGreaterThan(0.54);
      expect(core).toBeLessThan(0.58);
      expect(terms.slice(0, TERMS / 20).filter(isCore).length).toBeGreaterThan((TERMS / 20) * 0.9);
      expect(terms.slice(-TERMS / 20).filter(isCore).length).toBeLessThan((TERMS / 20) * 0.3);
    }
  });

  it('are the same for a week whatever comes before it, and others for another seed', async () => {
    const size = { terms: TERMS, months: 0, weeks: 1, socialTerms: 0, churn: 0.25 };
    const [alone] = await readTerms({ size, seed: 5, now: NOW });
    expect(alone).toEqual(weeks.at(-1));
    const [other] = await readTerms({ size, seed: 6, now: NOW });
    const known = new Set(alone);
    expect(other?.filter((term) => known.has(term)).length).toBeLessThan(TERMS * 0.7);
  });

  it.each([0, 0.5])('can be made for a churn of %d', async (churn) => {
    const size = { terms: 400, months: 2, weeks: 0, socialTerms: 20, churn };
    const [first = [], second = []] = await readTerms({ size, seed: 1, now: NOW });
    const known = new Set(first);
    const share = second.filter((term) => !known.has(term)).length / second.length;
    // Some of those that return were new before the first month.
    expect(share).toBeGreaterThanOrEqual(churn);
    expect(share).toBeLessThanOrEqual(churn * 1.6 + 0.01);
  });
});
