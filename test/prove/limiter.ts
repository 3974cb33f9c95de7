import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PRO, STUDIO } from '../../src/domain/plan.ts';
import type { ServerProcess } from '../support/process.ts';
import { type BurstAnswer, countByStatus, sendBurst } from './burst.ts';
import { type EmbeddedWorld, openEmbeddedWorld } from './embedded-world.ts';
import { tryFloodedEndpoints } from './flooded-endpoints.ts';
import { tryNeighbour } from './limiter-neighbour.ts';
import { tryBurstAtStart } from './limiter-start.ts';
import type { Finding, Promised, Trial } from './promised.ts';
import { tryRetryAfter } from './retry-after.ts';
import { SeededRandom } from './seeded-random.ts';

/** Fewer than the default: eight servers share the hundred connections of the embedded PostgreSQL. */
const SERVER_SETTINGS = { KEYRANK_DATABASE_CONNECTIONS: '4', KEYRANK_WORKERS: '1' };
const SKEW_SECONDS = 300;
/** A burst is over within a second or two; whatever dies in it should. */
const MAX_KILL_DELAY_MS = 1_500;

async function startServers(world: EmbeddedWorld, count: number): Promise<readonly ServerProcess[]> {
  return await Promise.all(Array.from({ length: count }, () => world.startServer(SERVER_SETTINGS)));
}

async function stopAll(servers: readonly ServerProcess[]): Promise<void> {
  await Promise.all(servers.map((server) => server.stop()));
}

async function tryExactLimit({ quick, report }: Trial): Promise<Finding> {
  const sizes = quick ? { servers: 3, perServer: 250, rounds: 2 } : { servers: 8, perServer: 1_000, rounds: 20 };
  await using world = await openEmbeddedWorld();
  const servers = await startServers(world, sizes.servers);
  try {
    const wrong: string[] = [];
    let requests = 0;
    for (let round = 0; round < sizes.rounds; round += 1) {
      const plan = round % 2 === 0 ? STUDIO : PRO;
      const answers = await sendBurst(servers, { key: await world.makeKey(plan.name), perServer: sizes.perServer });
      const counts = countByStatus(answers);
      requests += answers.length;
      report(`round ${round + 1}: ${JSON.stringify(counts)}`);
      const limit = plan.searchesPerHour;
      const isExact = counts['200'] === limit && counts['429'] === answers.length - limit;
      if (!isExact) wrong.push(`round ${round + 1}, limit ${limit}: ${JSON.stringify(counts)}`);
    }
    return {
      kept: wrong.length === 0,
      figure:
        `${sizes.rounds - wrong.length} of ${sizes.rounds} rounds exact, ${requests} requests ${wrong[0] ?? ''}`.trim(),
    };
  } finally {
    await stopAll(servers);
  }
}

/** In each round one server or the database is killed in the burst, or both. Then the rest of the limit is used up. */
async function tryKills({ seed, quick, report }: Trial): Promise<Finding> {
  const sizes = quick ? { servers: 2, perServer: 300, rounds: 2 } : { servers: 4, perServer: 500, rounds: 20 };
  const random = new SeededRandom(seed);
  await using world = await openEmbeddedWorld();
  let servers = await startServers(world, sizes.servers);
  const wrong: string[] = [];
  let interrupted = 0;
  try {
    for (let round = 0; round < sizes.rounds; round += 1) {
      const key = await world.makeKey(STUDIO.name);
      const burst = sendBurst(servers, { key, perServer: sizes.perServer });
      await sleep(random.below(MAX_KILL_DELAY_MS));
      const doomed = round % 3 === 1 ? undefined : servers[random.below(servers.length)];
      await Promise.all([doomed?.stop('SIGKILL'), round % 3 === 0 ? undefined : world.killPostgres()]);
      const answers = await burst;
      await world.untilAnswers();
      if (doomed) {
        servers = [...servers.filter((server) => server !== doomed), await world.startServer(SERVER_SETTINGS)];
      }
      const rest = await useUp(servers, key);
      const admitted = [...answers, ...rest].filter(({ status }) => status === '200').length;
      const counted = await countSearches(world);
      const counts = countByStatus(answers);
      if (Object.keys(counts).some((status) => status !== '200' && status !== '429')) interrupted += 1;
      report(`round ${round + 1}: ${JSON.stringify(counts)}, ${admitted} answered, ${counted} counted`);
      const limit = STUDIO.searchesPerHour;
      if (admitted > limit || counted !== limit)
        wrong.push(`round ${round + 1}: ${admitted} answered, ${counted} counted`);
    }
  } finally {
    await stopAll(servers);
  }
  return {
    kept: wrong.length === 0,
    figure:
      `0 of ${sizes.rounds} rounds with one too many, ${interrupted} bursts were interrupted`.replace(
        /^0/,
        `${wrong.length}`,
      ) + (wrong[0] ? `; ${wrong[0]}` : ''),
  };
}

