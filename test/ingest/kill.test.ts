// The importer is killed at random moments and at chosen system calls, while a reader polls the manifest: what is
// published is always whole, and the import repeated gives what it would have given.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listStoredFiles, type Manifest } from '../../src/domain/manifest.ts';
import { sweepLeftovers } from '../../src/ingest/importer.ts';
import { verifyFiles } from '../../src/ingest/verification.ts';
import { currentReport, fixtureRows, SLOTS, WEEK_NAME, writeReport } from './report-fixture.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const ROUNDS = 50;
const ROWS = 2_000;
/** System calls at which an import dies, each at the given times that it is made. */
const CHOSEN_CALLS = [
  ['fsync', 'fsync', [1, 2, 4, 8, 16, 32, 48]],
  ['rename', 'rename,renameat,renameat2', [1, 2, 3, 4, 5]],
  ['mkdir', 'mkdir,mkdirat', [1, 3, 5]],
  ['a write to a file', 'write', [20, 100, 300]],
  ['a message to the database', 'writev', [2, 5, 8]],
] as const;

const hasStrace = spawnSync('strace', ['-e', 'inject=fsync:signal=KILL:when=9', 'true']).status === 0;

interface Version {
  readonly path: string;
  readonly digest: string;
}

let bench: Workbench;
let settings: Readonly<Record<string, string>>;
/** The only version that may be seen before the one that is being imported. */
let published: Version;
let durationMs = 0;
let madeCount = 0;

beforeAll(async () => {
  bench = await openWorkbench();
  settings = {
    DATABASE_URL: bench.database.url.href,
    KEYRANK_DATA_DIR: bench.dataDirectory,
    // strace counts calls by thread: with one that works on files their order is always the same.
    UV_THREADPOOL_SIZE: '1',
  };
  published = await makeVersion();
  const startMs = performance.now();
  expect(await runImport(published.path)).toBe(0);
  durationMs = performance.now() - startMs;
}, 300_000);
afterAll(() => bench[Symbol.asyncDispose]());

/** Another state of the same week, with terms, products and brands that no state before had. */
async function makeVersion(): Promise<Version> {
  madeCount += 1;
  const rows = fixtureRows(ROWS).map((row) => ({
    ...row,
    term: `${row.term} of version ${madeCount}`,
    brands: row.brands.map((brand) => `${brand} ${madeCount}`),
    categories: row.categories.map((category) => category && `${category} ${madeCount}`),
    products: row.products.map((product, slot) => ({
      ...product,
      asin: `B${String((madeCount * ROWS + Number(row.rank)) * SLOTS.length + slot).padStart(9, '0')}`,
    })),
  }));
  const path = await writeReport(bench.reports, WEEK_NAME.replace('.csv', `-${madeCount}.csv`), currentReport(rows));
  const { status, error, periods } = await bench.importOne(path, { isDryRun: true });
  expect({ status, error }).toEqual({ status: 'done', error: undefined });
  return { path, digest: periods[0]?.digest ?? '' };
}

async function runImport(path: string): Promise<number | null> {
  const [code] = await once(startImport(path), 'close');
  return code;
}

function startImport(path: string, wrapper: readonly string[] = []) {
  const [command = process.execPath, ...args] = [...wrapper, process.execPath, PROGRAM, 'import', path];
  return spawn(command, args, { env: { PATH: process.env.PATH, ...settings }, stdio: 'ignore' });
}

/** Throws when the manifest shows anything but one whole version, all of whose files are in place. */
async function checkWhole(manifest: Manifest, allowed: readonly Version[]): Promise<void> {
  const [period, ...others] = manifest.periods;
  expect(others).toEqual([]);
  expect(allowed.map((version) => version.digest)).toContain(period?.digest);
  expect(period).toMatchObject({ keywords: ROWS, dataPoints: ROWS * 7 });
  for (const file of listStoredFiles(manifest)) {
    const { size } = await stat(join(bench.dataDirectory, file.path));
    expect(size, file.path).toBe(file.sizeBytes);
  }
}

/** What must hold after an import died, whenever that was. */
async function checkAfterwards(wanted: Version): Promise<void> {
  const manifest = await bench.manifest();
  await checkWhole(manifest, [published, wanted]);
  const { faults } = await verifyFiles({ manifest, dataDirectory: bench.dataDirectory, onFile: () => {} });
  expect(faults).toEqual([]);
  expect(await runImport(wanted.path)).toBe(0);
  await checkWhole(await bench.manifest(), [wanted]);
  await sweepLeftovers({ pool: bench.database.operator, dataDirectory: bench.dataDirectory });
  const swept = await bench.manifest();
  await checkWhole(swept, [wanted]);
  expect(await listDataFiles()).toEqual(new Set(listStoredFiles(swept).map((file) => file.path)));
  published = wanted;
}

async function listDataFiles(): Promise<ReadonlySet<string>> {
  const files = new Set<string>();
  for (const folder of ['segments', 'dictionaries', 'snapshots']) {
    const entries = await readdir(join(bench.dataDirectory, folder), { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (entry.isFile()) files.add(relative(bench.dataDirectory, join(entry.parentPath, entry.name)));
    }
  }
  return files;
}

describe('an import that is killed', () => {
  it(`at ${ROUNDS} random moments never shows a part of a period`, async () => {
    let polls = 0;
    let deaths = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const wanted = await makeVersion();
      const child = startImport(wanted.path);
      const ended = once(child, 'close');
      const killAtMs = performance.now() + Math.random() * durationMs;
      while (performance.now() < killAtMs && child.exitCode === null) {
        await checkWhole(await bench.manifest(), [published, wanted]);
        polls += 1;
      }
      if (child.kill('SIGKILL')) deaths += 1;
      await ended;
      await checkAfterwards(wanted);
    }
    expect(polls).toBeGreaterThan(ROUNDS);
    expect(deaths).toBeGreaterThan(ROUNDS / 2);
  }, 1_800_000);

  it.runIf(hasStrace).each(CHOSEN_CALLS)(
    'at %s never shows a part of a period',
    async (_name, calls, counts) => {
      for (const count of counts) {
        const wanted = await makeVersion();
        const injected = `inject=${calls}:signal=KILL:when=${count}`;
        const [code, signal] = await once(startImport(wanted.path, ['strace', '-f', '-qq', '-e', injected]), 'close');
        // strace dies of what its child died of.
        expect({ count, code, signal }).toEqual({ count, code: null, signal: 'SIGKILL' });
        await checkAfterwards(wanted);
      }
    },
    1_800_000,
  );
});
