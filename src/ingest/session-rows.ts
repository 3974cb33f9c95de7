// The rows of one period in a session of DuckDB. An engine that works with DuckDB too takes the session; any other reads values.
import type { PeriodRow, PeriodRows } from '../domain/rank-publisher.ts';
import type { DuckDbSession } from './duckdb-session.ts';
import { SLOTS } from './formats/report-format.ts';

/** Rows of the report that are read at a time; bounds memory. */
const BATCH_ROWS = 20_000;

export class SessionRows implements PeriodRows {
  /** Its view `period_rows` stands for them. */
  readonly session: DuckDbSession;
  /** Whether the report names products, brands and categories, or ranks alone. */
  readonly hasProducts: boolean;

  constructor(session: DuckDbSession, { hasProducts }: { readonly hasProducts: boolean }) {
    this.session = session;
    this.hasProducts = hasProducts;
  }

  async *batches(): AsyncGenerator<readonly PeriodRow[]> {
    const { places } = await this.session.row('SELECT coalesce(max(place) + 1, 0) AS places FROM period_rows');
    for (let start = 0; start < Number(places); start += BATCH_ROWS) {
      const rows = await this.session.rows(`SELECT *, coalesce(original, normalized) AS term FROM period_rows
        WHERE place >= ${start} AND place < ${start + BATCH_ROWS} ORDER BY place`);
      yield rows.map(rowOf);
    }
  }
}

function rowOf(row: Awaited<ReturnType<DuckDbSession['row']>>): PeriodRow {
  const textsOf = (name: string) => SLOTS.flatMap((slot) => row[`${name}_${slot}`] ?? []).map(String);
  const share = (column: string) => (row[column] == null ? null : Number(row[column]) / 100);
  const products = SLOTS.filter((slot) => row[`asin_${slot}`] != null).map((slot) => ({
    asin: String(row[`asin_${slot}`]),
    title: String(row[`title_${slot}`] ?? ''),
    clickShare: share(`click_share_${slot}`),
    conversionShare: share(`conversion_share_${slot}`),
  }));
  const searchTerm = String(row.term);
  return { searchTerm, rank: Number(row.rank), products, brands: textsOf('brand'), categories: textsOf('category') };
}
