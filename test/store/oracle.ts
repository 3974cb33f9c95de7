// The oracle: the contract of domain/store.ts over plain objects, as directly as it can be said. It shares the domain's
// parsing with the engine (normalisation, words, stems, trigrams, the choice of typo replacements, the fts_rank formula),
// each of which has tables of its own, and no code for matching, filtering, ordering or summing up.
import { matchesCategory } from '../../src/domain/category.ts';
import type { Insights } from '../../src/domain/insights.ts';
import { comparePeriods, isSamePeriod, type Period, periodKey } from '../../src/domain/period.ts';
import type { QueryText } from '../../src/domain/query-text.ts';
import { ftsRank, wordWeight } from '../../src/domain/ranking.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import { parseTrigrams, similarity } from '../../src/domain/similarity.ts';
import { findReplacements } from '../../src/domain/typo.ts';
import { parseWords, stemWord } from '../../src/domain/words.ts';
import type { TestData } from '../support/rank-data.ts';
import { expectedInsights, passesInsights } from './insight-oracle.ts';
import { termsIn } from './oracle-rows.ts';

interface Keyword extends SearchRow {
  readonly words: readonly string[];
  readonly stems: ReadonlySet<string>;
}

interface Query {
  readonly text: string;
  readonly words: readonly QueryWord[];
}

interface QueryWord {
  readonly stems: readonly string[];
  readonly isTypo: boolean;
}

/** Every result of a plan in its order, before paging. */
export function searchEverything(data: TestData, plan: SearchPlan): readonly SearchRow[] {
  const keywords = listKeywords(data, plan.window);
  const queries = plan.match.kind === 'similar' ? plan.match.queries.map((query) => parseQuery(query, keywords)) : [];
  const isMatch = makeMatcher(plan, queries);
  const kept = keywords.filter((keyword) => isMatch(keyword) && passesFilters(keyword, plan));
  const sorted = kept.map((keyword) => ({ keyword, key: sortKey(keyword, plan, { queries, keywords }) }));
  const direction = plan.order.kind === 'field' && plan.order.field === 'query_order' ? 'asc' : plan.order.direction;
  sorted.sort((a, b) => {
    if (a.key === null || b.key === null) {
      if (a.key !== b.key) return a.key === null ? 1 : -1;
    } else if (a.key !== b.key) {
      return direction === 'asc' ? a.key - b.key : b.key - a.key;
    }
    return tieBreak(a.keyword, b.keyword, plan);
  });
  return sorted.map(({ keyword: { words: _words, stems: _stems, ...row } }) =>
    plan.includesInsights ? { ...row, insights: expectedInsights(row, plan) } : row,
  );
}

/** What the engine must answer, byte for byte. */
export function expectedPage(
  data: TestData,
  plan: SearchPlan,
): { readonly totalCount: number; readonly dataJson: string } {
  const rows = searchEverything(data, plan);
  const page = rows.slice(plan.offset, plan.offset + plan.limit);
  return { totalCount: rows.length, dataJson: JSON.stringify(page.map((row) => wireOf(row, plan))) };
}

/** Many plans look at one data set through one window, so its keywords are put together once. */
const keywordsByWindow = new WeakMap<TestData, Map<string, readonly Keyword[]>>();

function listKeywords(data: TestData, window: readonly Period[]): readonly Keyword[] {
  const known = keywordsByWindow.get(data) ?? new Map<string, readonly Keyword[]>();
  keywordsByWindow.set(data, known);
  const key = window.map(periodKey).join();
  const keywords = known.get(key) ?? collectKeywords(data, window);
  known.set(key, keywords);
  return keywords;
}

function collectKeywords(data: TestData, window: readonly Period[]): readonly Keyword[] {
  const periods = data.periods
    .filter(({ period }) => window.some((visible) => isSamePeriod(visible, period)))
    .sort((a, b) => comparePeriods(a.period, b.period));
  const terms = new Set(periods.flatMap(({ rows }) => [...termsIn(rows).keys()]));
  return [...terms].map((term) => {
    const rows = periods.map(({ rows }) => termsIn(rows).get(term));
    const ranks = rows.flatMap((row) => (row ? [row.rank] : []));
    const newest = rows.findLastIndex((row) => row !== undefined);
    const latest = rows[newest];
    const latestPeriod = periods[newest]?.period;
    if (!latest || !latestPeriod) throw new Error('a term without rows');
    const words = parseWords(term);
    return {
      searchTerm: latest.term,
      normalizedSearchTerm: term,
      ranks: window.map((_, i) => rows[i]?.rank ?? null),
      totalPeriods: ranks.length,
      bestRank: Math.min(...ranks),
      worstRank: Math.max(...ranks),
      avgRank: Math.round((ranks.reduce((a, b) => a + b, 0) * 100) / ranks.length) / 100,
      latestRank: latest.rank,
      latestPeriod,
      brands: present(latest.brands),
      products: present(latest.products),
      categories: present(latest.categories),
      words,
      stems: new Set(words.map(stemWord)),
    };
  });
}

