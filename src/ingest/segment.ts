// The segment: one period's rows by rank, with numbers in place of names.
import type { Calculator } from './calculator.ts';
import { literal } from './calculator.ts';
import { PARQUET_OPTIONS } from './dictionary-delta.ts';
import { SLOTS } from './report-rows.ts';

/** Writes the period's rows; the tables of ids must have been made. */
export async function writeSegment(calculator: Calculator, path: string): Promise<void> {
  const columns = [
    ...SLOTS.map((slot) => `product_${slot}.id AS product_${slot}`),
    ...SLOTS.map((slot) => `click_share_${slot}::USMALLINT AS click_share_${slot}`),
    ...SLOTS.map((slot) => `conversion_share_${slot}::USMALLINT AS conversion_share_${slot}`),
    ...SLOTS.map((slot) => `brand_${slot}.id AS brand_${slot}`),
    ...SLOTS.map((slot) => `category_${slot}.id AS category_${slot}`),
  ];
  const joins = SLOTS.flatMap((slot) => [
    `LEFT JOIN products_ids product_${slot} ON product_${slot}.asin = r.asin_${slot}`,
    `LEFT JOIN brands_ids brand_${slot} ON brand_${slot}.name = r.brand_${slot}`,
    `LEFT JOIN categories_ids category_${slot} ON category_${slot}.name = r.category_${slot}`,
  ]);
  await calculator.run(`COPY (
    SELECT terms_ids.id AS term_id, r.rank::UINTEGER AS rank,
      CASE WHEN r.original <> r.normalized THEN r.original END AS original, ${columns.join(', ')}
    FROM period_rows r JOIN terms_ids ON terms_ids.place = r.place
    ${joins.join('\n    ')}
    ORDER BY rank, term_id
  ) TO ${literal(path)} (${PARQUET_OPTIONS})`);
}
