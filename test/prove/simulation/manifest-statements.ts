// The statements that read and change the manifest.
import type { ModelTransaction } from './model-database.ts';
import {
  compareText,
  insertNew,
  keyOf,
  placeOf,
  rowOf,
  UnknownStatementError,
  update,
  type Values,
} from './statement.ts';
import type { Tables } from './tables.ts';

export async function selectManifest(transaction: ModelTransaction): Promise<readonly object[]> {
  const byPath = <Row extends { readonly path: string }>(rows: readonly Row[]) =>
    rows.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return transaction.list('rank_statistics').map((statistics) => ({
    ...statistics,
    periods: transaction
      .list('rank_periods')
      .toSorted((a, b) => compareText(keyOf(a), keyOf(b)) || a.year - b.year || a.number - b.number),
    dictionaries: transaction.list('dictionary_deltas').toSorted((a, b) => a.sequence - b.sequence),
    snapshots: byPath(transaction.list('snapshot_files')),
    kept: transaction
      .list('kept_revisions')
      .toSorted((a, b) => compareText(placeOf(a), placeOf(b)) || a.revision - b.revision),
  }));
}

export async function upsertPeriod(
  transaction: ModelTransaction,
  values: Values,
  sql: string,
): Promise<readonly object[]> {
  const row = rowOf('rank_periods', sql, values);
  const key = placeOf(row);
  await transaction.lock('rank_periods', key);
  transaction.write('rank_periods', key, row);
  return [row];
}

/** What the new revision replaces, unless its content is the same. */
export async function keepRevision(
  transaction: ModelTransaction,
  values: Values,
  sql: string,
): Promise<readonly object[]> {
  const [marketplace, source, frequency, year, number, endedAt, digest] = values as [
    string,
    string,
    string,
    number,
    number,
    Date,
    string,
  ];
  if (!sql.includes("'replaced'")) throw new UnknownStatementError('the model withdraws nothing');
  const place = placeOf({ marketplace, source, frequency, year, number });
  const replaced = transaction.find('rank_periods', place);
  if (!replaced || replaced.digest === digest) return [];
  const row = { ...replaced, ended_at: endedAt, reason: 'replaced' };
  return await insertNew(transaction, 'kept_revisions', `${place} ${replaced.revision}`, row);
}

export async function forgetPath(transaction: ModelTransaction, [path]: Values): Promise<readonly object[]> {
  return await forget(transaction, (row) => row.path === path);
}

export async function forgetRevisions(transaction: ModelTransaction, [before]: Values): Promise<readonly object[]> {
  return await forget(transaction, (row) => row.ended_at < (before as Date));
}

async function forget(transaction: ModelTransaction, isGone: (row: Tables['kept_revisions']) => boolean) {
  const gone = transaction.list('kept_revisions').filter(isGone);
  for (const row of gone)
    await update(transaction, 'kept_revisions', `${placeOf(row)} ${row.revision}`, () => undefined);
  return gone;
}

export async function insertDelta(
  transaction: ModelTransaction,
  values: Values,
  sql: string,
): Promise<readonly object[]> {
  const row = rowOf('dictionary_deltas', sql, values);
  return await insertNew(transaction, 'dictionary_deltas', `${row.marketplace} ${row.kind} ${row.sequence}`, row);
}

export async function deleteSnapshot(transaction: ModelTransaction, [marketplace, source, frequency]: Values) {
  const isOfSet = (row: Tables['snapshot_files']) =>
    row.marketplace === marketplace && row.source === source && row.frequency === frequency;
  const gone = transaction.list('snapshot_files').filter(isOfSet);
  for (const { path } of gone) {
    await transaction.lock('snapshot_files', path);
    transaction.write('snapshot_files', path, undefined);
  }
  return gone;
}

export async function insertSnapshot(transaction: ModelTransaction, values: Values): Promise<readonly object[]> {
  const [marketplace, source, frequency, paths, sizes, sums, objects] = values as [
    string,
    string,
    string,
    string[],
    number[],
    string[],
    (string | null)[],
  ];
  for (const [i, path] of paths.entries()) {
    const row = {
      marketplace,
      source,
      frequency,
      path,
      size_bytes: sizes[i] ?? 0,
      sha256: sums[i] ?? '',
      object: objects[i] ?? null,
    };
    await insertNew(transaction, 'snapshot_files', path, row);
  }
  return paths.map((path) => ({ path }));
}

export async function updateStatistics(
  transaction: ModelTransaction,
  [computedAt]: Values,
): Promise<readonly object[]> {
  await transaction.lock('rank_statistics', '');
  const statistics = transaction.find('rank_statistics', '');
  if (!statistics) throw new Error('rank_statistics has no row');
  const version = statistics.version + 1;
  const total = transaction.list('rank_periods').reduce((sum, row) => sum + row.data_points, 0);
  const changed = { ...statistics, version, computed_at: computedAt as Date, total_data_points: total };
  transaction.write('rank_statistics', '', changed);
  return [{ version }];
}
