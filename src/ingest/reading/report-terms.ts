// Terms become keywords: each is normalised, and phantom twins, which are the same keyword, are merged.
import { BIGINT, VARCHAR } from '@duckdb/node-api';
import { normalizeTerm } from '../../domain/term.ts';
import type { DuckDbSession } from '../duckdb-session.ts';

/** Terms normalised in JavaScript at a time; bounds memory. */
const BATCH_ROWS = 20_000;

/** Fills in the normalised form of the terms that need more than lower-casing, and marks those with nothing visible. */
export async function normalizeTerms(session: DuckDbSession): Promise<void> {
  await session.run(`CREATE TABLE unusual_terms AS
    SELECT rowid AS place, original FROM report_rows WHERE normalized IS NULL AND mark IS NULL`);
  await session.run('CREATE TABLE normalized_terms (place BIGINT, normalized VARCHAR)');
  const { rows } = await session.row('SELECT count(*) AS rows FROM unusual_terms');
  for (let start = 0; start < Number(rows); start += BATCH_ROWS) {
    const batch = await session.rows(
      `SELECT place, original FROM unusual_terms WHERE rowid >= ${start} AND rowid < ${start + BATCH_ROWS}`,
    );
    await session.append('normalized_terms', [
      { type: BIGINT, values: batch.map(({ place }) => place ?? null) },
      { type: VARCHAR, values: batch.map(({ original }) => normalizeTerm(String(original))) },
    ]);
  }
  await session.run(`UPDATE report_rows SET normalized = n.normalized,
      mark = CASE WHEN n.normalized = '' THEN 'empty-term' END
    FROM normalized_terms n WHERE report_rows.rowid = n.place`);
}

/**
 * Amazon lists some terms twice, once with an invisible character and a junk rank. The lowest rank is kept; between equal
 * ranks, the row that comes first.
 */
export async function mergeTwins(
  session: DuckDbSession,
  { hasPeriods }: { readonly hasPeriods: boolean },
): Promise<void> {
  const columns = hasPeriods ? ['period_type', 'period', 'normalized'] : ['normalized'];
  const keyword = columns.join(', ');
  // Twins are few: finding the terms that may have one, which a hash tells, is much cheaper than ranking all rows.
  await session.run(`CREATE TABLE twin_hashes AS
    SELECT hash(${keyword}) AS twin_hash FROM report_rows WHERE mark IS NULL GROUP BY twin_hash HAVING count(*) > 1`);
  await session.run(`UPDATE report_rows SET mark = 'merged' FROM (
      SELECT r.rowid AS place, row_number() OVER (PARTITION BY ${keyword} ORDER BY rank, r.rowid) AS position
      FROM report_rows r SEMI JOIN twin_hashes ON hash(${keyword}) = twin_hash WHERE mark IS NULL
    ) twins
    WHERE report_rows.rowid = twins.place AND twins.position > 1`);
}
