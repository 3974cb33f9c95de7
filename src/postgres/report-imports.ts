// Imports that operators send over HTTP. All instants are the database's own.
import { randomUUID } from 'node:crypto';
import type { ImportOutcome, ImportRows, OpenUploads, StoredPart } from '../domain/import-rows.ts';
import {
  type ImportChoices,
  MAX_KEPT_IMPORTS,
  type NewImport,
  type ReportImport,
  STATES_WITH_FILE,
  WORKED_STATES,
} from '../domain/report-import.ts';
import { recordAct } from './audit-log.ts';
import { inTransaction, type Pool, type Queryable } from './pool.ts';

/** Longer than a request may take: whoever sends a part loses it only by dying. */
const PART_LEASE_MS = 60_000;
const WORK_LEASE_MS = 60_000;
/** Whoever counts uploads must not be overtaken by another who adds one. */
const ADD_LOCK = 0x6b657975;

const COLUMNS = `id, file_name AS "fileName", size_bytes AS "sizeBytes", uploaded_bytes AS "uploadedBytes", sha256, fingerprint,
  marketplace, frequency, period, source, max_rejects AS "maxRejects", replaces_smaller AS "replacesSmaller",
  publishes_when_clean AS "publishesWhenClean", state, place, host, (SELECT email FROM users u WHERE u.id = created_by) AS "createdBy", created_at AS "createdAt",
  updated_at AS "updatedAt", progress, report, fault`;

const CHOICE_COLUMNS: Readonly<Record<keyof ImportChoices, string>> = {
  marketplace: 'marketplace',
  frequency: 'frequency',
  period: 'period',
  source: 'source',
  maxRejects: 'max_rejects',
  replacesSmaller: 'replaces_smaller',
  publishesWhenClean: 'publishes_when_clean',
};

const WORKING = Object.values(WORKED_STATES);
/** A CASE that names the state that follows, or that comes before. */
const taken = caseOf(Object.entries(WORKED_STATES));
const givenBack = caseOf(Object.entries(WORKED_STATES).map(([queued, working]) => [working, queued]));

export function openImportRows(pool: Pool): ImportRows {
  return {
    add: (given, { userId, place, check }) =>
      inTransaction(pool, async (transaction) => {
        await transaction.query('SELECT pg_advisory_xact_lock($1)', [ADD_LOCK]);
        check(await countOpen(transaction, place.id));
        return await insert(transaction, given, [place.id, place.host, userId]);
      }),
    list: async ({ limit, offset }) => {
      const total = await pool.query<{ count: number }>('SELECT count(*) AS count FROM imports');
      const page = await pool.query<ReportImport>(
        `SELECT ${COLUMNS} FROM imports ORDER BY position DESC LIMIT $1 OFFSET $2`,
        [limit, offset],
      );
      return { items: page.rows, totalCount: total.rows[0]?.count ?? 0 };
    },
    find: async (id) => (await pool.query<ReportImport>(`SELECT ${COLUMNS} FROM imports WHERE id = $1`, [id])).rows[0],
    ...partsOf(pool),
    move: (id, { from, to, choices = {} }, audit) =>
      inTransaction(pool, async (transaction) => {
        const given = Object.entries(choices).filter(([, value]) => value !== undefined);
        const sets = given.map(([name], i) => `, ${CHOICE_COLUMNS[name as keyof ImportChoices]} = $${i + 4}`).join('');
        const { rows } = await transaction.query<ReportImport>(
          `UPDATE imports SET state = $3, lease = NULL, leased_until = NULL, lost = 0, progress = NULL, fault = NULL,
             updated_at = now()${sets}
           WHERE id = $1 AND state = ANY ($2) RETURNING ${COLUMNS}`,
          [id, from, to, ...given.map(([, value]) => value)],
        );
        const [moved] = rows;
        if (moved && audit) {
          const { by: tenant, action } = audit;
          await recordAct(transaction, { tenant, action, details: { import: id, file: moved.fileName } });
        }
        return moved;
      }),
    ...workOf(pool),
    ...endingsOf(pool),
  };
}

