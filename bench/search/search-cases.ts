// The questions of the comparison. Words, brands and products are picked from the data by how often they occur, so that the
// same cases exist at every size.

import { STUDIO } from '../../src/domain/plan.ts';
import { planAsinSearch, planSearch, type SearchPlan } from '../../src/domain/search-plan.ts';
import { DEFAULT_SEARCH_LIMIT, type SearchOrder, type SearchQuery } from '../../src/domain/search-query.ts';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { readText } from '../../src/snapshot/format/text-column.ts';
import { prepareFilter } from '../../src/snapshot/query/document-filter.ts';
import type { PeerMatch, PeerOrder, PeerQuery } from '../peers/peer.ts';
import { type PickedWord, pickBrand, pickCategory, pickProduct, pickWords } from './picked-words.ts';

/** What the comparison asks of a case: ten times the best peer, as fast as the best peer, or nothing. */
export type Goal = 'tenfold' | 'equal' | 'none';

export interface SearchCase {
  readonly name: string;
  readonly goal: Goal;
  readonly plan: SearchPlan;
  readonly peerQuery: PeerQuery;
  /** The same question as a request. */
  readonly path: string;
}

const DEEP_PAGE = 1000;

const COLUMN_BY_ORDER = {
  latest_period: ['latest_period', 'DESC'],
  latest_rank: ['latest_rank', 'ASC'],
  best_rank: ['best_rank', 'ASC'],
  worst_rank: ['worst_rank', 'ASC'],
  avg_rank: ['avg_rank', 'ASC'],
  total_periods: ['total_periods', 'DESC'],
  // With one query every match has the same weight of words, so that the shortest terms come first.
  fts_rank: ['word_count', 'ASC'],
  click_concentration: ['click_concentration', 'DESC'],
  conversion_to_click: ['conversion_to_click', 'DESC'],
} as const;

const CHANGE_ORDERS = ['change', 'change_percentage', 'year_change'] as const;
type ChangeOrder = (typeof CHANGE_ORDERS)[number];

/** Of two columns of ranks; percentages in hundredths, so that they are whole numbers in every engine. */
function changeSql(order: ChangeOrder, { from, to }: { readonly from: number; readonly to: number }): string {
  const [a, b] = [`r${from}`, `r${to}`];
  if (order !== 'change_percentage') return `${a} - ${b}`;
  return `sign(${a} - ${b}) * floor((abs(${a} - ${b}) * 20000.0 + ${a}) / (2.0 * ${a}))`;
}

/** The period that an order compares the newest one with. */
function comparedIndex(view: SnapshotView, { order, compareIndex }: Question): number {
  const newest = view.periods.length - 1;
  return order === 'year_change' ? newest - 12 : (compareIndex ?? newest - 1);
}

export interface Cases {
  readonly cases: readonly SearchCase[];
  readonly words: ReturnType<typeof pickWords>;
  /** The deep page: 1,000, or the last full one of smaller data. */
  readonly deepPage: number;
}

export function listCases(view: SnapshotView): Cases {
  const words = pickWords(view);
  const { rare, common, medium, veryCommon } = words;
  const deepPage = Math.max(1, Math.min(DEEP_PAGE, Math.floor(veryCommon.termCount / DEFAULT_SEARCH_LIMIT)));
  const define = (name: string, goal: Goal, query: Question): SearchCase => defineCase(view, { name, goal, query });
  const filtered = [
    define('brand filter', 'tenfold', { words: [veryCommon], brand: pickBrand(view, veryCommon) }),
    define('category filter', 'tenfold', { words: [veryCommon], category: pickCategory(view, veryCommon) }),
    define('product filter', 'tenfold', { words: [veryCommon], product: pickProduct(view, veryCommon) }),
  ];
  // Short histories have no year to compare with.
  const changes = CHANGE_ORDERS.filter((order) => order !== 'year_change' || view.periods.length > 12);
  const ordered = [...Object.keys(COLUMN_BY_ORDER), ...changes, 'similarity_score'].map((order) =>
    define(`very common word, by ${order}`, 'tenfold', {
      words: [veryCommon],
      order: order as Question['order'] & SearchOrder,
    }),
  );
  const compareIndex = view.periods.length >> 1;
  const compared = (['change', 'change_percentage'] as const).map((order) =>
    define(`by ${order} from another period`, 'tenfold', { words: [veryCommon], order, compareIndex }),
  );
  return {
    words,
    deepPage,
    cases: [
      define('exact', 'equal', { term: readText(view.terms, view.documentSlots[view.documentCount >> 1] ?? 0) }),
      define('ASIN', 'equal', { asin: pickProduct(view, veryCommon) }),
      define('rare word', 'equal', { words: [rare] }),
      define('common word', 'tenfold', { words: [common] }),
      define('common word, by avg_rank', 'tenfold', { words: [common], order: 'avg_rank' }),
      define('very common word', 'tenfold', { words: [veryCommon] }),
      define('two words', 'tenfold', { words: [veryCommon, medium] }),
      define('three words', 'tenfold', { words: [veryCommon, medium, common] }),
      define('excluded word', 'tenfold', { words: [veryCommon], without: medium }),
      ...filtered,
      ...ordered,
      ...compared,
      define('very common word, by a period', 'tenfold', { words: [veryCommon], periodIndex: view.periods.length - 2 }),
      define(`very common word, page ${deepPage}`, 'tenfold', { words: [veryCommon], page: deepPage }),
      define(`by avg_rank, page ${deepPage}`, 'tenfold', { words: [veryCommon], order: 'avg_rank', page: deepPage }),
      define('typo', 'none', { typo: `${common.word.slice(0, 2)}${common.word.slice(1)}` }),
    ],
  };
}

