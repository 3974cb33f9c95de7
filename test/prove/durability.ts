// What was acknowledged stays, whatever is killed; what was damaged is noticed; what was backed up comes back.
import { mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyFiles } from '../../src/ingest/publish/verification.ts';
import { listStoredFiles } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { makeDatabase } from '../support/database.ts';
import { runKeyrank, type ServerProcess } from '../support/process.ts';
import { sendRequest } from '../support/service.ts';
import { type EmbeddedWorld, openEmbeddedWorld } from './embedded-world.ts';
import type { Finding, Promised, Trial } from './promised.ts';
import { SeededRandom } from './seeded-random.ts';
import { writeSyntheticReport } from './synthetic-report.ts';

const WRITERS = 8;
/** One keyword each is written and removed again, so that nobody ever has 500. */
const KEPT_KEYWORDS = 40;

interface Acknowledged {
  readonly tracked: Map<string, string>;
  readonly searches: number[];
}

/** Eight users track keywords and search until they are told to stop; whatever was answered well is noted. */
async function write(
  server: ServerProcess,
  {
    keys,
    acknowledged,
    round,
    isOver,
  }: {
    readonly keys: readonly string[];
    readonly acknowledged: readonly Acknowledged[];
    readonly round: number;
    readonly isOver: () => boolean;
  },
): Promise<void> {
  const writers = keys.map(async (key, n) => {
    const mine = acknowledged[n];
    for (let count = 0; mine && !isOver(); count += 1) {
      const term = `round ${round} keyword ${count}`;
      await attempt(async () => {
        const body = JSON.stringify({ search_term: term });
        const made = await sendRequest(`${server.url}/v1/tracked-keywords`, { method: 'POST', key, body });
        if (made.status === 201) mine.tracked.set(made.json.data.id, term);
      });
      await attempt(async () => {
        const found = await sendRequest(`${server.url}/v1/search/keywords?query=x`, { key });
        if (found.status === 200) mine.searches[0] = (mine.searches[0] ?? 0) + 1;
      });
      for (const [id] of [...mine.tracked].slice(0, Math.max(0, mine.tracked.size - KEPT_KEYWORDS))) {
        await attempt(async () => {
          // From here on it may be gone or not; once the answer came it must be gone.
          mine.tracked.delete(id);
          await sendRequest(`${server.url}/v1/tracked-keywords/${id}`, { method: 'DELETE', key });
        });
      }
    }
  });
  await Promise.all(writers);
}

/** A request that is cut was not acknowledged. */
async function attempt(work: () => Promise<void>): Promise<void> {
  await work().catch(() => sleep(20));
}

async function tryKilledWrites({ seed, quick, report }: Trial): Promise<Finding> {
  const rounds = quick ? 2 : 100;
  const random = new SeededRandom(seed);
  await using world = await openEmbeddedWorld();
  const lost: string[] = [];
  let writes = 0;
  let server = await world.startServer();
  try {
    let keys: string[] = [];
    let acknowledged: Acknowledged[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Users with full hours make way for new ones.
      if (round % 10 === 0) {
        keys = [];
        while (keys.length < WRITERS) keys.push(await world.makeKey());
        acknowledged = keys.map(() => ({ tracked: new Map(), searches: [0] }));
      }
      let isOver = false;
      const before = countAll(acknowledged);
      const writing = write(server, { keys, acknowledged, round, isOver: () => isOver });
      await sleep(200 + random.below(800));
      const victim = round % 3;
      if (victim !== 0) await world.killPostgres();
      if (victim !== 1) await server.stop('SIGKILL');
      else await sleep(random.below(300));
      isOver = true;
      await writing;
      await world.untilAnswers();
      if (victim !== 1) server = await world.startServer();
      else await untilServed(server);
      writes += countAll(acknowledged) - before;
      lost.push(...(await findLost(server, { keys, acknowledged })).map((what) => `round ${round + 1}: ${what}`));
      if ((round + 1) % 10 === 0) report(`${round + 1} of ${rounds} rounds, ${lost.length} lost`);
    }
  } finally {
    await server.stop();
  }
  return {
    kept: lost.length === 0 && writes > rounds,
    figure: `${lost.length} lost of ${writes} acknowledged in ${rounds} rounds ${lost[0] ?? ''}`.trim(),
  };
}

