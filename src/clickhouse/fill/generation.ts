// A generation: what one publication makes of a set. Each node makes the documents and postings of its own terms from pieces; then they
// are counted, and only a generation that is whole is marked, on every node.
import type { RankSet, ReadOptions } from '../../domain/store.ts';
import type { ClickHouse } from '../connection.ts';
import { namesIn, TABLES } from '../schema.ts';
import { join, list, name, type Sql, sql } from '../sql.ts';
import { ANY_TRIGRAM } from '../tokens.ts';

/** What is known of one, as it is stored with it. */
export interface GenerationFacts {
  readonly set: RankSet;
  /** Oldest first, with the pieces of their rows. */
  readonly segments: readonly { readonly period: number; readonly piece: string }[];
  readonly deltas: readonly string[];
  readonly maxWordCount: number;
  readonly documents: number;
  /** That have its marks and its rows. */
  readonly nodes: number;
}

/** Points of which documents are made at a time; bounds the memory of a node. */
const POINTS_PER_SLICE = 20_000_000;

export async function writeGeneration(
  clickHouse: ClickHouse,
  generation: string,
  { facts: { set, segments, deltas } }: { readonly facts: Pick<GenerationFacts, 'set' | 'segments' | 'deltas'> },
  options: ReadOptions = {},
): Promise<void> {
  const tables = namesIn(clickHouse.database);
  const wanted = await countPoints(clickHouse, segments, options);
  const sliceCount = Math.max(1, Math.ceil(wanted.points / POINTS_PER_SLICE));
  for (let slice = 0; slice < sliceCount; slice += 1) {
    const inSlice = sql`cityHash64(term_id) % ${sliceCount} = ${slice}`;
    await clickHouse.onEachNode(documentsStatement(clickHouse, { generation, segments, deltas, inSlice }), options);
  }
  await clickHouse.onEachNode(postingsStatement(clickHouse, generation), options);
  await clickHouse.onEachNode(wordsStatement(clickHouse, generation), options);
  const [made] = await clickHouse.rows<{ documents: number; points: number; ranks: number; longest: number }>(
    sql`SELECT count() AS documents, sum(length(periods)) AS points, sum(arraySum(ranks)) AS ranks,
      max(word_count) AS longest FROM ${tables.documents.all} WHERE generation = ${generation}`,
    options,
  );
  if (made?.documents !== wanted.terms || made.points !== wanted.points || made.ranks !== wanted.ranks) {
    throw new Error(`${generation} should have ${wanted.terms} terms, and has ${made?.documents}`);
  }
  const facts = {
    set,
    segments,
    deltas,
    maxWordCount: made.longest,
    documents: made.documents,
    nodes: clickHouse.nodeCount,
  };
  await clickHouse.onEachNode(
    sql`INSERT INTO ${tables.generations.here} SELECT ${generation}, ${JSON.stringify(facts)}, now()`,
    options,
  );
}

/** The mark goes first: whoever sees it afterwards has read all of it. */
export async function dropGeneration(clickHouse: ClickHouse, generation: string): Promise<void> {
  const tables = namesIn(clickHouse.database);
  for (const table of [tables.generations, tables.words, tables.postings, tables.documents]) {
    await clickHouse.onEachNode(sql`ALTER TABLE ${table.here} DROP PARTITION ${generation}`);
  }
}

async function countPoints(
  clickHouse: ClickHouse,
  segments: GenerationFacts['segments'],
  options: ReadOptions,
): Promise<{ readonly terms: number; readonly points: number; readonly ranks: number }> {
  const { points } = namesIn(clickHouse.database);
  const [counted] = await clickHouse.rows<{ terms: number; points: number; ranks: number }>(
    sql`SELECT uniqExact(term_id) AS terms, count() AS points, sum(rank) AS ranks FROM ${points.all}
      WHERE ${inPieces('segment', segmentNames(segments))}`,
    options,
  );
  return counted ?? { terms: 0, points: 0, ranks: 0 };
}

