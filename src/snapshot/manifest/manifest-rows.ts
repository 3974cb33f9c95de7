// The manifest in PostgreSQL: read in one statement, so that it is of one moment, and changed in one transaction.

import type { IsoDate, Period } from '../../domain/period.ts';
import { type KeptRevision, type RankSet, rankSetKey } from '../../domain/store.ts';
import type { StoredFile } from '../../domain/stored-file.ts';
import { recordAction } from '../../postgres/audit-log.ts';
import type { Listener } from '../../postgres/listener.ts';
import type { Queryable } from '../../postgres/pool.ts';
import { recordPublications } from '../../postgres/publications.ts';
import type {
  DictionaryDelta,
  DictionaryKind,
  Manifest,
  Publication,
  PublishedSnapshot,
  StoredPeriod,
} from './manifest.ts';

/** Servers listen here for news; the payload is the new version of the manifest. */
export const MANIFEST_CHANNEL = 'keyrank_manifest';
/** A lost notification is noticed by then. */
const LOOK_EVERY_MS = 10_000;

interface FileRow {
  readonly path: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly object?: string | null;
}

interface PeriodRow extends FileRow, RankSet, Period {
  readonly revision: number;
  readonly start_date: IsoDate;
  readonly end_date: IsoDate;
  readonly keywords: number;
  readonly data_points: number;
  readonly published_at: string;
  readonly source_file: string;
  readonly warnings: readonly string[];
  readonly digest: string;
}

interface KeptRow extends PeriodRow {
  readonly ended_at: string;
  readonly reason: KeptRevision['reason'];
}

interface DeltaRow extends FileRow {
  readonly marketplace: string;
  readonly kind: DictionaryKind;
  readonly sequence: number;
  readonly next_id: number;
}

interface ManifestRow {
  readonly id: string;
  readonly version: number;
  readonly storage: string | null;
  readonly computed_at: Date | null;
  readonly total_data_points: number;
  readonly periods: readonly PeriodRow[];
  readonly dictionaries: readonly DeltaRow[];
  readonly snapshots: readonly (FileRow & RankSet)[];
  readonly kept: readonly KeptRow[];
}

export async function loadManifest(database: Queryable): Promise<Manifest> {
  const { rows } = await database.query<ManifestRow>(`SELECT id, version, storage, computed_at, total_data_points,
      (SELECT coalesce(json_agg(p ORDER BY marketplace, source, frequency, year, number), '[]') FROM rank_periods p) AS periods,
      (SELECT coalesce(json_agg(d ORDER BY marketplace, kind, sequence), '[]') FROM dictionary_deltas d) AS dictionaries,
      (SELECT coalesce(json_agg(s ORDER BY marketplace, source, frequency, path), '[]') FROM snapshot_files s) AS snapshots,
      (SELECT coalesce(json_agg(k ORDER BY marketplace, source, frequency, year, number, revision), '[]')
        FROM kept_revisions k) AS kept
    FROM rank_statistics`);
  const [row] = rows;
  if (!row) throw new Error('rank_statistics has no row');
  return {
    id: row.id,
    version: row.version,
    storage: row.storage,
    computedAt: row.computed_at,
    totalDataPoints: row.total_data_points,
    periods: row.periods.map(periodOf),
    dictionaries: row.dictionaries.map(deltaOf),
    snapshots: snapshotsOf(row.snapshots),
    keptRevisions: row.kept.map(({ ended_at, reason, ...period }) => ({
      published: periodOf(period),
      endedAt: new Date(ended_at),
      reason,
    })),
  };
}

/** The version alone, which costs next to nothing. */
export async function loadManifestVersion(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ version: number }>('SELECT version FROM rank_statistics');
  return rows[0]?.version ?? 0;
}

/**
 * Follows all publications from now on: calls `onVersion` with the newest version at once, when one is announced, when the
 * listener is back after it was lost, and every now and then.
 */