interface Question {
  readonly term?: string;
  readonly asin?: { readonly asin: string; readonly product: number };
  readonly typo?: string;
  readonly words?: readonly PickedWord[];
  readonly without?: PickedWord;
  readonly brand?: { readonly name: string; readonly brand: number };
  readonly category?: string;
  readonly product?: { readonly asin: string; readonly product: number };
  /** The peers have no column for what is left out. */
  readonly order?: Exclude<SearchOrder, 'title_gap' | 'first_seen'>;
  readonly periodIndex?: number;
  /** Of the period that the newest one is compared with. */
  readonly compareIndex?: number;
  readonly page?: number;
}

function defineCase(
  view: SnapshotView,
  { name, goal, query }: { readonly name: string; readonly goal: Goal; readonly query: Question },
): SearchCase {
  const context = { plan: STUDIO, published: view.periods } as const;
  const page = {
    marketplace: view.set.marketplace,
    frequency: view.set.frequency,
    orderDirection: undefined,
    page: query.page ?? 1,
    limit: DEFAULT_SEARCH_LIMIT,
  };
  const text = query.term ?? query.typo ?? (query.words ?? []).map(({ word }) => word).join(' ');
  const periodKey = query.periodIndex === undefined ? undefined : view.periodKeys[query.periodIndex];
  const keywordQuery: SearchQuery = {
    ...page,
    queries: [text],
    method: query.term === undefined ? 'similar' : 'exact',
    excludeQueries: query.without ? [query.without.word] : [],
    brands: query.brand ? [query.brand.name] : [],
    asins: query.product ? [query.product.asin] : [],
    categories: query.category === undefined ? [] : [query.category],
    orderBy: periodKey === undefined ? (query.order ?? 'best_match') : { periodKey },
    compareTo: query.compareIndex === undefined ? undefined : { periodKey: view.periodKeys[query.compareIndex] ?? '' },
  };
  const plan = query.asin
    ? planAsinSearch({ ...page, asins: [query.asin.asin], orderBy: 'latest_period' }, context)
    : planSearch(keywordQuery, context);
  const { offset, limit } = plan;
  return {
    name,
    goal,
    plan,
    path: query.asin ? `/v1/search/asin?asin=${query.asin.asin}` : pathOf(keywordQuery),
    peerQuery: { match: peerMatch(view, query, plan), order: peerOrder(view, query, text), offset, limit },
  };
}

function pathOf(query: SearchQuery): string {
  const parameters = new URLSearchParams({ query: query.queries[0] ?? '', method: query.method });
  for (const text of query.excludeQueries) parameters.append('exclude_query', text);
  const { brands = [], asins = [], categories = [] } = query;
  for (const brand of brands) parameters.append('brand', brand);
  for (const asin of asins) parameters.append('product', asin);
  for (const category of categories) parameters.append('category', category);
  parameters.append('order_by', typeof query.orderBy === 'string' ? query.orderBy : query.orderBy.periodKey);
  const { compareTo } = query;
  if (typeof compareTo === 'object') parameters.append('compare_to', compareTo.periodKey);
  parameters.append('page', String(query.page));
  return `/v1/search/keywords?${parameters}`;
}

function peerMatch(view: SnapshotView, query: Question, plan: SearchPlan): PeerMatch {
  if (query.term !== undefined) return { kind: 'term', term: query.term };
  if (query.typo !== undefined) return { kind: 'typo', word: query.typo };
  const groups = (query.words ?? []).map(({ stem }) => [stem]);
  if (query.brand) groups.push([`b${query.brand.brand}`]);
  const product = query.product ?? query.asin;
  if (product) groups.push([`p${product.product}`]);
  // A bucket may stand for several stored categories.
  const { categories } = prepareFilter(view, plan.filters);
  if (categories) groups.push([...categories.keys()].filter((id) => categories[id] === 1).map((id) => `c${id}`));
  return { kind: 'tokens', groups, without: query.without ? [query.without.stem] : [] };
}

function peerOrder(view: SnapshotView, query: Question, text: string): PeerOrder {
  const { order, periodIndex, term, asin } = query;
  if (periodIndex !== undefined) return { kind: 'column', column: `r${periodIndex}`, direction: 'ASC' };
  if (order === 'similarity_score') return { kind: 'similarity', text };
  if (term !== undefined || asin) return { kind: 'column', column: 'latest_period', direction: 'DESC' };
  if (order === undefined || order === 'best_match') return { kind: 'best_match', words: text };
  if (order === 'change' || order === 'change_percentage' || order === 'year_change') {
    const sql = changeSql(order, { from: comparedIndex(view, query), to: view.periods.length - 1 });
    return { kind: 'expression', sql, direction: 'DESC' };
  }
  const [column, direction] = COLUMN_BY_ORDER[order];
  return { kind: 'column', column, direction };
}
