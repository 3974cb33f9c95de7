// The queue of downloads. All instants are the database's own, so that servers whose clocks differ agree; a simulation brings its own.
import { randomUUID } from 'node:crypto';
import type { AmazonOperation, Connection } from '../domain/connection.ts';
import type { Download } from '../domain/download.ts';
import {
  type ClaimedDownloads,
  DOWNLOAD_LANES,
  type DownloadLane,
  type DownloadQueue,
  MAX_DOWNLOADED,
  type SettledDownload,
  type WantedDownload,
} from '../domain/download-queue.ts';
import { isRecent } from '../domain/download-schedule.ts';
import { MAX_LOST, planLost, REUSE_MS } from '../domain/download-step.ts';
import { type Frequency, periodDates } from '../domain/period.ts';
import { CONNECTION_COLUMNS, type ConnectionRow, connectionOf } from './connections.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';

const LEASE_MS = 120_000;
/** A body that nobody imported for so long lies where no server runs any more: another one fetches it again. */
const FOREIGN_MS = 60 * 60_000;
const MAX_MESSAGE_CHARACTERS = 600;

/** The operation that a download's next step needs. */
const OPERATION = `CASE d.state WHEN 'wanted' THEN CASE WHEN d.is_listed THEN 'createReport' ELSE 'getReports' END
  WHEN 'requested' THEN 'getReport' WHEN 'ready' THEN 'getReportDocument' END`;
const HAS_ROOM = `r.free_at <= $1::timestamptz + (r.burst - 1) * r.interval_ms * interval '1 millisecond'`;
/** What went wrong before, or ended a server, is imported alone: it must not keep others from being published. */
const IS_UNTRIED = `(d.failures = 0 AND d.lost = 0 AND d.lease IS NULL)`;
/** What is downloaded is imported where it lies. */
const isHere = (parameter: string) =>
  `(d.state <> 'downloaded' OR d.place IS NULL OR ${parameter}::uuid IS NULL OR d.place = ${parameter}
    OR d.due_at < $1::timestamptz - ${FOREIGN_MS} * interval '1 millisecond')`;
const IS_FREE = `d.due_at <= $1 AND (d.leased_until IS NULL OR d.leased_until < $1)`;

interface DownloadRow extends Omit<Download, 'period' | 'now' | 'isRecent'> {
  readonly frequency: Frequency;
  readonly year: number;
  readonly number: number;
}

export interface QueueOptions {
  /** Of a simulation. */
  readonly clock?: () => Date;
  /** The data directory of this server, in which bodies lie; null: whoever asks has all of them. */
  readonly place?: string | null;
}

