// What `bench trends` measures: each list as the engine answers it, as SQL, and the least that any engine must do for it, one
// plain pass over the columns that decide, or one slice of what is sorted already.

import { matchesCategory, parseCategoryFilter } from '../../src/domain/category.ts';
import { STUDIO } from '../../src/domain/plan.ts';
import { parseQueryText } from '../../src/domain/query-text.ts';
import type { TrendPage } from '../../src/domain/store.ts';
import {
  type ChangeQuery,
  type NewQuery,
  planChanges,
  planNewTerms,
  planSocialRanks,
  type SocialQuery,
  type TrendFilterQuery,
} from '../../src/domain/trend.ts';
import { NONE_32 } from '../../src/snapshot/format/format.ts';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { readSearchTerm } from '../../src/snapshot/query/search-rows.ts';
import { parseQuery } from '../../src/snapshot/query/vocabulary.ts';
import { findTwins } from '../../src/snapshot/trends/social-candidates.ts';
import { listChanges, listNewTerms, listSocialRanks } from '../../src/snapshot/trends/trends.ts';
import { changeSql, newSql, socialSql } from '../peers/trend-peer.ts';
import { denseRanks } from './dense-ranks.ts';

export interface TrendCase {
  readonly name: string;
  readonly list: () => TrendPage<object>;
  readonly sql: string;
  readonly floor: () => unknown;
}

interface CaseContext {
  readonly retail: SnapshotView;
  readonly social: SnapshotView | undefined;
  /** A common word and a large category. */
  readonly word: string;
  readonly category: string;
}

const PAGE = { limit: 50, queries: [] } as const;
const RUNS_ON = { throwIfCancelled: () => {} };
const CHANGES: ChangeQuery = {
  ...PAGE,
  frequency: 'monthly',
  threshold: 1000,
  direction: undefined,
  orderBy: 'abs_change',
  orderDirection: 'desc',
  offset: 0,
};

export function listTrendCases(context: CaseContext): readonly TrendCase[] {
  return [...changeCases(context), ...newCases(context), ...socialCases(context)];
}

type ChangeChoice = Partial<ChangeQuery> & Pick<ChangeQuery, 'orderBy' | 'orderDirection'>;

export const CHANGE_SQL: Readonly<Record<ChangeQuery['orderBy'], string>> = {
  change: 'p.rank - c.rank',
  abs_change: 'abs(p.rank - c.rank)',
  change_percentage: 'round((p.rank - c.rank) * 100.0 / p.rank, 2)',
  current_rank: 'c.rank',
  previous_rank: 'p.rank',
  query: 't.term',
};