function countAll(acknowledged: readonly Acknowledged[]): number {
  return acknowledged.reduce((sum, { tracked, searches }) => sum + tracked.size + (searches[0] ?? 0), 0);
}

async function untilServed(server: ServerProcess): Promise<void> {
  while ((await sendRequest(`${server.url}/readyz`)).status !== 200) await sleep(50);
}

async function findLost(
  server: ServerProcess,
  { keys, acknowledged }: { readonly keys: readonly string[]; readonly acknowledged: readonly Acknowledged[] },
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [n, key] of keys.entries()) {
    const { tracked = new Map<string, string>(), searches = [0] } = acknowledged[n] ?? {};
    const listed = await sendRequest(`${server.url}/v1/tracked-keywords`, { key });
    const there = new Set<string>(listed.json.data.map(({ id }: { id: string }) => id));
    for (const [id, term] of tracked) if (!there.has(id)) lost.push(`keyword "${term}"`);
    const history = await sendRequest(`${server.url}/v1/search/history?limit=1`, { key });
    const kept: number = history.json.pagination.total_count;
    if (kept < (searches[0] ?? 0)) lost.push(`${(searches[0] ?? 0) - kept} searches of the history`);
  }
  return lost;
}

/** Published files, one byte of one of them changed. */
async function tryFlippedBytes({ seed, quick }: Trial): Promise<Finding> {
  const flips = quick ? 10 : 100;
  const random = new SeededRandom(seed);
  await using world = await openEmbeddedWorld();
  for (const month of [1, 2]) {
    await world.importReport(await writeSyntheticReport(world.directory, { seed, terms: 2_000, month }));
  }
  const backup = join(world.directory, 'backup');
  const backedUp = await runKeyrank(['backup', backup], world.settings);
  if (backedUp.code !== 0) throw new Error(backedUp.stderr);
  const { dataDirectory } = world;
  const manifest = await loadManifest(world.operator);
  const published = listStoredFiles(manifest).flatMap(({ path, sizeBytes }) => (sizeBytes > 0 ? [path] : []));
  const copies = await listFiles(backup);
  const undetected: string[] = [];
  for (let n = 0; n < flips; n += 1) {
    const isOfBackup = n % 10 === 9;
    const path = isOfBackup ? join(backup, random.pick(copies)) : join(dataDirectory, random.pick(published));
    const restore = await flipByte(path, random);
    const isDetected = isOfBackup
      ? await isRestoreRefused(backup, join(world.directory, `restored-${n}`))
      : (await verifyFiles({ manifest, dataDirectory, onFile: () => {} })).faults.some((fault) =>
          path.endsWith(fault.path),
        );
    await restore();
    if (!isDetected) undetected.push(path);
  }
  // And nothing is cried out about that is as it was.
  const { faults } = await verifyFiles({ manifest, dataDirectory, onFile: () => {} });
  return {
    kept: undetected.length === 0 && faults.length === 0,
    figure:
      `${flips - undetected.length} of ${flips} detected, ${faults.length} false alarms ${undetected[0] ?? ''}`.trim(),
  };
}

async function listFiles(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return files.filter((_, n) => (sizes[n] ?? 0) > 0).map((file) => relative(directory, file));
}

/** Changes one bit or more of one byte; the returned function changes them back. */
async function flipByte(path: string, random: SeededRandom): Promise<() => Promise<void>> {
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  const at = random.below(size);
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
  const original = buffer[0] ?? 0;
  await file.write(Buffer.from([original ^ (1 + random.below(255))]), 0, 1, at);
  return async () => {
    await using again = await open(path, 'r+');
    await again.write(Buffer.from([original]), 0, 1, at);
  };
}

async function isRestoreRefused(backup: string, dataDirectory: string): Promise<boolean> {
  await using database = await makeDatabase();
  const settings = { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: dataDirectory };
  const { code } = await runKeyrank(['restore', backup], settings);
  const { rowCount } = await database.owner.query('SELECT FROM organizations');
  const left = await listFiles(dataDirectory).catch(() => []);
  await rm(dataDirectory, { recursive: true, force: true });
  return code === 1 && rowCount === 0 && left.length === 0;
}

