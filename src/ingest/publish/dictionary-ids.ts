// Gives every term, product, brand and category of a period its number: the one it has, or the next free one. New ones are
// numbered in the order of the file, so that the same file always leads to the same numbers.
//
// For each kind there is a table of what the deltas know and a view of what is new, and `<kind>_ids` over both.
// The dictionaries are read through the join with the period's entries, so that only those take memory.
import type { DictionaryKind } from '../../snapshot/manifest/manifest.ts';
import { type DuckDbSession, pathListLiteral, pathLiteral } from '../duckdb-session.ts';
import { SLOTS } from '../formats/report-format.ts';

export interface KnownDictionary {
  /** Oldest first. What a delta has of ids before its own first one are titles that earlier versions of keyrank replaced. */
  readonly deltas: readonly { readonly path: string; readonly firstId: number }[];
  readonly nextId: number;
}

/** Where an entry is seen: place * 4 + slot, which leads back to the row and the slot. A row's term has the slot 0. */
export const SLOTS_PER_ROW = 4;

/** Makes the view `<kind>_ids`. Returns how many entries are new. */
export async function numberEntries(
  session: DuckDbSession,
  { kind, known }: { readonly kind: DictionaryKind; readonly known: KnownDictionary },
): Promise<number> {
  if (kind === 'terms') await numberTerms(session, known);
  else if (kind === 'products') await numberProducts(session, known);
  else if (kind === 'brands') await numberBrands(session, known);
  else await numberCategories(session, known);
  const { rows } = await session.row(`SELECT count(*) AS rows FROM new_${kind}`);
  return Number(rows);
}

/** `terms_ids (seen, id)`: a row has one term, and a term one row. */
async function numberTerms(session: DuckDbSession, known: KnownDictionary): Promise<void> {
  await session.run(`CREATE OR REPLACE TABLE seen_terms AS
    SELECT ${seenAt(0)} AS seen, id, CASE WHEN id IS NULL THEN normalized END AS new_term
    FROM period_rows LEFT JOIN ${scanDeltas(known, 'term')} ON term = normalized`);
  await numberNew(session, {
    kind: 'terms',
    known,
    select: 'SELECT seen, new_term AS term FROM seen_terms WHERE id IS NULL ORDER BY seen',
  });
  await session.run(`CREATE OR REPLACE VIEW terms_ids AS
    SELECT seen, id FROM seen_terms WHERE id IS NOT NULL UNION ALL SELECT seen, id FROM new_terms`);
}

/** `products_ids (seen, id)` for every slot with a product. An ASIN that another period has under another title is another entry. */
async function numberProducts(session: DuckDbSession, known: KnownDictionary): Promise<void> {
  await findProductSlots(session);
  const hasKnown = known.deltas.length > 0;
  if (hasKnown) await findKnownProducts(session, known);
  // The first report has most of all products: none of them has to be looked for.
  const newSlots = hasKnown
    ? 'SELECT seen, new_asin AS asin, titled_seen FROM seen_products WHERE id IS NULL'
    : 'FROM product_slots';
  await numberNew(session, {
    kind: 'products',
    known,
    select: `SELECT asin, min(seen) AS first_seen, max(seen) AS last_seen, coalesce(min(titled_seen), first_seen) AS titled_seen
      FROM (${newSlots}) GROUP BY asin ORDER BY first_seen`,
  });
  const ofKnown = hasKnown ? 'SELECT seen, id FROM seen_products WHERE id IS NOT NULL UNION ALL' : '';
  // Most of the new ones stand in one slot, which is known already.
  await session.run(`CREATE OR REPLACE VIEW products_ids AS
    ${ofKnown} SELECT first_seen AS seen, id FROM new_products
    UNION ALL SELECT s.seen, id FROM (${newSlots}) s JOIN (FROM new_products WHERE first_seen < last_seen) USING (asin)
    WHERE s.seen > first_seen`);
}

/**
 * Makes `product_slots (asin, seen, title_hash, titled_seen)`. A product has one title in a period, the first that is not blank;
 * `titled_seen` says where it stands for those few to which a report gives several.
 */
async function findProductSlots(session: DuckDbSession): Promise<void> {
  const slots = SLOTS.map(
    (slot) => `SELECT asin_${slot} AS asin, ${seenAt(slot)} AS seen, ${titleHash(slot)} AS title_hash
      FROM period_rows WHERE asin_${slot} IS NOT NULL`,
  ).join(' UNION ALL ');
  await session.run(`CREATE OR REPLACE TABLE varied_products AS
    SELECT asin, arg_min(title_hash, seen) AS chosen_hash, min(seen) AS titled_seen
    FROM (${slots}) WHERE title_hash <> 0 AND asin IN (
      SELECT asin FROM (${slots}) GROUP BY asin HAVING min(title_hash) <> max(title_hash)
    ) GROUP BY asin`);
  await session.run(`CREATE OR REPLACE VIEW product_slots AS
    SELECT s.asin, seen, coalesce(chosen_hash, title_hash) AS title_hash, titled_seen
    FROM (${slots}) s LEFT JOIN varied_products v ON v.asin = s.asin`);
}

