// The snapshot engine without threads, for tests of its own files and builds.
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import { loadSnapshot } from '../../src/snapshot/format/load.ts';
import {
  type SnapshotView,
  summarizeWindow,
  viewSnapshot,
  viewSummary,
} from '../../src/snapshot/format/snapshot-view.ts';
import { presentPage } from '../../src/snapshot/query/present-page.ts';
import { search } from '../../src/snapshot/query/search.ts';
import { buildSet } from '../store/snapshot-engine.ts';
import type { TestData } from '../support/rank-data.ts';

export async function openEngine(
  directory: string,
  data: TestData,
  publishing: { readonly steps?: readonly number[] } = {},
): Promise<SnapshotView> {
  const set = { marketplace: 'US', frequency: data.frequency, source: 'search' } as const;
  const built = await buildSet(directory, set, data, publishing);
  const { manifest, buffers } = await loadSnapshot({ directory: built });
  return viewSnapshot(manifest, buffers);
}

export function enginePage(
  view: SnapshotView,
  plan: SearchPlan,
): { readonly totalCount: number; readonly dataJson: string } {
  attachWindow(view, plan.window.length);
  const outcome = search(view, plan, { throwIfCancelled: () => {} });
  return { totalCount: outcome.totalCount, dataJson: Buffer.from(presentPage(view, outcome)).toString('utf8') };
}

/** What the store does for its threads. */
export function attachWindow(view: SnapshotView, size: number): void {
  if (size > 0 && !view.summaries.has(size)) view.summaries.set(size, viewSummary(summarizeWindow(view, { size })));
}
