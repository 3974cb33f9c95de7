// Reads a part of a piece from its files, and puts it on the nodes.
import type { ReadOptions } from '../../domain/store.ts';
import type { ClickHouse } from '../connection.ts';
import { namesIn, TABLES } from '../schema.ts';
import { join, name, type Sql } from '../sql.ts';
import { type Part, PIECE_COLUMN, type Piece, type Written } from './piece.ts';
import { type PointRow, pointRow, type TermRow, termRow } from './point-rows.ts';
import { openRowText, RowDigest } from './row-digest.ts';
import type { SegmentSource } from './segment-source.ts';

/** Rows of one insert. */
const ROWS_PER_INSERT = 20_000;

export async function insertPart(
  { clickHouse, source }: { readonly clickHouse: ClickHouse; readonly source: SegmentSource },
  { piece, part }: { readonly piece: Piece; readonly part: Part },
  options: ReadOptions = {},
): Promise<Written> {
  const table = namesIn(clickHouse.database)[piece.kind].all;
  const columns = columnsOf(piece.kind);
  const digest = new RowDigest();
  const textOf = openRowText(piece.kind);
  let rows: string[] = [];
  // Nodes take turns.
  let place = part.index;
  let sending: Promise<void> = Promise.resolve();
  const send = async (): Promise<void> => {
    await sending;
    if (rows.length === 0) return;
    sending = clickHouse.insert({ table, columns, place }, rows, options);
    // Whoever waits next hears of it.
    sending.catch(() => {});
    rows = [];
    place += 1;
  };
  for await (const row of readRows(source, piece, part)) {
    digest.add(textOf(row));
    rows.push(JSON.stringify({ ...row, [PIECE_COLUMN[piece.kind]]: piece.name }));
    if (rows.length >= ROWS_PER_INSERT) await send();
  }
  await send();
  await sending;
  return digest.written;
}

async function* readRows(source: SegmentSource, piece: Piece, part: Part): AsyncGenerator<TermRow | PointRow> {
  if (piece.kind === 'terms') {
    for await (const { termId, term } of source.terms(piece.path, part)) yield termRow(termId, term);
    return;
  }
  const { period } = piece;
  for await (const found of source.rows(piece, part)) yield pointRow({ ...found, period });
}

export function columnsOf(table: 'points' | 'terms' | 'holdings'): Sql {
  return join(
    Object.keys(TABLES[table].columns).map((column) => name(column)),
    ', ',
  );
}
