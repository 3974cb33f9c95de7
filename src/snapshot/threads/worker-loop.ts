// What the threads of every pool do alike: snapshots are attached and detached, tasks come one at a time, and a task that was
// given up ends at its next look. A thread holds no data of its own, only views on shared memory.
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { LoadedSnapshot } from '../format/load.ts';
import { forgetReadWords } from '../format/period-rows.ts';
import type { RowFiles } from '../format/row-files.ts';
import { type SeasonBuffers, viewSeasons } from '../format/season-columns.ts';
import { type SnapshotView, viewSnapshot, viewSummary } from '../format/snapshot-view.ts';
import type { SummaryBuffers } from '../format/summaries.ts';

/** A snapshot in memory and its files that are read at single places. */
export interface ServedSnapshot extends LoadedSnapshot {
  readonly rowFiles: RowFiles;
}

/** What is computed of a window, the newest periods of a snapshot. */
export type WindowBuffers =
  | { readonly kind: 'summaries'; readonly buffers: SummaryBuffers }
  | { readonly kind: 'seasons'; readonly buffers: SeasonBuffers };

export interface WindowKey {
  readonly kind: WindowBuffers['kind'];
  /** How many periods. */
  readonly size: number;
}

export type WorkerRequest<Task> =
  | { readonly kind: 'attach'; readonly snapshotId: number; readonly snapshot: ServedSnapshot }
  | { readonly kind: 'detach'; readonly snapshotId: number }
  | {
      readonly kind: 'attachWindow';
      readonly snapshotId: number;
      readonly size: number;
      readonly window: WindowBuffers;
    }
  | { readonly kind: 'detachWindow'; readonly snapshotId: number; readonly window: WindowKey }
  | { readonly kind: 'run'; readonly taskId: number; readonly snapshotId: number; readonly task: Task }
  | { readonly kind: 'stop' };

export type WorkerReply<Result> =
  | { readonly kind: 'done'; readonly taskId: number; readonly result: Result }
  | { readonly kind: 'cancelled'; readonly taskId: number }
  | { readonly kind: 'failed'; readonly taskId: number; readonly error: unknown };

export interface WorkerSetup {
  /** One Int32: the id of the task that is to be given up. Written by the main thread while the worker is busy. */
  readonly cancelled: SharedArrayBuffer;
}

export interface TaskContext {
  /** The snapshot that the task is about. */
  readonly view: SnapshotView;
  readonly findView: (snapshotId: number) => SnapshotView | undefined;
  readonly throwIfCancelled: () => void;
}

export interface TaskServer<Task, Result> {
  /** How far the thread stands back from the event loop; on Linux a priority is that of one thread. */
  readonly niceness: number;
  readonly run: (task: Task, context: TaskContext) => Result | Promise<Result>;
  /** Bytes of a result that are handed over instead of copied. */
  readonly handOver?: (result: Result) => Uint8Array | undefined;
}

class Cancelled extends Error {}

const LOWEST_PRIORITY = 19;

export function serveTasks<Task, Result>({ niceness, run, handOver }: TaskServer<Task, Result>): void {
  if (process.platform === 'linux') setPriority(Math.min(LOWEST_PRIORITY, getPriority() + niceness));
  const views = new Map<number, SnapshotView>();
  const findView = (snapshotId: number): SnapshotView | undefined => views.get(snapshotId);
  const cancelled = new Int32Array((workerData as WorkerSetup).cancelled);
  const reply = (message: WorkerReply<Result>, bytes?: Uint8Array): void =>
    parentPort?.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : []);

  async function answer({ taskId, snapshotId, task }: Extract<WorkerRequest<Task>, { kind: 'run' }>): Promise<void> {
    const throwIfCancelled = (): void => {
      if (Atomics.load(cancelled, 0) === taskId) throw new Cancelled();
    };
    try {
      const view = findView(snapshotId);
      if (!view) throw new Error(`snapshot ${snapshotId} is not attached`);
      throwIfCancelled();
      const result = await run(task, { view, findView, throwIfCancelled });
      reply({ kind: 'done', taskId, result }, handOver?.(result));
    } catch (error) {
      reply(error instanceof Cancelled ? { kind: 'cancelled', taskId } : { kind: 'failed', taskId, error });
    }
  }

  parentPort?.on('message', (request: WorkerRequest<Task>) => {
    if (request.kind === 'attach') {
      const { manifest, buffers, rowFiles } = request.snapshot;
      views.set(request.snapshotId, viewSnapshot(manifest, buffers, rowFiles));
      forgetReadWords();
    } else if (request.kind === 'detach') views.delete(request.snapshotId);
    else if (request.kind === 'attachWindow') attachWindow(findView(request.snapshotId), request);
    else if (request.kind === 'detachWindow') {
      findView(request.snapshotId)?.[request.window.kind].delete(request.window.size);
    }
    // With its port closed the thread ends as soon as nothing is under way.
    else if (request.kind === 'stop') parentPort?.close();
    else void answer(request);
  });
}

function attachWindow(
  view: SnapshotView | undefined,
  { size, window: { kind, buffers } }: { readonly size: number; readonly window: WindowBuffers },
): void {
  if (kind === 'seasons') view?.seasons.set(size, viewSeasons(buffers));
  else view?.summaries.set(size, viewSummary(buffers));
}
