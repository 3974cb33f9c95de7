// What stands in for misspelled words is chosen among the words that nodes name: it must be what the whole vocabulary would give, and no text
// may take more than a few questions.
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { openBuild } from '../../src/clickhouse/fill/build.ts';
import { normalizeTerm } from '../../src/domain/term.ts';
import { openClickHouseEngine, openStoreOver } from '../store/clickhouse-engine.ts';
import { viewOf } from '../store/engines.ts';
import { openOracle } from '../store/oracle-store.ts';
import { planKeywords, rankedData } from '../store/search-fixture.ts';
import { buildSet } from '../store/snapshot-engine.ts';
import { NO_CLICKHOUSE, openTestClickHouse } from '../support/clickhouse.ts';
import { SEED } from '../support/seed.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const SET = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
const WORD_COUNT = 400;

/** Few letters, so that many words are near each other; some that are no letters, of more than one byte, and of two code units. */
const letters = fc.constantFrom(...'aabbccde', 'é', 'ß', '日', '𝒜', '²', 'ि', '½', '3');
const words = fc.string({ unit: letters, minLength: 1, maxLength: 11 });

describe.skipIf(NO_CLICKHOUSE)('misspelled words on ClickHouse', () => {
  it('mean what they mean to the oracle, whatever they are made of', async () => {
    // Each term once, as in a report.
    const drawn = fc.sample(words, { seed: SEED, numRuns: 4 * WORD_COUNT });
    const all = [...new Map(drawn.map((word) => [normalizeTerm(word), word])).values()];
    const [known, asked] = [all.slice(0, WORD_COUNT), all.slice(WORD_COUNT, 2 * WORD_COUNT)];
    // Half of the words stand in the hidden month alone for a window of one.
    const data = rankedData(known.slice(0, WORD_COUNT / 2), known.slice(WORD_COUNT / 2));
    await using engine = await openClickHouseEngine({ search: data });
    await using oracle = await openOracle({ search: data });
    using view = viewOf(engine.store, data);
    using expected = viewOf(oracle.store, data);
    let found = 0;
    for (const [i, word] of asked.entries()) {
      const query = { queries: i % 5 === 0 ? [`${word} ${asked[i - 1] ?? ''}`] : [word], limit: 1000 };
      const plan = planKeywords(data, query);
      const answer = await view.search(plan);
      expect(answer, JSON.stringify(query)).toEqual(await expected.search(plan));
      found += answer.totalCount > 0 ? 1 : 0;
    }
    expect(found).toBeGreaterThan(WORD_COUNT / 10);
  }, 600_000);

  it('are sought in vain no longer than a term may have all of them', async () => {
    await using directory = await openTemporaryDirectory();
    await using test = await openTestClickHouse();
    const { clickHouse } = test;
    const dataDirectory = directory.path;
    const data = rankedData(['running shoes for women', 'wireless charger']);
    const build = openBuild({ clickHouse, dataDirectory, threads: 1 });
    const store = openStoreOver(clickHouse, dataDirectory);
    (await store.prepare(await buildSet(join(dataDirectory, 'set'), SET, data, {}, build))).publish();
    using view = store.openView(SET) ?? expect.fail('nothing is published');
    const question = vi.spyOn(clickHouse, 'rows');
    const misspelled = ['runing', 'shose', 'womne', 'wirelesss', 'chargre'];
    const long = Array.from(
      { length: 3_000 },
      (_, i) => (misspelled[i] ?? `${misspelled[i % 5]}${'abc'[i % 3]}`) + 'x'.repeat(i / 5),
    );
    expect(await view.search(planKeywords(data, { queries: [long.join(' ')] }))).toEqual({ totalCount: 0, rows: [] });
    expect(question.mock.calls.length).toBeLessThan(30);
    const few = planKeywords(data, { queries: ['runing shose'] });
    expect((await view.search(few)).rows.map(({ searchTerm }) => searchTerm)).toEqual(['running shoes for women']);
  }, 120_000);
});
