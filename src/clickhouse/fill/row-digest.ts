// A digest of rows that is the same whatever their order, here and in the database.
import { hash } from 'node:crypto';
import { TABLES } from '../schema.ts';
import { join, name, type Sql, sql } from '../sql.ts';
import { PIECE_COLUMN, type Piece, type Written } from './piece.ts';

type PieceKind = Piece['kind'];

export class RowDigest {
  #rowCount = 0;
  #bits = 0n;

  add(text: string): void {
    this.#rowCount += 1;
    this.#bits ^= hash('md5', text, 'buffer').readBigUInt64LE(0);
  }

  /** Those of another part. */
  addAll({ rowCount, digest }: Written): void {
    this.#rowCount += rowCount;
    this.#bits ^= BigInt(digest);
  }

  get written(): Written {
    return { rowCount: this.#rowCount, digest: String(this.#bits) };
  }
}

/** Of the rows of a query. */
export function digestOf(kind: PieceKind): Sql {
  return sql`toString(groupBitXor(reinterpretAsUInt64(substring(MD5(${rowText(kind)}), 1, 8))))`;
}

/** The columns that are compared: all but the name of the piece. */
function comparedColumns(kind: PieceKind): readonly string[] {
  return Object.keys(TABLES[kind].columns).filter((column) => column !== PIECE_COLUMN[kind]);
}

/** What the digest of a row is made of. */
export function openRowText(kind: PieceKind): (row: Readonly<Record<string, unknown>>) => string {
  const columns = comparedColumns(kind);
  return (row) => columns.map((column) => textOf(row[column])).join('\t');
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** The same in the database. */
function rowText(kind: PieceKind): Sql {
  const columns: Readonly<Record<string, { readonly type: string }>> = TABLES[kind].columns;
  const texts = comparedColumns(kind).map((column) =>
    columns[column]?.type.startsWith('Array')
      ? sql`arrayStringConcat(arrayMap(x -> toString(x), ${name(column)}), ${'\n'})`
      : sql`toString(${name(column)})`,
  );
  return sql`arrayStringConcat([${join(texts, ', ')}], ${'\t'})`;
}
