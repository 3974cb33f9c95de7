// The benchmarks run small here: not for their times, but because their answers are compared with those of other engines.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEBIAN_JARS, whyNoLucene } from '../bench/peers/lucene-peer.ts';
import { NO_CLICKHOUSE } from './support/clickhouse.ts';
import { runBench } from './support/process.ts';
import { openTemporaryDirectory } from './support/temporary-directory.ts';

let scratch: Awaited<ReturnType<typeof openTemporaryDirectory>>;

beforeAll(async () => {
  scratch = await openTemporaryDirectory();
});
afterAll(() => scratch[Symbol.asyncDispose]());

/** Undefined where Lucene is installed. Titles say where it was not asked. */
const noLucene = whyNoLucene(DEBIAN_JARS);
const ENGINES =
  noLucene === undefined ? 'PostgreSQL, DuckDB and Lucene' : `PostgreSQL and DuckDB (not Lucene: ${noLucene})`;
const LUCENE_CANNOT = [
  ...['very common word, by change', 'very common word, by change_percentage', 'very common word, by similarity_score'],
  ...['by change from another period', 'by change_percentage from another period', 'typo'],
];
const DATA = ['--rows', '6000', '--periods', '3', '--json'];

describe('npm run bench -- search', () => {
  it(`finds that ${ENGINES} answer every question as the engine does, and leaves nothing behind`, async () => {
    const run = await runBench(['search', ...DATA, '--runs', '1', '--scratch', scratch.path]);
    expect(run.code, run.stderr).toBe(0);
    const { cases, peers, leftOut, columns } = JSON.parse(run.stdout);
    expect(peers).toEqual(['PostgreSQL', 'DuckDB', ...(noLucene === undefined ? ['Lucene', 'Lucene, usual way'] : [])]);
    expect(leftOut.lucene).toBe(noLucene);
    expect(cases.length).toBeGreaterThan(20);
    // Whether an engine has no means for a question must be known, or it could be left out of all of them.
    const notAsked = cases.filter(({ engineRatio }: { engineRatio?: number }) => engineRatio === undefined);
    expect(notAsked.map(({ name }: { name: string }) => name)).toEqual(
      noLucene === undefined ? LUCENE_CANNOT : cases.map(({ name }: { name: string }) => name),
    );
    // PostgreSQL chooses the nearest words in its own way.
    const compared = cases.filter(({ name }: { name: string }) => name !== 'typo');
    expect(compared.filter(({ differences }: { differences: object }) => Object.keys(differences).length > 0)).toEqual(
      [],
    );
    const empty = compared.filter(({ totalCount }: { totalCount: number }) => totalCount === 0);
    expect(empty.map(({ name }: { name: string }) => name)).not.toContain('very common word');
    expect(columns[0].sizeBytes).toBeGreaterThan(0);
    expect(await readdir(scratch.path)).toEqual([]);
  }, 180_000);

  it('says how to install Lucene where it is not, and goes on without it', async () => {
    const flags = ['--peers', 'sqlite,lucene', '--lucene', scratch.path, '--scratch', scratch.path, '--runs', '1'];
    const run = await runBench(['search', ...DATA, ...flags]);
    expect(run.code, run.stderr).toBe(0);
    const why = `there is no Lucene 8 in ${scratch.path}; "apt-get install --no-install-recommends liblucene8-java openjdk-17-jdk-headless" puts it there`;
    expect(run.stderr).toContain(`lucene is left out: ${why}\n`);
    const { cases, peers, leftOut } = JSON.parse(run.stdout);
    expect(peers).toEqual([]);
    expect(leftOut).toEqual({ sqlite: 'give --sqlite with a folder that has better-sqlite3', lucene: why });
    expect(cases.length).toBeGreaterThan(20);
  }, 120_000);

  it('says what to do when SQLite is not where it was said to be', async () => {
    const flags = ['--peers', 'sqlite', '--sqlite', scratch.path, '--scratch', scratch.path];
    const run = await runBench(['search', ...DATA, ...flags]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`error: There is no better-sqlite3 in ${scratch.path}.`);
    expect(run.stderr).toContain('Run "npm install better-sqlite3@12" in that folder');
  }, 120_000);

  it.each([
    ['--rows', '0'],
    ['--peers', 'oracle'],
    ['--runs', 'x'],
  ])('refuses %s %s', async (...flags) => {
    expect((await runBench(['search', ...flags])).code).toBe(2);
  });
});

describe('npm run bench -- windows', () => {
  it('finds that ten windows take their own documents alone, and leaves nothing behind', async () => {
    const run = await runBench(['windows', '--rows', '2000', '--periods', '12', '--json', '--scratch', scratch.path]);
    expect(run.code, run.stderr).toBe(0);
    const { snapshotBytes, windows } = JSON.parse(run.stdout);
    expect(windows.map(({ periods }: { periods: number }) => periods)).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11]);
    const sizes: readonly number[] = windows.map(({ bytes }: { bytes: number }) => bytes);
    expect(sizes[0]).toBeLessThan(sizes.at(-1) ?? 0);
    expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(snapshotBytes);
    expect(await readdir(scratch.path)).toEqual([]);
  }, 180_000);
});

