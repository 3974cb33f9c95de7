import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STUDIO } from '../../src/domain/plan.ts';
import type { SearchQuery } from '../../src/domain/search-query.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import { loadSnapshot } from '../../src/snapshot/format/load.ts';
import { viewSnapshot } from '../../src/snapshot/format/snapshot-view.ts';
import { expectedPage } from '../store/oracle.ts';
import { periodAt, planKeywords, rankedData } from '../store/search-fixture.ts';
import { type TestData, writeRankData } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { enginePage, openEngine } from './engine.ts';

const SET = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;

beforeAll(async () => {
  directory = await openTemporaryDirectory();
});
afterAll(() => directory[Symbol.asyncDispose]());

function path(name: string): string {
  return join(directory.path, name);
}

async function pageIn(snapshot: string, data: TestData, query: Partial<SearchQuery>) {
  const { manifest, buffers } = await loadSnapshot({ directory: snapshot });
  return enginePage(viewSnapshot(manifest, buffers), planKeywords(data, query));
}

describe('an incremental build', () => {
  const product = (title: string) => [{ asin: 'B000000001', title, clickShare: 1, conversionShare: 1 }];
  const data = rankedData(
    [{ term: 'x one', rank: 1, products: product('Old title') }, 'x two', 'X Three'],
    [{ term: 'x two', rank: 1, products: product('New title') }, 'x four'],
    ['x five', 'x one'],
  );

  it('answers as a build from nothing', async () => {
    const plan = planKeywords(data, { queries: ['x'], orderBy: 'avg_rank' });
    const grown = await openEngine(path('grown'), data, { steps: [1, 2] });
    expect(enginePage(grown, plan)).toEqual(enginePage(await openEngine(path('fresh'), data), plan));
    expect(enginePage(grown, plan)).toEqual(expectedPage(data, plan));
  });

  it('shares the files of unchanged columns with the generation before', async () => {
    const before = await stat(join(path('grown'), 'snapshot-1', 'rank-01-2024.0.bin'));
    const after = await stat(join(path('grown'), 'snapshot-2', 'rank-01-2024.0.bin'));
    expect(after.ino).toBe(before.ino);
  });

  it('keeps the number of parts bounded over many publishes', async () => {
    const many = rankedData(...Array.from({ length: 19 }, (_, i) => [`x ${i}`, 'x always']));
    const steps = many.periods.map((_, i) => i + 1).slice(0, -1);
    const plan = planKeywords(many, { queries: ['x'], orderBy: 'total_periods' });
    expect(enginePage(await openEngine(path('many'), many, { steps }), plan)).toEqual(expectedPage(many, plan));
    const files = await readdir(join(path('many'), `snapshot-${steps.length}`));
    expect(files.filter((name) => name.startsWith('term-text')).length).toBeLessThanOrEqual(16);
  });
});

it('starts anew when a period was revised', async () => {
  const first = rankedData(['x old'], ['x kept']);
  const { periods, dictionaries } = await writeRankData(path('first'), first);
  await buildSnapshot({ ...SET, periods, dictionaries, outputDirectory: path('unrevised') });
  const revised = {
    ...first,
    periods: [...first.periods, { period: periodAt(0), rows: [{ term: 'x new', rank: 3 }] }],
  };
  const sources = await writeRankData(path('second'), revised);
  await buildSnapshot({
    ...SET,
    periods: sources.periods.slice(1),
    dictionaries: sources.dictionaries,
    previous: path('unrevised'),
    outputDirectory: path('revised'),
  });
  const page = await pageIn(path('revised'), first, { queries: ['x'] });
  expect(page.totalCount).toBe(2);
  expect(page.dataJson).toContain('x new');
});

it('holds every period, more than a byte can count, and answers for any window of them', async () => {
  const data: TestData = {
    frequency: 'weekly',
    periods: Array.from({ length: 300 }, (_, i) => ({
      period: periodAt(i, 'weekly'),
      rows: [
        { term: `x ${i}`, rank: 1 + (i % 7) },
        { term: 'x always', rank: 300 - (i % 5) },
        ...(i % 3 === 0 ? [{ term: 'x sometimes', rank: 20 + i }] : []),
      ],
    })),
  };
  const view = await openEngine(path('weekly'), data, { steps: [4, 298] });
  expect(view.periods).toEqual(data.periods.map(({ period }) => period));
  expect(view.documentCount).toBe(302);
  for (const weeks of [1, 2, 6, 255, 256, 299, 300, 'all'] as const) {
    for (const orderBy of ['best_rank', 'total_periods', 'avg_rank'] as const) {
      const plan = planKeywords(data, { queries: ['x'], orderBy, limit: 400 }, { ...STUDIO, weeks });
      expect(enginePage(view, plan)).toEqual(expectedPage(data, plan));
    }
  }
});

it('starts anew when the oldest period was withdrawn', async () => {
  const data = rankedData(['x one', 'x two'], ['x two', 'x three'], ['x one']);
  const { periods, dictionaries } = await writeRankData(path('three'), data);
  await buildSnapshot({ ...SET, periods, dictionaries, outputDirectory: path('before') });
  await buildSnapshot({
    ...SET,
    periods: periods.slice(1),
    dictionaries,
    previous: path('before'),
    outputDirectory: path('after'),
  });
  const rest = { ...data, periods: data.periods.slice(1) };
  const query = { queries: ['x'], orderBy: 'total_periods' } as const;
  expect(await pageIn(path('after'), rest, query)).toEqual(expectedPage(rest, planKeywords(rest, query)));
});

it('stops when its signal is aborted', async () => {
  const sources = await writeRankData(path('aborted'), rankedData(['x']));
  const signal = AbortSignal.abort(new Error('enough'));
  const build = buildSnapshot({ ...SET, ...sources, outputDirectory: path('never'), signal });
  await expect(build).rejects.toThrow('enough');
});

it('refuses a segment that is not sorted by rank', async () => {
  const data = rankedData([
    { term: 'a', rank: 0 },
    { term: 'b', rank: 1 },
  ]);
  const sources = await writeRankData(path('unsorted'), data);
  const build = buildSnapshot({ ...SET, ...sources, outputDirectory: path('unsorted-out') });
  await expect(build).rejects.toThrow('rank below 1');
});

describe('a damaged snapshot', () => {
  it('is refused whichever file has a flipped byte', async () => {
    await openEngine(path('damaged'), rankedData(['x one', 'x two']));
    const snapshot = join(path('damaged'), 'snapshot-0');
    let flippedCount = 0;
    for (const name of await readdir(snapshot)) {
      const bytes = await readFile(join(snapshot, name));
      // Files that only the next build reads are verified by the next build.
      if (bytes.length === 0 || /^(slot-term-id|slot-word-count|slot-trigram-count|product-id|brand-id)\./.test(name))
        continue;
      const at = bytes.length >> 1;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(join(snapshot, name), bytes);
      await expect(loadSnapshot({ directory: snapshot }), name).rejects.toThrow(/damaged|checksum/);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(join(snapshot, name), bytes);
      flippedCount += 1;
    }
    expect(flippedCount).toBeGreaterThan(30);
    await expect(loadSnapshot({ directory: snapshot })).resolves.toBeDefined();
  });

  it('is refused when a file is cut', async () => {
    await openEngine(path('cut'), rankedData(['x one', 'x two']));
    const file = join(path('cut'), 'snapshot-0', 'latest-rank.bin');
    await writeFile(file, (await readFile(file)).subarray(0, 4));
    await expect(loadSnapshot({ directory: join(path('cut'), 'snapshot-0') })).rejects.toThrow(
      'has 4 bytes instead of 8',
    );
  });
});
