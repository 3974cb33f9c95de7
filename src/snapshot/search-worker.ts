// The worker thread: searches the snapshots that were attached, one task at a time. It holds no data of its own, only views
// on shared memory.
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { findWindow } from './plan-window.ts';
import { presentPage } from './present-page.ts';
import { search } from './search.ts';
import { readRow } from './search-rows.ts';
import type { SearchTask, TaskResult, WorkerReply, WorkerRequest, WorkerSetup } from './search-task.ts';
import { type SnapshotView, viewSnapshot } from './snapshot-view.ts';
import { listSuggestions } from './suggestions.ts';
import { listMatches, listTermRanks } from './tracked-terms.ts';
import { listChanges, listLatestRanks, listNewTerms, listSocialRanks } from './trends.ts';

class Cancelled extends Error {}

/** Searches give way to the event loop, which only hands them out. On Linux a priority is that of one thread. */
const NICENESS = 5;
const LOWEST_PRIORITY = 19;
if (process.platform === 'linux') setPriority(Math.min(LOWEST_PRIORITY, getPriority() + NICENESS));

const views = new Map<number, SnapshotView>();
const cancelled = new Int32Array((workerData as WorkerSetup).cancelled);

parentPort?.on('message', (request: WorkerRequest) => {
  if (request.kind === 'attach') {
    views.set(request.snapshotId, viewSnapshot(request.snapshot.manifest, request.snapshot.buffers));
  } else if (request.kind === 'detach') views.delete(request.snapshotId);
  else answer(request);
});

function answer({ taskId, snapshotId, task }: Extract<WorkerRequest, { kind: 'run' }>): void {
  const throwIfCancelled = (): void => {
    if (Atomics.load(cancelled, 0) === taskId) throw new Cancelled();
  };
  try {
    const view = views.get(snapshotId);
    if (!view) throw new Error(`snapshot ${snapshotId} is not attached`);
    const result = runTask(view, task, throwIfCancelled);
    const transferred = result.kind === 'page' ? [result.page.dataJson.buffer as ArrayBuffer] : [];
    reply({ kind: 'done', taskId, result }, transferred);
  } catch (error) {
    reply(error instanceof Cancelled ? { kind: 'cancelled', taskId } : { kind: 'failed', taskId, error });
  }
}

function runTask(view: SnapshotView, task: SearchTask, throwIfCancelled: () => void): TaskResult {
  throwIfCancelled();
  switch (task.kind) {
    case 'page': {
      const outcome = search(view, task.plan, { throwIfCancelled });
      return { kind: 'page', page: { totalCount: outcome.totalCount, dataJson: presentPage(view, outcome) } };
    }
    case 'documents':
      return { kind: 'documents', documents: search(view, task.plan, { throwIfCancelled }).documents };
    case 'rows': {
      const window = findWindow(view, task.plan);
      const rows = window ? task.documents.map((document) => readRow(view, { document, window })) : [];
      return { kind: 'rows', rows };
    }
    case 'changes':
      return { kind: 'changes', page: listChanges(view, task.plan, { throwIfCancelled }) };
    case 'social-ranks': {
      const retail = task.retailSnapshotId === undefined ? undefined : views.get(task.retailSnapshotId);
      return { kind: 'social-ranks', page: listSocialRanks(view, task.plan, { retail, throwIfCancelled }) };
    }
    case 'new-terms':
      return { kind: 'new-terms', page: listNewTerms(view, task.plan, { throwIfCancelled }) };
    case 'latest-ranks':
      return { kind: 'latest-ranks', ranks: listLatestRanks(view, task.plan) };
    case 'term-ranks':
      return { kind: 'term-ranks', ranks: listTermRanks(view, task.plan) };
    case 'matches':
      return { kind: 'matches', matches: listMatches(view, task, { throwIfCancelled }) };
    case 'suggestions':
      return { kind: 'suggestions', terms: listSuggestions(view, task.plan, { throwIfCancelled }) };
  }
}

function reply(message: WorkerReply, transferred: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}
