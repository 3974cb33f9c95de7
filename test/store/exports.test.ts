// Exports of every engine: streamed rows are those of the search, and files are byte-equal whoever writes them.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILE_FORMATS, VALUE_FORMATS } from '../../src/domain/keyword-export.ts';
import { planSearch } from '../../src/domain/search-plan.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import { FILE_FORMS } from '../../src/export/export-file.ts';
import { keywordTable } from '../../src/export/keyword-table.ts';
import { bytesOf, inBatches, keywordExport } from '../support/keyword-export.ts';
import { SEED } from '../support/seed.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { ENGINES, viewOf } from './engines.ts';
import { searchEverything } from './oracle.ts';
import { dataSets, searchesOver } from './random-search.ts';
import { planKeywords, rankedData } from './search-fixture.ts';
import { unlessRefused } from './unless-refused.ts';

const DATA_SETS = 4;
const EXPORTS_PER_DATA_SET = 12;

describe.each(ENGINES)('$name', ({ openStore, share }) => {
  it('streams the rows of random searches, from which files are made that are byte-equal to its own', async () => {
    await using opened = await openStore({});
    await using directory = await openTemporaryDirectory();
    const counts = { rows: 0, files: 0 };
    const cases = dataSets.chain(({ data, steps, superseded }) =>
      fc.tuple(
        fc.constant({ search: data, steps, superseded }),
        fc.array(searchesOver(data), { minLength: EXPORTS_PER_DATA_SET, maxLength: EXPORTS_PER_DATA_SET, size: 'max' }),
      ),
    );
    const property = fc.asyncProperty(cases, async ([given, searches]) => {
      const data = given.search;
      await opened.replace(given);
      using view = viewOf(opened.store, data);
      for (const [i, search] of searches.entries()) {
        if (!('query' in search)) continue;
        const plan = unlessRefused(() => planSearch(search.query, { plan: search.plan, published: view.periods }));
        const [first, ...others] = plan?.window ?? [];
        if (!plan || !first) continue;
        const rows = searchEverything(data, plan).slice(plan.offset, plan.offset + plan.limit);
        expect(await readAll(view.streamRows(plan)), JSON.stringify(search)).toEqual(rows);
        const fileFormat = FILE_FORMATS[i % FILE_FORMATS.length] ?? 'csv';
        const format = VALUE_FORMATS[i % VALUE_FORMATS.length] ?? 'raw';
        const { batches: _, ...content } = keywordExport(rows, {
          periods: [first, ...others],
          format,
          includesInsights: plan.includesInsights,
        });
        const place = { temporaryDirectory: directory.path };
        const expected = await bytesOf(
          FILE_FORMS[fileFormat].open(keywordTable({ ...content, batches: inBatches(rows) }), place),
        );
        const streamed = FILE_FORMS[fileFormat].open(
          keywordTable({ ...content, batches: batchesOf(view.streamRows(plan)) }),
          place,
        );
        expect((await bytesOf(streamed)).equals(expected)).toBe(true);
        const own = view.presenter?.openExport(plan, { file: { content, fileFormat, ...place } });
        if (own) expect((await bytesOf(own)).equals(expected)).toBe(true);
        counts.rows += rows.length;
        counts.files += 1;
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: Math.ceil(DATA_SETS * share) });
    expect(counts.rows).toBeGreaterThan(0);
    expect(counts.files).toBeGreaterThan(EXPORTS_PER_DATA_SET * share);
  }, 900_000);

  it('streams more rows than one batch holds, each once, and stops when nobody reads on', async () => {
    const data = rankedData(Array.from({ length: 2300 }, (_, i) => `x ${i}`));
    await using opened = await openStore({ search: data });
    using view = viewOf(opened.store, data);
    const plan = { ...planKeywords(data, { queries: ['x'], orderBy: 'latest_rank' }), offset: 5, limit: 2200 };
    const ranks = (await readAll(view.streamRows(plan))).map(({ latestRank }) => latestRank);
    expect(ranks).toEqual(Array.from({ length: 2200 }, (_, i) => i + 6));
    for await (const rows of view.streamRows(plan)) {
      expect(rows[0]?.latestRank).toBe(6);
      break;
    }
    expect(await view.count(plan)).toBe(2300);
  }, 120_000);
});

async function readAll(batches: AsyncIterable<readonly SearchRow[]>): Promise<readonly SearchRow[]> {
  const rows: SearchRow[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

async function* batchesOf(batches: AsyncIterable<readonly SearchRow[]>): AsyncGenerator<readonly SearchRow[]> {
  yield* batches;
}
