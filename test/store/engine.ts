// The snapshot engine for tests: builds from written files, loads, and searches in this thread.
import { join } from 'node:path';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import { buildSnapshot } from '../../src/snapshot/build.ts';
import { loadSnapshot } from '../../src/snapshot/load.ts';
import { presentPage } from '../../src/snapshot/present-page.ts';
import { search } from '../../src/snapshot/search.ts';
import { type SnapshotView, viewSnapshot } from '../../src/snapshot/snapshot-view.ts';
import { type TestData, writeRankData } from '../support/rank-data.ts';

/** `steps` are the numbers of periods after each publish; the last build always holds all of them. */
export async function openEngine(
  directory: string,
  data: TestData,
  { steps = [] }: { readonly steps?: readonly number[] } = {},
): Promise<SnapshotView> {
  const { periods, dictionaries } = await writeRankData(join(directory, 'source'), data);
  const set = { marketplace: 'US', frequency: data.frequency, source: 'search' } as const;
  let previous: string | undefined;
  for (const [i, count] of [...steps, periods.length].entries()) {
    const outputDirectory = join(directory, `snapshot-${i}`);
    await buildSnapshot({
      ...set,
      periods: periods.slice(0, count),
      dictionaries: {
        terms: dictionaries.terms.slice(0, count),
        products: dictionaries.products.slice(0, count),
        brands: dictionaries.brands.slice(0, count),
        categories: dictionaries.categories.slice(0, count),
      },
      outputDirectory,
      ...(previous === undefined ? {} : { previous }),
    });
    previous = outputDirectory;
  }
  const { manifest, buffers } = await loadSnapshot({ directory: previous ?? directory });
  return viewSnapshot(manifest, buffers);
}

export function enginePage(
  view: SnapshotView,
  plan: SearchPlan,
): { readonly totalCount: number; readonly dataJson: string } {
  const outcome = search(view, plan, { throwIfCancelled: () => {} });
  return { totalCount: outcome.totalCount, dataJson: Buffer.from(presentPage(view, outcome)).toString('utf8') };
}
