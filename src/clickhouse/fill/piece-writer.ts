// Pieces are written by several threads, because making rows of texts takes longer than storing them. Each takes its share of every piece.
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { ReadOptions } from '../../domain/store.ts';
import { type ClickHouse, ClusterUnavailableError } from '../connection.ts';
import type { FillReply, FillSetup } from './fill-worker.ts';
import { insertPart } from './insert-part.ts';
import type { Piece, Written } from './piece.ts';
import { RowDigest } from './row-digest.ts';
import { SegmentSource } from './segment-source.ts';

/** Of all threads together. */
const MEMORY_BYTES = 4_000_000_000;
const MAX_THREADS = 8;
/** A smaller file is written sooner than threads have started. */
const SMALL_BYTES = 1_000_000;

export interface PieceWriter extends AsyncDisposable {
  /** Puts its rows on the nodes. */
  write(piece: Piece, options: ReadOptions): Promise<Written>;
}

export interface PieceWriterOptions {
  readonly clickHouse: ClickHouse;
  readonly temporaryDirectory: string;
  readonly threads: number;
  /** Of the compiled program. */
  readonly workerFolder?: URL | undefined;
}

export async function openPieceWriter(options: PieceWriterOptions): Promise<PieceWriter> {
  const { clickHouse, temporaryDirectory } = options;
  const memoryBytes = MEMORY_BYTES / 2;
  const source = await SegmentSource.open({ temporaryDirectory, memoryBytes });
  let threads: readonly FillThread[] | undefined;
  return {
    write: async (piece, given) => {
      if (options.threads === 1 || (await stat(piece.path)).size < SMALL_BYTES) {
        return await insertPart({ clickHouse, source }, { piece, part: { index: 0, count: 1 } }, given);
      }
      threads ??= startThreads(options);
      const whole = new RowDigest();
      for (const part of await Promise.all(threads.map((thread) => thread.write(piece, given)))) whole.addAll(part);
      return whole.written;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all((threads ?? []).map((thread) => thread[Symbol.asyncDispose]()));
      await source[Symbol.asyncDispose]();
    },
  };
}

function startThreads({
  clickHouse: { settings },
  temporaryDirectory,
  threads,
  workerFolder,
}: PieceWriterOptions): readonly FillThread[] {
  const count = Math.min(threads, MAX_THREADS);
  const url = new URL('fill-worker.js', workerFolder ?? new URL('./', import.meta.url));
  const memoryBytes = Math.floor(MEMORY_BYTES / count);
  return Array.from(
    { length: count },
    (_, index) => new FillThread(url, { settings, temporaryDirectory, memoryBytes, part: { index, count } }),
  );
}

class FillThread implements AsyncDisposable {
  readonly #worker: Worker;
  #death: unknown;

  constructor(url: URL, setup: FillSetup) {
    this.#worker = new Worker(url, { workerData: setup });
    this.#worker.on('error', (error) => {
      this.#death = error;
    });
  }

  async write(piece: Piece, { signal }: ReadOptions): Promise<Written> {
    if (signal?.aborted) throw signal.reason;
    if (this.#death !== undefined) throw this.#death;
    const leaving = new AbortController();
    const leave = (): void => leaving.abort();
    signal?.addEventListener('abort', leave);
    try {
      this.#worker.postMessage(piece);
      const [reply] = (await once(this.#worker, 'message', { signal: leaving.signal })) as [FillReply];
      if (!('message' in reply)) return reply;
      throw reply.isUnavailable ? new ClusterUnavailableError(reply.message) : new Error(reply.message);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
