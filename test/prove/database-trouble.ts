import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVER_PORT } from '../../src/postgres/embedded/server-settings.ts';
import { openChaosProxy, type Weather } from '../support/chaos-proxy.ts';
import { sendRequest, type TestAnswer } from '../support/service.ts';
import { openEmbeddedWorld } from './embedded-world.ts';
import type { Finding, Trial } from './promised.ts';

const ANSWER_LIMIT_MS = 3_000;
const HEAL_LIMIT_MS = 10_000;
const PATHS = [
  '/v1/search/keywords?query=tea',
  '/v1/usage',
  '/v1/search/history',
  '/v1/tracked-keywords',
  '/v1/meters',
];
/** Good answers in a row, on every path, after which all is well again. */
const WELL_ROUNDS = 3;

const TROUBLES: readonly (Weather & { readonly name: string })[] = [
  { name: '100 ms more', kind: 'latency', ms: 100 },
  { name: '700 ms more', kind: 'latency', ms: 700 },
  { name: '5 s more', kind: 'latency', ms: 5_000 },
  { name: 'resets', kind: 'reset' },
  { name: 'a black hole', kind: 'black-hole' },
];

interface Trouble {
  readonly slowestMs: number;
  readonly faults: readonly string[];
  readonly answers: number;
}

export async function tryDatabaseTrouble({ quick, report }: Trial): Promise<Finding> {
  await using world = await openEmbeddedWorld();
  await using proxy = await openChaosProxy({ host: join(world.dataDirectory, 'postgres'), port: SERVER_PORT });
  // Its own data directory: it is a server on another machine, whose database is behind the proxy.
  await using server = await world.startServer({
    DATABASE_URL: `postgres://keyrank_owner@127.0.0.1:${proxy.port}/keyrank`,
    KEYRANK_DATA_DIR: join(world.directory, 'elsewhere'),
  });
  const figures: string[] = [];
  const faults: string[] = [];
  for (let round = 0; round < (quick ? 1 : 5); round += 1) {
    for (const { name, ...weather } of quick ? TROUBLES.slice(1) : TROUBLES) {
      const keys = await Promise.all(Array.from({ length: 4 }, () => world.makeKey()));
      const [known] = keys;
      for (const path of PATHS) await sendRequest(server.url + path, { ...(known && { key: known }) });
      proxy.setWeather(weather);
      const trouble = await ask(server.url, { keys, seconds: quick ? 2 : 6 });
      proxy.setWeather({ kind: 'fair' });
      const healMs = await untilWell(server.url, keys);
      report(`${name}: slowest ${trouble.slowestMs.toFixed(0)} ms, well after ${healMs.toFixed(0)} ms`);
      figures.push(`${name} ${trouble.slowestMs.toFixed(0)}/${healMs.toFixed(0)} ms`);
      faults.push(...trouble.faults.map((fault) => `${name}: ${fault}`));
      if (trouble.slowestMs > ANSWER_LIMIT_MS)
        faults.push(`${name}: an answer after ${trouble.slowestMs.toFixed(0)} ms`);
      if (healMs > HEAL_LIMIT_MS) faults.push(`${name}: well only after ${healMs.toFixed(0)} ms`);
    }
  }
  return {
    kept: faults.length === 0,
    figure:
      `slowest answer/well again: ${figures.slice(-TROUBLES.length).join(', ')}; ${faults.length} faults ${faults[0] ?? ''}`.trim(),
  };
}

/** A few clients that ask for everything, one request after the other. */
async function ask(
  url: string,
  { keys, seconds }: { readonly keys: readonly string[]; readonly seconds: number },
): Promise<Trouble> {
  const faults: string[] = [];
  let slowestMs = 0;
  let answers = 0;
  const endMs = performance.now() + seconds * 1000;
  const clients = keys.flatMap((key) =>
    PATHS.map(async (path) => {
      while (performance.now() < endMs) {
        const startMs = performance.now();
        const answer = await sendRequest(url + path, { key });
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
        answers += 1;
        const fault = faultOf(answer);
        if (fault !== undefined) faults.push(`${path}: ${fault}`);
        if (answer.status !== 200) await sleep(50);
      }
    }),
  );
  await Promise.all(clients);
  return { slowestMs, faults, answers };
}

function faultOf({ status, headers, text }: TestAnswer): string | undefined {
  if (status === 200) return undefined;
  const isTold = Number(headers.get('retry-after')) >= 1;
  return (status === 503 || status === 429) && isTold ? undefined : `${status} ${text}`;
}

async function untilWell(url: string, keys: readonly string[]): Promise<number> {
  const startMs = performance.now();
  for (let rounds = 0; rounds < WELL_ROUNDS; ) {
    const answers = await Promise.all(keys.flatMap((key) => PATHS.map((path) => sendRequest(url + path, { key }))));
    rounds = answers.every(({ status }) => status === 200 || status === 429) ? rounds + 1 : 0;
    if (performance.now() - startMs > 3 * HEAL_LIMIT_MS) break;
    if (rounds === 0) await sleep(50);
  }
  return performance.now() - startMs;
}
