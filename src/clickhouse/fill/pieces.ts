// Segments and dictionary files become pieces: rows that are written once, counted and compared, and only then marked as whole.
import type { ReadOptions } from '../../domain/store.ts';
import type { ClickHouse } from '../connection.ts';
import { namesIn } from '../schema.ts';
import { list, name, sql } from '../sql.ts';
import { columnsOf } from './insert-part.ts';
import { PIECE_COLUMN, type Piece, type Written } from './piece.ts';
import type { PieceWriter } from './piece-writer.ts';
import { digestOf } from './row-digest.ts';

/** Writes what is not there as a whole. */
export async function writePieces(
  clickHouse: ClickHouse,
  { pieces, writer }: { readonly pieces: readonly Piece[]; readonly writer: Pick<PieceWriter, 'write'> },
  options: ReadOptions = {},
): Promise<void> {
  const found = await findPieces(clickHouse, pieces, options);
  for (const piece of pieces) {
    const state = found.get(piece.name);
    if (state === 'whole') continue;
    if (state === 'part') await dropPiece(clickHouse, piece.name);
    await writePiece(clickHouse, { piece, writer }, options);
  }
}

/** A piece is whole when it is marked on every node, and has as many rows as it was marked with. */
async function findPieces(
  clickHouse: ClickHouse,
  pieces: readonly Piece[],
  options: ReadOptions,
): Promise<ReadonlyMap<string, 'whole' | 'part'>> {
  const tables = namesIn(clickHouse.database);
  const names = pieces.map((piece) => piece.name);
  if (names.length === 0) return new Map();
  const counts = new Map<string, number>();
  for (const kind of ['points', 'terms'] as const) {
    const counted = await clickHouse.rows<{ piece: string; found: number }>(
      sql`SELECT ${name(PIECE_COLUMN[kind])} AS piece, count() AS found FROM ${tables[kind].all}
        WHERE ${name(PIECE_COLUMN[kind])} IN ${list(names)} GROUP BY piece`,
      options,
    );
    for (const { piece, found } of counted) counts.set(piece, found);
  }
  const marked = await clickHouse.rows<{ piece: string; nodes: number; expected: number }>(
    sql`SELECT piece, count() AS nodes, max(row_count) AS expected FROM ${tables.pieces.all}
      WHERE piece IN ${list(names)} GROUP BY piece`,
    options,
  );
  const whole = marked.filter(
    ({ piece, nodes, expected }) => nodes === clickHouse.nodeCount && (counts.get(piece) ?? 0) === expected,
  );
  return new Map([
    ...[...counts.keys(), ...marked.map(({ piece }) => piece)].map((piece) => [piece, 'part'] as const),
    ...whole.map(({ piece }) => [piece, 'whole'] as const),
  ]);
}

async function writePiece(
  clickHouse: ClickHouse,
  { piece, writer }: { readonly piece: Piece; readonly writer: Pick<PieceWriter, 'write'> },
  options: ReadOptions,
): Promise<void> {
  const tables = namesIn(clickHouse.database);
  const written = await writer.write(piece, options);
  const found = await readDigest(clickHouse, piece, options);
  if (found.rowCount !== written.rowCount || found.digest !== written.digest) {
    throw new Error(`${piece.name} was written with ${written.rowCount} rows, and is there with ${found.rowCount}`);
  }
  if (piece.kind === 'points') await fillHoldings(clickHouse, piece.name, options);
  await clickHouse.onEachNode(
    sql`INSERT INTO ${tables.pieces.here} SELECT ${piece.name}, toUInt64(${written.rowCount}), toUInt64(${written.digest})`,
    options,
  );
}

/** Reads a piece again, and compares it with its mark. */
export async function comparePiece(clickHouse: ClickHouse, piece: string): Promise<'whole' | 'missing' | 'damaged'> {
  const tables = namesIn(clickHouse.database);
  const [mark] = await clickHouse.rows<{ nodes: number; expected: number; digest: string }>(
    sql`SELECT count() AS nodes, max(row_count) AS expected, toString(max(digest)) AS digest FROM ${tables.pieces.all}
      WHERE piece = ${piece}`,
  );
  if (mark?.nodes !== clickHouse.nodeCount) return 'missing';
  for (const kind of ['points', 'terms'] as const) {
    const found = await readDigest(clickHouse, { kind, name: piece });
    if (found.rowCount === mark.expected && found.digest === mark.digest) return 'whole';
  }
  return 'damaged';
}

async function readDigest(
  clickHouse: ClickHouse,
  piece: Pick<Piece, 'kind' | 'name'>,
  options: ReadOptions = {},
): Promise<Written> {
  const [found] = await clickHouse.rows<{ rowCount: number; digest: string }>(
    sql`SELECT count() AS rowCount, ${digestOf(piece.kind)} AS digest FROM ${namesIn(clickHouse.database)[piece.kind].all}
      WHERE ${name(PIECE_COLUMN[piece.kind])} = ${piece.name}`,
    options,
  );
  return found ?? { rowCount: 0, digest: '0' };
}

/** The marks go first: what is marked is whole. */
export async function dropPiece(clickHouse: ClickHouse, piece: string): Promise<void> {
  const tables = namesIn(clickHouse.database);
  for (const table of [tables.pieces, tables.holdings, tables.points, tables.terms]) {
    await clickHouse.onEachNode(sql`ALTER TABLE ${table.here} DROP PARTITION ${piece}`);
  }
}

/** Each node makes them of its own points; a holder that a row names twice stands at the better place. */
async function fillHoldings(clickHouse: ClickHouse, segment: string, options: ReadOptions): Promise<void> {
  const { points, holdings } = namesIn(clickHouse.database);
  await clickHouse.onEachNode(
    sql`INSERT INTO ${holdings.here} (${columnsOf('holdings')})
      SELECT segment, period, concat('a:', asin) AS holder, term_id, rank, place, click, conversion, title AS name
      FROM ${points.here} ARRAY JOIN asins AS asin, product_places AS place, clicks AS click, conversions AS conversion,
        titles AS title, arrayEnumerate(asins) AS at WHERE segment = ${segment} AND indexOf(asins, asin) = at
      UNION ALL SELECT segment, period, concat('b:', brand_key) AS holder, term_id, rank, place, toInt32(-1) AS click,
        toInt32(-1) AS conversion, brand AS name
      FROM ${points.here} ARRAY JOIN brands AS brand, brand_keys AS brand_key, brand_places AS place,
        arrayEnumerate(brand_keys) AS at WHERE segment = ${segment} AND indexOf(brand_keys, brand_key) = at`,
    options,
  );
}
