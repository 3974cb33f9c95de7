// A small pool of worker threads over the shared snapshots, so that the event loop stays free. The queue is bounded: past it
// a search is refused at once, because a client that waits for seconds is served worse than one that comes again.
import { Worker } from 'node:worker_threads';
import { StoreOverloadError } from '../domain/store.ts';
import type { LoadedSnapshot } from './load.ts';
import type { SearchTask, TaskResult, WorkerReply, WorkerRequest, WorkerSetup } from './search-task.ts';

export interface SearchPoolOptions {
  readonly workerCount: number;
  /** Searches that may wait for a thread. */
  readonly maxQueued: number;
  /** The compiled search-worker; by default the one beside this file. */
  readonly workerUrl?: URL;
}

interface QueuedTask {
  readonly taskId: number;
  readonly snapshotId: number;
  readonly task: SearchTask;
  readonly resolve: (result: TaskResult) => void;
  readonly reject: (reason: unknown) => void;
}

interface PoolThread {
  readonly worker: Worker;
  readonly cancelled: Int32Array;
  current: QueuedTask | undefined;
  /** Whether it ever answered; one that did not is not started again, or a broken installation would spin. */
  hasAnswered: boolean;
}

const RETRY_AFTER_SECONDS = 1;
const MAX_TASK_ID = 0x7fffffff;
/** The longest that a batch of an export waits for searches: under steady load an export still gets on. */
const GIVE_WAY_MS = 20;

export class SearchPool implements AsyncDisposable {
  readonly #options: SearchPoolOptions;
  readonly #snapshots = new Map<number, LoadedSnapshot>();
  readonly #threads: PoolThread[] = [];
  readonly #queue: QueuedTask[] = [];
  /** Exports that wait for a moment without searches. */
  readonly #givingWay = new Set<() => void>();
  #lastTaskId = 0;
  #isClosed = false;

  constructor(options: SearchPoolOptions) {
    this.#options = options;
    for (let i = 0; i < options.workerCount; i += 1) this.#startThread();
  }

  /** Searches that wait and searches that run. */
  get load(): { readonly queued: number; readonly running: number } {
    return { queued: this.#queue.length, running: this.#threads.filter(({ current }) => current).length };
  }

  attach(snapshotId: number, snapshot: LoadedSnapshot): void {
    this.#snapshots.set(snapshotId, snapshot);
    for (const thread of this.#threads) post(thread, { kind: 'attach', snapshotId, snapshot });
  }

  detach(snapshotId: number): void {
    this.#snapshots.delete(snapshotId);
    for (const thread of this.#threads) post(thread, { kind: 'detach', snapshotId });
  }

  run(
    task: SearchTask,
    { snapshotId, signal }: { readonly snapshotId: number; readonly signal?: AbortSignal | undefined },
  ): Promise<TaskResult> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#isClosed) return Promise.reject(new Error('the search pool is closed'));
    if (this.#threads.length === 0) return Promise.reject(new Error('no search thread could be started'));
    if (this.#queue.length >= this.#options.maxQueued)
      return Promise.reject(new StoreOverloadError(RETRY_AFTER_SECONDS));
    return new Promise((resolve, reject) => {
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
      signal?.addEventListener('abort', cancel, { once: true });
      this.#enqueue({ taskId, snapshotId, task, resolve: settled(resolve), reject: settled(reject) });
      this.#dispatch();
    });
  }

  /** Resolves when no search runs or waits, and soon in any case. */
  giveWay(): Promise<void> {
    if (!this.#hasSearches()) return Promise.resolve();
    return new Promise((resolve) => {
      const goOn = (): void => {
        clearTimeout(timer);
        this.#givingWay.delete(goOn);
        resolve();
      };
      const timer = setTimeout(goOn, GIVE_WAY_MS);
      this.#givingWay.add(goOn);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const closed = new Error('the search pool is closed');
    for (const queued of this.#queue.splice(0)) queued.reject(closed);
    const threads = this.#threads.splice(0);
    for (const { current } of threads) current?.reject(closed);
    await Promise.all(threads.map(({ worker }) => worker.terminate()));
  }

  /** Searches go before the batches of exports, which can wait; among themselves both keep their order. */
  #enqueue(queued: QueuedTask): void {
    const firstExport = isOfExport(queued) ? -1 : this.#queue.findIndex(isOfExport);
    this.#queue.splice(firstExport < 0 ? this.#queue.length : firstExport, 0, queued);
  }

  #hasSearches(): boolean {
    const running = this.#threads.flatMap(({ current }) => current ?? []);
    return [...running, ...this.#queue].some((task) => !isOfExport(task));
  }

  #dispatch(): void {
    for (const thread of this.#threads) {
      if (thread.current) continue;
      const next = this.#queue.shift();
      if (!next) return;
      thread.current = next;
      // Only a busy thread keeps the process alive.
      thread.worker.ref();
      post(thread, { kind: 'run', taskId: next.taskId, snapshotId: next.snapshotId, task: next.task });
    }
  }

  #cancel(taskId: number): void {
    const at = this.#queue.findIndex((queued) => queued.taskId === taskId);
    if (at >= 0) this.#queue.splice(at, 1);
    const thread = this.#threads.find(({ current }) => current?.taskId === taskId);
    if (thread) Atomics.store(thread.cancelled, 0, taskId);
  }

  #startThread(): void {
    const cancelled = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const workerData: WorkerSetup = { cancelled };
    const worker = new Worker(this.#options.workerUrl ?? defaultWorkerUrl(), { workerData });
    const thread: PoolThread = { worker, cancelled: new Int32Array(cancelled), current: undefined, hasAnswered: false };
    worker.unref();
    worker.on('message', (reply: WorkerReply) => this.#settle(thread, reply));
    worker.on('error', (error) => this.#replace(thread, error));
    for (const [snapshotId, snapshot] of this.#snapshots) post(thread, { kind: 'attach', snapshotId, snapshot });
    this.#threads.push(thread);
  }

  #settle(thread: PoolThread, reply: WorkerReply): void {
    const task = thread.current;
    if (task?.taskId !== reply.taskId) return;
    thread.current = undefined;
    thread.hasAnswered = true;
    thread.worker.unref();
    if (reply.kind === 'done') task.resolve(reply.result);
    else task.reject(reply.kind === 'failed' ? reply.error : new Error('the search was cancelled'));
    this.#dispatch();
    if (!this.#hasSearches()) for (const goOn of this.#givingWay) goOn();
  }

  /** A thread that died, for example out of memory, takes its search with it and nothing else. */
  #replace(thread: PoolThread, error: unknown): void {
    const at = this.#threads.indexOf(thread);
    if (at < 0) return;
    this.#threads.splice(at, 1);
    thread.current?.reject(error);
    if (thread.hasAnswered) this.#startThread();
    if (this.#threads.length === 0) for (const queued of this.#queue.splice(0)) queued.reject(error);
    this.#dispatch();
  }
}

function isOfExport({ task }: QueuedTask): boolean {
  return task.kind === 'documents' || task.kind === 'rows';
}

function post(thread: PoolThread, request: WorkerRequest): void {
  thread.worker.postMessage(request);
}

/** Compiled code has .js beside it; the suffix of this file tells which. */
function defaultWorkerUrl(): URL {
  const suffix = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
  return new URL(`./search-worker${suffix}`, import.meta.url);
}
