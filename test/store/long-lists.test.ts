// Random plans run over small data, because the oracle is slow. What the engine does only with long lists is compared here
// with rows that are filtered and sorted in the plainest way.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { comparePeriods } from '../../src/domain/period.ts';
import { ftsRank, wordWeight } from '../../src/domain/ranking.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import { SEARCH_ORDERS, type SearchQuery } from '../../src/domain/search-query.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import { parseTrigrams, similarity } from '../../src/domain/similarity.ts';
import type { RankView } from '../../src/domain/store.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import { countWords, parseWords, stemWord } from '../../src/domain/words.ts';
import type { TestData, TestRow } from '../support/rank-data.ts';
import { OTHER_ENGINES, shareOf, type TestStore, viewOf } from './engines.ts';
import { expectedInsights } from './insight-oracle.ts';
import { periodAt, planKeywords } from './search-fixture.ts';

const TERM_COUNT = 16_000;
const PERIOD_COUNT = 3;
const WORDS = ['shoe', 'shoes', 'running', 'red', 'blue', 'kids', 'mini', 'crème', '2-pack', 'trail', 'wide', 'light'];
const CATEGORIES = ['Beauty', 'Electronics', 'Toys', 'Sports'];
/** More trigrams than a byte counts. */
const LONG_TERM = Array.from({ length: 24 }, (_, i) => `${mixed(i).toString(36)}${mixed(i + 50).toString(36)}`).join(
  ' ',
);

/** Terms that are a query word for word, far behind those that begin with it. */
const EQUAL_TERMS = ['case', 'case !', 'case shoes', 'case-shoes', 'case shoe', 'box'];

const data = longData();

interface Case {
  readonly query: Partial<SearchQuery> & { readonly queries: readonly [string] };
  readonly isKept: (row: SearchRow) => boolean;
}

const cases: Readonly<Record<string, Case>> = {
  'a very common word': { query: { queries: ['case'] }, isKept: () => true },
  'a word with which terms begin': { query: { queries: ['box'] }, isKept: () => true },
  'two common words': { query: { queries: ['case shoes'] }, isKept: (row) => hasWords(row, 'shoe') },
  'a word without another': {
    query: { queries: ['case'], excludeQueries: ['red', 'blue mini'] },
    isKept: (row) => !hasWords(row, 'red') && !hasWords(row, 'blue mini'),
  },
  'a brand': {
    query: { queries: ['case'], brands: ['brand 3', 'BRAND 4'] },
    isKept: ({ brands }) => brands.includes('Brand 3') || brands.includes('Brand 4'),
  },
  'a category': {
    query: { queries: ['case'], categories: ['Electronics'] },
    isKept: ({ categories }) => categories.includes('Electronics'),
  },
  'a product': {
    query: { queries: ['case'], asins: ['b000000007'] },
    isKept: ({ products }) => products.some(({ asin }) => asin === 'B000000007'),
  },
};

const OFFSETS = [0, 8100, 100, 1000, 5000];

const ORDERS = [...SEARCH_ORDERS, { periodKey: '02-2024' }, { periodKey: '01-2024' }].flatMap((orderBy) =>
  (['asc', 'desc'] as const).map((orderDirection) => ({ orderBy, orderDirection })),
);