/**
 * Makes `seen_products`, with the asin of those that no delta knows under this title. Deltas of earlier versions may hold further
 * titles for an id that they had given already; which of them a period had is open, so such an id is not given again.
 *
 * Titles are compared by their hash, so that no import reads all titles of the past. Should another version of DuckDB hash
 * differently, products are numbered once more, which changes no answer.
 */
async function findKnownProducts(session: DuckDbSession, known: KnownDictionary): Promise<void> {
  await session.run(`CREATE OR REPLACE TABLE seen_products AS
    SELECT seen, id, CASE WHEN id IS NULL THEN s.asin END AS new_asin, titled_seen
    FROM product_slots s LEFT JOIN (
      FROM (${scanEach(known, (firstId) => `id >= ${firstId}`)})
      WHERE id NOT IN (SELECT id FROM (${scanEach(known, (firstId) => `id < ${firstId}`)}))
    ) d ON d.asin = s.asin AND d.title_hash = s.title_hash`);
}

/** 0 for a blank title. */
export function titleHash(slot: number): string {
  return `CASE WHEN title_${slot} IS NULL THEN 0 ELSE hash(title_${slot}) END`;
}

/**
 * `brands_ids (name, id)` for every spelling. Nike and NIKE are one brand and stand in a period under one spelling, that of the
 * best rank; other periods have their own, which is another entry.
 */
async function numberBrands(session: DuckDbSession, known: KnownDictionary): Promise<void> {
  await session.run(`CREATE OR REPLACE TABLE spellings AS
    SELECT name AS spelling, lower(name) AS folded, first_seen FROM (${firstSeen('brand')})`);
  await session.run(`CREATE OR REPLACE TABLE chosen_brands AS
    SELECT folded, arg_min(spelling, first_seen) AS name, min(first_seen) AS first_seen FROM spellings GROUP BY folded`);
  await numberNames(session, { kind: 'brands', known, names: 'chosen_brands' });
  await session.run(`CREATE OR REPLACE TABLE brands_ids AS
    SELECT spelling AS name, id FROM spellings JOIN chosen_brands USING (folded) JOIN brands_name_ids USING (name)`);
}

/** `categories_ids (name, id)`. */
async function numberCategories(session: DuckDbSession, known: KnownDictionary): Promise<void> {
  await session.run(`CREATE OR REPLACE TABLE seen_categories AS ${firstSeen('category')}`);
  await numberNames(session, { kind: 'categories', known, names: 'seen_categories' });
  await session.run('CREATE OR REPLACE VIEW categories_ids AS FROM categories_name_ids');
}

/** Makes `<kind>_name_ids (name, id)` of a table of names. */
async function numberNames(
  session: DuckDbSession,
  {
    kind,
    known,
    names,
  }: { readonly kind: 'brands' | 'categories'; readonly known: KnownDictionary; readonly names: string },
): Promise<void> {
  await session.run(`CREATE OR REPLACE TABLE known_${kind} AS
    SELECT name, id FROM ${names} JOIN ${scanDeltas(known, 'name')} USING (name)`);
  await numberNew(session, {
    kind,
    known,
    select: `SELECT name FROM ${names} ANTI JOIN known_${kind} USING (name) ORDER BY first_seen`,
  });
  await session.run(`CREATE OR REPLACE VIEW ${kind}_name_ids AS FROM known_${kind} UNION ALL BY NAME FROM new_${kind}`);
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
      ({ path, firstId }) =>
        `SELECT id, asin, title_hash FROM read_parquet(${pathLiteral(path)}) WHERE ${condition(firstId)}`,
    )
    .join(' UNION ALL ');
}

/**
 * Makes `new_<kind>`: what the ordered query selects, numbered from the next free id. A table keeps the order in which it was
 * filled, so that row numbers will do; a window function costs twice as much.
 */
async function numberNew(
  session: DuckDbSession,
  { kind, known, select }: { readonly kind: DictionaryKind; readonly known: KnownDictionary; readonly select: string },
): Promise<void> {
  await session.run(`CREATE OR REPLACE TABLE unnumbered_${kind} AS ${select}`);
  await session.run(`CREATE OR REPLACE VIEW new_${kind} AS
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
