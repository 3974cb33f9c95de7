// The newest periods of a snapshot as an application would keep them in PostgreSQL, and the trend lists in SQL.
import type pg from 'pg';
import { NONE_16 } from '../../src/snapshot/format/format.ts';
import type { SnapshotView } from '../../src/snapshot/format/snapshot-view.ts';
import { readText } from '../../src/snapshot/format/text-column.ts';
import { findTerm } from '../../src/snapshot/query/matches.ts';
import { denseRanks } from '../trends/dense-ranks.ts';

const CREATE = `
  CREATE UNLOGGED TABLE bench_terms (id int, term text, first_period int, category_1 int, category_2 int, category_3 int,
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', term)) STORED);
  CREATE UNLOGGED TABLE bench_ranks (period int, term_id int, rank int);
  CREATE UNLOGGED TABLE bench_social (period int, term text, rank int)`;

const INDEX = `
  ALTER TABLE bench_terms ADD PRIMARY KEY (id);
  CREATE INDEX ON bench_terms USING gin (words);
  CREATE INDEX ON bench_terms (first_period);
  CREATE INDEX ON bench_terms (term);
  CREATE INDEX ON bench_ranks (period, term_id) INCLUDE (rank);
  CREATE INDEX ON bench_ranks (period, rank);
  ALTER TABLE bench_social ADD PRIMARY KEY (period, term);
  VACUUM ANALYZE bench_terms; VACUUM ANALYZE bench_ranks; VACUUM ANALYZE bench_social`;

export async function fillTrendPeer(
  client: pg.Client,
  { retail, social }: { readonly retail: SnapshotView; readonly social: SnapshotView | undefined },
): Promise<void> {
  await client.query(CREATE);
  const { documentSlots, categories } = retail;
  const newestCount = retail.periodEnds[0] ?? 0;
  const documents = [...Array(newestCount).keys(), ...listOlderTwins(retail, social)];
  const newest = retail.periods.length - 1;
  const totalPeriods = retail.summaries.get(retail.periods.length)?.totalPeriods ?? new Uint8Array(0);
  const categoryOf = (column: Uint16Array, document: number) => {
    const category = column[document] ?? NONE_16;
    return category === NONE_16 ? null : category;
  };
  await fillTable(client, {
    table: 'bench_terms',
    types: ['int', 'text', 'int', 'int', 'int', 'int'],
    rowCount: documents.length,
    readRow: (row) => {
      const document = documents[row] ?? 0;
      const slot = documentSlots[document] ?? 0;
      const firstPeriod = document < newestCount && totalPeriods[document] === 1 ? newest : 0;
      const term = readText(retail.terms, slot);
      return [slot, term, firstPeriod, ...categories.map((column) => categoryOf(column, document))];
    },
  });
  for (const period of new Set([0, newest - 1, newest])) {
    const ranks = denseRanks(retail.ranks[period]);
    const slots = [...ranks.keys()].filter((slot) => ranks[slot] !== 0);
    await fillTable(client, {
      table: 'bench_ranks',
      types: ['int', 'int', 'int'],
      rowCount: slots.length,
      readRow: (row) => [period, slots[row], ranks[slots[row] ?? 0]],
    });
  }
  for (const [period, ranks] of (social?.ranks ?? []).map(denseRanks).entries()) {
    const slots = [...ranks.keys()].filter((slot) => ranks[slot] !== 0);
    await fillTable(client, {
      table: 'bench_social',
      types: ['int', 'text', 'int'],
      rowCount: slots.length,
      readRow: (row) => [period, social && readText(social.terms, slots[row] ?? 0), ranks[slots[row] ?? 0]],
    });
  }
  for (const statement of INDEX.split(';')) await client.query(statement);
}

/** Retail keywords without a rank in the newest period whose categories count for a social term. */
function listOlderTwins(retail: SnapshotView, social: SnapshotView | undefined): readonly number[] {
  if (!social) return [];
  return [...social.documentSlots]
    .map((slot) => findTerm(retail, readText(social.terms, slot)) ?? 0)
    .filter((document) => document >= (retail.periodEnds[0] ?? 0));
}

/** Rows in one statement. */
const ROWS_PER_INSERT = 100_000;

/** Writes rows by columns: `types` are those of the table, in its order. */
async function fillTable(
  client: pg.Client,
  {
    table,
    types,
    rowCount,
    readRow,
  }: {
    readonly table: string;
    readonly types: readonly string[];
    readonly rowCount: number;
    readonly readRow: (row: number) => readonly unknown[];
  },
): Promise<void> {
  const places = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  for (let from = 0; from < rowCount; from += ROWS_PER_INSERT) {
    const columns = types.map((): unknown[] => []);
    for (let row = from; row < Math.min(rowCount, from + ROWS_PER_INSERT); row += 1) {
      for (const [i, value] of readRow(row).entries()) columns[i]?.push(value);
    }
    await client.query(`INSERT INTO ${table} SELECT * FROM unnest(${places})`, columns);
  }
}

export interface PeerPage {
  readonly where: string;
  readonly orderBy: string;
  readonly offset: number;
  readonly limit: number;
}

/** The list of changes; `p` is the rank before, `c` the rank now, `t` the term. */
export function changeSql(
  { newest, previous }: { readonly newest: number; readonly previous: number },
  { where, orderBy, offset, limit }: PeerPage,
): string {
  return `SELECT t.term, p.rank AS previous, c.rank AS current, count(*) OVER () AS total
    FROM bench_ranks c JOIN bench_ranks p ON p.term_id = c.term_id AND p.period = ${previous}
      JOIN bench_terms t ON t.id = c.term_id
    WHERE c.period = ${newest} AND ${where}
    ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`;
}

export function newSql(newest: number, { where, orderBy, offset, limit }: PeerPage): string {
  return `SELECT t.term, c.rank AS current, count(*) OVER () AS total
    FROM bench_terms t JOIN bench_ranks c ON c.term_id = t.id AND c.period = ${newest}
    WHERE t.first_period = ${newest} AND ${where}
    ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`;
}

export function socialSql(
  span: { readonly start: number; readonly end: number },
  { where, orderBy, offset, limit }: PeerPage,
): string {
  return `SELECT c.term, p.rank AS start_rank, c.rank AS end_rank, count(*) OVER () AS total,
      (SELECT json_object_agg(r.period, r.rank) FROM bench_social r WHERE r.term = c.term AND r.period >= ${span.start}) AS ranks
    FROM bench_social c JOIN bench_social p ON p.term = c.term AND p.period = ${span.start}
      LEFT JOIN bench_terms t ON t.term = c.term
    WHERE c.period = ${span.end} AND ${where}
    ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`;
}
