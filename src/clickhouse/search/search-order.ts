// The order of a search as ORDER BY. Numbers with a fraction are compared as whole numbers of the same order, so that no two engines
// differ in the last bit of one.
import { ftsRank, wordWeight } from '../../domain/ranking.ts';
import type { Match, OrderField, SearchPlan } from '../../domain/search-plan.ts';
import { parseTrigrams } from '../../domain/similarity.ts';
import type { ReadOptions } from '../../domain/store.ts';
import type { SetReader } from '../set-reader.ts';
import { join, list, type Sql, sql, strings } from '../sql.ts';
import { TOKENS } from '../tokens.ts';
import { matchesRow } from './matching-terms.ts';
import { isVisible, type SoughtQuery, type SoughtWord, type Window } from './query-words.ts';
import {
  changeBetween,
  changePercentage,
  concentration,
  conversionToClick,
  firstSeen,
  type RowValue,
  rankIn,
  ranksIn,
} from './row-values.ts';

interface OrderContext {
  readonly reader: SetReader;
  readonly plan: SearchPlan;
  readonly queries: readonly SoughtQuery[];
}

/** What stands behind ORDER BY; the order is total. */
export async function searchOrder(context: OrderContext, options?: ReadOptions): Promise<Sql> {
  const { order } = context.plan;
  const { isKnown, value } = await keyOf(context, options);
  const isAscending = order.direction === 'asc' || (order.kind === 'field' && order.field === 'query_order');
  const byPeriod = order.kind === 'field' && order.field === 'best_match' ? [sql`latest_period DESC`] : [];
  // Those without a value are equal, and last in both directions.
  const known = sql`if(${isKnown}, ${value}, 0)`;
  const first = [sql`${isKnown} DESC`, isAscending ? sql`${known} ASC` : sql`${known} DESC`];
  return join([...first, ...byPeriod, sql`latest_rank ASC`, sql`term ASC`], ', ');
}

async function keyOf(context: OrderContext, options?: ReadOptions): Promise<RowValue> {
  const { window, order } = context.plan;
  if (order.kind === 'field') return await fieldOf(order.field, context, options);
  const rank = rankIn(window, order.period);
  return { isKnown: sql`(${rank} > 0)`, value: rank };
}

async function fieldOf(field: OrderField, context: OrderContext, options?: ReadOptions): Promise<RowValue> {
  const { window, comparison, match } = context.plan;
  const { from, to, yearAgo } = comparison;
  const ranks = ranksIn(window);
  switch (field) {
    case 'latest_period':
      return always(sql`latest_period`);
    case 'latest_rank':
      return always(sql`latest_rank`);
    case 'best_rank':
      return always(sql`arrayReduce('min', ${ranks})`);
    case 'worst_rank':
      return always(sql`arrayReduce('max', ${ranks})`);
    case 'avg_rank':
      return always(sql`intDiv(arraySum(${ranks}) * 200 + length(${ranks}), greatest(1, 2 * length(${ranks})))`);
    case 'total_periods':
      return always(sql`length(${ranks})`);
    case 'query_order':
      return always(match.kind === 'exact' ? sql`indexOf(${strings(match.terms)}, term)` : sql`term_id * 0`);
    case 'best_match':
      return always(bestOf(context.queries, tierOf));
    case 'fts_rank':
      return always(await ftsOrder(context, options));
    case 'similarity_score':
      return always(bestOf(context.queries, similarityTo));
    case 'click_share':
      return bestShare(match, sql`clicks`);
    case 'conversion_share':
      return bestShare(match, sql`conversions`);
    case 'change':
      return changeBetween(window, from, to);
    case 'change_percentage':
      return changePercentage(window, comparison);
    case 'year_change':
      return changeBetween(window, yearAgo, to);
    case 'click_concentration':
      return concentration('clicks');
    case 'conversion_to_click':
      return conversionToClick();
    case 'title_gap':
      return { isKnown: sql`(title_gap >= 0)`, value: sql`title_gap` };
    case 'first_seen':
      return always(firstSeen(window));
  }
}

function always(value: Sql): RowValue {
  return { isKnown: sql`(term_id >= 0)`, value };
}