describe.each(OTHER_ENGINES)('$name', ({ openStore, share }) => {
  let opened: TestStore;
  let view: RankView;
  let rows: readonly SearchRow[];

  beforeAll(async () => {
    opened = await openStore({ search: data, steps: [2] });
    view = viewOf(opened.store, data);
    const terms = new Set(data.periods.flatMap((period) => period.rows.map(({ term }) => normalizeTerm(term))));
    const all = planKeywords(data, { queries: [...terms], method: 'exact', limit: terms.size });
    const read: SearchRow[] = [];
    for await (const batch of view.streamRows(all)) read.push(...batch);
    rows = read;
    expect(rows).toHaveLength(terms.size);
  }, 120_000);
  afterAll(async () => {
    view[Symbol.dispose]();
    await opened[Symbol.asyncDispose]();
  });

  it.each(Object.entries(cases))(
    'pages of %s are those of the sorted rows in every order',
    async (name, { query, isKept }) => {
      const kept = rows.filter((row) => hasWords(row, query.queries[0]) && isKept(row));
      const weights = parseWords(query.queries[0]).map((word) => {
        return wordWeight({ termCount: rows.length, matchCount: rows.filter((row) => hasWords(row, word)).length });
      });
      for (const order of shareOf(ORDERS, share, Object.keys(cases).indexOf(name))) {
        const plan = planKeywords(data, { ...query, ...order });
        const sorted = sortRows(kept, plan, { text: query.queries[0], weights });
        for (const offset of OFFSETS) {
          const found = await view.search({ ...plan, offset });
          const terms = found.rows.map((row) => row.normalizedSearchTerm);
          const note = JSON.stringify({ order, offset });
          expect(terms, note).toEqual(sorted.slice(offset, offset + 50).map((row) => row.normalizedSearchTerm));
          expect(found.totalCount).toBe(kept.length);
        }
      }
    },
    60_000,
  );

  it('puts what equals the query before all that begins with it, wherever it stands', async () => {
    const firstTerms = async (query: Case['query']) => {
      const plan = planKeywords(data, { ...query, limit: 4 });
      const found = await view.search(plan);
      return found.rows.map((row) => row.normalizedSearchTerm);
    };
    const other = expect.stringMatching(/^(case|box) .*[0-9]$/);
    expect(await firstTerms({ queries: ['box'] })).toEqual(['box', other, other, other]);
    expect(await firstTerms({ queries: ['case'] })).toEqual(['case', 'case !', other, other]);
    expect(await firstTerms({ queries: ['case'], brands: ['brand 3'] })).toEqual(['case', 'case !', other, other]);
    expect(await firstTerms({ queries: ['case shoes'] })).toEqual(['case shoes', 'case-shoes', other, other]);
  });

  it('unites the long lists of two queries', async () => {
    const plan = planKeywords(data, { queries: ['case', 'trail'], orderBy: 'avg_rank' });
    const kept = rows.filter((row) => hasWords(row, 'case') || hasWords(row, 'trail'));
    const sorted = sortRows(kept, plan, { text: '', weights: [] });
    const found = await view.search({ ...plan, offset: 700 });
    expect(found.totalCount).toBe(kept.length);
    expect(found.rows).toEqual(sorted.slice(700, 750));
  });

  it('compares terms of more trigrams than a byte counts', async () => {
    expect(parseTrigrams(LONG_TERM).size).toBeGreaterThan(255);
    const [word = ''] = LONG_TERM.split(' ');
    const plan = planKeywords(data, { queries: [word, 'case'], orderBy: 'similarity_score', orderDirection: 'asc' });
    const found = await view.search(plan);
    const firstTerm = found.rows[0]?.normalizedSearchTerm;
    const [worst] = rows
      .filter((row) => hasWords(row, 'case') || row.normalizedSearchTerm === LONG_TERM)
      .map((row) => ({ row, score: similarityTo(row, row.normalizedSearchTerm === LONG_TERM ? word : 'case') }))
      .sort((a, b) => a.score - b.score || compareTies(a.row, b.row));
    expect(firstTerm).toBe(worst?.row.normalizedSearchTerm);
  });
});

function hasWords(row: SearchRow, text: string): boolean {
  const stems = new Set(parseWords(row.normalizedSearchTerm).map(stemWord));
  return parseWords(text).every((word) => stems.has(stemWord(word)));
}

function similarityTo(row: SearchRow, text: string): number {
  return similarity(parseTrigrams(row.normalizedSearchTerm), parseTrigrams(text));
}

function sortRows(
  list: readonly SearchRow[],
  plan: SearchPlan,
  { text, weights }: { readonly text: string; readonly weights: readonly number[] },
): readonly SearchRow[] {
  const { order } = plan;
  const sign = order.direction === 'asc' ? 1 : -1;
  const keyed = list.map((row) => ({ row, key: keyOf(row, plan, { text, weights }) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null)
      return Number(a.key === null) - Number(b.key === null) || compareTies(a.row, b.row);
    if (a.key !== b.key) return sign * (a.key - b.key);
    const isByMatch = order.kind === 'field' && order.field === 'best_match';
    const byPeriod = isByMatch ? comparePeriods(b.row.latestPeriod, a.row.latestPeriod) : 0;
    return byPeriod || compareTies(a.row, b.row);
  });
  return keyed.map(({ row }) => row);
}

