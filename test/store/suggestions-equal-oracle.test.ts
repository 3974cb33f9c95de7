import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePeriods } from '../../src/domain/period.ts';
import type { Plan } from '../../src/domain/plan.ts';
import { planSuggestions, type SuggestionPlan } from '../../src/domain/suggestion.ts';
import { parseWords, stemWord } from '../../src/domain/words.ts';
import { listSuggestions } from '../../src/snapshot/query/suggestions.ts';
import type { TestData } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { openEngine } from './engine.ts';
import { compareCodePoints, searchEverything } from './oracle.ts';
import { dataSets } from './random-search.ts';
import { planKeywords, rankedData } from './search-fixture.ts';

const NEVER = { throwIfCancelled: () => {} };

/** The contract over plain objects. */
function suggestSlowly(data: TestData, plan: SuggestionPlan): readonly string[] {
  const terms = new Set(data.periods.flatMap(({ rows }) => rows.map(({ term }) => term)));
  const everything = { ...planKeywords(data, { queries: [...terms], method: 'exact' }), window: plan.window };
  return searchEverything(data, everything)
    .filter(({ normalizedSearchTerm }) => {
      const words = parseWords(normalizedSearchTerm);
      const { lastWord } = plan;
      if (lastWord === undefined) return normalizedSearchTerm === plan.text;
      const stems = words.map(stemWord);
      return (
        plan.finishedWords.every((word) => stems.includes(stemWord(word))) &&
        words.some((word) => word.startsWith(lastWord))
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

const texts = fc.oneof(
  fc.constantFrom('s', 'sh', 'shoes', 'r', 'run', 'c', 'ca', 'cre', '1', '10f', '2 p', '日', '🎄', '𝔘', 'ff', 'x', '½'),
  fc
    .array(fc.constantFrom('shoe', 'running', 'iphone', 'case', 'mini', "kids'", 'usb', '2', 'nothing'), {
      minLength: 1,
      maxLength: 2,
    })
    .chain((words) => fc.constantFrom('', 's', 'c', 'ru', 'k', 'p').map((last) => [...words, last].join(' '))),
);

describe('suggestions', () => {
  it('agree with the oracle over random data', async () => {
    await using directory = await openTemporaryDirectory();
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}; repeat with SEED=${seed}`);
    const counts = { builds: 0, found: 0 };
    const questions = fc.array(
      fc.record({
        text: texts,
        plan: fc.constantFrom<Plan>('pro', 'studio'),
        limit: fc.integer({ min: 1, max: 10 }),
      }),
      { minLength: 60, maxLength: 60, size: 'max' },
    );
    const property = fc.asyncProperty(dataSets, questions, async ({ data, steps }, asked) => {
      counts.builds += 1;
      const view = await openEngine(join(directory.path, String(counts.builds)), data, { steps });
      const published = data.periods.map(({ period }) => period);
      for (const { text, plan, limit } of asked) {
        const planned = planSuggestions({ text, frequency: data.frequency, limit }, { plan, published });
        const expected = suggestSlowly(data, planned);
        expect(listSuggestions(view, planned, NEVER), text).toEqual(expected);
        counts.found += expected.length > 0 ? 1 : 0;
      }
    });
    await fc.assert(property, { seed, numRuns: 15 });
    expect(counts.found).toBeGreaterThan(200);
  }, 180_000);

  it('find the few best of very many words, and finished words among many that match the last one', async () => {
    await using directory = await openTemporaryDirectory();
    const words = Array.from({ length: 300 }, (_, i) => `s${i.toString(36)}x`);
    const data = rankedData(words.flatMap((word) => [`${word} lamp`, `blue ${word}`]));
    const view = await openEngine(directory.path, data);
    const published = data.periods.map(({ period }) => period);
    for (const text of ['s', 's1', 'blue s', 'lamps s', 'blue lamp s', 'sx zz', 'zz']) {
      const plan = planSuggestions({ text, frequency: 'monthly', limit: 10 }, { plan: 'pro', published });
      expect(listSuggestions(view, plan, NEVER), text).toEqual(suggestSlowly(data, plan));
    }
  });
});
