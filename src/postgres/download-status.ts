// Where downloads stand, for those who look after them.
import type { DownloadStatus } from '../domain/connection.ts';
import { DOWNLOAD_STATES, type DownloadState } from '../domain/download.ts';
import type { Frequency } from '../domain/period.ts';
import type { Queryable } from './pool.ts';

/** Newest periods first. */
export async function listDownloads(connection: Queryable, connectionId?: string): Promise<readonly DownloadStatus[]> {
  const { rows } = await connection.query<
    Omit<DownloadStatus, 'period'> & { frequency: Frequency; year: number; number: number }
  >(
    `SELECT c.name AS connection, d.marketplace, d.frequency, d.year, d.number, d.state, d.message, d.due_at AS "dueAt",
       coalesce(d.leased_until > now(), false) AS "isUnderWay", d.imported_at AS "importedAt", d.revision
     FROM downloads d JOIN connections c ON c.id = d.connection_id WHERE $1::uuid IS NULL OR c.id = $1
     ORDER BY c.name, d.marketplace, d.frequency DESC, d.end_date DESC`,
    [connectionId ?? null],
  );
  return rows.map(({ frequency, year, number, ...row }) => ({ ...row, period: { frequency, year, number } }));
}

export type StateCounts = Readonly<Record<DownloadState, number>>;

/** By connection. */
export async function countByConnection(connection: Queryable): Promise<ReadonlyMap<string, StateCounts>> {
  const { rows } = await connection.query<{ id: string; state: DownloadState; count: number }>(
    'SELECT connection_id AS id, state, count(*) AS count FROM downloads GROUP BY connection_id, state',
  );
  const ids = new Set(rows.map(({ id }) => id));
  return new Map([...ids].map((id) => [id, countsOf(rows.filter((row) => row.id === id))]));
}

/** How many there are in each state, and how many connections Amazon does not answer. */
export async function countDownloads(
  connection: Queryable,
): Promise<{ readonly byState: StateCounts; readonly heldConnections: number }> {
  const counted = await connection.query<{ state: DownloadState; count: number }>(
    'SELECT state, count(*) AS count FROM downloads GROUP BY state',
  );
  const held = await connection.query<{ count: number }>(
    'SELECT count(*) AS count FROM connections WHERE fault IS NOT NULL AND disabled_at IS NULL',
  );
  return { byState: countsOf(counted.rows), heldConnections: held.rows[0]?.count ?? 0 };
}

export function countsOf(rows: readonly { readonly state: DownloadState; readonly count: number }[]): StateCounts {
  const found = new Map(rows.map(({ state, count }) => [state, count]));
  const counts = DOWNLOAD_STATES.map((state) => [state, found.get(state) ?? 0]);
  return Object.fromEntries(counts) as StateCounts;
}
