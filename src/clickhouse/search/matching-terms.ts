// Which documents a plan finds, as a condition on a row of documents.
import { NO_COMPARISON } from '../../domain/comparison.ts';
import type { Filters } from '../../domain/search-filter.ts';
import type { Match, SearchPlan } from '../../domain/search-plan.ts';
import type { ReadOptions } from '../../domain/store.ts';
import type { SetReader } from '../set-reader.ts';
import { allOf, anyOf, type Sql, sql, strings } from '../sql.ts';
import { TOKENS } from '../tokens.ts';
import { filterConditions } from './filter-conditions.ts';
import {
  findsWords,
  hasToken,
  isVisible,
  type SoughtQuery,
  seekAsSpelled,
  seekQueries,
  type Window,
} from './query-words.ts';

export interface MatchPlan extends Partial<Pick<SearchPlan, 'comparison'>> {
  readonly window: Window;
  /** Undefined: every visible term. */
  readonly match: Match | undefined;
  readonly filters: Partial<Filters>;
}

export interface Matching {
  /** Rows of documents, for FROM. What is cheap is looked at first, and the rest of a row only where that holds. */
  readonly documents: Sql;
  /** Those of a similar match, in its order. */
  readonly queries: readonly SoughtQuery[];
}

/** For tables of documents, those of one node and those of all. */
export async function matchingTerms(reader: SetReader, plan: MatchPlan, options?: ReadOptions): Promise<Sql> {
  const { cheap, rest } = await seekMatching(reader, plan, options);
  return allOf([...cheap, ...rest]);
}

export async function findMatching(reader: SetReader, plan: MatchPlan, options?: ReadOptions): Promise<Matching> {
  const { cheap, rest, queries } = await seekMatching(reader, plan, options);
  const documents = sql`${reader.tables.documents.all} PREWHERE ${allOf(cheap)} WHERE ${allOf(rest)}`;
  return { documents, queries };
}

interface Sought {
  readonly cheap: readonly Sql[];
  readonly rest: readonly Sql[];
  readonly queries: readonly SoughtQuery[];
}

async function seekMatching(reader: SetReader, plan: MatchPlan, options?: ReadOptions): Promise<Sought> {
  const { window, match, filters, comparison = NO_COMPARISON } = plan;
  const queries = match?.kind === 'similar' ? await seekQueries(reader, { ...match, window }, options) : [];
  const excluded = match?.kind === 'similar' ? match.excluded : [];
  return {
    queries,
    cheap: [isVisible(reader, window), ...findsMatch(reader, match, queries)],
    rest: [
      ...excluded.map((query) => sql`NOT ${matchesRow(seekAsSpelled(query))}`),
      ...filterConditions({ window, filters, comparison }),
    ],
  };
}

function findsMatch(reader: SetReader, match: Match | undefined, queries: readonly SoughtQuery[]): readonly Sql[] {
  if (!match) return [];
  if (match.kind === 'exact') return [hasToken(reader, match.terms, TOKENS.term)];
  if (match.kind === 'asins') return [hasToken(reader, match.asins, TOKENS.asin)];
  return [anyOf(queries.map((query) => findsQuery(reader, query)))];
}

function findsQuery(reader: SetReader, { text, words }: SoughtQuery): Sql {
  return words.length === 0 ? hasToken(reader, [text], TOKENS.term) : findsWords(reader, words);
}

/** By what stands in the row itself. */
export function matchesRow({ text, words }: SoughtQuery): Sql {
  if (words.length === 0) return sql`(term = ${text})`;
  return allOf(words.map(({ stems }) => sql`hasAny(stems, ${strings(stems)})`));
}
