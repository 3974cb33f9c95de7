// Relations between answers that hold whatever the right answer is.
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isSamePeriod } from '../../src/domain/period.ts';
import { SEARCH_ORDERS } from '../../src/domain/search-query.ts';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { enginePage, openEngine } from './engine.ts';
import { periodAt, planKeywords } from './search-fixture.ts';

const WORDS = ['shoe', 'shoes', 'red', 'usb', 'hub', 'mini', 'case', 'cases', '2-pack', 'iphone'];
const QUERIES = ['shoe', 'red usb', 'case', 'iphnoe', 'mini hub', '2 pack', 'wireless'];

/** Enough keywords that lists are long and pages many; more months than Pro can see. */
function makeData(): TestData {
  const pick = (seed: number) => WORDS[Math.abs(Math.imul(seed, 2_654_435_761)) % WORDS.length] ?? '';
  const row = (month: number, place: number): TestRow => {
    const id = (place * 7 + month * 31) % 900;
    return {
      term: `${pick(id)} ${pick(id * 3 + 1)} ${id % 4 === 0 ? '' : pick(id * 5 + 2)} ${id}`,
      rank: place + 1,
      brands: [id % 3 === 0 ? (month % 2 === 0 ? 'Anker' : 'ANKER') : null],
      products: [{ asin: `B00000000${id % 7}`, title: titleIn(month), clickShare: 1, conversionShare: null }],
      categories: [id % 2 === 0 ? 'Toys' : 'Strange'],
    };
  };
  // Every third month has no titles, so that the only ones left may be those of other months.
  const titleIn = (month: number) => (month % 3 === 0 ? '' : `Title of month ${month}`);
  const distinct = (rows: readonly TestRow[]) => [...new Map(rows.map((each) => [each.term, each])).values()];
  const months = Array.from({ length: 26 }, (_, month) => ({
    period: periodAt(month),
    rows: distinct(Array.from({ length: month === 0 ? 400 : 60 }, (_each, place) => row(month, place))),
  }));
  // The hidden months are imported last.
  return { frequency: 'monthly', periods: [...months.slice(2), ...months.slice(0, 2)] };
}

const data = makeData();
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let view: SnapshotView;

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  view = await openEngine(join(directory.path, 'all'), data);
});
afterAll(() => directory[Symbol.asyncDispose]());

function termsIn(json: string): readonly string[] {
  return (JSON.parse(json) as readonly { normalized_search_term: string }[]).map((each) => each.normalized_search_term);
}

it('answers Pro the same, byte for byte, when everything outside of its window is deleted', async () => {
  const [window] = [planKeywords(data, { queries: ['x'] }, 'pro').window];
  const visible = {
    ...data,
    periods: data.periods.filter(({ period }) => window.some((each) => isSamePeriod(each, period))),
  };
  const pruned = await openEngine(join(directory.path, 'visible'), visible);
  for (const query of QUERIES) {
    for (const orderBy of [...SEARCH_ORDERS, { periodKey: '05-2025' }]) {
      const plan = planKeywords(data, { queries: [query], orderBy }, 'pro');
      expect(enginePage(pruned, plan), `${query} by ${JSON.stringify(orderBy)}`).toEqual(enginePage(view, plan));
    }
  }
});

it.each([...SEARCH_ORDERS])('gives, page by page in order of %s, every result once', (orderBy) => {
  for (const query of ['shoe', 'case']) {
    for (const orderDirection of ['asc', 'desc'] as const) {
      const whole = enginePage(view, planKeywords(data, { queries: [query], orderBy, orderDirection, limit: 1000 }));
      expect(whole.totalCount).toBeGreaterThan(50);
      const paged: string[] = [];
      for (let page = 1; page <= Math.ceil(whole.totalCount / 7); page += 1) {
        const plan = planKeywords(data, { queries: [query], orderBy, orderDirection, limit: 7, page });
        paged.push(...termsIn(enginePage(view, plan).dataJson));
      }
      expect(paged).toEqual(termsIn(whole.dataJson));
      expect(new Set(paged).size).toBe(whole.totalCount);
    }
  }
});

it('never adds results by a filter', () => {
  const filters = [
    { brands: ['anker'] },
    { categories: ['Toys & Games'] },
    { minRank: 10 },
    { maxRank: 30 },
    { maxWords: 3 },
    { excludeNulls: true },
    { excludeQueries: ['mini'] },
  ];
  for (const query of QUERIES) {
    const all = new Set(termsIn(enginePage(view, planKeywords(data, { queries: [query], limit: 1000 })).dataJson));
    for (const filter of filters) {
      const { dataJson, totalCount } = enginePage(
        view,
        planKeywords(data, { queries: [query], limit: 1000, ...filter }),
      );
      expect(termsIn(dataJson).every((term) => all.has(term))).toBe(true);
      expect(totalCount).toBeLessThanOrEqual(all.size);
    }
  }
});

it('does not depend on the order of the queries, except where an exact search keeps it', () => {
  const permutations = fc.shuffledSubarray(QUERIES, { minLength: QUERIES.length });
  fc.assert(
    fc.property(permutations, fc.constantFrom(...SEARCH_ORDERS), (queries, orderBy) => {
      const shuffled = enginePage(view, planKeywords(data, { queries, orderBy }));
      expect(shuffled).toEqual(enginePage(view, planKeywords(data, { queries: QUERIES, orderBy })));
    }),
    { numRuns: 60 },
  );
  const terms = termsIn(enginePage(view, planKeywords(data, { queries: ['shoe'], limit: 5 })).dataJson);
  const reversed = [...terms].reverse();
  const exact = enginePage(view, planKeywords(data, { queries: reversed, method: 'exact' }));
  expect(termsIn(exact.dataJson)).toEqual(reversed);
});
