// What is written once and then read by many: a segment as points, a dictionary file as terms.
import type { DictionaryFiles } from '../../snapshot/manifest/manifest.ts';

export type Piece = TermsPiece | PointsPiece;

interface TermsPiece {
  readonly kind: 'terms';
  readonly name: string;
  readonly path: string;
}

interface PointsPiece {
  readonly kind: 'points';
  readonly name: string;
  readonly path: string;
  readonly period: number;
  readonly dictionaries: DictionaryFiles;
}

/** The terms whose ids leave this remainder: pieces are written by several threads at a time. */
export interface Part {
  readonly index: number;
  readonly count: number;
}

/** What was written, as the database must have it afterwards. */
export interface Written {
  readonly rowCount: number;
  readonly digest: string;
}

/** The column that names the piece. */
export const PIECE_COLUMN = { points: 'segment', terms: 'delta' } as const;

export function filesOf(piece: Piece): readonly string[] {
  return piece.kind === 'terms' ? [piece.path] : [piece.path, ...Object.values(piece.dictionaries).flat()];
}
