// Questions about terms that are known, and about those that somebody is typing.
import type { SearchPlan } from '../../domain/search-plan.ts';
import type { ReadOptions } from '../../domain/store.ts';
import type { SuggestionPlan } from '../../domain/suggestion.ts';
import type { LatestRankPlan } from '../../domain/trend.ts';
import type { Row } from '../schema.ts';
import type { SetReader } from '../set-reader.ts';
import { allOf, list, sql } from '../sql.ts';
import { TOKENS } from '../tokens.ts';
import { ranksOf } from './document-rows.ts';
import { matchingTerms } from './matching-terms.ts';
import { isVisible } from './query-words.ts';

type TermRow = Pick<Row<'documents'>, 'term' | 'latest_rank' | 'periods' | 'ranks'>;

/** A statement has so many terms at most. */
const TERMS_PER_QUERY = 5_000;

export async function listLatestRanks(
  reader: SetReader,
  plan: LatestRankPlan,
  options?: ReadOptions,
): Promise<readonly (number | null)[]> {
  const rows = await findTerms(reader, plan, options);
  return plan.terms.map((term) => rows.get(term)?.latest_rank ?? null);
}

export async function listTermRanks(
  reader: SetReader,
  plan: LatestRankPlan,
  options?: ReadOptions,
): Promise<readonly (readonly (number | null)[])[]> {
  const rows = await findTerms(reader, plan, options);
  return plan.terms.map((term) => ranksOf(rows.get(term) ?? { periods: [], ranks: [] }, plan.window));
}

export async function listMatches(
  reader: SetReader,
  { plan, terms }: { readonly plan: SearchPlan; readonly terms: readonly string[] },
  options?: ReadOptions,
): Promise<readonly boolean[]> {
  const matches = await matchingTerms(reader, plan, options);
  const matched = new Set<string>();
  for (const some of partsOf(terms)) {
    const found = await reader.rows<{ term: string }>(
      sql`SELECT term FROM ${reader.tables.documents.all} WHERE ${matches} AND term IN ${list(some)}`,
      options,
    );
    for (const { term } of found) matched.add(term);
  }
  return terms.map((term) => matched.has(term));
}

export async function listSuggestions(
  reader: SetReader,
  { window, text: { text, words }, limit }: SuggestionPlan,
  options?: ReadOptions,
): Promise<readonly string[]> {
  const { documents, postings } = reader.tables;
  const having = (token: ReturnType<typeof sql>) => sql`term_id IN (SELECT term_id FROM ${postings.here}
    WHERE generation = ${reader.generation} AND ${token})`;
  const unfinished = words.at(-1);
  const start = TOKENS.word + (unfinished?.spelling ?? '');
  const finished = words.slice(0, -1).map(({ stem }) => having(sql`token = ${TOKENS.stem + stem}`));
  const last = unfinished
    ? having(sql`token >= ${start} AND token < concat(${start}, unhex('ff'))`)
    : having(sql`token = ${TOKENS.term + text}`);
  const found = await reader.rows<{ original: string }>(
    sql`SELECT original FROM ${documents.all} WHERE ${allOf([isVisible(reader, window), ...finished, last])}
      ORDER BY latest_period DESC, latest_rank ASC, term ASC LIMIT ${limit}`,
    options,
  );
  return found.map(({ original }) => original);
}

async function findTerms(
  reader: SetReader,
  { window, terms }: LatestRankPlan,
  options?: ReadOptions,
): Promise<ReadonlyMap<string, TermRow>> {
  const rows = new Map<string, TermRow>();
  for (const some of partsOf([...new Set(terms)])) {
    const found = await reader.rows<TermRow>(
      sql`SELECT term, latest_rank, periods, ranks FROM ${reader.tables.documents.all}
        WHERE ${isVisible(reader, window)} AND term_id IN (SELECT term_id FROM ${reader.tables.postings.here}
          WHERE generation = ${reader.generation} AND token IN ${list(some.map((term) => TOKENS.term + term))})`,
      options,
    );
    for (const row of found) rows.set(row.term, row);
  }
  return rows;
}

function partsOf(terms: readonly string[]): readonly (readonly string[])[] {
  const count = Math.ceil(terms.length / TERMS_PER_QUERY);
  return Array.from({ length: count }, (_, i) => terms.slice(i * TERMS_PER_QUERY, (i + 1) * TERMS_PER_QUERY));
}
