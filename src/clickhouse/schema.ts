// The tables, and what their columns mean. Each stands on every node, with a Distributed table over all nodes beside it. Whatever belongs
// to a term lies on the node of its id, so that a subquery finds beside a row all that belongs to it.
//
// Rows are never changed. What belongs together is a partition, which comes and goes as a whole: points and holdings by segment, terms by
// the file that named them first, documents, postings and words by generation, which is what one publication made of one set.
import { OperatorError } from '../domain/error.ts';
import type { ClickHouse } from './connection.ts';
import { join, list, name, Sql, sql } from './sql.ts';

/** What JSON has for each type. */
interface Values {
  readonly UInt8: number;
  readonly Int8: number;
  readonly UInt16: number;
  readonly UInt32: number;
  readonly Int32: number;
  readonly UInt64: number | string;
  readonly String: string;
  readonly DateTime: string;
  readonly 'Array(UInt8)': readonly number[];
  readonly 'Array(UInt32)': readonly number[];
  readonly 'Array(Int32)': readonly number[];
  readonly 'Array(String)': readonly string[];
}

interface Column {
  readonly type: keyof Values;
  readonly meaning: string;
}

interface Table {
  readonly meaning: string;
  readonly partition: string;
  readonly order: readonly string[];
  /** Rows that are read at least. Few where rows are long and are asked for one by one. */
  readonly granule?: number;
  readonly columns: Readonly<Record<string, Column>>;
}

const WHOLE_GRANULE = 8192;

const PERIOD = 'Period: year × 100 + month or ISO week.';
const TERM_ID = { type: 'UInt32', meaning: 'Id of the term within its marketplace.' } as const;
const RANK = { type: 'UInt32', meaning: 'Rank; 1 is the most searched.' } as const;
const WORDS = {
  word_count: { type: 'UInt16', meaning: 'Words as a person counts them.' },
  words: { type: 'Array(String)', meaning: 'Folded words in their order.' },
  stems: { type: 'Array(String)', meaning: 'Their stems, each once.' },
  trigrams: { type: 'Array(String)', meaning: 'Distinct trigrams, as pg_trgm has them.' },
} as const;
const NAMED = {
  asins: { type: 'Array(String)', meaning: 'Products by place; a place without one is left out.' },
  titles: { type: 'Array(String)', meaning: 'Their titles in this report.' },
  clicks: { type: 'Array(Int32)', meaning: 'Their click shares in hundredths of a percent; -1 is unknown.' },
  conversions: { type: 'Array(Int32)', meaning: 'Their conversion shares, likewise.' },
  brands: { type: 'Array(String)', meaning: 'Brands by place, as the report spells them.' },
  brand_keys: { type: 'Array(String)', meaning: 'The same, folded for comparing.' },
  categories: { type: 'Array(String)', meaning: 'Categories by place.' },
  category_keys: { type: 'Array(String)', meaning: 'The same as filters compare them, with their buckets.' },
  title_gap: { type: 'Int8', meaning: '1: a word is in no title, 0: each is in one, -1: no title is known.' },
} as const;

