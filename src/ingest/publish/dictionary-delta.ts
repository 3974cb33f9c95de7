// The delta file of a dictionary: its new entries.
import type { DictionaryKind } from '../../snapshot/manifest/manifest.ts';
import { type DuckDbSession, literal } from '../duckdb-session.ts';
import { SLOTS } from '../formats/report-format.ts';
import { SLOTS_PER_ROW, titleHash } from './dictionary-ids.ts';

/** Version 2 of the format writes sorted numbers and unlike texts smaller, and faster. */
export const PARQUET_OPTIONS =
  'FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880';

export async function writeDelta(
  session: DuckDbSession,
  { kind, path }: { readonly kind: DictionaryKind; readonly path: string },
): Promise<void> {
  // Entries are unique, so that Parquet's own dictionary encoding would be wasted time.
  await session.run(`COPY (${selectDelta(kind)}) TO ${literal(path)} (${PARQUET_OPTIONS}, DICTIONARY_SIZE_LIMIT 1)`);
}

/** The new entries, which are in the order of their ids already. */
function selectDelta(kind: DictionaryKind): string {
  if (kind === 'products') return SLOTS.map(selectProducts).join(' UNION ALL ');
  return `SELECT id, ${kind === 'terms' ? 'term' : 'name'} FROM new_${kind}`;
}

/**
 * New products whose title stands in this place of a row. One place at a time, so that the join holds numbers and the titles of
 * the report pass by.
 */
function selectProducts(slot: number): string {
  return `SELECT id, asin_${slot} AS asin, coalesce(title_${slot}, '') AS title, ${titleHash(slot)} AS title_hash
    FROM report_rows JOIN (
      SELECT id, titled_seen // ${SLOTS_PER_ROW} AS place FROM new_products WHERE titled_seen % ${SLOTS_PER_ROW} = ${slot}
    ) ON report_rows.rowid = place`;
}
