// Whether the database takes writes. A full disk or a read-only database answers every question and refuses every search, because a
// search is written down. Nobody asks while searches are admitted; once one was refused for such a reason, a small write tells
// whether that is still so.
import { NotReadyError } from '../domain/error.ts';
import { errorCode } from '../domain/error-code.ts';
import type { Admission } from '../domain/rate-limit.ts';
import { inUndoneTransaction, type Pool } from './pool.ts';

/** Lacking resources, trouble with the disk, a read-only transaction, damage. */
const REFUSED_WRITE = /^(53|58|25006|XX)/;
/** UUIDs in a probe: 72 KB, which never fit into what is left of a page. */
const PROBE_UUIDS = 2_000;

export class WriteHealth {
  readonly #pool: Pool;
  #isSuspect = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Learns from what becomes of an attempt to admit a search. */
  async watch(admission: Promise<Admission | undefined>): Promise<Admission | undefined> {
    try {
      const decided = await admission;
      // A refusal may be one that was remembered, without a write.
      if (decided?.admitted) this.#isSuspect = false;
      return decided;
    } catch (error) {
      if (isRefusedWrite(error)) this.#isSuspect = true;
      throw error;
    }
  }

  /** Throws while the database refuses writes. */
  async check(): Promise<void> {
    if (!this.#isSuspect) return;
    try {
      await inUndoneTransaction(this.#pool, (transaction) =>
        transaction.query(
          "INSERT INTO write_probe SELECT string_agg(gen_random_uuid()::text, '') FROM generate_series(1, $1::int)",
          [PROBE_UUIDS],
        ),
      );
      this.#isSuspect = false;
    } catch (cause) {
      if (!isRefusedWrite(cause)) throw cause;
      throw new NotReadyError('The database takes no writes: its disk is full, or it is read-only.', { cause });
    }
  }
}

function isRefusedWrite(error: unknown): boolean {
  return REFUSED_WRITE.test(errorCode(error) ?? '');
}
