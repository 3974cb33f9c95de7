// What answers are read through: one set as it was published, which never changes.
import type { Period } from '../domain/period.ts';
import type { RankSet, ReadOptions } from '../domain/store.ts';
import type { Tables } from './schema.ts';
import type { Sql } from './sql.ts';

export interface SetReader {
  readonly set: RankSet;
  /** Oldest first. */
  readonly periods: readonly Period[];
  readonly generation: string;
  /** Of the most words that a term has. */
  readonly maxWordCount: number;
  /** Over which it is spread. */
  readonly nodes: number;
  /** The names of the segments by the numbers of their periods. */
  readonly segments: ReadonlyMap<number, string>;
  readonly tables: Tables;
  /** Rejects with the signal's reason when it is aborted, and with a RequestError while a node cannot be asked. */
  rows<Row>(query: Sql, options?: ReadOptions): Promise<readonly Row[]>;
}