export function openDownloadQueue(pool: Pool, { clock, place = null }: QueueOptions = {}): DownloadQueue {
  const readNow = async (): Promise<Date> => {
    if (clock) return clock();
    const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    return rows[0]?.now ?? new Date();
  };
  return {
    readNow,
    listConnections: async () => {
      const { rows } = await pool.query<ConnectionRow>(
        `SELECT ${CONNECTION_COLUMNS} FROM connections c WHERE disabled_at IS NULL ORDER BY name`,
      );
      return rows.map(connectionOf);
    },
    addWanted: async (wanted) => await addWanted(pool, wanted, await readNow()),
    claim: async (lane, maxDownloaded = MAX_DOWNLOADED) => {
      const now = await readNow();
      for (;;) {
        const claimed = await inTransaction(pool, (transaction) =>
          claim(transaction, { lane, maxDownloaded, now, place }),
        );
        const lost = claimed?.downloads.filter((download) => download.lost >= MAX_LOST) ?? [];
        if (!claimed || lost.length === 0) return claimed;
        await settle(pool, claimed.lease, {
          ...{ now, place },
          settled: lost.map((download) => ({ download, step: planLost(download) })),
        });
        // The others of the same look are due again when the lease ends.
      }
    },
    takeTurn: async (connectionId, operation) =>
      await takeTurn(pool, { connectionId, operation, now: await readNow() }),
    slowDown: async (connectionId, operation, intervalMs) => {
      await pool.query(
        intervalMs === undefined
          ? `UPDATE connection_rates SET free_at = greatest(free_at, $3::timestamptz + burst * interval_ms * interval '1 millisecond')
             WHERE connection_id = $1 AND operation = $2`
          : `UPDATE connection_rates SET interval_ms = $3 WHERE connection_id = $1 AND operation = $2 AND interval_ms <> $3`,
        [connectionId, operation, intervalMs ?? (await readNow())],
      );
    },
    extend: async (lease) => {
      const { rowCount } = await pool.query(
        `UPDATE downloads SET leased_until = $2::timestamptz + ${LEASE_MS} * interval '1 millisecond' WHERE lease = $1`,
        [lease, await readNow()],
      );
      return (rowCount ?? 0) > 0;
    },
    giveBack: async (lease) => {
      await pool.query('UPDATE downloads SET lease = NULL, leased_until = NULL WHERE lease = $1', [lease]);
    },
    listKept: async () => {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM downloads WHERE state IN ('ready', 'downloaded')`,
      );
      return new Set(rows.map(({ id }) => id));
    },
    settle: async ({ lease }, settled) => await settle(pool, lease, { settled, place, now: await readNow() }),
    release: async (connectionId) => {
      await pool.query('UPDATE connections SET held_until = NULL, fault = NULL WHERE id = $1', [connectionId]);
    },
  };
}

async function addWanted(pool: Pool, wanted: readonly WantedDownload[], now: Date): Promise<number> {
  const { rowCount } = await pool.query(
    `INSERT INTO downloads (connection_id, marketplace, frequency, year, number, end_date, wanted_since, due_at, message)
     SELECT w.*, $7::timestamptz - ${REUSE_MS} * interval '1 millisecond', $7, 'waits for its turn to be looked for'
     FROM unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::int[], $6::date[]) w
     ON CONFLICT DO NOTHING`,
    [
      wanted.map(({ connectionId }) => connectionId),
      wanted.map(({ marketplace }) => marketplace),
      wanted.map(({ period }) => period.frequency),
      wanted.map(({ period }) => period.year),
      wanted.map(({ period }) => period.number),
      wanted.map(({ period }) => periodDates(period).end),
      now,
    ],
  );
  return rowCount ?? 0;
}

interface ClaimOptions {
  readonly lane: DownloadLane;
  readonly maxDownloaded: number;
  readonly now: Date;
  readonly place: string | null;
}

async function claim(
  transaction: Queryable,
  { lane, maxDownloaded, now, place }: ClaimOptions,
): Promise<ClaimedDownloads | undefined> {
  const { rows } = await transaction.query<{
    id: string;
    connectionId: string;
    marketplace: string;
    operation: AmazonOperation | null;
    isUntried: boolean;
  }>(
    `SELECT d.id, d.connection_id AS "connectionId", d.marketplace, ${OPERATION} AS operation, ${IS_UNTRIED} AS "isUntried"
     FROM downloads d JOIN connections c ON c.id = d.connection_id
     LEFT JOIN connection_rates r ON r.connection_id = d.connection_id AND r.operation = ${OPERATION}
     WHERE d.state = ANY ($2) AND ${IS_FREE} AND c.disabled_at IS NULL AND (c.held_until IS NULL OR c.held_until <= $1)
       AND (r.operation IS NULL OR ${HAS_ROOM}) AND ${isHere('$4')}
       AND ($3::int IS NULL OR (SELECT count(*) FROM downloads WHERE state = 'downloaded') < $3)
     ORDER BY array_position($2, d.state), d.end_date DESC, d.id LIMIT 1 FOR UPDATE OF d SKIP LOCKED`,
    [now, DOWNLOAD_LANES[lane], lane === 'fetch' ? maxDownloaded : null, place],
  );
  const [next] = rows;
  if (!next) return undefined;
  const { connectionId, operation, isUntried } = next;
  // Another server may have taken the last turn in the meantime.
  if (operation && !(await takeTurn(transaction, { connectionId, operation, now }))) return undefined;
  const lease = randomUUID();
  const held = await transaction.query<DownloadRow>(
    `UPDATE downloads d SET lease = $2, leased_until = $1::timestamptz + ${LEASE_MS} * interval '1 millisecond',
       lost = CASE WHEN d.lease IS NULL THEN d.lost ELSE d.lost + 1 END,
       -- A server that dies now may have asked: what Amazon has is looked at before it is asked again.
       is_listed = false
     WHERE d.id = $3 OR ($4 AND d.id IN (SELECT d.id FROM downloads d WHERE d.connection_id = $5 AND d.marketplace = $6
       AND d.state = 'wanted' AND NOT d.is_listed AND ${IS_FREE} FOR UPDATE SKIP LOCKED))
     OR ($7 AND d.id IN (SELECT d.id FROM downloads d WHERE d.connection_id = $5 AND d.state = 'downloaded' AND ${IS_FREE}
       AND ${IS_UNTRIED} AND ${isHere('$8')} FOR UPDATE SKIP LOCKED))
     RETURNING ${DOWNLOAD_COLUMNS}`,
    [
      ...[now, lease, next.id, operation === 'getReports', connectionId, next.marketplace],
      ...[lane === 'import' && isUntried, place],
    ],
  );
  const found = await transaction.query<ConnectionRow & { secrets: Buffer; keyId: string }>(
    `SELECT ${CONNECTION_COLUMNS}, c.secrets, c.key_id AS "keyId" FROM connections c WHERE id = $1`,
    [connectionId],
  );
  const [row] = found.rows;
  if (!row) return undefined;
  const connection = connectionOf(row);
  const isListed = operation === 'createReport';
  return {
    lease,
    connection,
    sealed: { keyId: row.keyId, bytes: row.secrets },
    operation,
    downloads: held.rows.map((each) => ({ ...downloadOf(each, connection, now), isListed })),
  };
}

const DOWNLOAD_COLUMNS = `d.id, d.connection_id AS "connectionId", d.marketplace, d.frequency, d.year, d.number, d.state,
  d.wanted_since AS "wantedSince", d.report_id AS "reportId", d.document_id AS "documentId", d.polls, d.failures, d.spoiled,
  d.fatals, d.lost`;

function downloadOf({ frequency, year, number, ...row }: DownloadRow, connection: Connection, now: Date): Download {
  const period = { frequency, year, number };
  return { ...row, period, now, isRecent: isRecent(connection, period, now) };
}

async function takeTurn(
  connection: Queryable,
  {
    connectionId,
    operation,
    now,
  }: { readonly connectionId: string; readonly operation: AmazonOperation; readonly now: Date },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `UPDATE connection_rates r SET free_at = greatest(r.free_at, $1::timestamptz) + r.interval_ms * interval '1 millisecond'
     WHERE r.connection_id = $2 AND r.operation = $3 AND ${HAS_ROOM}`,
    [now, connectionId, operation],
  );
  return rowCount === 1;
}

async function settle(
  pool: Pool,
  lease: string,
  {
    settled,
    ...rest
  }: { readonly settled: readonly SettledDownload[]; readonly now: Date; readonly place: string | null },
): Promise<void> {
  await inTransaction(pool, async (transaction) => {
    for (const each of settled) await settleOne(transaction, lease, { ...each, ...rest });
  });
}

async function settleOne(
  transaction: Queryable,
  lease: string,
  { download, step, revision, now, place }: SettledDownload & { readonly now: Date; readonly place: string | null },
): Promise<void> {
  const { rowCount } = await transaction.query(
    `UPDATE downloads SET state = $3, is_listed = $4, report_id = $5, document_id = $6, polls = $7, failures = $8,
       spoiled = $9, fatals = $10, message = $11, due_at = $12::timestamptz + $13 * interval '1 millisecond',
       wanted_since = CASE WHEN $14 THEN $12 ELSE wanted_since END, lost = 0, lease = NULL, leased_until = NULL,
       reason = $16, place = CASE WHEN $3 = 'downloaded' THEN coalesce(place, $17::uuid) END, revision = coalesce($15, revision), imported_at = CASE WHEN $15::int IS NULL THEN imported_at ELSE $12 END
     WHERE id = $1 AND lease = $2`,
    [
      download.id,
      lease,
      step.state,
      step.isListed,
      step.reportId,
      step.documentId,
      step.polls,
      step.failures,
      step.spoiled,
      step.fatals,
      step.message.replaceAll('\0', '').slice(0, MAX_MESSAGE_CHARACTERS),
      now,
      step.delayMs ?? null,
      step.wantsNew,
      revision ?? null,
      step.reason,
      place,
    ],
  );
  if (rowCount !== 1 || step.holdMs === undefined) return;
  await transaction.query(
    `UPDATE connections SET held_until = $2::timestamptz + $3 * interval '1 millisecond', fault = $4, reason = $5
     WHERE id = $1`,
    [download.connectionId, now, step.holdMs, step.message.slice(0, MAX_MESSAGE_CHARACTERS), step.reason],
  );
}
