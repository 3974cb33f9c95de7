import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PRO } from '../../src/domain/plan.ts';
import { planSuggestions } from '../../src/domain/suggestion.ts';
import { SEED } from '../support/seed.ts';
import { OTHER_ENGINES, viewOf } from './engines.ts';
import { randomPlan } from './random-plan.ts';
import { dataSets } from './random-search.ts';
import { rankedData } from './search-fixture.ts';
import { expectedSuggestions } from './term-oracle.ts';

const texts = fc.oneof(
  fc.constantFrom('s', 'sh', 'shoes', 'r', 'run', 'c', 'ca', 'cre', '1', '10f', '2 p', '日', '🎄', '𝔘', 'ff', 'x', '½'),
  fc
    .array(fc.constantFrom('shoe', 'running', 'iphone', 'case', 'mini', "kids'", 'usb', '2', 'nothing'), {
      minLength: 1,
      maxLength: 2,
    })
    .chain((words) => fc.constantFrom('', 's', 'c', 'ru', 'k', 'p').map((last) => [...words, last].join(' '))),
);

describe.each(OTHER_ENGINES)('suggestions of $name', ({ openStore, share }) => {
  it('agree with the oracle over random data', async () => {
    await using opened = await openStore({});
    const counts = { found: 0 };
    const questions = fc.array(
      fc.record({
        text: texts,
        plan: randomPlan(),
        limit: fc.integer({ min: 1, max: 10 }),
      }),
      { minLength: 60, maxLength: 60, size: 'max' },
    );
    const property = fc.asyncProperty(dataSets, questions, async ({ data, steps }, asked) => {
      await opened.replace({ search: data, steps });
      using view = viewOf(opened.store, data);
      const published = data.periods.map(({ period }) => period);
      for (const { text, plan, limit } of asked) {
        const planned = planSuggestions({ text, frequency: data.frequency, limit }, { plan, published });
        const expected = expectedSuggestions(data, planned);
        expect(await view.listSuggestions(planned), text).toEqual(expected);
        counts.found += expected.length > 0 ? 1 : 0;
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(15 * share) });
    expect(counts.found).toBeGreaterThan(200 * share);
  }, 900_000);

  it('find the few best of very many words, and finished words among many that match the last one', async () => {
    const words = Array.from({ length: 300 }, (_, i) => `s${i.toString(36)}x`);
    const data = rankedData(words.flatMap((word) => [`${word} lamp`, `blue ${word}`]));
    await using opened = await openStore({ search: data });
    using view = viewOf(opened.store, data);
    const published = data.periods.map(({ period }) => period);
    for (const text of ['s', 's1', 'blue s', 'lamps s', 'blue lamp s', 'sx zz', 'zz']) {
      const plan = planSuggestions({ text, frequency: 'monthly', limit: 10 }, { plan: PRO, published });
      expect(await view.listSuggestions(plan), text).toEqual(expectedSuggestions(data, plan));
    }
  });
});
