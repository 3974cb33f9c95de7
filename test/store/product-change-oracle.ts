// The oracle of what products gained and lost: the whole list of their keywords in two periods, looked through.
import type { HeldKeyword, HeldKeywordPlan } from '../../src/domain/holder.ts';
import type { ChangedKeyword, ProductChangePlan, ProductChanges } from '../../src/domain/tracked-product.ts';
import type { TestData } from '../support/rank-data.ts';
import { expectedHeldKeywords, expectedHolder } from './holder-oracle.ts';

export function expectedProductChanges(data: TestData, plan: ProductChangePlan): readonly ProductChanges[] {
  const { window, period, previous, limit } = plan;
  return plan.asins.map((asin) => {
    const holder = { kind: 'product', asin } as const;
    const everything: HeldKeywordPlan = {
      ...{ window, holder, period, previous, queries: [], status: 'all', offset: 0, limit: Number.POSITIVE_INFINITY },
      order: { field: 'search_rank', direction: 'asc' },
    };
    const keywords = expectedHeldKeywords(data, everything)?.rows ?? [];
    const changed = previous ? keywords.flatMap(changeOf) : [];
    const countOf = (change: string) => changed.filter((each) => each.change === change).length;
    return {
      title: (period && expectedHolder(data, { window, holder })?.title) ?? '',
      keywords: keywords.filter(({ standing }) => standing).length,
      previousKeywords: previous ? keywords.filter((each) => each.previous).length : null,
      counts: { entered: countOf('entered'), left: countOf('left'), place: countOf('place') },
      rows: changed.slice(0, limit),
    };
  });
}

function changeOf({ searchTerm, rank, standing, previous }: HeldKeyword): readonly ChangedKeyword[] {
  const row = { searchTerm, rank, place: standing?.place ?? null, previousPlace: previous?.place ?? null };
  if (!previous) return [{ change: 'entered', ...row }];
  if (!standing) return [{ change: 'left', ...row }];
  return standing.place === previous.place ? [] : [{ change: 'place', ...row }];
}