/** The highest value of the queries that a row matches. */
function bestOf(queries: readonly SoughtQuery[], value: (query: SoughtQuery) => Sql): Sql {
  const values = queries.map((query) => sql`if(${matchesRow(query)}, ${value(query)}, toFloat64(-1))`);
  return values.length === 0 ? sql`term_id * 0` : sql`arrayReduce('max', [${join(values, ', ')}])`;
}

/** As MATCH_TIERS has them. Between separators a word cannot be mistaken for the end of another. */
function tierOf({ spellings, words }: SoughtQuery): Sql {
  if (words.some(({ isTypo }) => isTypo)) return sql`toFloat64(0)`;
  const sought = `|${spellings.join('|')}|`;
  const term = sql`concat('|', arrayStringConcat(words, '|'), '|')`;
  return sql`toFloat64(multiIf(${term} = ${sought}, 4, startsWith(${term}, ${sought}), 3, position(${term}, ${sought}) > 0, 2, 1))`;
}

/** Divided in double precision and then rounded to single, as similarity() does. */
function similarityTo({ text }: SoughtQuery): Sql {
  const trigrams = [...parseTrigrams(text)];
  if (trigrams.length === 0) return sql`toFloat64(0)`;
  const shared = sql`arrayCount(t -> has(${trigrams}, t), trigrams)`;
  return sql`toFloat64(toFloat32(${shared} / (length(trigrams) + ${trigrams.length} - ${shared})))`;
}

function bestShare(match: Match, shares: Sql): RowValue {
  const asins = match.kind === 'asins' ? match.asins : [];
  const best = sql`arrayReduce('max', arrayConcat([toInt32(-1)],
    arrayFilter((share, asin) -> has(${strings(asins)}, asin), ${shares}, asins)))`;
  return { isKnown: sql`(${best} >= 0)`, value: best };
}

/**
 * All words of a query are in a term that matches it, so that the value depends on nothing but the query and the number of words
 * of the term. Every value that there can be is computed here, and rows get its place among them.
 */
async function ftsOrder({ reader, plan, queries }: OrderContext, options?: ReadOptions): Promise<Sql> {
  const weights = await weighWords(reader, { queries, window: plan.window }, options);
  const sums = queries.map(({ words }) => words.map((word) => weights.get(keyOfWord(word)) ?? 0));
  const rankOf = (query: number, wordCount: number) => ftsRank({ weights: sums[query] ?? [], wordCount });
  const wordCounts = Array.from({ length: reader.maxWordCount + 1 }, (_, count) => count);
  const values = queries.map((_, query) => wordCounts.map((count) => rankOf(query, count)));
  const distinct = [...new Set(values.flat())].sort((a, b) => a - b);
  const placeOf = new Map(distinct.map((value, place) => [value, place]));
  const places = new Map(queries.map((query, i) => [query, (values[i] ?? []).map((value) => placeOf.get(value) ?? 0)]));
  return bestOf(queries, (query) => sql`toFloat64(${places.get(query) ?? [0]}[word_count + 1])`);
}

async function weighWords(
  reader: SetReader,
  { queries, window }: { readonly queries: readonly SoughtQuery[]; readonly window: Window },
  options?: ReadOptions,
): Promise<ReadonlyMap<string, number>> {
  const words = new Map(queries.flatMap((query) => query.words.map((word) => [keyOfWord(word), word])));
  const { documents, postings } = reader.tables;
  const [all] = await reader.rows<{ terms: number }>(
    sql`SELECT count() AS terms FROM ${documents.all} WHERE ${isVisible(reader, window)}`,
    options,
  );
  const weights = new Map<string, number>();
  for (const [key, { stems }] of words) {
    if (stems.length === 0) continue;
    const [matched] = await reader.rows<{ terms: number }>(
      sql`SELECT uniqExact(term_id) AS terms FROM ${postings.all} WHERE ${isVisible(reader, window)}
        AND token IN ${list(stems.map((stem) => TOKENS.stem + stem))}`,
      options,
    );
    weights.set(key, wordWeight({ termCount: all?.terms ?? 0, matchCount: matched?.terms ?? 0 }));
  }
  return weights;
}

function keyOfWord({ stems }: SoughtWord): string {
  return stems.join('\n');
}
