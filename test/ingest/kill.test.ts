// The importer is killed at random moments and at chosen system calls, while a reader polls the manifest: what is
// published is always whole, and the import repeated gives what it would have given.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listStoredFiles, type Manifest } from '../../src/domain/manifest.ts';
import { sweepLeftovers } from '../../src/ingest/importer.ts';
import { verifyFiles } from '../../src/ingest/verification.ts';
import { currentReport, fixtureRows, WEEK_NAME, writeReport } from './report-fixture.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** A few rounds in every run; KEYRANK_KILL_ROUNDS=50 for the full proof. */
const ROUNDS = Number(process.env.KEYRANK_KILL_ROUNDS ?? 5);
const ROWS = 20_000;
/** System calls that must not be survived by half a period: each file and directory is forced to disk, then renamed. */
const CHOSEN_CALLS = ['fsync', 'rename'] as const;
const CHOSEN_COUNTS = ROUNDS > 10 ? [1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 48] : [1, 4, 9];

const hasStrace = spawnSync('strace', ['-e', 'inject=fsync:signal=KILL:when=9', 'true']).status === 0;

interface Version {
  readonly path: string;
  readonly digest: string;
}

let bench: Workbench;
let settings: Readonly<Record<string, string>>;
/** Two states of one week; whichever is not published is imported next. */
let versions: readonly Version[];
let durationMs = 0;

beforeAll(async () => {
  bench = await openWorkbench();
  settings = { DATABASE_URL: bench.database.url.href, KEYRANK_DATA_DIR: bench.dataDirectory };
  const made: Version[] = [];
  for (const shift of [0, 1]) {
    const rows = fixtureRows(ROWS).map((row) => ({ ...row, rank: String(Number(row.rank) + shift) }));
    const path = await writeReport(bench.reports, `${shift}-${WEEK_NAME}`, currentReport(rows));
    const startMs = performance.now();
    expect(await runImport(path)).toBe(0);
    durationMs = performance.now() - startMs;
    made.push({ path, digest: (await bench.manifest()).periods[0]?.digest ?? '' });
  }
  versions = made;
}, 300_000);
afterAll(() => bench[Symbol.asyncDispose]());

async function runImport(path: string): Promise<number | null> {
  const [code] = await once(startImport(path), 'close');
  return code;
}

function startImport(path: string, wrapper: readonly string[] = []) {
  const [command = process.execPath, ...args] = [
    ...wrapper,
    process.execPath,
    PROGRAM,
    'import',
    path,
    '--marketplace',
    'US',
  ];
  return spawn(command, args, { env: { PATH: process.env.PATH, ...settings }, stdio: 'ignore' });
}

/** The version that is not published now. */
async function nextVersion(): Promise<Version> {
  const { periods } = await bench.manifest();
  const next = versions.find((version) => version.digest !== periods[0]?.digest);
  if (!next) throw new Error('both versions have one digest');
  return next;
}

/** Throws when the manifest shows anything but one whole version, all of whose files are in place. */
async function checkWhole(manifest: Manifest): Promise<void> {
  const [period, ...others] = manifest.periods;
  expect(others).toEqual([]);
  expect(versions.map((version) => version.digest)).toContain(period?.digest);
  expect(period).toMatchObject({ keywords: ROWS, dataPoints: ROWS * 7 });
  for (const file of listStoredFiles(manifest)) {
    const { size } = await stat(join(bench.dataDirectory, file.path));
    expect(size, file.path).toBe(file.sizeBytes);
  }
}

/** What must hold after an import died, whenever that was. */
async function checkAfterwards(wanted: Version): Promise<void> {
  const manifest = await bench.manifest();
  await checkWhole(manifest);
  const { faults } = await verifyFiles({ manifest, dataDirectory: bench.dataDirectory, onFile: () => {} });
  expect(faults).toEqual([]);
  expect(await runImport(wanted.path)).toBe(0);
  const repeated = await bench.manifest();
  expect(repeated.periods[0]?.digest).toBe(wanted.digest);
  await checkWhole(repeated);
  await sweepLeftovers({ pool: bench.database.operator, dataDirectory: bench.dataDirectory });
  await checkWhole(await bench.manifest());
}

describe('an import that is killed', () => {
  it(`at ${ROUNDS} random moments never shows a part of a period`, async () => {
    let polls = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const wanted = await nextVersion();
      const child = startImport(wanted.path);
      const ended = once(child, 'close');
      const killAtMs = performance.now() + Math.random() * durationMs;
      while (performance.now() < killAtMs && child.exitCode === null) {
        await checkWhole(await bench.manifest());
        polls += 1;
      }
      child.kill('SIGKILL');
      await ended;
      await checkAfterwards(wanted);
    }
    expect(polls).toBeGreaterThan(ROUNDS);
  }, 1_800_000);

  it.runIf(hasStrace).each(CHOSEN_CALLS)(
    'at chosen calls of %s never shows a part of a period',
    async (call) => {
      let deaths = 0;
      for (const count of CHOSEN_COUNTS) {
        const wanted = await nextVersion();
        const names = call === 'rename' ? 'rename,renameat,renameat2' : call;
        const child = startImport(wanted.path, [
          'strace',
          '-f',
          '-qq',
          '-e',
          `inject=${names}:signal=KILL:when=${count}`,
        ]);
        const [code] = await once(child, 'close');
        if (code !== 0) deaths += 1;
        await checkAfterwards(wanted);
      }
      // A revision with no new terms renames one file; later counts never come, and the import ends well.
      expect(deaths).toBeGreaterThan(0);
    },
    1_800_000,
  );
});