function makeMatcher({ match }: SearchPlan, queries: readonly Query[]): (keyword: Keyword) => boolean {
  if (match.kind === 'exact') {
    const terms = new Set(match.terms);
    return ({ normalizedSearchTerm }) => terms.has(normalizedSearchTerm);
  }
  if (match.kind === 'asins') return ({ products }) => products.some(({ asin }) => match.asins.includes(asin));
  const excluded = match.excluded.map(parseExclusion);
  return (keyword) =>
    queries.some((query) => matchesQuery(keyword, query)) && !excluded.some((query) => matchesQuery(keyword, query));
}

function matchesQuery(keyword: Keyword, { text, words }: Query): boolean {
  if (words.length === 0) return keyword.normalizedSearchTerm === text;
  return words.every(({ stems }) => stems.some((stem) => keyword.stems.has(stem)));
}

function parseExclusion({ text, words }: QueryText): Query {
  return { text, words: words.map(({ stem }) => ({ stems: [stem], isTypo: false })) };
}

function parseQuery({ text, words: given }: QueryText, keywords: readonly Keyword[]): Query {
  const distinct = new Map(given.map(({ stem, spelling }) => [stem, spelling] as const).reverse());
  const words = [...distinct].reverse().map(([stem, word]): QueryWord => {
    if (keywords.some(({ stems }) => stems.has(stem))) return { stems: [stem], isTypo: false };
    return { stems: findReplacements(word, vocabularyOf(keywords)).map(stemWord), isTypo: true };
  });
  return { text, words };
}

type Vocabulary = Parameters<typeof findReplacements>[1];

/** Many queries look for words among the same keywords. */
const vocabularies = new WeakMap<readonly Keyword[], Vocabulary>();

function vocabularyOf(keywords: readonly Keyword[]): Vocabulary {
  const known = vocabularies.get(keywords) ?? countWords(keywords);
  vocabularies.set(keywords, known);
  return known;
}

function countWords(keywords: readonly Keyword[]): Vocabulary {
  const counts = new Map<string, number>();
  for (const stem of keywords.flatMap(({ stems }) => [...stems])) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const words = new Set(keywords.flatMap((keyword) => keyword.words));
  return [...words].map((word) => ({ word, termCount: counts.get(stemWord(word)) ?? 0 }));
}

function passesFilters(keyword: Keyword, plan: SearchPlan): boolean {
  const { filters, window } = plan;
  const wordCount = keyword.normalizedSearchTerm.split(' ').length;
  const newest = window.at(-1);
  return (
    (filters.brands.length === 0 || keyword.brands.some((brand) => filters.brands.includes(brand.toLowerCase()))) &&
    (filters.asins.length === 0 || keyword.products.some(({ asin }) => filters.asins.includes(asin))) &&
    (filters.categories.length === 0 ||
      keyword.categories.some((name) => filters.categories.some((category) => matchesCategory(name, category)))) &&
    keyword.latestRank >= (filters.minRank ?? 0) &&
    keyword.latestRank <= (filters.maxRank ?? Number.POSITIVE_INFINITY) &&
    wordCount >= (filters.minWords ?? 0) &&
    wordCount <= (filters.maxWords ?? Number.POSITIVE_INFINITY) &&
    (!filters.excludeNulls || (newest !== undefined && isSamePeriod(keyword.latestPeriod, newest))) &&
    passesInsights(keyword, plan)
  );
}

function sortKey(
  keyword: Keyword,
  plan: SearchPlan,
  { queries, keywords }: { readonly queries: readonly Query[]; readonly keywords: readonly Keyword[] },
): number | null {
  const { order, match, window } = plan;
  if (order.kind === 'period') {
    return keyword.ranks[window.findIndex((period) => isSamePeriod(period, order.period))] ?? null;
  }
  const matched = queries.filter((query) => matchesQuery(keyword, query));
  switch (order.field) {
    case 'latest_period':
      return keyword.latestPeriod.year * 100 + keyword.latestPeriod.number;
    case 'latest_rank':
      return keyword.latestRank;
    case 'best_rank':
      return keyword.bestRank;
    case 'worst_rank':
      return keyword.worstRank;
    case 'avg_rank':
      return keyword.avgRank;
    case 'total_periods':
      return keyword.totalPeriods;
    case 'query_order':
      return match.kind === 'exact' ? match.terms.indexOf(keyword.normalizedSearchTerm) : 0;
    case 'best_match':
      return Math.max(...matched.map((query) => tierOf(keyword, query)));
    case 'fts_rank':
      return Math.max(...matched.map(({ words }) => ftsRankOf(keyword, words, keywords)));
    case 'similarity_score':
      return Math.max(
        ...matched.map(({ text }) => similarity(parseTrigrams(keyword.normalizedSearchTerm), parseTrigrams(text))),
      );
    case 'click_share':
      return bestShare(keyword, plan, (product) => product.clickShare);
    case 'conversion_share':
      return bestShare(keyword, plan, (product) => product.conversionShare);
    case 'change':
      return expectedInsights(keyword, plan).change;
    case 'change_percentage':
      return expectedInsights(keyword, plan).changePercentage;
    case 'year_change':
      return expectedInsights(keyword, plan).yearChange;
    case 'click_concentration':
      return expectedInsights(keyword, plan).clickConcentration;
    case 'conversion_to_click':
      return expectedInsights(keyword, plan).conversionToClick;
    case 'title_gap': {
      const { titleGap } = expectedInsights(keyword, plan);
      return titleGap === null ? null : Number(titleGap);
    }
    case 'first_seen': {
      const { firstSeen } = expectedInsights(keyword, plan);
      return firstSeen && firstSeen.year * 100 + firstSeen.number;
    }
  }
}