export async function followVersions({
  loadVersion,
  listener,
  onVersion,
}: {
  readonly loadVersion: () => Promise<number>;
  readonly listener: Pick<Listener, 'subscribe'>;
  readonly onVersion: (version: number) => void;
}): Promise<Disposable> {
  const look = async (): Promise<void> => onVersion(await loadVersion());
  // While the database cannot be asked, the next look may.
  const timer = setInterval(() => look().catch(() => {}), LOOK_EVERY_MS).unref();
  await listener.subscribe({ channel: MANIFEST_CHANNEL, onNotification: look, onRestored: look });
  await look();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Makes a publication visible, all of it or nothing. The connection must hold the import lock: if it was lost, so is the
 * right to publish, and the statements fail.
 */
export async function publish(connection: Queryable, publication: Publication): Promise<number> {
  await connection.query('BEGIN');
  try {
    for (const { period, dictionaries } of publication.prepared) {
      await keepReplaced(connection, period, publication.publishedAt);
      // What becomes visible together carries one time, that of the statistics.
      await savePeriod(connection, { ...period, publishedAt: publication.publishedAt });
      for (const delta of dictionaries) await saveDelta(connection, delta);
    }
    for (const period of publication.withdrawn ?? []) {
      await withdrawPeriod(connection, period, publication.publishedAt);
    }
    for (const snapshot of publication.snapshots) await saveSnapshot(connection, snapshot);
    if (publication.action) await recordAction(connection, publication.action);
    const { rows } = await connection.query<{ version: number }>(
      `UPDATE rank_statistics SET version = version + 1, computed_at = $1,
         total_data_points = (SELECT coalesce(sum(data_points), 0) FROM rank_periods)
       RETURNING version`,
      [publication.publishedAt],
    );
    const version = rows[0]?.version ?? 0;
    await recordPublications(connection, {
      periods: publication.prepared.map(({ period }) => period),
      manifestVersion: version,
      publishedAt: publication.publishedAt,
    });
    await announceManifest(connection, version);
    await connection.query('COMMIT');
    return version;
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

const PERIOD_COLUMNS = `marketplace, source, frequency, year, number, revision, start_date, end_date, keywords, data_points,
  published_at, source_file, warnings, digest, path, size_bytes, sha256`;
const SAME_PERIOD = 'marketplace = $1 AND source = $2 AND frequency = $3 AND year = $4 AND number = $5';

function placeOf({ marketplace, source, period }: StoredPeriod): readonly unknown[] {
  return [marketplace, source, period.frequency, period.year, period.number];
}

/**
 * A revision that is replaced by other content is kept. One of the same content was damaged, or there would be nothing to
 * publish; and one that comes back is kept no more.
 */
async function keepReplaced(connection: Queryable, next: StoredPeriod, at: Date): Promise<void> {
  await connection.query(
    `INSERT INTO kept_revisions (${PERIOD_COLUMNS}, ended_at, reason)
     SELECT ${PERIOD_COLUMNS}, $6::timestamptz, 'replaced' FROM rank_periods WHERE ${SAME_PERIOD} AND digest <> $7`,
    [...placeOf(next), at, next.digest],
  );
  await connection.query('DELETE FROM kept_revisions WHERE path = $1', [next.segment.path]);
}

async function withdrawPeriod(connection: Queryable, period: StoredPeriod, at: Date): Promise<void> {
  await connection.query(
    `INSERT INTO kept_revisions (${PERIOD_COLUMNS}, ended_at, reason)
     SELECT ${PERIOD_COLUMNS}, $6::timestamptz, 'withdrawn' FROM rank_periods WHERE ${SAME_PERIOD}`,
    [...placeOf(period), at],
  );
  await connection.query(`DELETE FROM rank_periods WHERE ${SAME_PERIOD}`, [...placeOf(period)]);
  // A set without periods has nothing to search in.
  await connection.query(
    `DELETE FROM snapshot_files WHERE marketplace = $1 AND source = $2 AND frequency = $3
       AND NOT EXISTS (SELECT FROM rank_periods WHERE marketplace = $1 AND source = $2 AND frequency = $3)`,
    [...placeOf(period).slice(0, 3)],
  );
}

/** Says where the files lie from now on. The caller holds the import lock. */
export async function saveStorage(connection: Queryable, location: string | null): Promise<void> {
  await connection.query('UPDATE rank_statistics SET storage = $1', [location]);
}

/** Forgets what ended before an instant; its segments are then left over. The caller holds the import lock. */
export async function forgetRevisions(connection: Queryable, { before }: { readonly before: Date }): Promise<void> {
  await connection.query('DELETE FROM kept_revisions WHERE ended_at < $1', [before]);
}

async function savePeriod(connection: Queryable, published: StoredPeriod): Promise<void> {
  const { period, segment } = published;
  await connection.query(
    `INSERT INTO rank_periods (${PERIOD_COLUMNS})
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     ON CONFLICT (marketplace, source, frequency, year, number) DO UPDATE SET revision = excluded.revision,
       start_date = excluded.start_date, end_date = excluded.end_date, keywords = excluded.keywords,
       data_points = excluded.data_points, published_at = excluded.published_at, source_file = excluded.source_file,
       warnings = excluded.warnings, digest = excluded.digest, path = excluded.path,
       size_bytes = excluded.size_bytes, sha256 = excluded.sha256`,
    [
      published.marketplace,
      published.source,
      period.frequency,
      period.year,
      period.number,
      published.revision,
      published.startDate,
      published.endDate,
      published.keywords,
      published.dataPoints,
      published.publishedAt,
      published.sourceFile,
      published.warnings,
      published.digest,
      segment.path,
      segment.sizeBytes,
      segment.sha256,
    ],
  );
}

async function saveDelta(connection: Queryable, { marketplace, kind, sequence, nextId, file }: DictionaryDelta) {
  await connection.query(
    `INSERT INTO dictionary_deltas (marketplace, kind, sequence, next_id, path, size_bytes, sha256)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [marketplace, kind, sequence, nextId, file.path, file.sizeBytes, file.sha256],
  );
}

async function saveSnapshot(connection: Queryable, { marketplace, source, frequency, files }: PublishedSnapshot) {
  await connection.query('DELETE FROM snapshot_files WHERE marketplace = $1 AND source = $2 AND frequency = $3', [
    marketplace,
    source,
    frequency,
  ]);
  await connection.query(
    `INSERT INTO snapshot_files (marketplace, source, frequency, path, size_bytes, sha256, object)
     SELECT $1, $2, $3, file.* FROM unnest($4::text[], $5::bigint[], $6::text[], $7::text[]) AS file`,
    [
      marketplace,
      source,
      frequency,
      files.map(({ path }) => path),
      files.map(({ sizeBytes }) => sizeBytes),
      files.map(({ sha256 }) => sha256),
      files.map(({ object }) => object ?? null),
    ],
  );
}

function periodOf(row: PeriodRow): StoredPeriod {
  return {
    marketplace: row.marketplace,
    source: row.source,
    period: { frequency: row.frequency, year: row.year, number: row.number },
    revision: row.revision,
    startDate: row.start_date,
    endDate: row.end_date,
    keywords: row.keywords,
    dataPoints: row.data_points,
    publishedAt: new Date(row.published_at),
    sourceFile: row.source_file,
    warnings: row.warnings,
    digest: row.digest,
    segment: fileOf(row),
  };
}

function deltaOf(row: DeltaRow): DictionaryDelta {
  const { marketplace, kind, sequence, next_id: nextId } = row;
  return { marketplace, kind, sequence, nextId, file: fileOf(row) };
}

function snapshotsOf(rows: ManifestRow['snapshots']): readonly PublishedSnapshot[] {
  const snapshots = new Map<string, RankSet & { readonly files: StoredFile[] }>();
  for (const row of rows) {
    const { marketplace, source, frequency } = row;
    const snapshot = snapshots.get(rankSetKey(row)) ?? { marketplace, source, frequency, files: [] };
    snapshot.files.push(fileOf(row));
    snapshots.set(rankSetKey(row), snapshot);
  }
  return [...snapshots.values()];
}

function fileOf(row: FileRow): StoredFile {
  const { path, size_bytes: sizeBytes, sha256, object } = row;
  return { path, sizeBytes, sha256, ...(object && { object }) };
}

/** Tells every server of a new version; heard when the transaction commits. */
export async function announceManifest(connection: Queryable, version: number): Promise<void> {
  await connection.query('SELECT pg_notify($1, $2)', [MANIFEST_CHANNEL, String(version)]);
}
