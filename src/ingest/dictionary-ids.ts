// Gives every term, product, brand and category of a period its number: the one it has, or the next free one. New ones are
// numbered in the order of the file, so that the same file always leads to the same numbers.
//
// For each kind there is a table of what the deltas know and a view of what is new, and `<kind>_ids` over both.
// The dictionaries are read through the join with the period's entries, so that only those take memory.
import type { DictionaryKind } from '../domain/manifest.ts';
import { type Calculator, pathListLiteral, pathLiteral } from './calculator.ts';
import { SLOTS } from './report-rows.ts';

export interface KnownDictionary {
  /** Oldest first. What a delta has of ids before its own first one are new titles of known products. */
  readonly deltas: readonly { readonly path: string; readonly firstId: number }[];
  readonly nextId: number;
}

/** Where an entry is seen first: place * 4 + slot, which leads back to the row and the slot. */
export const SLOTS_PER_ROW = 4;

/** Makes the view `<kind>_ids`. Returns how many entries are new. */
export async function numberEntries(
  calculator: Calculator,
  { kind, known }: { readonly kind: DictionaryKind; readonly known: KnownDictionary },
): Promise<number> {
  if (kind === 'terms') await numberTerms(calculator, known);
  else if (kind === 'products') await numberProducts(calculator, known);
  else if (kind === 'brands') await numberBrands(calculator, known);
  else await numberCategories(calculator, known);
  const { rows } = await calculator.row(`SELECT count(*) AS rows FROM new_${kind}`);
  return Number(rows);
}

/** `terms_ids (place, id)`: a row has one term, and a term one row. */
async function numberTerms(calculator: Calculator, known: KnownDictionary): Promise<void> {
  await calculator.run(`CREATE OR REPLACE TABLE known_terms AS
    SELECT place, id FROM period_rows JOIN ${scanDeltas(known, 'term')} ON term = normalized`);
  await numberNew(calculator, {
    kind: 'terms',
    known,
    select: 'SELECT place, normalized AS term FROM period_rows ANTI JOIN known_terms USING (place) ORDER BY place',
  });
  await calculator.run(`CREATE OR REPLACE VIEW terms_ids AS
    SELECT place, id FROM known_terms UNION ALL SELECT place, id FROM new_terms`);
}

/**
 * `products_ids (asin, id, first_seen, places, stored_hash)`; the hash of the newest stored title is NULL for a new product.
 * Of the places in which it stands each is a bit: most products stand in one, and whoever looks for those of one place
 * has a third as many to look through.
 */
async function numberProducts(calculator: Calculator, known: KnownDictionary): Promise<void> {
  if (known.deltas.length === 0) {
    // The first report has most of all products: none of them has to be looked for.
    await numberNew(calculator, {
      kind: 'products',
      known,
      select: `SELECT name AS asin, first_seen, places, NULL::UBIGINT AS stored_hash
        FROM (${firstSeen('asin')}) ORDER BY first_seen`,
    });
    await calculator.run('CREATE OR REPLACE VIEW products_ids AS FROM new_products');
    return;
  }
  // A product is new in one delta only, so that no row of the report is matched twice.
  await calculator.run(`CREATE OR REPLACE TABLE seen_products AS
    SELECT name AS asin, first_seen, places, id, title_hash AS stored_hash
    FROM (${firstSeen('asin')}) LEFT JOIN (${scanEach(known, (firstId) => `id >= ${firstId}`)}) ON asin = name`);
  await calculator.run(`UPDATE seen_products SET stored_hash = newest.title_hash
    FROM (
      SELECT id, arg_max(title_hash, sequence) AS title_hash FROM (${scanEach(known, (firstId) => `id < ${firstId}`)}) GROUP BY id
    ) newest
    WHERE seen_products.id = newest.id`);
  await numberNew(calculator, {
    kind: 'products',
    known,
    select: 'SELECT asin, first_seen, places, stored_hash FROM seen_products WHERE id IS NULL ORDER BY first_seen',
  });
  await calculator.run(`CREATE OR REPLACE VIEW products_ids AS
    FROM seen_products WHERE id IS NOT NULL UNION ALL BY NAME FROM new_products`);
}