describe.skipIf(NO_CLICKHOUSE)('npm run bench -- clickhouse', () => {
  it('finds that two shards, filled by several threads, answer as memory does, and leaves nothing behind', async () => {
    // A segment of fewer rows is filled by one thread.
    const data = ['--rows', '20000', '--periods', '4', '--shards', '2'];
    const flags = [...data, '--runs', '1', '--json', '--scratch', scratch.path];
    const run = await runBench(['clickhouse', ...flags]);
    expect(run.code, run.stderr).toBe(0);
    const { points, clusters } = JSON.parse(run.stdout);
    expect(points).toBe(80_000);
    expect(clusters.map(({ shards }: { shards: number }) => shards)).toEqual([2]);
    for (const { cases, storedBytes } of clusters) {
      expect(cases.length).toBeGreaterThan(20);
      expect(cases.filter(({ difference }: { difference?: string }) => difference !== undefined)).toEqual([]);
      expect(storedBytes.points).toBeGreaterThan(points);
    }
    expect(await readdir(scratch.path)).toEqual([]);
  }, 180_000);
});

describe('npm run bench -- products', () => {
  it('finds that PostgreSQL and DuckDB say the same of terms and products, and leaves nothing behind', async () => {
    const flags = ['--common', '--rows', '2000', '--periods', '3', '--json', '--scratch', scratch.path];
    const run = await runBench(['products', ...flags]);
    expect(run.code, run.stderr).toBe(0);
    const { cases, rowBytes, indexBytes } = JSON.parse(run.stdout);
    expect(cases).toHaveLength(8);
    // A page counts the keywords of all three periods, a comparison those of the newest alone.
    expect(cases.slice(3).map(({ figure }: { figure: number }) => figure > 500)).toEqual(Array(5).fill(true));
    expect(cases.at(-1).figure).toBe(2000);
    for (const { figure, peerMs } of cases) {
      expect(figure).toBeGreaterThan(0);
      expect(Object.keys(peerMs)).toEqual(['DuckDB', 'PostgreSQL']);
    }
    expect(indexBytes * 20).toBeLessThan(rowBytes);
    expect(await readdir(scratch.path)).toEqual([]);
  }, 180_000);
});

describe('npm run bench -- products --snapshot', () => {
  it('asks a snapshot that is kept, and no peers', async () => {
    const kept = join(scratch.path, 'kept');
    const deep = ['deep', '--rows', '2000', '--periods', '4', '--keep', kept, '--json', '--scratch', scratch.path];
    expect((await runBench(deep)).code).toBe(0);
    const run = await runBench(['products', '--snapshot', kept, '--json', '--scratch', scratch.path]);
    expect(run.code, run.stderr).toBe(0);
    const { rowCount, cases } = JSON.parse(run.stdout);
    expect(rowCount).toBe(4 * 2000);
    expect(cases.map(({ peerMs }: { peerMs: object }) => peerMs)).toEqual(Array(8).fill({}));
    expect(await readdir(scratch.path)).toEqual(['kept']);
    await rm(kept, { recursive: true });
  }, 180_000);
});

describe('npm run bench -- pairs', () => {
  it('finds that DuckDB lists the same changes between any two periods, and leaves nothing behind', async () => {
    const run = await runBench(['pairs', '--rows', '3000', '--periods', '4', '--json', '--scratch', scratch.path]);
    expect(run.code, run.stderr).toBe(0);
    const { lists } = JSON.parse(run.stdout);
    expect(lists).toHaveLength(12);
    for (const { totalCount } of lists) expect(totalCount).toBeGreaterThan(50);
    expect(await readdir(scratch.path)).toEqual([]);
  }, 180_000);
});

describe('npm run bench -- http', () => {
  it('says what to do when there is no snapshot where it was said to be', async () => {
    const run = await runBench(['http', '--snapshot', scratch.path, '--scratch', scratch.path]);
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(`error: There is no snapshot of this version in ${scratch.path}.`);
    expect(run.stderr).toContain('Name one of the directories under snapshots/');
    expect(await readdir(scratch.path)).toEqual([]);
  }, 120_000);

  it('loads a service of its own, every request is answered, and leaves nothing behind', async () => {
    const flags = ['--seconds', '1', '--connections', '4', '--organizations', '20', '--scratch', scratch.path];
    const run = await runBench(['http', ...DATA, ...flags]);
    expect(run.code, run.stderr).toBe(0);
    const { admission, searches, steady, heavy, heavyDelay } = JSON.parse(run.stdout);
    for (const load of [admission, searches, steady, heavy]) {
      expect(load.requests).toBeGreaterThan(0);
      expect(load.failures).toBe(0);
    }
    expect(heavyDelay.p99Ms).toBeGreaterThanOrEqual(heavyDelay.p50Ms);
    expect(await readdir(scratch.path)).toEqual([]);
  }, 180_000);
});