export const TABLES = {
  terms: {
    meaning: 'Terms of a marketplace.',
    partition: 'delta',
    order: ['delta', 'term_id'],
    granule: 1024,
    columns: {
      delta: { type: 'String', meaning: 'The dictionary file that named it first.' },
      term_id: TERM_ID,
      term: { type: 'String', meaning: 'Normalised.' },
      ...WORDS,
    },
  },
  points: {
    meaning: 'What reports say: one row per term and period.',
    partition: 'segment',
    order: ['segment', 'term_id'],
    granule: 1024,
    columns: {
      segment: { type: 'String', meaning: 'The file of the period and its revision.' },
      period: { type: 'UInt32', meaning: PERIOD },
      term_id: TERM_ID,
      rank: RANK,
      original: { type: 'String', meaning: 'The term as imported.' },
      product_places: { type: 'Array(UInt8)', meaning: 'Places of the products, 1 to 3.' },
      brand_places: { type: 'Array(UInt8)', meaning: 'Places of the brands, 1 to 3.' },
      ...NAMED,
    },
  },
  holdings: {
    meaning: 'Who stands at a term: one row per period, term and product or brand, at its best place.',
    partition: 'segment',
    order: ['segment', 'holder', 'term_id'],
    granule: 1024,
    columns: {
      segment: { type: 'String', meaning: 'The file of the period and its revision.' },
      period: { type: 'UInt32', meaning: PERIOD },
      holder: { type: 'String', meaning: '`a:` and an ASIN, or `b:` and a folded brand.' },
      term_id: TERM_ID,
      rank: RANK,
      place: { type: 'UInt8', meaning: '1 to 3.' },
      click: { type: 'Int32', meaning: 'Click share in hundredths of a percent; -1 is unknown, as of brands.' },
      conversion: { type: 'Int32', meaning: 'Conversion share, likewise.' },
      name: { type: 'String', meaning: 'The title of the product, or the brand as the report spells it.' },
    },
  },
  documents: {
    meaning: 'Keywords of a set with their past and their latest data: one row per term.',
    partition: 'generation',
    order: ['generation', 'term_id'],
    granule: 256,
    columns: {
      generation: { type: 'String', meaning: 'What one publication made of one set.' },
      term_id: TERM_ID,
      term: { type: 'String', meaning: 'Normalised.' },
      ...WORDS,
      periods: { type: 'Array(UInt32)', meaning: 'Periods with a rank, oldest first, each year × 100 + number.' },
      ranks: { type: 'Array(UInt32)', meaning: 'The rank in each of them.' },
      latest_period: { type: 'UInt32', meaning: PERIOD },
      latest_rank: RANK,
      original: { type: 'String', meaning: 'The term as imported last.' },
      ...NAMED,
    },
  },
  postings: {
    meaning: 'Where words, stems, terms, products, brands and categories of the latest data occur.',
    partition: 'generation',
    order: ['generation', 'token', 'term_id'],
    columns: {
      generation: { type: 'String', meaning: 'What one publication made of one set.' },
      token: { type: 'String', meaning: '`s:` stem, `w:` word, `t:` term, `a:` ASIN, `b:` brand, `c:` category.' },
      term_id: TERM_ID,
      latest_period: { type: 'UInt32', meaning: PERIOD },
      latest_rank: RANK,
    },
  },
  words: {
    meaning: 'Words of the keywords by their trigrams, for typos.',
    partition: 'generation',
    order: ['generation', 'trigram', 'word'],
    columns: {
      generation: { type: 'String', meaning: 'What one publication made of one set.' },
      trigram: { type: 'String', meaning: 'As pg_trgm has them; `*` of a word that is not of letters alone.' },
      word: { type: 'String', meaning: 'Folded.' },
      latest_period: { type: 'UInt32', meaning: PERIOD },
    },
  },
  generations: {
    meaning: 'Generations that are complete, on every node.',
    partition: 'generation',
    order: ['generation'],
    columns: {
      generation: { type: 'String', meaning: 'Its name.' },
      facts: { type: 'String', meaning: 'Set, periods and segments, as JSON.' },
      made_at: { type: 'DateTime', meaning: 'When it was complete.' },
    },
  },
  published: {
    meaning: 'What the newest publications name, on every node.',
    partition: 'version',
    order: ['version', 'name'],
    columns: {
      version: { type: 'UInt32', meaning: 'Of the publication.' },
      name: { type: 'String', meaning: 'A generation, a segment or a delta.' },
    },
  },
  pieces: {
    meaning: 'Segments and dictionary files that were written and compared, on every node.',
    partition: 'piece',
    order: ['piece'],
    columns: {
      piece: { type: 'String', meaning: 'Segment or delta.' },
      row_count: { type: 'UInt64', meaning: 'Rows on all nodes.' },
      digest: { type: 'UInt64', meaning: 'Of all rows.' },
    },
  },
} as const satisfies Readonly<Record<string, Table>>;

