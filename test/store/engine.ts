// The snapshot engine for tests: builds from written files, loads, and searches in this thread.
import { join } from 'node:path';
import { periodKey } from '../../src/domain/period.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import { loadSnapshot } from '../../src/snapshot/format/load.ts';
import { type SnapshotView, viewSnapshot } from '../../src/snapshot/format/snapshot-view.ts';
import { presentPage } from '../../src/snapshot/query/present-page.ts';
import { search } from '../../src/snapshot/query/search.ts';
import { type TestData, type TestPeriod, writeRankData } from '../support/rank-data.ts';

interface Publishing {
  /** The numbers of periods after each publish; the last build always holds all of them. */
  readonly steps?: readonly number[];
  /** Revisions that were published before all others and are replaced by periods of the data. */
  readonly superseded?: readonly TestPeriod[];
}

export async function openEngine(
  directory: string,
  data: TestData,
  { steps = [], superseded = [] }: Publishing = {},
): Promise<SnapshotView> {
  const imported = { ...data, periods: [...superseded, ...data.periods] };
  const { periods, dictionaries } = await writeRankData(join(directory, 'source'), imported);
  const set = { marketplace: 'US', frequency: data.frequency, source: 'search' } as const;
  let previous: string | undefined;
  for (const [i, stepCount] of [...steps, data.periods.length].entries()) {
    const outputDirectory = join(directory, `snapshot-${i}`);
    const count = superseded.length + stepCount;
    const revisions = periods.slice(0, count).map((each) => [periodKey(each.period), each] as const);
    await buildSnapshot({
      ...set,
      periods: [...new Map(revisions).values()],
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
