// Imports that are killed, whose database is killed, and whose disk fails, while a reader polls what is published.
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readConfig } from '../../src/config.ts';
import { IMPORT_LOCK } from '../../src/postgres/import-lock.ts';
import { isDatabaseUnavailable, type Pool } from '../../src/postgres/pool.ts';
import { openStorage } from '../../src/storage/object-store.ts';
import {
  hasStrace,
  type ImportGround,
  KilledImports,
  straceFault,
  straceKill,
  type Version,
} from '../ingest/killed-import.ts';
import { makeDatabase } from '../support/database.ts';
import { openObjectStorage } from '../support/object-storage.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import type { Finding, Trial } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';

/** What an import does to files and to the database. Each is made at least so often by the thread that makes it most. */
const CALLS = [
  { calls: 'fsync', most: 48 },
  { calls: 'rename,renameat,renameat2', most: 5 },
  { calls: 'mkdir,mkdirat', most: 6 },
  { calls: 'write', most: 300 },
  { calls: 'writev', most: 8 },
  { calls: 'openat', most: 60 },
  { calls: 'pwrite64', most: 20 },
  { calls: 'unlink,unlinkat,rmdir', most: 3 },
  { calls: 'statx', most: 30 },
] as const;
/** Between two looks whether an import has begun. */
const BEGUN_POLL_MS = 2;
const BEGUN_LIMIT_MS = 20_000;
/** Between two looks at a database that is down. */
const DOWN_POLL_MS = 10;

type Ground = ImportGround & AsyncDisposable;