export type TableName = keyof typeof TABLES;
type Columns<Name extends TableName> = (typeof TABLES)[Name]['columns'];
/** A row as JSON has it. */
export type Row<Name extends TableName> = {
  readonly [Each in keyof Columns<Name>]: Columns<Name>[Each] extends { readonly type: infer Type extends keyof Values }
    ? Values[Type]
    : never;
};
/** Of each table what lies on the node that runs a subquery, and what lies on all nodes. */
export type Tables = Readonly<Record<TableName, { readonly here: Sql; readonly all: Sql }>>;

export function namesIn(database: string): Tables {
  const entries = Object.keys(TABLES).map((table) => [
    table,
    { here: name(database, table), all: name(database, `${table}_all`) },
  ]);
  return Object.fromEntries(entries) as Tables;
}

/** Makes what is missing, on every node; what is there stays. */
export async function migrate(clickHouse: ClickHouse): Promise<void> {
  const { database, cluster } = clickHouse;
  await clickHouse.onEachNode(sql`CREATE DATABASE IF NOT EXISTS ${name(database)}`);
  for (const [table, { here, all }] of Object.entries(namesIn(database)) as [TableName, Tables[TableName]][]) {
    const { columns, partition, order, granule = WHOLE_GRANULE }: Table = TABLES[table];
    const defined = Object.entries(columns).map(([column, { type }]) => sql`${name(column)} ${Sql.of(type)}`);
    const ordered = join(
      order.map((column) => name(column)),
      ', ',
    );
    await clickHouse.onEachNode(
      sql`CREATE TABLE IF NOT EXISTS ${here} (${join(defined, ', ')}) ENGINE = MergeTree
        PARTITION BY ${name(partition)} ORDER BY (${ordered})
        SETTINGS index_granularity = ${granule}`,
    );
    const key = 'term_id' in columns ? sql`, term_id` : sql``;
    await clickHouse.onEachNode(
      sql`CREATE TABLE IF NOT EXISTS ${all} AS ${here} ENGINE = Distributed(${name(cluster)}, ${name(database)}, ${name(table)}${key})`,
    );
  }
  await makeViews(clickHouse);
}

/** Of these analysts have views that show what is published. */
export const VIEWED_TABLES = [
  'documents',
  'points',
  'holdings',
  'terms',
  'postings',
  'words',
] as const satisfies readonly TableName[];

export function viewName(table: (typeof VIEWED_TABLES)[number]): string {
  return `published_${table}`;
}

/** Views cannot be written to. Which version is shown is asked of one node, so that all show the same. */
async function makeViews(clickHouse: ClickHouse): Promise<void> {
  const { database } = clickHouse;
  const tables = namesIn(database);
  const { here: published } = tables.published;
  for (const table of VIEWED_TABLES) {
    await clickHouse.onEachNode(
      sql`CREATE VIEW IF NOT EXISTS ${name(database, viewName(table))} AS SELECT * FROM ${tables[table].all}
        WHERE ${name(TABLES[table].partition)} GLOBAL IN
          (SELECT name FROM ${published} WHERE version = (SELECT max(version) FROM ${published}))`,
    );
  }
}

/** Throws when the tables are not there. */
export async function checkTables(clickHouse: ClickHouse): Promise<void> {
  const [found] = await clickHouse.rows<{ tables: number }>(
    sql`SELECT count() AS tables FROM system.tables WHERE database = ${clickHouse.database}
      AND name IN ${list(Object.keys(TABLES).flatMap((table) => [table, `${table}_all`]))}`,
  );
  if (found?.tables === 2 * Object.keys(TABLES).length) return;
  throw new OperatorError(`The ClickHouse database "${clickHouse.database}" has not the tables of this version.`, {
    hint: 'Run keyrank clickhouse migrate.',
  });
}
