// The oracle of questions about single terms: every result of the search is listed, and the term is looked for among them.
import { isSamePeriod } from '../../src/domain/period.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import type { LatestRankPlan } from '../../src/domain/trend.ts';
import type { TestData } from '../support/rank-data.ts';
import { searchEverything } from './oracle.ts';

export function expectedMatches(data: TestData, plan: SearchPlan, terms: readonly string[]): readonly boolean[] {
  const found = new Set(searchEverything(data, plan).map((row) => row.normalizedSearchTerm));
  return terms.map((term) => found.has(term));
}

export function expectedTermRanks(
  data: TestData,
  { window, terms }: LatestRankPlan,
): readonly (readonly (number | null)[])[] {
  return terms.map((term) =>
    window.map((visible) => {
      const rows = data.periods.find(({ period }) => isSamePeriod(period, visible))?.rows ?? [];
      return rows.find((row) => normalizeTerm(row.term) === term)?.rank ?? null;
    }),
  );
}
