// The segment: one period's rows by rank, with numbers in place of names.
import type { DictionaryKind } from '../domain/manifest.ts';
import type { Calculator } from './calculator.ts';
import { literal } from './calculator.ts';
import { PARQUET_OPTIONS } from './dictionary-delta.ts';
import { placeBit } from './dictionary-ids.ts';
import { SLOTS } from './report-rows.ts';

/** What stands in the three places of a row: its column in the segment, and the one it is looked up by. */
const SLOT_KINDS = [
  { kind: 'products', name: 'product', source: 'asin' },
  { kind: 'brands', name: 'brand', source: 'brand' },
  { kind: 'categories', name: 'category', source: 'category' },
] as const;

/** Writes the period's rows; the tables of ids must have been made for these kinds, and columns of others are empty. */
export async function writeSegment(
  calculator: Calculator,
  { path, kinds }: { readonly path: string; readonly kinds: readonly DictionaryKind[] },
): Promise<void> {
  const slotColumns = SLOT_KINDS.flatMap(({ kind, name, source }) =>
    SLOTS.map((slot) => ({ kind, slot, column: `${name}_${slot}`, value: `${source}_${slot}` })),
  );
  const idOf = ({ kind, column }: (typeof slotColumns)[number]) =>
    kinds.includes(kind) ? `${column}.id AS ${column}` : `NULL::UINTEGER AS ${column}`;
  const columns = [
    ...slotColumns.filter(({ kind }) => kind === 'products').map(idOf),
    ...SLOTS.map((slot) => `click_share_${slot}::USMALLINT AS click_share_${slot}`),
    ...SLOTS.map((slot) => `conversion_share_${slot}::USMALLINT AS conversion_share_${slot}`),
    ...slotColumns.filter(({ kind }) => kind !== 'products').map(idOf),
  ];
  const joins = slotColumns
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ kind, slot, column, value }) =>
      kind === 'products'
        ? `LEFT JOIN (SELECT asin, id FROM products_ids WHERE places & ${placeBit(slot)} <> 0) ${column} ON ${column}.asin = r.${value}`
        : `LEFT JOIN ${kind}_ids ${column} ON ${column}.name = r.${value}`,
    );
  await calculator.run(`COPY (
    SELECT terms_ids.id AS term_id, r.rank::UINTEGER AS rank,
      CASE WHEN r.original <> r.normalized THEN r.original END AS original, ${columns.join(', ')}
    FROM period_rows r JOIN terms_ids ON terms_ids.place = r.place
    ${joins.join('\n    ')}
    ORDER BY rank, term_id
  ) TO ${literal(path)} (${PARQUET_OPTIONS})`);
}
