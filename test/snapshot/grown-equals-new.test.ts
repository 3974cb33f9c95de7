// A build that continues from the generation before writes the same bytes as one that starts from nothing, whatever the periods hold. Only
// titles may be coded otherwise, since their words get numbers as they come; they must read the same.
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readCodedText } from '../../src/snapshot/format/coded-text.ts';
import { readParts } from '../../src/snapshot/format/column-file.ts';
import { loadSnapshot } from '../../src/snapshot/format/load.ts';
import { viewSnapshot } from '../../src/snapshot/format/snapshot-view.ts';
import { rankedData } from '../store/search-fixture.ts';
import { buildSet } from '../store/snapshot-engine.ts';
import type { TestRow } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const SET = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
const RUNS = 12;

let scratch: Awaited<ReturnType<typeof openTemporaryDirectory>>;

beforeAll(async () => {
  scratch = await openTemporaryDirectory();
});
afterAll(() => scratch[Symbol.asyncDispose]());

const word = fc.constantFrom('red', 'Shoe', 'shoes', 'café', 'x', '2024', 'boys');
const term = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const share = fc.option(fc.integer({ min: 0, max: 100 }));
const product = fc
  .record({
    number: fc.nat(9),
    title: fc.constantFrom('Old title', 'New title', ''),
    clickShare: share,
    conversionShare: share,
  })
  .map(({ number, ...rest }) => ({ asin: `B00000000${number}`, ...rest }));
const three = <T>(value: fc.Arbitrary<T>) => fc.array(fc.option(value), { maxLength: 3 });
const row = fc.record({
  term,
  rank: fc.integer({ min: 1, max: 12 }),
  products: three(product),
  brands: three(fc.constantFrom('Nike', 'NIKE', 'Ärger')),
  categories: three(fc.constantFrom('Toys', 'Garden')),
});
const period = fc
  .uniqueArray(row, { maxLength: 14, selector: (each: TestRow) => each.term.toLowerCase() })
  .map((rows) => rows.sort((a, b) => a.rank - b.rank));

async function readAll(directory: string) {
  const { manifest, buffers } = await loadSnapshot({ directory });
  const columns = new Map<string, string>();
  for (const [name, parts] of Object.entries(manifest.columns)) {
    if (name.startsWith('title')) continue;
    columns.set(name, Buffer.from(await readParts({ directory, parts })).toString('hex'));
  }
  const { titles } = viewSnapshot(manifest, buffers);
  const { columns: _files, ...described } = manifest;
  return { described, columns, titles: Array.from(titles.codes.ends, (_, i) => readCodedText(titles, i)) };
}

it('is the same whether it was published period by period or at once', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(period, { minLength: 2, maxLength: 6 }), fc.nat(), async (periods, steps) => {
      const data = rankedData(...periods);
      // A build after some of the periods; each bit is one of them.
      const published = data.periods.map((_, i) => i + 1).filter((count) => (steps >> count) % 2 === 1);
      run += 1;
      const directory = (name: string): string => join(scratch.path, `${name}-${run}`);
      const grown = await buildSet(directory('grown'), SET, data, {
        steps: published.filter((count) => count < periods.length),
      });
      const fresh = await buildSet(directory('fresh'), SET, data);
      expect(await readAll(grown)).toEqual(await readAll(fresh));
    }),
    { numRuns: RUNS },
  );
}, 120_000);
