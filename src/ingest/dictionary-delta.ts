// The delta file of a dictionary: its new entries, and for products those whose title changed. The latest delta wins.
import type { DictionaryKind } from '../domain/manifest.ts';
import { type Calculator, literal } from './calculator.ts';
import { SLOTS_PER_ROW } from './dictionary-ids.ts';
import { SLOTS } from './report-rows.ts';

/** Version 2 of the format writes sorted numbers and unlike texts smaller, and faster. */
export const PARQUET_OPTIONS =
  'FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 122880';

export interface DeltaContent {
  readonly kind: DictionaryKind;
  /** Whether the titles of known products are taken over: those of an older period must not replace newer ones. */
  readonly takesTitles: boolean;
}

/** Whether there is anything to write. */
export async function hasDelta(
  calculator: Calculator,
  { newEntries, ...content }: DeltaContent & { readonly newEntries: number },
): Promise<boolean> {
  if (newEntries > 0 || content.kind !== 'products') return newEntries > 0;
  const { rows } = await calculator.row(`SELECT count(*) AS rows FROM (${selectDelta(content)})`);
  return Number(rows) > 0;
}

export async function writeDelta(
  calculator: Calculator,
  { path, ...content }: DeltaContent & { readonly path: string },
): Promise<void> {
  // No two entries are alike, so that looking for repeated ones is in vain.
  await calculator.run(
    `COPY (${selectDelta(content)}) TO ${literal(path)} (${PARQUET_OPTIONS}, DICTIONARY_SIZE_LIMIT 1)`,
  );
}

/** What goes into a delta, once the entries are numbered; new ones stand in the order of their numbers already. */
function selectDelta({ kind, takesTitles }: DeltaContent): string {
  if (kind === 'products') return SLOTS.map((slot) => selectProducts({ slot, takesTitles })).join(' UNION ALL ');
  return `SELECT id, ${kind === 'terms' ? 'term' : 'name'} FROM new_${kind}`;
}

/**
 * New products that are first seen in this place of a row, and known ones whose title is another than before; a blank title
 * says nothing. Titles are compared by hash: reading all titles of the past would make every import slower than the one
 * before. DuckDB may hash differently in another version; then the titles of one import look changed and are stored once
 * more, which changes no answer. One place at a time, so that the join holds numbers and the titles of the report pass by.
 */
function selectProducts({ slot, takesTitles }: { readonly slot: number; readonly takesTitles: boolean }): string {
  const title = `title_${slot}`;
  return `SELECT id, asin_${slot} AS asin, coalesce(${title}, '') AS title,
      CASE WHEN ${title} IS NULL THEN 0 ELSE hash(${title}) END AS title_hash
    FROM report_rows JOIN (
      SELECT id, stored_hash, first_seen // ${SLOTS_PER_ROW} AS place FROM titled_products WHERE first_seen % ${SLOTS_PER_ROW} = ${slot}
    ) ON report_rows.rowid = place
    WHERE stored_hash IS NULL OR (${takesTitles} AND ${title} IS NOT NULL AND hash(${title}) <> stored_hash)`;
}
