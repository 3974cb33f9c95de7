// A small pool of worker threads over the shared snapshots, so that the event loop stays free. Owners of tasks take turns. How
// many may wait is bounded by the time that they would: past it a task is refused at once, because a client that waits for
// seconds is served worse than one that comes again. That is said to those whose tasks they are, and not to the others.

import { Worker } from 'node:worker_threads';
import type { Cancellation } from '../../domain/cancellation.ts';
import { FairQueue, type Owned } from '../../domain/fair-queue.ts';
import { StoreOverloadError } from '../../domain/store.ts';
import type {
  ServedSnapshot,
  WindowBuffers,
  WindowKey,
  WorkerReply,
  WorkerRequest,
  WorkerSetup,
} from './worker-loop.ts';

export interface ThreadPoolOptions {
  /** The compiled module that the threads run. */
  readonly workerUrl: URL;
  readonly workerCount: number;
  /** Tasks of one owner that may wait for a thread. */
  readonly maxQueued: number;
  /** The longest wait that a new task should expect. */
  readonly maxWaitMs: number;
  /** Called with the reason whenever a thread dies. */
  readonly onThreadDeath?: ((error: unknown) => void) | undefined;
}

interface RunOptions {
  readonly snapshotId: number;
  readonly owner?: string;
  readonly signal?: Cancellation | undefined;
  /** Work of the store itself, which waits as long as it takes. */
  readonly isPatient?: boolean;
}

interface Attached {
  readonly snapshot: ServedSnapshot;
  /** By kind and size. */
  readonly windows: Map<string, { readonly size: number; readonly window: WindowBuffers }>;
}

interface QueuedTask<Task, Result> extends Owned {
  readonly taskId: number;
  readonly snapshotId: number;
  readonly task: Task;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
}

interface PoolThread<Task, Result> {
  readonly worker: Worker;
  readonly cancelled: Int32Array;
  current: QueuedTask<Task, Result> | undefined;
  /** When it began with its current task. */
  startedMs: number;
}

const RETRY_AFTER_SECONDS = 1;
/** Weight of the newest task in the average duration. */
const NEWEST_WEIGHT = 0.05;
const MAX_TASK_ID = 0x7fffffff;
/** How long a thread may take to end by itself. */
const PATIENCE_MS = 2000;
/** Backoff before a thread is replaced that died without an answer of any since, so that a broken installation does not spin. */
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 5_000;

