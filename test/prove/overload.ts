// Far more requests than the service can answer. One search thread is what limits it here, so that whoever sends the requests,
// on the same machine, has a core to do it with.
import { setTimeout as sleep } from 'node:timers/promises';
import { tryDatabaseTrouble } from './database-trouble.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import { tryGracefulStop } from './graceful-stop.ts';
import { tryHeavyQueries } from './heavy-queries.ts';
import { median } from './median.ts';
import { type LoadTarget, loadFully, offerLoad } from './offered-load.ts';
import type { Finding, Promised, Trial } from './promised.ts';
import { tryProxiedServers } from './proxied-servers.ts';
import { trySlowConnections } from './slow-connections.ts';
import { syntheticWord, writeSyntheticReport } from './synthetic-report.ts';

/** Share of the peak that must still be answered at each multiple of it. */
const GOALS = [
  { factor: 2, goal: 0.9 },
  { factor: 5, goal: 0.85 },
  { factor: 10, goal: 0.8 },
] as const;
const ROUNDS = 5;
const RECOVERY_LIMIT_MS = 5_000;
/** Answers in a row that must be as quick as before the overload. */
const CALM_ANSWERS = 20;
const CONNECTIONS = 8;

/** Share of the peak of the same round that was answered, by round, for one multiple of it. */
interface Shares {
  readonly factor: number;
  readonly goal: number;
  readonly byRound: number[];
}

async function tryGoodput({ seed, quick, report }: Trial): Promise<Finding> {
  await using world = await openEmbeddedWorld();
  await world.importReport(
    await writeSyntheticReport(world.directory, { seed, terms: quick ? 20_000 : 100_000, month: 1 }),
  );
  const keys: string[] = [];
  for (let n = 0; n < (quick ? 40 : 150); n += 1) keys.push(await world.makeKey());
  await using server = await world.startServer({ KEYRANK_WORKERS: '1' });
  const target: LoadTarget = { url: server.url, keys, paths: PATHS, seconds: quick ? 2 : 5 };
  await loadFully({ ...target, seconds: quick ? 1 : 5 }, CONNECTIONS);
  const calm = await loadFully({ ...target, seconds: 1 }, 1);
  const shares: readonly Shares[] = GOALS.map((goal) => ({ ...goal, byRound: [] }));
  const peaks: number[] = [];
  const undocumented: string[] = [];
  let slowestMs = 0;
  // A machine is not equally fast all the time: what is offered is compared with what was answered just before.
  for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
    const peak = await loadFully(target, CONNECTIONS);
    report(`round ${round + 1}: peak ${JSON.stringify(peak)}`);
    peaks.push(peak.goodPerSecond);
    undocumented.push(...peak.undocumented);
    for (const { factor, byRound } of shares) {
      const outcome = await offerLoad(target, factor * peak.goodPerSecond);
      report(`${factor} × ${JSON.stringify({ ...outcome, undocumented: outcome.undocumented.slice(0, 3) })}`);
      undocumented.push(...outcome.undocumented);
      byRound.push(outcome.goodPerSecond / peak.goodPerSecond);
      slowestMs = Math.max(slowestMs, outcome.p99Ms);
    }
  }
  const recoveryMs = await untilCalm(target, 2 * calm.p99Ms + 50);
  const figures = shares.map(
    ({ factor, byRound }) => `${factor} × ${percent(median(byRound))} (${byRound.map(percent).join(', ')})`,
  );
  return {
    kept:
      // Seconds on a busy machine tell nothing of rates, only of whether anything is answered at all.
      shares.every(({ goal, byRound }) => median(byRound) >= (quick ? 0.01 : goal)) &&
      undocumented.length === 0 &&
      recoveryMs <= RECOVERY_LIMIT_MS,
    figure:
      `peak ${median(peaks).toFixed(0)}/s; in the median round ${figures.join(', ')}; slowest p99 ${slowestMs.toFixed(0)} ms; ` +
      `normal after ${recoveryMs.toFixed(0)} ms; ` +
      `${undocumented.length} undocumented answers ${undocumented.slice(0, 2).join('; ')}`.trim(),
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

/** Ten common words each: heavy enough that it is searching, and not talking about it, that the service runs out of. */
const PATHS = Array.from({ length: 8 }, (_, n) => {
  const words = Array.from({ length: 10 }, (_, i) => `query=${syntheticWord(n + i)}`);
  return `/v1/search/keywords?${words.join('&')}&order_by=similarity_score&order_direction=asc&limit=100`;
});

/** How long after the last request of an overload answers are as quick as they were before. */
async function untilCalm(target: LoadTarget, limitMs: number): Promise<number> {
  const startMs = performance.now();
  for (let calmAnswers = 0; calmAnswers < CALM_ANSWERS; ) {
    const { byStatus, p99Ms } = await loadFully({ ...target, seconds: 0.01 }, 1);
    const isCalm = p99Ms <= limitMs && Object.keys(byStatus).every((status) => status === '200');
    calmAnswers = isCalm ? calmAnswers + 1 : 0;
    if (performance.now() - startMs > 2 * RECOVERY_LIMIT_MS) break;
    await sleep(10);
  }
  return performance.now() - startMs;
}

export const overload: readonly Promised[] = [
  {
    name: 'goodput under 2, 5 and 10 times the load that can be answered',
    goal: 'at least 90, 85, 80 % of peak; only documented 429 and 503 with Retry-After; normal within 5 s',
    run: tryGoodput,
  },
  {
    name: 'normal clients beside 500 slow connections',
    goal: '99.9 % answered well',
    run: trySlowConnections,
  },
  {
    name: 'the heaviest searches that are allowed',
    goal: '200: each under 5 s, given up within 1 s of the client leaving',
    run: tryHeavyQueries,
  },
  { name: 'SIGTERM under load', goal: '50 times: 0 accepted requests dropped', run: tryGracefulStop },
  {
    name: 'a database that is slow, resets connections or swallows everything',
    goal: 'answered within 3 s, well again without a restart',
    run: tryDatabaseTrouble,
  },
  {
    name: 'servers that hold a part, behind a proxy, killed in turn',
    goal: '12 kills, two servers for each marketplace: 0 answers wrong or lost, and the hourly limit exact',
    run: tryProxiedServers,
  },
];