function partsOf(pool: Pool): Pick<ImportRows, 'claimPart' | 'keepPart' | 'giveUpPart' | 'listParts'> {
  return {
    claimPart: async (id, offset) => {
      const lease = randomUUID();
      const { rowCount } = await pool.query(
        `UPDATE imports SET lease = $3, leased_until = now() + ${PART_LEASE_MS} * interval '1 millisecond'
         WHERE id = $1 AND state = 'uploading' AND uploaded_bytes = $2 AND (lease IS NULL OR leased_until < now())`,
        [id, offset, lease],
      );
      return rowCount === 1 ? lease : undefined;
    },
    keepPart: async (lease, { sizeBytes, sha256, object }) => {
      const { rows } = await pool.query<ReportImport>(
        `WITH kept AS (
           UPDATE imports SET uploaded_bytes = uploaded_bytes + $2, lease = NULL, leased_until = NULL, updated_at = now(),
             state = CASE WHEN uploaded_bytes + $2 = size_bytes THEN 'uploaded' ELSE state END
           WHERE lease = $1 AND state = 'uploading' RETURNING ${COLUMNS}),
         part AS (
           INSERT INTO import_parts (import_id, first_byte, size_bytes, sha256, object)
           SELECT id, "uploadedBytes" - $2, $2, $3, $4 FROM kept WHERE $4::text IS NOT NULL)
         SELECT * FROM kept`,
        [lease, sizeBytes, Buffer.from(sha256).toString('hex'), object],
      );
      return rows[0];
    },
    listParts: async (id) => {
      const { rows } = await pool.query<StoredPart>(
        `SELECT first_byte AS "firstByte", size_bytes AS "sizeBytes", sha256, object FROM import_parts
         WHERE import_id = $1 ORDER BY first_byte`,
        [id],
      );
      return rows;
    },
    giveUpPart: async (lease) => {
      await pool.query('UPDATE imports SET lease = NULL, leased_until = NULL WHERE lease = $1', [lease]);
    },
  };
}