function changeCases(context: CaseContext): readonly TrendCase[] {
  const { retail, word, category } = context;
  const { previousRanks, latestRanks, termPlaces, categories } = retail;
  const count = retail.periodEnds[0] ?? 0;
  const everything = planChanges(CHANGES, { plan: STUDIO, published: retail.periods });
  const deep = Math.min(1_000_000, Math.floor(listChanges(retail, everything, RUNS_ON).totalCount * 0.8));
  const bothRanks = () => countMoves(retail, count);
  const sliceFrom = (from: number) => () => readSlice(retail, retail.absChangeOrder, from);
  const lists: readonly (readonly [string, ChangeChoice, () => unknown])[] = [
    ['by size of the change', { orderBy: 'abs_change', orderDirection: 'desc' }, sliceFrom(0)],
    [
      `the same, offset ${format(deep)}`,
      { orderBy: 'abs_change', orderDirection: 'desc', offset: deep },
      sliceFrom(deep),
    ],
    ['falls, largest first', { orderBy: 'change', orderDirection: 'asc', direction: 'negative' }, sliceFrom(0)],
    ['by change, ascending, offset 1,000', { orderBy: 'change', orderDirection: 'asc', offset: 1000 }, sliceFrom(1000)],
    ['by percentage', { orderBy: 'change_percentage', orderDirection: 'desc' }, bothRanks],
    ['by current rank', { orderBy: 'current_rank', orderDirection: 'desc' }, bothRanks],
    [
      `by previous rank, offset ${format(deep)}`,
      { orderBy: 'previous_rank', orderDirection: 'asc', offset: deep },
      bothRanks,
    ],
    [
      `by term, offset ${format(deep)}`,
      { orderBy: 'query', orderDirection: 'asc', offset: deep },
      () => [countMoves(retail, count), passOver([termPlaces], count)],
    ],
    [
      'ranks up to 100,000, by size',
      { orderBy: 'abs_change', orderDirection: 'desc', maxRank: 100_000 },
      () => countMoves(retail, Math.min(count, 100_000)),
    ],
    [
      `category ${category}, by size`,
      { orderBy: 'abs_change', orderDirection: 'desc', categories: [category] },
      () => [countMoves(retail, count), passOver(categories, count)],
    ],
    [
      'from the oldest period, by size',
      { orderBy: 'abs_change', orderDirection: 'desc', compareTo: { periodKey: retail.periodKeys[0] ?? '' } },
      sliceFrom(0),
    ],
    [
      'from the oldest period, by percentage',
      { orderBy: 'change_percentage', orderDirection: 'desc', compareTo: { periodKey: retail.periodKeys[0] ?? '' } },
      bothRanks,
    ],
    [
      `query "${word}", by size`,
      { orderBy: 'abs_change', orderDirection: 'desc', queries: [word] },
      () => passAlong(wordDocuments(retail, word), [previousRanks, latestRanks]),
    ],
  ];
  const newest = retail.periods.length - 1;
  const pairOf = ({ compareTo }: ChangeQuery) => ({ newest, previous: compareTo === undefined ? newest - 1 : 0 });
  return lists.map(([name, choice, floor]) => {
    const query: ChangeQuery = { ...CHANGES, ...choice };
    const plan = planChanges(query, { plan: STUDIO, published: retail.periods });
    const bounds = query.direction === 'negative' ? ` AND c.rank > p.rank` : '';
    const where = `abs(p.rank - c.rank) > ${query.threshold}${bounds}${filterSql(retail, query)}`;
    const orderBy = `${CHANGE_SQL[query.orderBy]} ${query.orderDirection}, c.rank, t.term`;
    return {
      name: `change-by, ${name}`,
      list: () => listChanges(retail, plan, RUNS_ON),
      sql: changeSql(pairOf(query), { where, orderBy, offset: query.offset, limit: query.limit }),
      floor,
    };
  });
}

function newCases({ retail, word }: CaseContext): readonly TrendCase[] {
  const summaries = retail.summaries.get(retail.periods.length);
  if (!summaries) return [];
  const { newcomers, totalPeriods } = summaries;
  const lists: readonly (readonly [string, Pick<NewQuery, 'orderBy'> & Partial<NewQuery>, () => unknown])[] = [
    ['by rank', { orderBy: 'current_rank' }, () => readSlice(retail, newcomers, 0)],
    ['by term, offset 1,000', { orderBy: 'query', offset: 1_000 }, () => passAlong(newcomers, [retail.termPlaces])],
    [
      `query "${word}"`,
      { orderBy: 'current_rank', queries: [word] },
      () => passAlong(wordDocuments(retail, word), [totalPeriods]),
    ],
  ];
  return lists.map(([name, choice, floor]) => {
    const query: NewQuery = { ...PAGE, frequency: 'monthly', orderDirection: 'asc', offset: 0, ...choice };
    const plan = planNewTerms(query, { plan: STUDIO, published: retail.periods });
    const orderBy = query.orderBy === 'query' ? 't.term' : 'c.rank, t.term';
    const where = `true${filterSql(retail, query)}`;
    return {
      name: `new, ${name}`,
      list: () => listNewTerms(retail, plan, RUNS_ON),
      sql: newSql(retail.periods.length - 1, { where, orderBy, offset: query.offset, limit: query.limit }),
      floor,
    };
  });
}

