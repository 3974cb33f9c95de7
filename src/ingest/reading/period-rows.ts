// The rows of one period, ready to be stored: what counts of report_rows, without twins and rejects.
import type { Period } from '../../domain/period.ts';
import type { DuckDbSession } from '../duckdb-session.ts';
import { literal } from '../duckdb-session.ts';
import { SLOTS } from '../formats/report-format.ts';

/** A period of a file, and how the rows of it are recognised: plain files hold several. */
export interface FilePeriod {
  readonly period: Period;
  /** The texts in period_type and period; undefined when the whole file is of one period. */
  readonly labels?: readonly { readonly periodType: string; readonly period: string }[];
}

export interface PeriodSummary {
  readonly keywords: number;
  readonly dataPoints: number;
  readonly digest: string;
}

/** Makes `period_rows` stand for the rows of one period. */
export async function selectPeriod(session: DuckDbSession, filePeriod: FilePeriod): Promise<void> {
  await session.run(`CREATE OR REPLACE VIEW period_rows AS
    SELECT rowid AS place, * FROM report_rows WHERE mark IS NULL AND ${isOfPeriod(filePeriod)}`);
}

export async function countKeywords(session: DuckDbSession, filePeriod: FilePeriod): Promise<number> {
  const { keywords } = await session.row(
    `SELECT count(*) AS keywords FROM report_rows WHERE mark IS NULL AND ${isOfPeriod(filePeriod)}`,
  );
  return Number(keywords);
}

/** The condition that a row belongs to a period. */
export function isOfPeriod({ labels }: Pick<FilePeriod, 'labels'>): string {
  const pairs = labels?.map(({ periodType, period }) => `(${literal(periodType)}, ${literal(period)})`);
  return pairs ? `(period_type, period) IN (${pairs.join(', ')})` : 'true';
}

/**
 * Counts, and the digest: the MD5 of each row's content, all of them XORed together, so that the order of rows does not
 * matter. No two rows are equal, because no two have the same keyword. Titles and the spelling of terms do not count.
 */
export async function summarize(session: DuckDbSession): Promise<PeriodSummary> {
  const shares = SLOTS.flatMap((slot) => [`click_share_${slot}`, `conversion_share_${slot}`]);
  const names = SLOTS.flatMap((slot) => [`asin_${slot}`, `brand_${slot}`, `category_${slot}`]);
  // A separator that no value holds keeps different rows from looking alike. What is absent is empty, and no value is.
  const content = ['normalized', ...names, packed(['rank', ...shares.slice(0, 2)]), packed(shares.slice(2))];
  const row = await session.row(`SELECT count(*) AS keywords,
      count(*) + ${shares.map((share) => `count(${share})`).join(' + ')} AS data_points,
      coalesce(bit_xor(md5_number(content)), 0)::VARCHAR AS digest
    FROM (SELECT *, concat(${content.join(', chr(1), ')}) AS content FROM period_rows)`);
  return {
    keywords: Number(row.keywords),
    dataPoints: Number(row.data_points),
    digest: BigInt(String(row.digest)).toString(16).padStart(32, '0'),
  };
}

/** Several small numbers in one, because text is what costs time here. Shares need 14 bits, and 0 stands for unknown. */
function packed(columns: readonly string[]): string {
  return columns
    .map((column) => `(coalesce(${column}, -1) + 1)::UBIGINT`)
    .reduce((sum, value) => `(${sum} * 16384 + ${value})`);
}
