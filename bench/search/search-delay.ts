// Whether exports delay searches: the same searches at a steady pace through the service's store, without exports and while
// two are written as fast as they go.
import { availableParallelism, tmpdir } from 'node:os';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_EXPORT_ROWS, MAX_RUNNING_EXPORTS } from '../../src/domain/export-gate.ts';
import { STUDIO } from '../../src/domain/plan.ts';
import { planSearch, type SearchPlan } from '../../src/domain/search-plan.ts';
import type { RankView } from '../../src/domain/store.ts';
import { SnapshotStore } from '../../src/snapshot/snapshot-store.ts';

export interface SearchDelay {
  readonly searches: number;
  readonly exportedRows: number;
  readonly quietP99Ms: number;
  readonly busyP99Ms: number;
}

const PAUSE_MS = 10;

export async function measureSearchDelay({
  directory,
  word,
  searches,
}: {
  readonly directory: string;
  readonly word: string;
  readonly searches: number;
}): Promise<SearchDelay> {
  await using store = new SnapshotStore({ workerCount: availableParallelism(), maxQueued: 256 });
  const set = await store.publish(directory);
  using view = store.openView(set);
  if (!view) throw new Error('the snapshot was not published');
  const plan = planWord(view, { word, limit: 50 });
  await searchSteadily(view, { plan, searches: Math.ceil(searches / 10) });
  const quietP99Ms = await searchSteadily(view, { plan, searches });
  const stopping = new AbortController();
  let exportedRows = 0;
  const exporting = Array.from({ length: MAX_RUNNING_EXPORTS }, async () => {
    while (!stopping.signal.aborted) exportedRows += await exportWord(view, { word, signal: stopping.signal });
  });
  const busyP99Ms = await searchSteadily(view, { plan, searches });
  stopping.abort();
  await Promise.all(exporting);
  return { searches, exportedRows, quietP99Ms, busyP99Ms };
}

/** In milliseconds, from asking to the answer. */
async function searchSteadily(
  view: RankView,
  { plan, searches }: { readonly plan: SearchPlan; readonly searches: number },
): Promise<number> {
  const timesMs: number[] = [];
  for (let search = 0; search < searches; search += 1) {
    const startMs = performance.now();
    await view.presenter?.searchPage(plan, { frame: () => ({ before: '', after: '' }) });
    timesMs.push(performance.now() - startMs);
    await sleep(PAUSE_MS);
  }
  return timesMs.sort((a, b) => a - b)[Math.floor(timesMs.length * 0.99)] ?? 0;
}

/** Rows written; those of an export that was stopped midway do not count. */
async function exportWord(
  view: RankView,
  { word, signal }: { readonly word: string; readonly signal: AbortSignal },
): Promise<number> {
  const plan = planWord(view, { word, limit: MAX_EXPORT_ROWS });
  const totalCount = await view.count(plan);
  const rowCount = Math.min(totalCount, MAX_EXPORT_ROWS);
  const content = {
    description: { queries: [word], filters: [], planWindow: '', dataVersion: '', rowCount, exportedAtMs: 0 },
    frequency: view.set.frequency,
    periods: plan.window,
    format: 'raw',
    colorThresholdPercent: 5,
    includesInsights: false,
  } as const;
  if (!view.presenter) throw new Error('the engine has no thread for exports');
  const body = view.presenter.openExport(plan, {
    file: { content, fileFormat: 'xlsx', temporaryDirectory: tmpdir() },
    signal,
  });
  const sink = new Writable({ write: (_chunk, _encoding, done) => done() });
  return await pipeline(body, sink, { signal }).then(
    () => rowCount,
    (error: unknown) => {
      if (signal.aborted) return 0;
      throw error;
    },
  );
}

function planWord(view: RankView, { word, limit }: { readonly word: string; readonly limit: number }): SearchPlan {
  const { marketplace, frequency } = view.set;
  return planSearch(
    {
      ...{ marketplace, frequency, queries: [word], method: 'similar', excludeQueries: [] },
      ...{ orderBy: 'best_match', orderDirection: undefined, page: 1, limit },
    },
    { plan: STUDIO, published: view.periods },
  );
}
