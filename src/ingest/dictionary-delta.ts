// The delta file of a dictionary: its new entries, and for products those whose title changed. The latest delta wins.
import type { DictionaryKind } from '../domain/manifest.ts';
import { type Calculator, literal } from './calculator.ts';
import { SLOTS_PER_ROW } from './dictionary-ids.ts';
import { SLOTS } from './report-rows.ts';

export const PARQUET_OPTIONS = 'FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880';

/** What goes into a delta, once the entries are numbered. */
const DELTA_QUERIES: Readonly<Record<DictionaryKind, string>> = {
  terms: 'SELECT id, term FROM new_terms ORDER BY id',
  products: selectProducts(),
  brands: 'SELECT id, name FROM new_brands ORDER BY id',
  categories: 'SELECT id, name FROM new_categories ORDER BY id',
};

/** Whether there is anything to write. */
export async function hasDelta(
  calculator: Calculator,
  { kind, newEntries }: { readonly kind: DictionaryKind; readonly newEntries: number },
): Promise<boolean> {
  if (newEntries > 0 || kind !== 'products') return newEntries > 0;
  const { rows } = await calculator.row(`SELECT count(*) AS rows FROM (${DELTA_QUERIES.products})`);
  return Number(rows) > 0;
}

export async function writeDelta(
  calculator: Calculator,
  { kind, path }: { readonly kind: DictionaryKind; readonly path: string },
): Promise<void> {
  await calculator.run(`COPY (${DELTA_QUERIES[kind]}) TO ${literal(path)} (${PARQUET_OPTIONS})`);
}

/**
 * New products, and known ones whose title is another than before; a blank title says nothing. Titles are compared by
 * hash: reading all titles of the past would make every import slower than the one before.
 */
function selectProducts(): string {
  const titles = SLOTS.map((slot) => `WHEN ${slot} THEN title_${slot}`);
  return `SELECT id, asin, coalesce(title, '') AS title, coalesce(md5_number_lower(title), 0)::UBIGINT AS title_hash
    FROM (SELECT id, asin, stored_hash, CASE first_seen % ${SLOTS_PER_ROW} ${titles.join(' ')} END AS title
      FROM report_rows JOIN products_ids ON report_rows.rowid = first_seen // ${SLOTS_PER_ROW})
    WHERE CASE WHEN stored_hash IS NULL THEN true ELSE md5_number_lower(title) <> stored_hash END`;
}
