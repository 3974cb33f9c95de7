// The oracle of questions about single terms: every result of the search is listed, and the term is looked for among them.
import { comparePeriods } from '../../src/domain/period.ts';
import type { SearchPlan } from '../../src/domain/search-plan.ts';
import type { SuggestionPlan } from '../../src/domain/suggestion.ts';
import type { LatestRankPlan } from '../../src/domain/trend.ts';
import { parseWords, stemWord } from '../../src/domain/words.ts';
import type { TestData } from '../support/rank-data.ts';
import { compareCodePoints, searchEverything } from './oracle.ts';
import { findRow } from './oracle-rows.ts';
import { planKeywords } from './search-fixture.ts';

export function expectedMatches(data: TestData, plan: SearchPlan, terms: readonly string[]): readonly boolean[] {
  const found = new Set(searchEverything(data, plan).map((row) => row.normalizedSearchTerm));
  return terms.map((term) => found.has(term));
}

export function expectedTermRanks(
  data: TestData,
  { window, terms }: LatestRankPlan,
): readonly (readonly (number | null)[])[] {
  return terms.map((term) => window.map((period) => findRow(data, { term, period })?.rank ?? null));
}

export function expectedSuggestions(data: TestData, plan: SuggestionPlan): readonly string[] {
  const terms = new Set(data.periods.flatMap(({ rows }) => rows.map(({ term }) => term)));
  const everything = { ...planKeywords(data, { queries: [...terms], method: 'exact' }), window: plan.window };
  const { text, words: given } = plan.text;
  const lastWord = given.at(-1);
  return searchEverything(data, everything)
    .filter(({ normalizedSearchTerm }) => {
      if (!lastWord) return normalizedSearchTerm === text;
      const words = parseWords(normalizedSearchTerm);
      const stems = words.map(stemWord);
      return (
        given.slice(0, -1).every(({ stem }) => stems.includes(stem)) &&
        words.some((word) => word.startsWith(lastWord.spelling))
      );
    })
    .toSorted(
      (a, b) =>
        comparePeriods(b.latestPeriod, a.latestPeriod) ||
        a.latestRank - b.latestRank ||
        compareCodePoints(a.normalizedSearchTerm, b.normalizedSearchTerm),
    )
    .slice(0, plan.limit)
    .map(({ searchTerm }) => searchTerm);
}
