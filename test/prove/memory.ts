// What one tenant, or somebody without a key, can make the service hold in memory, and what another tenant notices of it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendRequest } from '../support/service.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import { median } from './median.ts';
import { offerLoad } from './offered-load.ts';
import type { Finding, Promised, Trial } from './promised.ts';
import { syntheticWord, writeSyntheticReport } from './synthetic-report.ts';

const GROWTH_GOAL_BYTES = 256 * 1024 * 1024;
/** Of the median, and of the p99: single answers wait for the garbage collector. */
const MEDIAN_GOAL = 2;
const P99_GOAL = 5;
/** The other one's requests per second. */
const CALM_RATE = 40;
const CALM_PATHS = ['/v1/trends/change-by?limit=10', '/v1/periods', '/v1/meters'];
const MIB = 1024 * 1024;
const LOOK_MS = 50;

interface Attack {
  readonly name: string;
  readonly connections: number;
  /** What each of them sends; none reads. */
  readonly message: (key: string) => string;
}

const ATTACKS: readonly Attack[] = [
  { name: 'history pages', connections: 60, message: (key) => get('/v1/search/history?limit=1000', key).repeat(4) },
  {
    name: 'search pages',
    connections: 60,
    message: (key) => get(`/v1/search/keywords?query=${syntheticWord(0)}&limit=1000`, key),
  },
  {
    name: 'exports',
    connections: 60,
    message: (key) => get(`/v1/search/keywords/export?query=${syntheticWord(0)}&file_format=ndjson`, key),
  },
  { name: 'bodies with a key', connections: 800, message: (key) => unfinished(`Authorization: Bearer ${key}\r\n`) },
  { name: 'bodies without a key', connections: 800, message: () => unfinished('') },
  { name: 'idle connections', connections: 3_000, message: () => '' },
  {
    name: 'unfinished headers',
    connections: 2_000,
    message: () => `GET /v1/meters HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(120_000)}`,
  },
];

async function tryMemory({ seed, quick, report }: Trial): Promise<Finding> {
  const { terms, rounds, seconds } = quick
    ? { terms: 5_000, rounds: 1, seconds: 1 }
    : { terms: 100_000, rounds: 3, seconds: 8 };
  await using world = await openEmbeddedWorld();
  for (const month of [1, 2]) {
    await world.importReport(await writeSyntheticReport(world.directory, { seed, terms, month }));
  }
  const [greedy, calm] = [await world.makeKey(), await world.makeKey()];
  await using server = await world.startServer();
  await fill(server.url, greedy, quick ? 40 : 400);
  const load = () => offerLoad({ url: server.url, keys: [calm], paths: CALM_PATHS, seconds }, CALM_RATE);
  await load();
  const faults: string[] = [];
  const figures: string[] = [];
  for (const attack of ATTACKS) {
    const [medians, slowest]: [number[], number[]] = [[], []];
    let growthBytes = 0;
    const order = { ...attack, key: greedy, overMs: (seconds * 1000) / 2 };
    for (let round = 0; round < rounds; round += 1) {
      const alone = await besideAttack(load, order);
      const before = await residentBytes(server.child.pid);
      const peak = watchPeak(server.child.pid);
      const beside = await besideAttack(load, { ...order, url: server.url });
      medians.push(beside.p50Ms / alone.p50Ms);
      slowest.push(beside.p99Ms / alone.p99Ms);
      growthBytes = Math.max(growthBytes, (await peak.stop()) - before);
      if (beside.byStatus['200'] !== beside.sent) faults.push(`${attack.name}: ${JSON.stringify(beside.byStatus)}`);
      await sleep(quick ? 200 : 1_000);
    }
    const [p50, p99] = [median(medians), median(slowest)];
    const figure = `${attack.name} ${(growthBytes / MIB).toFixed(0)} MB, p50 ${p50.toFixed(2)} ×, p99 ${p99.toFixed(2)} ×`;
    report(figure);
    figures.push(figure);
    if (growthBytes > GROWTH_GOAL_BYTES) faults.push(`${attack.name} took ${(growthBytes / MIB).toFixed(0)} MB`);
    // A second tells nothing of times.
    if (!quick && (p50 > MEDIAN_GOAL || p99 > P99_GOAL)) faults.push(figure);
  }
  return {
    kept: faults.length === 0,
    figure: `${figures.join('; ')}; ${faults.length} faults ${faults[0] ?? ''}`.trim(),
  };
}

function get(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
}

function unfinished(header: string): string {
  return `POST /v1/tracked-keywords HTTP/1.1\r\nHost: x\r\n${header}Content-Length: ${MIB}\r\n\r\n${'x'.repeat(MIB - 1)}`;
}

/** The longest history that there can be. */
async function fill(url: string, key: string, searches: number): Promise<void> {
  const long = Array.from({ length: 50 }, (_, n) => `brand=${n}${'x'.repeat(250)}`).join('&');
  const exclusions = Array.from({ length: 50 }, (_, n) => `exclude_query=${n}${'y'.repeat(250)}`).join('&');
  for (let n = 0; n < searches; n += 1) {
    await sendRequest(`${url}/v1/search/keywords?query=${n}&limit=1&${long}&${exclusions}`, { key });
  }
}

/** Without an address the clients hold connections to a port of their own. */
async function besideAttack<T>(
  work: () => Promise<T>,
  {
    url,
    connections,
    message,
    key,
    overMs,
  }: Attack & { readonly url?: string; readonly key: string; readonly overMs: number },
): Promise<T> {
  const child = fork(new URL('./holding-clients.mjs', import.meta.url));
  const ended = once(child, 'exit');
  child.send({ ...(url && { port: Number(new URL(url).port) }), connections, message: message(key), overMs });
  try {
    return await work();
  } finally {
    child.kill();
    await ended;
  }
}

function watchPeak(pid: number | undefined): { stop(): Promise<number> } {
  let peak = 0;
  let isStopped = false;
  const watching = (async () => {
    while (!isStopped) {
      peak = Math.max(peak, await residentBytes(pid));
      await sleep(LOOK_MS);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await watching;
      return peak;
    },
  };
}

async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

export const memory: readonly Promised[] = [
  {
    name: 'memory that one client can take, and the tenant beside it',
    goal: 'answers unread, bodies and headers unfinished, connections idle: at most 256 MB each; none of the other’s requests refused, its median time within 2 × of that alone and its p99 within 5 ×',
    run: tryMemory,
  },
];