async function openGround(): Promise<Ground> {
  const database = await makeDatabase();
  const directory = await openTemporaryDirectory();
  const [dataDirectory, reports] = [join(directory.path, 'data'), join(directory.path, 'reports')];
  await mkdir(reports);
  return {
    operator: database.operator,
    dataDirectory,
    reports,
    settings: { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: dataDirectory },
    [Symbol.asyncDispose]: async () => {
      await database[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

interface Watched {
  readonly polls: number;
  readonly ended: 'done' | 'refused' | 'killed';
  /** What the import told whoever ran it. */
  readonly said: string;
}

/** Polls what is published until the import ends, one way or another; returns how often, and how the import ended. */
async function watch(
  imports: KilledImports,
  { wanted, wrapper, disturb, isSeen = always }: Watching,
): Promise<Watched> {
  const child = imports.start(wanted, wrapper);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  disturb?.(() => void child.kill('SIGKILL'));
  let polls = 0;
  while (child.exitCode === null && child.signalCode === null) {
    if (await isSeen(() => imports.checkNow(wanted))) polls += 1;
  }
  const [code] = await closed;
  return { polls, ended: code === null ? 'killed' : code === 0 ? 'done' : 'refused', said };
}

interface Watching {
  readonly wanted: Version;
  readonly wrapper?: readonly string[];
  readonly disturb?: (kill: () => void) => void;
  /** Looks once; false when there was nothing to look at. */
  readonly isSeen?: (look: () => Promise<void>) => Promise<boolean>;
}

async function always(look: () => Promise<void>): Promise<boolean> {
  await look();
  return true;
}

/** A database that is down shows nothing, and so nothing partial either. */
async function whileUp(look: () => Promise<void>): Promise<boolean> {
  try {
    return await always(look);
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    await sleep(DOWN_POLL_MS);
    return false;
  }
}

/** Rounds of one disturbance each; what does not hold throws, and is the finding. */
async function tryRounds(
  { quick, report }: Trial,
  { rounds, round }: { rounds: number; round: (n: number) => Promise<{ polls: number; ended: string }> },
): Promise<Finding> {
  const ends: Record<string, number> = {};
  let polls = 0;
  for (let n = 0; n < rounds; n += 1) {
    try {
      const outcome = await round(n);
      ends[outcome.ended] = (ends[outcome.ended] ?? 0) + 1;
      polls += outcome.polls;
    } catch (error) {
      return { kept: false, figure: `round ${n + 1}: ${String(error)}` };
    }
    if ((n + 1) % 10 === 0) report(`${n + 1} of ${rounds} rounds`);
  }
  const listed = Object.entries(ends).map(([ended, count]) => `${count} ${ended}`);
  return {
    // In a few rounds the disturbance may miss; in many it must not.
    kept: quick || (ends.killed ?? 0) + (ends.refused ?? 0) >= rounds / 2,
    figure: `${rounds} rounds (${listed.join(', ')}): 0 partial periods in ${polls} looks, all digests identical after the repeat`,
  };
}

export async function tryMoments(trial: Trial): Promise<Finding> {
  await using ground = await openGround();
  return await tryMomentsOn(ground, trial);
}

/** The same with files in a bucket. */
export async function tryStoredMoments(trial: Trial): Promise<Finding> {
  await using bucket = await openObjectStorage();
  await using ground = await openGround();
  const settings = { ...ground.settings, ...bucket.settings('killed') };
  return await tryMomentsOn({ ...ground, settings, storage: openStorage(readConfig(settings)) }, trial);
}

async function tryMomentsOn(ground: ImportGround, trial: Trial): Promise<Finding> {
  const imports = await KilledImports.open(ground);
  const random = new SeededRandom(trial.seed);
  return await tryRounds(trial, {
    rounds: trial.quick ? 2 : 50,
    round: async () => {
      const wanted = await imports.makeVersion();
      const disturb = (kill: () => void) => void setTimeout(kill, random.next() * imports.durationMs);
      const outcome = await watch(imports, { wanted, disturb });
      await imports.checkAfterwards(wanted);
      return outcome;
    },
  });
}

export async function tryCalls(trial: Trial): Promise<Finding> {
  if (!hasStrace()) return { kept: false, figure: 'strace cannot inject here' };
  await using ground = await openGround();
  const imports = await KilledImports.open(ground);
  const random = new SeededRandom(trial.seed);
  return await tryRounds(trial, {
    rounds: trial.quick ? 1 : 200,
    round: async () => {
      const wanted = await imports.makeVersion();
      const { calls, most } = random.pick(CALLS);
      const wrapper = straceKill(calls, { when: 1 + random.below(most) });
      const outcome = await watch(imports, { wanted, wrapper });
      await imports.checkAfterwards(wanted);
      return outcome;
    },
  });
}

/** Until it holds its lock: a database that is killed before is only one that is reached a little later. */
async function untilImportBegins(operator: Pool): Promise<void> {
  const isHeld = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted";
  const limitMs = performance.now() + BEGUN_LIMIT_MS;
  while ((await operator.query(isHeld, [IMPORT_LOCK])).rowCount === 0) {
    if (performance.now() > limitMs) throw new Error('the import did not begin');
    await sleep(BEGUN_POLL_MS);
  }
}

export async function tryPostgresKills(trial: Trial): Promise<Finding> {
  await using world = await openEmbeddedWorld();
  const { operator, dataDirectory, directory: reports, settings } = world;
  const imports = await KilledImports.open({ operator, dataDirectory, reports, settings });
  const random = new SeededRandom(trial.seed);
  return await tryRounds(trial, {
    rounds: trial.quick ? 1 : 20,
    round: async () => {
      const wanted = await imports.makeVersion();
      const watching = watch(imports, { wanted, isSeen: whileUp });
      await untilImportBegins(operator);
      await sleep(random.next() * imports.durationMs);
      await world.killPostgres();
      const outcome = await watching;
      await world.untilAnswers();
      // Whoever operates it is told what happened, not shown where in the code.
      if (outcome.said.includes('\n    at ')) throw new Error(`a stack trace: ${outcome.said}`);
      await imports.checkAfterwards(wanted);
      return outcome;
    },
  });
}

/** A disk that fails: EIO when data must reach it, ENOSPC when files are written. */
export async function tryDiskFaults(trial: Trial): Promise<Finding> {
  if (!hasStrace()) return { kept: false, figure: 'strace cannot inject here' };
  await using ground = await openGround();
  const imports = await KilledImports.open(ground);
  const random = new SeededRandom(trial.seed);
  return await tryRounds(trial, {
    rounds: trial.quick ? 2 : 60,
    round: async (n) => {
      const wanted = await imports.makeVersion();
      const first = 1 + random.below(40);
      // A full disk stays full; a disk that lost one write may go on as if nothing had been.
      const wrapper =
        n % 2 === 0
          ? straceFault('fsync,fdatasync', `error=EIO:when=${first}`)
          : straceFault('pwrite64,ftruncate,fallocate,openat', `error=ENOSPC:when=${first + 40}+`);
      const outcome = await watch(imports, { wanted, wrapper });
      await imports.checkAfterwards(wanted);
      return outcome;
    },
  });
}