/** Searches and a publication go on while the backup is made. */
async function tryBackup({ seed, quick, report }: Trial): Promise<Finding> {
  const rounds = quick ? 1 : 10;
  await using world = await openEmbeddedWorld();
  await world.importReport(await writeSyntheticReport(world.directory, { seed, terms: 5_000, month: 1 }));
  await using server = await world.startServer();
  const unequal: string[] = [];
  let answered = 0;
  for (let round = 0; round < rounds; round += 1) {
    const keys = await Promise.all(Array.from({ length: 4 }, () => world.makeKey()));
    let isOver = false;
    const load = keys.map(async (key) => {
      while (!isOver) {
        const { status } = await sendRequest(`${server.url}/v1/search/keywords?query=kakalo`, { key });
        if (status === 200) answered += 1;
      }
    });
    const next = await writeSyntheticReport(world.directory, { seed, terms: 5_000, month: round + 2 });
    const importing = runKeyrank(['import', next], world.settings);
    const backup = join(world.directory, `backup-${round}`);
    const made = await runKeyrank(['backup', backup], world.settings);
    isOver = true;
    await Promise.all(load);
    const imported = await importing;
    if (made.code !== 0 || imported.code !== 0) throw new Error(made.stderr + imported.stderr);
    const fault = await compareRestored(world, backup);
    if (fault !== undefined) unequal.push(`round ${round + 1}: ${fault}`);
    await rm(backup, { recursive: true });
    report(`round ${round + 1}, ${answered} searches answered so far`);
  }
  return {
    kept: unequal.length === 0 && answered > 0,
    figure:
      `${rounds - unequal.length} of ${rounds} restored to equal digests beside ${answered} searches ${unequal[0] ?? ''}`.trim(),
  };
}

/** What differs between a backup, once restored, and what was published when it was made; undefined when nothing does. */
async function compareRestored(world: EmbeddedWorld, backup: string): Promise<string | undefined> {
  await using database = await makeDatabase();
  const dataDirectory = join(world.directory, 'restored');
  await mkdir(dataDirectory);
  const settings = { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: dataDirectory };
  const restored = await runKeyrank(['restore', backup], settings);
  if (restored.code !== 0) return restored.stderr;
  const [now, then] = [await loadManifest(world.operator), await loadManifest(database.operator)];
  const digests = now.periods.slice(0, then.periods.length).map(({ digest }) => digest);
  const { faults } = await verifyFiles({ manifest: then, dataDirectory, onFile: () => {} });
  const isEqual = then.periods.every(({ digest }, n) => digest === digests[n]);
  const { rows } = await database.owner.query<{ searches: number; metered: number; counted: number }>(
    `SELECT (SELECT count(*) FROM search_history) AS searches, (SELECT count(*) FROM rate_log) AS counted,
       (SELECT coalesce(sum(count), 0)::bigint FROM usage_counts) AS metered`,
  );
  const [row] = rows;
  const { files } = JSON.parse(await readFile(join(backup, 'backup.json'), 'utf8'));
  await rm(dataDirectory, { recursive: true });
  if (!isEqual || faults.length > 0) return `digests ${isEqual ? 'equal' : 'differ'}, faults ${JSON.stringify(faults)}`;
  if (files.length !== listStoredFiles(then).length) return 'files are missing';
  // One moment: what was admitted is in the history, in the rate log and on the meter.
  return row && row.searches === row.metered && row.searches === row.counted ? undefined : JSON.stringify(row);
}

export const durability: readonly Promised[] = [
  {
    name: 'acknowledged writes while servers and PostgreSQL are killed',
    goal: '0 lost in 100 rounds',
    run: tryKilledWrites,
  },
  { name: 'flipped bytes in published files and backups', goal: '100 of 100 detected', run: tryFlippedBytes },
  { name: 'backups made under load', goal: 'restored to equal digests', run: tryBackup },
];
