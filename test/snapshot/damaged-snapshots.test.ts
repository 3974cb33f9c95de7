// Damage in a snapshot ends with it: a build that takes over from it notices, whichever file it is, and starts from the segments.
import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import { readState, verifyUnread } from '../../src/snapshot/build/build-state.ts';
import {
  DamagedSnapshotError,
  findManifest,
  GROWING_COLUMNS,
  rankColumnName,
  rowIndexName,
  rowsColumnName,
} from '../../src/snapshot/format/format.ts';
import { loadSnapshot, verifySnapshot } from '../../src/snapshot/format/load.ts';
import { viewSnapshot } from '../../src/snapshot/format/snapshot-view.ts';
import { expectedPage } from '../store/oracle.ts';
import { planKeywords, rankedData } from '../store/search-fixture.ts';
import { dictionariesOf, writeRankData } from '../support/rank-data.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { enginePage } from './engine.ts';

const SET = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
const product = { asin: 'B000000001', title: 'A title', clickShare: 1, conversionShare: null };
const data = rankedData(
  [{ term: 'X One', rank: 1, products: [product], brands: ['Nike'], categories: ['Toys'] }, 'x two'],
  [{ term: 'x two', rank: 1, products: [{ ...product, title: 'Another' }], brands: ['NIKE'] }, 'X Three'],
);
const plan = planKeywords(data, { queries: ['x'] });

let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let sources: Awaited<ReturnType<typeof writeRankData>>;
let whole: string;

beforeAll(async () => {
  directory = await openTemporaryDirectory();
  sources = await writeRankData(join(directory.path, 'source'), data);
  whole = join(directory.path, 'whole');
  await buildSnapshot({ ...SET, ...first(), outputDirectory: whole });
});
afterAll(() => directory[Symbol.asyncDispose]());

function first() {
  const periods = sources.periods.slice(0, 1);
  return { periods, dictionaries: dictionariesOf(periods) };
}

/** Publishes the second month on top of a damaged snapshot of the first. Returns what was said about it. */
async function buildOn(previous: string): Promise<readonly string[]> {
  const outputDirectory = join(directory.path, 'next');
  const said: string[] = [];
  await buildSnapshot({
    ...SET,
    ...sources,
    previous,
    outputDirectory,
    onDamaged: ({ message }) => said.push(message),
  });
  expect(await verifySnapshot(outputDirectory)).toBe(true);
  const { manifest, buffers } = await loadSnapshot({ directory: outputDirectory });
  expect(enginePage(viewSnapshot(manifest, buffers), plan)).toEqual(expectedPage(data, plan));
  await rm(outputDirectory, { recursive: true });
  return said;
}

async function flipByte(path: string): Promise<void> {
  const bytes = await readFile(path);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

const DAMAGES: readonly (readonly [string, (path: string) => Promise<void>])[] = [
  ['a flipped byte', flipByte],
  ['a missing end', async (path) => await truncate(path, (await readFile(path)).length - 1)],
  ['nothing left of it', (path) => rm(path)],
];

/** Linked, and looked through by every build for what it needs of them. */
const GATHERED = ['term-text', 'term-ends', 'slot-words', 'slot-word-ends'];
/** Linked, and read by every build to see that they are whole. */
const TEXTS = ['asin', 'title', 'original'].flatMap((name) => [`${name}-text`, `${name}-ends`]);
/** Columns that are linked, those that are read, one that may be neither, and the list of all of them. */
const LINKED = [...TEXTS.map((name) => `${name}.0.bin`), 'rows-01-2024.0.bin', 'row-index-01-2024.0.bin'];
const READ = [
  ...GATHERED.map((name) => `${name}.0.bin`),
  ...['rank-01-2024.0.bin', 'product-newest.bin', 'document-slot.bin', 'latest-rank.bin', 'best-rank.bin'],
  ...['stem-posting-ends.bin', 'stem-postings.bin', 'stem-posting-marks.bin', 'term-index.bin', 'original.bin'],
];
const FILES = [...LINKED, ...READ, 'stem-index.bin', 'snapshot.json'];

describe('damage in a snapshot', () => {
  it.each(DAMAGES)(
    'is not carried on by the next build when a file has %s',
    async (_what, damage) => {
      const said: string[] = [];
      for (const name of FILES) {
        const damaged = await copyOf(whole);
        await damage(join(damaged, name));
        said.push(...(await buildOn(damaged)));
        await rm(damaged, { recursive: true });
      }
      // An index may be computed anew whatever it was; a snapshot without its list is none.
      for (const name of [...LINKED, ...READ]) {
        expect(
          said.some((message) => message.includes(name)),
          name,
        ).toBe(true);
      }
    },
    240_000,
  );

  it('is noticed in every file that the next build takes over', async () => {
    const manifest = await findManifest(whole);
    if (!manifest) throw new Error('no snapshot');
    const ofPeriods = manifest.periods.flatMap(({ key }) =>
      [rankColumnName, rowsColumnName, rowIndexName].map((nameOf) => nameOf(key)),
    );
    const growing = Object.keys(GROWING_COLUMNS).filter((name) => !GATHERED.includes(name));
    for (const name of [...growing, ...ofPeriods]) {
      for (const part of manifest.columns[name] ?? []) {
        if (part.sizeBytes === 0) continue;
        const damaged = await copyOf(whole);
        await flipByte(join(damaged, part.name));
        const takeOver = async () => await verifyUnread(await readState(damaged, manifest));
        await expect(takeOver(), part.name).rejects.toThrow(DamagedSnapshotError);
        await rm(damaged, { recursive: true });
      }
    }
  }, 240_000);

  it('is noticed in the rows of an old period by every twelfth build, and by every build when they are cut', async () => {
    const months = Array.from({ length: 13 }, () => [{ term: 'x', rank: 1, products: [product] }]);
    const made = await writeRankData(join(directory.path, 'long-source'), rankedData(...months));
    const long = join(directory.path, 'long');
    await buildSnapshot({ ...SET, ...made, outputDirectory: long });
    const manifest = await findManifest(long);
    if (!manifest) throw new Error('no snapshot');
    const state = await readState(long, manifest);
    /** After how many periods the next build notices it. */
    const noticedAfter = async () => {
      const noticed: number[] = [];
      for (let count = 1; count <= months.length; count += 1) {
        const takeOver = verifyUnread({ ...state, periods: state.periods.slice(0, count) });
        await takeOver.catch((error: Error) => {
          expect(error).toBeInstanceOf(DamagedSnapshotError);
          noticed.push(count);
        });
      }
      return noticed;
    };
    const rows = join(long, `${rowsColumnName(manifest.periods[0]?.key ?? '')}.0.bin`);
    await flipByte(rows);
    expect(await noticedAfter()).toEqual([1, 13]);
    await truncate(rows, 1);
    expect(await noticedAfter()).toEqual(months.map((_, i) => i + 1));
  });

  it('is looked for in vain where there is none', async () => {
    expect(await buildOn(whole)).toEqual([]);
  });
});

async function copyOf(snapshot: string): Promise<string> {
  const damaged = join(directory.path, 'damaged');
  await cp(snapshot, damaged, { recursive: true });
  return damaged;
}
