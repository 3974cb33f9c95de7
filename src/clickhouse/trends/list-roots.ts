// The words and phrases in all terms that a search finds (domain/root.ts).
import { allDone } from '../../domain/containment.ts';
import type { RootOrder, RootPlan } from '../../domain/root.ts';
import type { ReadOptions, RootRow, TrendPage } from '../../domain/store.ts';
import { countRows, directed } from '../list-page.ts';
import { periodNumber } from '../period-number.ts';
import { rankIn } from '../period-rank.ts';
import { findMatching } from '../search/matching-terms.ts';
import type { SetReader } from '../set-reader.ts';
import { type Sql, sql } from '../sql.ts';

const COLUMNS: Readonly<Record<RootOrder, Sql>> = {
  terms: sql`terms`,
  best_rank: sql`bestRank`,
  rising: sql`rising`,
  falling: sql`falling`,
};

export async function listRoots(
  reader: SetReader,
  { search, kind, order }: RootPlan,
  options?: ReadOptions,
): Promise<TrendPage<RootRow>> {
  const [oldest] = search.window;
  if (!oldest) return { totalCount: 0, rows: [] };
  const { documents } = await findMatching(reader, search, options);
  const roots = rootsOf(kind);
  const bestRank = sql`arrayReduce('min', arrayFilter((r, p) -> p >= ${periodNumber(oldest)}, ranks, periods))`;
  const { rising, falling } = countMoves(search.window);
  const counted = sql`SELECT arrayJoin(${roots}) AS root, count() AS terms, min(${bestRank}) AS bestRank,
      ${rising} AS rising, ${falling} AS falling
    FROM ${documents} GROUP BY root
    ORDER BY ${directed(COLUMNS[order.field], order.direction)}, bestRank ASC, root ASC
    LIMIT ${search.offset}, ${search.limit}`;
  const [totalCount, rows] = await allDone([
    countRows(reader, sql`(SELECT arrayJoin(${roots}) AS root FROM ${documents} GROUP BY root)`, options),
    reader.rows<Omit<RootRow, 'kind'>>(counted, options),
  ]);
  return {
    totalCount,
    rows: rows.map((row) => ({ ...row, kind: row.root.includes(' ') ? 'phrase' : 'word' })),
  };
}

/** Of a document, each once. */
function rootsOf(kind: RootPlan['kind']): Sql {
  const words = sql`arrayDistinct(words)`;
  const phrases = sql`arrayDistinct(arrayMap((a, b) -> concat(a, ' ', b), arrayPopBack(words), arrayPopFront(words)))`;
  if (kind === 'word') return words;
  return kind === 'phrase' ? phrases : sql`arrayConcat(${words}, ${phrases})`;
}

function countMoves(window: RootPlan['search']['window']): Readonly<Record<'rising' | 'falling', Sql>> {
  const [previous, newest] = [window.at(-2), window.at(-1)];
  if (!previous || !newest) return { rising: sql`0`, falling: sql`0` };
  const [before, now] = [rankIn(previous), rankIn(newest)];
  return {
    rising: sql`countIf(${now} > 0 AND ${now} < ${before})`,
    falling: sql`countIf(${before} > 0 AND ${now} > ${before})`,
  };
}