function tierOf(keyword: Keyword, { text, words }: Query): number {
  if (words.some(({ isTypo }) => isTypo)) return 0;
  // Between separators a word cannot be mistaken for the end of another.
  const query = `|${parseWords(text).join('|')}|`;
  const term = `|${keyword.words.join('|')}|`;
  if (term === query) return 4;
  if (term.startsWith(query)) return 3;
  return term.includes(query) ? 2 : 1;
}

function ftsRankOf(keyword: Keyword, words: readonly QueryWord[], keywords: readonly Keyword[]): number {
  const weights = weightsByWords.get(words) ?? words.map((word) => weightOf(word, keywords));
  weightsByWords.set(words, weights);
  return ftsRank({ weights, wordCount: keyword.normalizedSearchTerm.split(' ').length });
}

/** A query weighs its words once for all keywords. */
const weightsByWords = new WeakMap<readonly QueryWord[], readonly number[]>();

function weightOf({ stems }: QueryWord, keywords: readonly Keyword[]): number {
  const matchCount = keywords.filter((other) => stems.some((stem) => other.stems.has(stem))).length;
  return wordWeight({ termCount: keywords.length, matchCount });
}

function bestShare(
  keyword: Keyword,
  { match }: SearchPlan,
  shareOf: (product: SearchRow['products'][number]) => number | null,
): number | null {
  const asins = match.kind === 'asins' ? match.asins : [];
  const shares = keyword.products
    .filter(({ asin }) => asins.includes(asin))
    .flatMap((product) => shareOf(product) ?? []);
  return shares.length === 0 ? null : Math.max(...shares);
}

function tieBreak(a: Keyword, b: Keyword, { order }: SearchPlan): number {
  const byPeriod =
    order.kind === 'field' && order.field === 'best_match' ? comparePeriods(b.latestPeriod, a.latestPeriod) : 0;
  return byPeriod || a.latestRank - b.latestRank || compareCodePoints(a.normalizedSearchTerm, b.normalizedSearchTerm);
}

export function compareCodePoints(a: string, b: string): number {
  // The bytes of UTF-8 have the order of code points.
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function wireOf(row: SearchRow, { window }: SearchPlan): unknown {
  return {
    search_term: row.searchTerm,
    normalized_search_term: row.normalizedSearchTerm,
    data: Object.fromEntries(
      window.flatMap((period, i) => (row.ranks[i] == null ? [] : [[periodKey(period), row.ranks[i]]])),
    ),
    summary: {
      total_periods: row.totalPeriods,
      best_rank: row.bestRank,
      worst_rank: row.worstRank,
      avg_rank: row.avgRank,
      latest_rank: row.latestRank,
      latest_period: periodKey(row.latestPeriod),
    },
    latest_data: {
      brands: row.brands,
      products: row.products.map(({ asin, title, clickShare, conversionShare }) => ({
        asin,
        title,
        click_share: clickShare ?? 0,
        conversion_share: conversionShare ?? 0,
      })),
      categories: row.categories,
    },
    ...(row.insights && { insights: wireOfInsights(row.insights) }),
  };
}

function wireOfInsights(insights: Insights): unknown {
  return {
    from_period: insights.fromPeriod && periodKey(insights.fromPeriod),
    to_period: insights.toPeriod && periodKey(insights.toPeriod),
    from_rank: insights.fromRank,
    to_rank: insights.toRank,
    change: insights.change,
    change_percentage: insights.changePercentage,
    year_change: insights.yearChange,
    click_concentration: insights.clickConcentration,
    conversion_concentration: insights.conversionConcentration,
    conversion_to_click: insights.conversionToClick,
    title_gap: insights.titleGap,
    first_seen: insights.firstSeen && periodKey(insights.firstSeen),
    streak: insights.streak,
  };
}

function present<T>(values: readonly (T | null)[] | undefined): readonly T[] {
  return (values ?? []).flatMap((value) => (value === null ? [] : [value]));
}
