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

/** Where an entry is seen: place * 4 + slot, which leads back to the row and the slot. A row's term has the slot 0. */
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

/** `terms_ids (seen, id)`: a row has one term, and a term one row. */
async function numberTerms(calculator: Calculator, known: KnownDictionary): Promise<void> {
  await calculator.run(`CREATE OR REPLACE TABLE seen_terms AS
    SELECT ${seenAt(0)} AS seen, id, CASE WHEN id IS NULL THEN normalized END AS new_term
    FROM period_rows LEFT JOIN ${scanDeltas(known, 'term')} ON term = normalized`);
  await numberNew(calculator, {
    kind: 'terms',
    known,
    select: 'SELECT seen, new_term AS term FROM seen_terms WHERE id IS NULL ORDER BY seen',
  });
  await calculator.run(`CREATE OR REPLACE VIEW terms_ids AS
    SELECT seen, id FROM seen_terms WHERE id IS NOT NULL UNION ALL SELECT seen, id FROM new_terms`);
}

/** `products_ids (seen, id)` for every slot with a product, and `titled_products` for the delta. */
async function numberProducts(calculator: Calculator, known: KnownDictionary): Promise<void> {
  await calculator.run(`CREATE OR REPLACE VIEW product_slots AS ${selectProductSlots()}`);
  const hasKnown = known.deltas.length > 0;
  if (hasKnown) await findKnownProducts(calculator, known);
  // The first report has most of all products: none of them has to be looked for.
  const newSlots = hasKnown
    ? 'SELECT seen, new_asin AS asin FROM seen_products WHERE id IS NULL'
    : 'FROM product_slots';
  await numberNew(calculator, {
    kind: 'products',
    known,
    select: `SELECT asin, min(seen) AS first_seen, max(seen) AS last_seen
      FROM (${newSlots}) GROUP BY asin ORDER BY first_seen`,
  });
  const ofKnown = hasKnown ? 'SELECT seen, id FROM seen_products WHERE id IS NOT NULL UNION ALL' : '';
  // Most of the new ones stand in one slot, which is known already.
  await calculator.run(`CREATE OR REPLACE VIEW products_ids AS
    ${ofKnown} SELECT first_seen AS seen, id FROM new_products
    UNION ALL SELECT seen, id FROM (${newSlots}) JOIN (FROM new_products WHERE first_seen < last_seen) USING (asin)
    WHERE seen > first_seen`);
  const retitled = hasKnown ? 'FROM retitled_products UNION ALL' : '';
  await calculator.run(`CREATE OR REPLACE VIEW titled_products AS
    ${retitled} SELECT id, first_seen, NULL::UBIGINT AS stored_hash FROM new_products`);
}

/**
 * Makes `seen_products`, with the asin of those that no delta knows, and `retitled_products (id, first_seen, stored_hash)`:
 * known ones whose title may be another than the newest stored one. Only the title where a product is seen first counts.
 */
async function findKnownProducts(calculator: Calculator, known: KnownDictionary): Promise<void> {
  // A product is new in one delta only, so that no slot of the report is matched twice.
  await calculator.run(`CREATE OR REPLACE TABLE seen_products AS
    SELECT seen, id, CASE WHEN id IS NULL THEN s.asin END AS new_asin,
      CASE WHEN s.title_hash <> d.title_hash THEN d.title_hash END AS other_hash
    FROM product_slots s LEFT JOIN (${scanEach(known, (firstId) => `id >= ${firstId}`)}) d ON d.asin = s.asin`);
  await calculator.run(`CREATE OR REPLACE TABLE newest_titles AS
    SELECT id, arg_max(title_hash, sequence) AS title_hash
    FROM (${scanEach(known, (firstId) => `id < ${firstId}`)}) GROUP BY id`);
  await calculator.run(`CREATE OR REPLACE TABLE retitled_products AS
    SELECT id, first_seen, coalesce(title_hash, other_hash) AS stored_hash
    FROM (
      SELECT id, min(seen) AS first_seen, arg_min_null(other_hash, seen) AS other_hash FROM seen_products
      WHERE id IN (SELECT id FROM seen_products WHERE other_hash IS NOT NULL UNION ALL SELECT id FROM newest_titles)
      GROUP BY id
    ) LEFT JOIN newest_titles USING (id)
    WHERE stored_hash IS NOT NULL`);
}

/** The products in the three slots of the rows. A blank title says nothing and has no hash. */
function selectProductSlots(): string {
  return SLOTS.map(
    (slot) => `SELECT asin_${slot} AS asin, ${seenAt(slot)} AS seen,
        CASE WHEN title_${slot} IS NOT NULL THEN hash(title_${slot}) END AS title_hash
      FROM period_rows WHERE asin_${slot} IS NOT NULL`,
  ).join(' UNION ALL ');
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

/** The names in the three slots of a row, each with where it is seen first. */
function firstSeen(column: 'brand' | 'category'): string {
  const parts = SLOTS.map(
    (slot) =>
      `SELECT ${column}_${slot} AS name, ${seenAt(slot)} AS seen FROM period_rows WHERE ${column}_${slot} IS NOT NULL`,
  );
  return `SELECT name, min(seen) AS first_seen FROM (${parts.join(' UNION ALL ')}) GROUP BY name`;
}

function seenAt(slot: number): string {
  return `(place * ${SLOTS_PER_ROW} + ${slot})::UINTEGER`;
}