export class ThreadPool<Task, Result> implements AsyncDisposable {
  readonly #options: ThreadPoolOptions;
  /** For threads that start later. */
  readonly #snapshots = new Map<number, Attached>();
  readonly #threads: PoolThread<Task, Result>[] = [];
  readonly #queue = new FairQueue<QueuedTask<Task, Result>>();
  #averageMs = 0;
  #lastTaskId = 0;
  /** Since a thread last answered. */
  #deathsInARow = 0;
  readonly #refills = new Set<NodeJS.Timeout>();
  /** Called when a thread is done with its task. */
  #waiting: (() => void)[] = [];
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    for (let i = 0; i < options.workerCount; i += 1) this.#startThread();
  }

  /** Tasks that wait and tasks that run. */
  get load(): { readonly queued: number; readonly running: number } {
    return { queued: this.#queue.length, running: this.#threads.filter(({ current }) => current).length };
  }

  /** How long all that waits will take, by what tasks took lately. */
  get waitMs(): number {
    return (this.#queue.length * this.#averageMs) / Math.max(1, this.#threads.length);
  }

  /** Throws when a search of this owner would wait too long, so that it can be sent away before it costs anything. */
  checkRoom(owner = ''): void {
    this.#checkWait(owner, this.#options.maxWaitMs);
  }

  attach(snapshotId: number, snapshot: ServedSnapshot): void {
    this.#snapshots.set(snapshotId, { snapshot, windows: new Map() });
    for (const thread of this.#threads) post(thread, { kind: 'attach', snapshotId, snapshot });
  }

  /** Resolves when no thread is busy with the snapshot any more: a task that was given up ends a little later. */
  async detach(snapshotId: number): Promise<void> {
    this.#snapshots.delete(snapshotId);
    for (const thread of this.#threads) post(thread, { kind: 'detach', snapshotId });
    const isBusy = () => this.#threads.some(({ current }) => current?.snapshotId === snapshotId);
    while (isBusy()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** What was computed of the newest periods of an attached snapshot, as many as `size`. */
  attachWindow(snapshotId: number, size: number, window: WindowBuffers): void {
    this.#snapshots.get(snapshotId)?.windows.set(`${window.kind} ${size}`, { size, window });
    for (const thread of this.#threads) post(thread, { kind: 'attachWindow', snapshotId, size, window });
  }

  detachWindow(snapshotId: number, window: WindowKey): void {
    this.#snapshots.get(snapshotId)?.windows.delete(`${window.kind} ${window.size}`);
    for (const thread of this.#threads) post(thread, { kind: 'detachWindow', snapshotId, window });
  }

  run(task: Task, options: RunOptions): Promise<Result>;
  /** What the thread has left in memory that it will use again is copied in `receive`, before it gets its next task. */
  run<Received>(
    task: Task,
    options: RunOptions & { readonly receive: (result: Result) => Received },
  ): Promise<Received>;
  run(
    task: Task,
    {
      snapshotId,
      owner = '',
      signal,
      isPatient = false,
      receive = (result) => result,
    }: RunOptions & { readonly receive?: (result: Result) => unknown },
  ): Promise<unknown> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#isClosed) return Promise.reject(new Error('the pool of threads is closed'));
    return new Promise((resolve, reject) => {
      // Who was told that there is room, and was counted against a limit since, still finds it.
      if (!isPatient) this.#checkWait(owner, 2 * this.#options.maxWaitMs);
      this.#lastTaskId = this.#lastTaskId === MAX_TASK_ID ? 1 : this.#lastTaskId + 1;
      const taskId = this.#lastTaskId;
      const cancel = (): void => {
        this.#cancel(taskId);
        reject(signal?.reason);
      };
      const settled = <T>(settle: (value: T) => void): ((value: T) => void) => {
        return (value) => {
          signal?.removeEventListener('abort', cancel);
          settle(value);
        };
      };
      signal?.addEventListener('abort', cancel);
      const [settle, fail] = [settled(resolve), settled(reject)];
      const onResult = (result: Result): void => {
        try {
          settle(receive(result));
        } catch (error) {
          fail(error);
        }
      };
      this.#queue.push({ taskId, snapshotId, owner, task, resolve: onResult, reject: fail });
      this.#dispatch();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#refills) clearTimeout(timer);
    const closed = new Error('the pool of threads is closed');
    for (const queued of this.#queue.removeAll()) queued.reject(closed);
    const threads = this.#threads.splice(0);
    this.#wake();
    for (const { current } of threads) current?.reject(closed);
    await Promise.all(threads.map(endThread));
  }

  #checkWait(owner: string, limitMs: number): void {
    if (this.#threads.length === 0) throw new StoreOverloadError(RETRY_AFTER_SECONDS);
    const before = this.#queue.countBefore(owner);
    const waitMs = (before * this.#averageMs) / this.#threads.length;
    const isFull = this.#queue.countOf(owner) >= this.#options.maxQueued;
    if (isFull || (before >= this.#threads.length && waitMs > limitMs)) {
      throw new StoreOverloadError(RETRY_AFTER_SECONDS);
    }
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.current) continue;
      const next = this.#queue.shift();
      if (!next) return;
      thread.current = next;
      thread.startedMs = performance.now();
      // Only a busy thread keeps the process alive.
      thread.worker.ref();
      post(thread, { kind: 'run', taskId: next.taskId, snapshotId: next.snapshotId, task: next.task });
    }
  }

  #cancel(taskId: number): void {
    this.#queue.remove((queued) => queued.taskId === taskId);
    const thread = this.#threads.find(({ current }) => current?.taskId === taskId);
    if (thread) Atomics.store(thread.cancelled, 0, taskId);
  }

  #startThread(): void {
    const cancelled = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const workerData: WorkerSetup = { cancelled };
    const worker = new Worker(this.#options.workerUrl, { workerData });
    const thread: PoolThread<Task, Result> = {
      worker,
      cancelled: new Int32Array(cancelled),
      current: undefined,
      startedMs: 0,
    };
    worker.unref();
    worker.on('message', (reply: WorkerReply<Result>) => this.#settle(thread, reply));
    worker.on('error', (error) => this.#replace(thread, error));
    worker.on('exit', (code) => this.#replace(thread, new Error(`a worker thread ended with code ${code}`)));
    for (const [snapshotId, { snapshot, windows }] of this.#snapshots) {
      post(thread, { kind: 'attach', snapshotId, snapshot });
      for (const window of windows.values()) post(thread, { kind: 'attachWindow', snapshotId, ...window });
    }
    this.#threads.push(thread);
  }

  #settle(thread: PoolThread<Task, Result>, reply: WorkerReply<Result>): void {
    const task = thread.current;
    if (task?.taskId !== reply.taskId) return;
    thread.current = undefined;
    this.#wake();
    this.#averageMs += (performance.now() - thread.startedMs - this.#averageMs) * NEWEST_WEIGHT;
    this.#deathsInARow = 0;
    thread.worker.unref();
    if (reply.kind === 'done') task.resolve(reply.result);
    else task.reject(reply.kind === 'failed' ? reply.error : new Error('the task was cancelled'));
    this.#dispatch();
  }

  /** A thread that died, for example out of memory, takes its task with it and nothing else. */
  #replace(thread: PoolThread<Task, Result>, error: unknown): void {
    const at = this.#threads.indexOf(thread);
    if (at < 0) return;
    this.#threads.splice(at, 1);
    this.#wake();
    thread.current?.reject(error);
    this.#refill(error);
    // Nobody waits for a thread that may not come: whoever asked is told to come again.
    if (this.#threads.length === 0)
      for (const queued of this.#queue.removeAll()) queued.reject(new StoreOverloadError(RETRY_AFTER_SECONDS));
    this.#dispatch();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Starts a thread in place of a dead one: at once if any answered since the last death, otherwise with backoff. */
  #refill(error: unknown): void {
    this.#options.onThreadDeath?.(error);
    const start = (): void => {
      try {
        this.#startThread();
        this.#dispatch();
      } catch (cause) {
        this.#refill(cause);
      }
    };
    const deaths = this.#deathsInARow;
    this.#deathsInARow += 1;
    if (deaths === 0) {
      start();
      return;
    }
    const backoffMs = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** deaths) * (0.5 + Math.random() / 2);
    const timer = setTimeout(() => {
      this.#refills.delete(timer);
      start();
    }, backoffMs).unref();
    this.#refills.add(timer);
  }
}

/** Lets a thread end by itself: one torn down in the middle of DuckDB's work can take the process with it. */
async function endThread<Task, Result>(thread: PoolThread<Task, Result>): Promise<void> {
  const { worker, cancelled, current } = thread;
  if (current) Atomics.store(cancelled, 0, current.taskId);
  // A thread that is waited for keeps the process alive, whether it is busy or not.
  worker.ref();
  post(thread, { kind: 'stop' });
  const impatience = setTimeout(() => void worker.terminate(), PATIENCE_MS);
  await new Promise((resolve) => worker.once('exit', resolve));
  clearTimeout(impatience);
}

function post<Task, Result>(thread: PoolThread<Task, Result>, request: WorkerRequest<Task>): void {
  thread.worker.postMessage(request);
}