function documentsStatement(
  clickHouse: ClickHouse,
  {
    generation,
    segments,
    deltas,
    inSlice,
  }: Pick<GenerationFacts, 'segments' | 'deltas'> & { readonly generation: string; readonly inSlice: Sql },
): Sql {
  const { documents, points, terms } = namesIn(clickHouse.database);
  const latest = ['original', ...LATEST].map(
    (column) => sql`argMax(${name(column)}, period) AS ${name(`n_${column}`)}`,
  );
  const shown = ['original', ...LATEST].map((column) => name(`n_${column}`));
  const columns = ['generation', 'term_id', ...WORDS, 'periods', 'ranks', 'latest_period', 'latest_rank'];
  const all = [...columns, 'original', ...LATEST].map((column) => name(column));
  return sql`INSERT INTO ${documents.here} (${join(all, ', ')})
    SELECT ${generation}, term_id, ${join(
      WORDS.map((column) => name(column)),
      ', ',
    )}, n_periods, n_ranks, n_latest_period, n_latest_rank, ${join(shown, ', ')}
    FROM (SELECT term_id, arraySort(groupArray(period)) AS n_periods,
        arraySort((r, p) -> p, groupArray(rank), groupArray(period)) AS n_ranks,
        max(period) AS n_latest_period, argMax(rank, period) AS n_latest_rank, ${join(latest, ', ')}
      FROM ${points.here} WHERE ${inPieces('segment', segmentNames(segments))} AND ${inSlice} GROUP BY term_id) AS said
    ANY INNER JOIN (SELECT term_id, ${join(
      WORDS.map((column) => name(column)),
      ', ',
    )} FROM ${terms.here} WHERE ${inPieces('delta', deltas)} AND ${inSlice}) AS named USING (term_id)`;
}

const WORDS = ['term', 'word_count', 'words', 'stems', 'trigrams'] as const;
const LATEST = [
  ...['asins', 'titles', 'clicks', 'conversions', 'brands', 'brand_keys', 'categories', 'category_keys', 'title_gap'],
] as const;

function postingsStatement(clickHouse: ClickHouse, generation: string): Sql {
  const { documents, postings } = namesIn(clickHouse.database);
  const columns = Object.keys(TABLES.postings.columns).map((column) => name(column));
  const tokens = sql`arrayDistinct(arrayConcat([concat('t:', term)], arrayMap(x -> concat('s:', x), stems), arrayMap(x -> concat('w:', x), words),
    arrayMap(x -> concat('a:', x), asins), arrayMap(x -> concat('b:', x), brand_keys), arrayMap(x -> concat('c:', x), category_keys)))`;
  return sql`INSERT INTO ${postings.here} (${join(columns, ', ')})
    SELECT generation, arrayJoin(${tokens}) AS token, term_id, latest_period, latest_rank
    FROM ${documents.here} WHERE generation = ${generation}`;
}

function wordsStatement(clickHouse: ClickHouse, generation: string): Sql {
  const { documents, words } = namesIn(clickHouse.database);
  const letters = sql`extractAll(concat('  ', word, ' '), '.')`;
  const trigrams = sql`arrayMap(i -> concat(${letters}[i + 1], ${letters}[i + 2], ${letters}[i + 3]), range(lengthUTF8(word) + 1))`;
  return sql`INSERT INTO ${words.here} (generation, trigram, word, latest_period)
    SELECT ${generation}, arrayJoin(if(match(word, ${NOT_OF_LETTERS}), [${ANY_TRIGRAM}], arrayDistinct(${trigrams}))) AS trigram, word, latest
    FROM (SELECT arrayJoin(words) AS word, max(latest_period) AS latest FROM ${documents.here}
      WHERE generation = ${generation} GROUP BY word)`;
}

const NOT_OF_LETTERS = '[^\\p{L}]';

function segmentNames(segments: GenerationFacts['segments']): readonly string[] {
  return segments.map(({ piece }) => piece);
}

function inPieces(column: 'segment' | 'delta', pieces: readonly string[]): Sql {
  return pieces.length === 0 ? sql`0` : sql`${name(column)} IN ${list(pieces)}`;
}
