// The segment: one period's rows by rank, with numbers in place of names.
import type { DictionaryKind } from '../../snapshot/manifest/manifest.ts';
import type { DuckDbSession } from '../duckdb-session.ts';
import { literal, pathLiteral } from '../duckdb-session.ts';
import { SLOTS } from '../formats/report-format.ts';
import { PARQUET_OPTIONS } from './dictionary-delta.ts';
import { SLOTS_PER_ROW } from './dictionary-ids.ts';

/** What stands in the slots of a row under a name that is looked up while the segment is written; there are few of them. */
const NAMED_KINDS = [
  { kind: 'brands', name: 'brand' },
  { kind: 'categories', name: 'category' },
] as const;

/** Marks segments whose products and brands stand under the titles and spellings of their own report, as they did not before. */
const TEXTS_KEY = 'keyrank_texts';

/** Whether a segment was written by a version that kept the titles and spellings of each period. */
export async function keepsTexts(session: DuckDbSession, path: string): Promise<boolean> {
  const rows = await session.rows(
    `SELECT key FROM parquet_kv_metadata(${pathLiteral(path)}) WHERE key = ${literal(TEXTS_KEY)}::BLOB`,
  );
  return rows.length > 0;
}

/** Writes the period's rows; the tables of ids must have been made for these kinds, and columns of others are empty. */
export async function writeSegment(
  session: DuckDbSession,
  { path, kinds }: { readonly path: string; readonly kinds: readonly DictionaryKind[] },
): Promise<void> {
  await gatherIds(session, kinds);
  const named = NAMED_KINDS.flatMap(({ kind, name }) => SLOTS.map((slot) => ({ kind, column: `${name}_${slot}` })));
  const columns = [
    ...SLOTS.map((slot) => `product_${slot}`),
    ...SLOTS.map((slot) => `click_share_${slot}::USMALLINT AS click_share_${slot}`),
    ...SLOTS.map((slot) => `conversion_share_${slot}::USMALLINT AS conversion_share_${slot}`),
    ...named.map(({ kind, column }) => `${kinds.includes(kind) ? `${column}_id.id` : 'NULL::UINTEGER'} AS ${column}`),
  ];
  const joins = named
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, column }) => `LEFT JOIN ${kind}_ids ${column}_id ON ${column}_id.name = r.${column}`);
  // Not period_rows, which are the same ones: DuckDB thinks too little of how many they are, and would make a table of them all.
  await session.run(`COPY (
    SELECT term_id, r.rank::UINTEGER AS rank, CASE WHEN r.original <> r.normalized THEN r.original END AS original,
      ${columns.join(', ')}
    FROM report_rows r JOIN row_ids ON row_ids.place = r.rowid
    ${joins.join('\n    ')}
    ORDER BY rank, term_id
  ) TO ${literal(path)} (${PARQUET_OPTIONS}, KV_METADATA {${TEXTS_KEY}: 'of the period'})`);
}

/** Makes `row_ids (place, term_id, product_1, product_2, product_3)` of the period's rows. */
async function gatherIds(session: DuckDbSession, kinds: readonly DictionaryKind[]): Promise<void> {
  const seen = ['terms', 'products'] as const;
  const ids = seen.filter((kind) => kinds.includes(kind)).map((kind) => `SELECT seen, id FROM ${kind}_ids`);
  const inSlot = (slot: number) => `max(id) FILTER (seen % ${SLOTS_PER_ROW} = ${slot})`;
  await session.run(`CREATE OR REPLACE TABLE row_ids AS
    SELECT seen // ${SLOTS_PER_ROW} AS place, ${inSlot(0)} AS term_id,
      ${SLOTS.map((slot) => `${inSlot(slot)} AS product_${slot}`).join(', ')}
    FROM (${ids.join(' UNION ALL ')}) GROUP BY place`);
}