/** Searches until the limit is reached, coming again when told to. */
async function useUp(servers: readonly ServerProcess[], key: string): Promise<readonly BurstAnswer[]> {
  const answers: BurstAnswer[] = [];
  for (;;) {
    const some = await sendBurst(servers, { key, perServer: 50 });
    answers.push(...some);
    if (some.some(({ status }) => status === '429')) return answers;
    if (some.every(({ status }) => status !== '200')) await sleep(500);
  }
}

/** What the newest organization has used of its hour. */
async function countSearches(world: EmbeddedWorld): Promise<number> {
  const { rows } = await world.owner.query<{ count: number }>(
    `SELECT count(*) AS count FROM rate_log
     WHERE organization_id = (SELECT id FROM organizations ORDER BY created_at DESC LIMIT 1)`,
  );
  return rows[0]?.count ?? 0;
}

async function trySkew({ quick, report }: Trial): Promise<Finding> {
  const sizes = quick ? { perServer: 250, rounds: 1 } : { perServer: 1_000, rounds: 5 };
  const library = findFaketime();
  if (library === undefined) return { kept: false, figure: 'libfaketime is not installed (Debian: faketime)' };
  await using world = await openEmbeddedWorld();
  const offsets = [-SKEW_SECONDS, 0, SKEW_SECONDS];
  const servers = await Promise.all(
    offsets.map((offset) =>
      world.startServer({
        ...SERVER_SETTINGS,
        LD_PRELOAD: library,
        FAKETIME: `${offset >= 0 ? '+' : ''}${offset}s`,
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }),
    ),
  );
  const wrong: string[] = [];
  const skews: number[] = [];
  try {
    for (const { url } of servers) {
      const date = (await fetch(`${url}/healthz`)).headers.get('date') ?? '';
      skews.push(Math.round((Date.parse(date) - Date.now()) / 1000));
    }
    for (let round = 0; round < sizes.rounds; round += 1) {
      const key = await world.makeKey(STUDIO.name);
      const answers = await sendBurst(servers, { key, perServer: sizes.perServer });
      const counts = countByStatus(answers);
      report(`round ${round + 1}: ${JSON.stringify(counts)}`);
      // One clock decides, so every server names the same second, and refuses for the same time.
      const refused = answers.filter(({ status }) => status === '429');
      const resets = new Set(refused.map(({ headers }) => headers['ratelimit-reset']));
      const waits = refused.map(({ headers }) => Number(headers['retry-after']));
      const isTrue = resets.size === 1 && waits.every((seconds) => seconds > 3_500 && seconds <= 3_600);
      if (counts['200'] !== STUDIO.searchesPerHour || !isTrue) {
        wrong.push(`round ${round + 1}: ${JSON.stringify(counts)}, resets ${[...resets].join(' ')}`);
      }
    }
  } finally {
    await stopAll(servers);
  }
  const isSkewed = skews.every((skew, n) => Math.abs(skew - (offsets[n] ?? 0)) < 30);
  return {
    kept: wrong.length === 0 && isSkewed,
    figure:
      `${sizes.rounds - wrong.length} of ${sizes.rounds} rounds exact, clocks off by ${skews.join(', ')} s ${wrong[0] ?? ''}`.trim(),
  };
}

function findFaketime(): string | undefined {
  const [folder] = readdirSync('/usr/lib', { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name.endsWith('-linux-gnu'))
    .map(({ name }) => `/usr/lib/${name}/faketime`)
    .filter((path) => readNames(path).includes('libfaketimeMT.so.1'));
  return folder && `${folder}/libfaketimeMT.so.1`;
}

function readNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export const limiter: readonly Promised[] = [
  {
    name: 'the hourly limit under concurrent searches on several servers',
    goal: '8 processes × 1,000 at once, 20 rounds: exactly the limit',
    run: tryExactLimit,
  },
  {
    name: 'a burst on servers that have just started',
    goal: '8 processes × 1,000 at once, after each of 8 starts: exactly the limit, and no 503',
    run: tryBurstAtStart,
  },
  {
    name: 'the hourly limit while servers and PostgreSQL are killed in the burst',
    goal: '0 rounds with one search too many',
    run: tryKills,
  },
  {
    name: 'the hourly limit with clocks of servers 300 s apart in both directions',
    goal: 'exactly the limit, the same reset on all servers',
    run: trySkew,
  },
  {
    name: 'Retry-After',
    goal: '10,000 runs: whoever waits is admitted, and 1.002 s earlier is not',
    run: tryRetryAfter,
  },
  {
    name: 'a tenant at ten times its limit beside another',
    goal: "the other's p99 within 1.5 × of that alone",
    run: tryNeighbour,
  },
  {
    name: 'a tenant that floods any endpoint beside another',
    goal: "every endpoint in turn: none of the other's requests refused, and its p99 within 2 × of that alone in the median endpoint",
    run: tryFloodedEndpoints,
  },
];