/**
 * `brands_ids (name, id)` for every spelling. Nike and NIKE are one brand, under the spelling that came first; only the
 * different spellings are folded, not every row.
 */
async function numberBrands(calculator: Calculator, known: KnownDictionary): Promise<void> {
  await calculator.run(`CREATE OR REPLACE TABLE spellings AS
    SELECT name, first_seen, lower(name) AS folded FROM (${firstSeen('brand')})`);
  await calculator.run(`CREATE OR REPLACE TABLE known_brands AS
    SELECT DISTINCT folded, id FROM spellings JOIN ${scanDeltas(known, 'name')} d ON lower(d.name) = folded`);
  await numberNew(calculator, {
    kind: 'brands',
    known,
    select: `SELECT folded, arg_min(name, first_seen) AS name
      FROM spellings ANTI JOIN known_brands USING (folded) GROUP BY folded ORDER BY min(first_seen)`,
  });
  await calculator.run(`CREATE OR REPLACE TABLE brands_ids AS SELECT spellings.name, id FROM spellings
    JOIN (SELECT folded, id FROM known_brands UNION ALL SELECT folded, id FROM new_brands) USING (folded)`);
}

/** `categories_ids (name, id)`. */
async function numberCategories(calculator: Calculator, known: KnownDictionary): Promise<void> {
  await calculator.run(`CREATE OR REPLACE TABLE category_names AS ${firstSeen('category')}`);
  await calculator.run(`CREATE OR REPLACE TABLE known_categories AS
    SELECT name, id FROM category_names JOIN ${scanDeltas(known, 'name')} USING (name)`);
  await numberNew(calculator, {
    kind: 'categories',
    known,
    select: 'SELECT name FROM category_names ANTI JOIN known_categories USING (name) ORDER BY first_seen',
  });
  await calculator.run(
    'CREATE OR REPLACE VIEW categories_ids AS FROM known_categories UNION ALL BY NAME FROM new_categories',
  );
}

function scanDeltas({ deltas }: KnownDictionary, column: 'term' | 'name'): string {
  const paths = deltas.map(({ path }) => path);
  if (paths.length > 0) return `read_parquet(${pathListLiteral(paths)})`;
  return `(SELECT NULL::UINTEGER AS id, NULL::VARCHAR AS ${column} WHERE false)`;
}

/** The products of each delta that meet a condition about its first id, which tells DuckDB what parts of a file to leave unread. */
function scanEach({ deltas }: KnownDictionary, condition: (firstId: number) => string): string {
  return deltas
    .map(
      ({ path, firstId }, sequence) => `SELECT id, asin, title_hash, ${sequence} AS sequence
        FROM read_parquet(${pathLiteral(path)}) WHERE ${condition(firstId)}`,
    )
    .join(' UNION ALL ');
}

/**
 * Makes `new_<kind>`: what the ordered query selects, numbered from the next free id. A table keeps the order in which it was
 * filled, so that row numbers will do; a window function costs twice as much.
 */
async function numberNew(
  calculator: Calculator,
  { kind, known, select }: { readonly kind: DictionaryKind; readonly known: KnownDictionary; readonly select: string },
): Promise<void> {
  await calculator.run(`CREATE OR REPLACE TABLE unnumbered_${kind} AS ${select}`);
  await calculator.run(`CREATE OR REPLACE VIEW new_${kind} AS
    SELECT *, (${known.nextId} + rowid)::UINTEGER AS id FROM unnumbered_${kind}`);
}

/** The bit of a place in `places`. */
export function placeBit(slot: number): number {
  return 1 << slot;
}

/** The names in the three places of a row, each with where it is seen first, and with the places. */
function firstSeen(column: 'asin' | 'brand' | 'category'): string {
  const parts = SLOTS.map(
    (slot) => `SELECT ${column}_${slot} AS name, place * ${SLOTS_PER_ROW} + ${slot} AS seen,
        ${placeBit(slot)}::UTINYINT AS place_bit
      FROM period_rows WHERE ${column}_${slot} IS NOT NULL`,
  );
  return `SELECT name, min(seen) AS first_seen, bit_or(place_bit) AS places FROM (${parts.join(' UNION ALL ')}) GROUP BY name`;
}