function socialCases({ retail, social, category }: CaseContext): readonly TrendCase[] {
  if (!social) return [];
  const count = social.periodEnds[0] ?? 0;
  const end = social.periods.length - 1;
  const start = Math.max(0, end - 5);
  const slots = social.documentSlots.subarray(0, count);
  const ranks = social.ranks.slice(start).map(denseRanks);
  const bothEnds = () => passAlong(slots, ranks);
  // The category is that of another set; which of its keywords are the same terms is known.
  const twins = findTwins(social, { ...RUNS_ON, retail }).filter((twin) => twin !== NONE_32);
  const choices: readonly (readonly [string, Partial<SocialQuery>, () => unknown])[] = [
    ['by improvement', {}, bothEnds],
    ['by term', { orderBy: 'query' }, bothEnds],
    [`category ${category}`, { categories: [category] }, () => [bothEnds(), passAlong(twins, retail.categories)]],
  ];
  return choices.map(([name, choice, floor]) => {
    const query: SocialQuery = {
      ...PAGE,
      frequency: 'monthly',
      orderBy: 'total_improvement',
      orderDirection: 'desc',
      offset: 0,
      ...choice,
    };
    const context = { plan: STUDIO, published: social.periods, retailPublished: retail.periods } as const;
    const plan = planSocialRanks(query, context);
    const orderBy = query.orderBy === 'query' ? 'c.term DESC' : 'p.rank - c.rank DESC, c.rank, c.term';
    const where = `true${filterSql(retail, query)}`;
    return {
      name: `social-media-ranks, ${name}`,
      list: () => listSocialRanks(social, plan, { ...RUNS_ON, retail }),
      sql: socialSql({ start, end }, { where, orderBy, offset: query.offset, limit: query.limit }),
      floor,
    };
  });
}

function filterSql(view: SnapshotView, { queries, categories = [], maxRank }: TrendFilterQuery): string {
  const wanted = categories.map(parseCategoryFilter);
  const ids = [...view.categoryNames.entries()].flatMap(([id, name]) =>
    wanted.some((category) => matchesCategory(name, category)) ? [id] : [],
  );
  const words = queries.map((query) => ` AND t.words @@ plainto_tsquery('english', '${query.replaceAll("'", "''")}')`);
  return [
    ...words,
    categories.length === 0 ? '' : ` AND ARRAY[t.category_1, t.category_2, t.category_3] && '{${ids.join()}}'::int[]`,
    maxRank === undefined ? '' : ` AND c.rank <= ${maxRank}`,
  ].join('');
}

function wordDocuments(view: SnapshotView, word: string): Uint32Array {
  const visibleCount = view.periodEnds[0] ?? 0;
  return (
    parseQuery(view, { query: parseQueryText(word), visibleCount, allowsTypos: false }).words[0]?.documents ??
    new Uint32Array(0)
  );
}

type Numbers = Uint8Array | Uint16Array | Uint32Array;

/** How many moved by more than the threshold: no total is exact without it. */
function countMoves({ previousRanks, latestRanks }: SnapshotView, count: number): number {
  let moved = 0;
  for (let document = 0; document < count; document += 1) {
    const previous = previousRanks[document] ?? 0;
    const isMoved = previous !== 0 && Math.abs(previous - (latestRanks[document] ?? 0)) > CHANGES.threshold;
    moved += isMoved ? 1 : 0;
  }
  return moved;
}

/** The page of a list that is sorted already. */
function readSlice(view: SnapshotView, sorted: Uint32Array, from: number): readonly string[] {
  return Array.from(sorted.subarray(from, from + PAGE.limit), (document) => readSearchTerm(view, document));
}

/** Reads every column once, from front to back. */
function passOver(columns: readonly Numbers[], count: number): number {
  let sum = 0;
  for (const column of columns) for (let i = 0; i < count; i += 1) sum += column[i] ?? 0;
  return sum;
}

/** Reads the entries of a list in every column. */
function passAlong(list: Uint32Array, columns: readonly Numbers[]): number {
  let sum = 0;
  for (const column of columns) for (let i = 0; i < list.length; i += 1) sum += column[list[i] ?? 0] ?? 0;
  return sum;
}

function format(count: number): string {
  return count.toLocaleString('en-US');
}