function keyOf(
  row: SearchRow,
  plan: SearchPlan,
  { text, weights }: { readonly text: string; readonly weights: readonly number[] },
): number | null {
  const { order, window } = plan;
  if (order.kind === 'period') {
    return row.ranks[window.findIndex((period) => comparePeriods(period, order.period) === 0)] ?? null;
  }
  switch (order.field) {
    case 'latest_rank':
      return row.latestRank;
    case 'best_rank':
      return row.bestRank;
    case 'worst_rank':
      return row.worstRank;
    case 'avg_rank':
      return row.avgRank;
    case 'total_periods':
      return row.totalPeriods;
    case 'latest_period':
      return row.latestPeriod.number;
    case 'fts_rank':
      return ftsRank({ weights, wordCount: countWords(row.normalizedSearchTerm) });
    case 'similarity_score':
      return similarityTo(row, text);
    case 'change':
      return expectedInsights(row, plan).change;
    case 'change_percentage':
      return expectedInsights(row, plan).changePercentage;
    case 'year_change':
      return expectedInsights(row, plan).yearChange;
    case 'click_concentration':
      return expectedInsights(row, plan).clickConcentration;
    case 'conversion_to_click':
      return expectedInsights(row, plan).conversionToClick;
    case 'title_gap': {
      const { titleGap } = expectedInsights(row, plan);
      return titleGap === null ? null : Number(titleGap);
    }
    case 'first_seen':
      return row.ranks.findIndex((rank) => rank !== null);
    default:
      return tierOf(` ${parseWords(row.normalizedSearchTerm).join(' ')} `, ` ${parseWords(text).join(' ')} `);
  }
}

function tierOf(term: string, text: string): number {
  if (term === text) return 4;
  if (term.startsWith(text)) return 3;
  return term.includes(text) ? 2 : 1;
}

function compareTies(a: SearchRow, b: SearchRow): number {
  return a.latestRank - b.latestRank || (a.normalizedSearchTerm < b.normalizedSearchTerm ? -1 : 1);
}

function longData(): TestData {
  const periods = Array.from({ length: PERIOD_COUNT }, (_, n) => ({ period: periodAt(n), rows: rowsOf(n) }));
  return { frequency: 'monthly', periods };
}

/**
 * Nine terms in ten have the word "case", one in a hundred begins with it; the others begin with "box". Two in three are ranked in
 * a period, several at the same rank.
 */
function rowsOf(period: number): readonly TestRow[] {
  const rows: TestRow[] = [{ term: LONG_TERM, rank: 1 }];
  // In the first period alone, so that they stand at the very end.
  if (period === 0) rows.push(...EQUAL_TERMS.map((term, i) => ({ term, rank: 9_990 + i, brands: ['Brand 3'] })));
  for (let i = 0; i < TERM_COUNT; i += 1) {
    if (mixed(i * 7 + period) % 3 === 0) continue;
    const words = Array.from({ length: 1 + (mixed(i) % 4) }, (_, n) => WORDS[mixed(i * 5 + n) % WORDS.length]);
    const common = mixed(i + 3) % 10 === 0 ? 'box' : 'case';
    const place = common === 'box' || i % 100 === 0 ? 0 : 2;
    rows.push({
      term: [...words.slice(0, place), common, ...words.slice(place), i].join(' '),
      rank: 2 + (mixed(i * 11 + period) % 9000),
      products: [{ asin: `B00000000${mixed(i) % 10}`, title: 'A case', ...sharesOf(i) }],
      brands: [`Brand ${mixed(i + 9) % 40}`],
      categories: [CATEGORIES[mixed(i + 1) % CATEGORIES.length] ?? null],
    });
  }
  return rows.sort((a, b) => a.rank - b.rank);
}

/** Some are not known, and some are 0. */
function sharesOf(i: number) {
  const share = (n: number) => (mixed(n) % 7 === 0 ? null : (mixed(n + 1) % 40) / 4);
  return { clickShare: share(i + 17), conversionShare: share(i + 23) };
}

/** Spreads whole numbers over 31 bits. */
function mixed(number: number): number {
  const once = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  const twice = Math.imul(once ^ (once >>> 16), 0x45d9f3b);
  return (twice ^ (twice >>> 16)) >>> 1;
}
