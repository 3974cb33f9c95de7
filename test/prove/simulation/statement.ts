// What the modelled statements have in common.
import type { ModelTransaction } from './model-database.ts';
import type { TableName, Tables } from './tables.ts';

export type Values = readonly unknown[];
export type Statement = (transaction: ModelTransaction, values: Values, sql: string) => Promise<readonly object[]>;

export class UnknownStatementError extends Error {}

/** Changes a row as it is once nobody else has it. */
export async function update<Name extends TableName>(
  transaction: ModelTransaction,
  table: Name,
  key: string,
  change: (row: Tables[Name]) => Tables[Name] | undefined,
): Promise<readonly object[]> {
  await transaction.lock(table, key);
  const row = transaction.find(table, key);
  if (!row) return [];
  const changed = change(row);
  if (changed !== row) transaction.write(table, key, changed);
  return [changed ?? row];
}

export async function insertNew<Name extends TableName>(
  transaction: ModelTransaction,
  table: Name,
  key: string,
  row: Tables[Name],
): Promise<readonly object[]> {
  if (await transaction.insert(table, key, row)) return [row];
  throw Object.assign(new Error(`duplicate key in ${table}: ${key}`), { code: '23505' });
}

/** The row that INSERT … (columns) VALUES ($1, $2, …) writes. */
export function rowOf<Name extends TableName>(table: Name, sql: string, values: Values): Tables[Name] {
  const columns = /\(([^)]*)\)/.exec(sql)?.[1]?.split(', ') ?? [];
  if (columns.length !== values.length) throw new UnknownStatementError(`not one value per column of ${table}: ${sql}`);
  return Object.fromEntries(columns.map((column, i) => [column, values[i]])) as unknown as Tables[Name];
}

export function placeOf(
  row: Pick<Tables['rank_periods'], 'marketplace' | 'source' | 'frequency' | 'year' | 'number'>,
): string {
  return `${keyOf(row)} ${row.year} ${row.number}`;
}

export function keyOf({
  marketplace,
  source,
  frequency,
}: Pick<Tables['rank_periods'], 'marketplace' | 'source' | 'frequency'>) {
  return `${marketplace} ${source} ${frequency}`;
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
