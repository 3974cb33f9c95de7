// A page of a list whose length nobody knows before: rows and total are two questions, which are asked at the same time.
import { allDone } from '../domain/containment.ts';
import type { Slice } from '../domain/page.ts';
import type { OrderDirection } from '../domain/search-query.ts';
import type { ReadOptions, TrendPage } from '../domain/store.ts';
import type { SetReader } from './set-reader.ts';
import { type Sql, sql } from './sql.ts';

export interface RankedList {
  readonly columns: Sql;
  /** The tables, with the conditions on their rows. */
  readonly from: Sql;
  readonly order: Sql;
}

export async function readPage<Row>(
  reader: SetReader,
  { columns, from, order, offset, limit }: RankedList & Slice,
  options?: ReadOptions,
): Promise<TrendPage<Row>> {
  const [totalCount, rows] = await allDone([
    countRows(reader, from, options),
    limit === 0
      ? []
      : reader.rows<Row>(sql`SELECT ${columns} FROM ${from} ORDER BY ${order} LIMIT ${offset}, ${limit}`, options),
  ]);
  return { totalCount, rows };
}

export async function countRows(reader: SetReader, from: Sql, options?: ReadOptions): Promise<number> {
  const [counted] = await reader.rows<{ readonly total: number }>(sql`SELECT count() AS total FROM ${from}`, options);
  return counted?.total ?? 0;
}

export function directed(key: Sql, direction: OrderDirection): Sql {
  return direction === 'asc' ? sql`${key} ASC` : sql`${key} DESC`;
}