function endingsOf(pool: Pool): Pick<ImportRows, 'listKept' | 'listWithRejects' | 'forgetRejects' | 'expire'> {
  return {
    listKept: async (place) => {
      const { rows } = await pool.query<{ id: string }>(
        'SELECT id FROM imports WHERE place = $1 AND state = ANY ($2)',
        [place, STATES_WITH_FILE],
      );
      return new Set(rows.map(({ id }) => id));
    },
    listWithRejects: async (place) => {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT id FROM imports WHERE place = $1 AND report @> '{"has_rejects_file": true}'`,
        [place],
      );
      return new Set(rows.map(({ id }) => id));
    },
    forgetRejects: async (place, ageMs) => {
      const { rows } = await pool.query<{ importId: string }>(
        `UPDATE imports SET report = jsonb_set(report, '{has_rejects_file}', 'false')
         WHERE place = $1 AND report @> '{"has_rejects_file": true}' AND updated_at < now() - $2 * interval '1 millisecond'
         RETURNING report ->> 'import_id' AS "importId"`,
        [place, ageMs],
      );
      return rows.map(({ importId }) => importId);
    },
    expire: async (idleMs) => {
      // What was being worked on too: its server may be gone for good, or its data directory.
      const isIdle = `updated_at < now() - $1 * interval '1 millisecond' AND (lease IS NULL OR leased_until < now())`;
      await pool.query(
        `UPDATE imports SET state = 'cancelled', fault = $2, progress = NULL, lease = NULL, leased_until = NULL, updated_at = now()
         WHERE state = ANY ($3) AND ${isIdle}`,
        [
          idleMs,
          { message: 'The file was removed because nobody went on with it.', hint: 'Send it again.', line: null },
          STATES_WITH_FILE,
        ],
      );
      await pool.query(
        `UPDATE imports SET state = 'done', fault = $2, progress = NULL, lease = NULL, leased_until = NULL
         WHERE state IN ('undo_requested', 'undoing') AND ${isIdle}`,
        [idleMs, { message: 'No server undid it.', hint: 'Use keyrank periods restore-revision.', line: null }],
      );
      await pool.query('DELETE FROM import_parts USING imports i WHERE i.id = import_id AND NOT i.state = ANY ($1)', [
        STATES_WITH_FILE,
      ]);
      await pool.query(
        `DELETE FROM imports WHERE NOT state = ANY ($2)
           AND position < (SELECT min(position) FROM (SELECT position FROM imports ORDER BY position DESC LIMIT $1) newest)`,
        [MAX_KEPT_IMPORTS, [...STATES_WITH_FILE, 'undo_requested', 'undoing']],
      );
    },
  };
}

function workOf(pool: Pool): Pick<ImportRows, 'claimWork' | 'tell' | 'settle' | 'giveBack'> {
  const until = `now() + ${WORK_LEASE_MS} * interval '1 millisecond'`;
  return {
    claimWork: async (place) => {
      const lease = randomUUID();
      const { rows } = await pool.query<ReportImport & { lost: number }>(
        `UPDATE imports SET lease = $2, leased_until = ${until}, lost = CASE WHEN state = ANY ($3) THEN lost + 1 ELSE lost END,
           state = CASE WHEN state = ANY ($3) THEN state ELSE ${taken} END, progress = NULL, updated_at = now()
         WHERE id = (
           SELECT id FROM imports WHERE place = $1 AND state = ANY ($4) AND (lease IS NULL OR leased_until < now())
           ORDER BY position LIMIT 1 FOR UPDATE SKIP LOCKED
         ) RETURNING ${COLUMNS}, lost`,
        [place, lease, WORKING, [...Object.keys(WORKED_STATES), ...WORKING]],
      );
      const [row] = rows;
      if (!row) return undefined;
      const { lost, ...found } = row;
      return { lease, found, lost };
    },
    tell: async (lease, progress) => {
      const { rowCount } = await pool.query(
        `UPDATE imports SET progress = coalesce($2, progress), leased_until = ${until} WHERE lease = $1`,
        [lease, progress],
      );
      return rowCount === 1;
    },
    settle: (lease, outcome) => settle(pool, lease, outcome),
    giveBack: async (lease) => {
      await pool.query(`UPDATE imports SET state = ${givenBack}, lease = NULL, leased_until = NULL WHERE lease = $1`, [
        lease,
      ]);
    },
  };
}

async function settle(pool: Pool, lease: string, { state, report, fault }: ImportOutcome): Promise<boolean> {
  const { rowCount } = await pool.query(
    `UPDATE imports SET state = $2, report = coalesce($3, report), fault = $4, progress = NULL, lost = 0, lease = NULL,
       leased_until = NULL, updated_at = now() WHERE lease = $1`,
    [lease, state, storable(report), storable(fault)],
  );
  return rowCount === 1;
}

/** PostgreSQL's JSON takes everything but NUL and halves of surrogate pairs. */
function storable(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value).replace(/\\u(0000|d[89a-f][0-9a-f]{2})/g, '\\ufffd');
}

async function countOpen(transaction: Queryable, place: string): Promise<OpenUploads> {
  const { rows } = await transaction.query<{ count: number; bytes: string | null; missing: string | null }>(
    `SELECT count(*) AS count, sum(size_bytes) AS bytes, sum(size_bytes - uploaded_bytes) FILTER (WHERE place = $2) AS missing
     FROM imports WHERE state = ANY ($1)`,
    [STATES_WITH_FILE, place],
  );
  const [open] = rows;
  return {
    count: open?.count ?? 0,
    bytes: Number(open?.bytes ?? 0),
    missingBytesHere: Number(open?.missing ?? 0),
  };
}

async function insert(transaction: Queryable, given: NewImport, by: readonly string[]): Promise<ReportImport> {
  const { rows } = await transaction.query<ReportImport>(
    `INSERT INTO imports (file_name, size_bytes, sha256, fingerprint, marketplace, frequency, period, source, max_rejects,
       replaces_smaller, publishes_when_clean, place, host, created_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING ${COLUMNS}`,
    [
      given.fileName,
      given.sizeBytes,
      given.sha256,
      given.fingerprint,
      given.marketplace,
      given.frequency,
      given.period,
      given.source,
      given.maxRejects,
      given.replacesSmaller,
      given.publishesWhenClean,
      ...by,
    ],
  );
  const [row] = rows;
  if (!row) throw new Error('INSERT … RETURNING gave no row');
  return row;
}

function caseOf(pairs: readonly (readonly [string, string])[]): string {
  return `CASE state ${pairs.map(([from, to]) => `WHEN '${from}' THEN '${to}'`).join(' ')} ELSE state END`;
}
