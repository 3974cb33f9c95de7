// Three servers that each hold a part of the marketplaces, behind a real nginx with the configuration of the guide, are killed in
// turn while clients search.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateReports } from '../../demo/report.ts';
import { freePort, startNginx } from '../support/guide-proxies.ts';
import type { ServerProcess } from '../support/process.ts';
import { sendRequest } from '../support/service.ts';
import type { Finding, Trial } from './promised.ts';
import { openWorld, type World } from './world.ts';

const CLIENTS = 6;
/** In the order of the guide's ports. */
const HELD = ['US', 'US,DE', 'DE'] as const;
/** Nothing of another marketplace or period may stand in an answer to these. */
const PATHS = ['US', 'DE'].flatMap((marketplace) =>
  ['monthly', 'weekly'].map((type) => `/v1/search/keywords?query=shoes&type=${type}&marketplace=${marketplace}`),
);
const HOURLY_LIMIT = 500;

export async function tryProxiedServers({ quick, report }: Trial): Promise<Finding> {
  const kills = quick ? 3 : 12;
  await using world = await openWorld();
  await importGermanData(world);
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const start = (n: number) => world.startServer({ PORT: String(ports[n]), KEYRANK_MARKETPLACES: HELD[n] ?? '' });
  const faults: string[] = [];
  let answers = 0;
  // At once: the news of a marketplace is told when a server that holds it is there.
  const servers: ServerProcess[] = await Promise.all([start(0), start(1), start(2)]);
  try {
    await using proxy = await startNginx(ports);
    await world.makeOrganization('Searching', { plan: 'owner' });
    const key = await world.makeKey({ organization: 'Searching' });
    const expected = await Promise.all(PATHS.map((path) => askFor(proxy.url + path, key)));
    if (new Set(expected).size !== PATHS.length) throw new Error('the answers do not tell the marketplaces apart');
    let isOver = false;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let sent = client; !isOver; sent += 1) {
        const n = sent % PATHS.length;
        const answer = await askFor(proxy.url + PATHS[n], key).catch((error: unknown) => String(error));
        if (answer !== expected[n]) faults.push(`${PATHS[n]}: ${answer.slice(0, 200)}`);
        answers += 1;
      }
    });
    for (let kill = 0; kill < kills; kill += 1) {
      const n = kill % servers.length;
      await servers[n]?.stop('SIGKILL');
      await sleep(300);
      servers[n] = await start(n);
      report(`${kill + 1} of ${kills} kills, ${answers} answers, ${faults.length} wrong or lost`);
    }
    isOver = true;
    await Promise.all(clients);
    const admitted = await useUpHour(world, proxy.url);
    if (admitted !== HOURLY_LIMIT) faults.push(`${admitted} searches of ${HOURLY_LIMIT} admitted`);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  return {
    kept: faults.length === 0 && answers > 0,
    figure:
      `${kills} kills, ${answers} answers: ${faults.length} wrong or lost ${faults.slice(0, 3).join('; ')}`.trim(),
  };
}

/** Everything of an answer but what tells of the request itself. */
async function askFor(url: string, key: string): Promise<string> {
  const { status, json, text } = await sendRequest(url, { key });
  return status === 200 ? JSON.stringify([json.data, json.pagination]) : `${status} ${text}`;
}

/** More searches than the hour has room for, over both groups of servers. */
async function useUpHour(world: World, url: string): Promise<number> {
  await world.makeOrganization('Limited');
  const key = await world.makeKey({ organization: 'Limited' });
  const wanted = Array.from({ length: HOURLY_LIMIT + 60 }, (_, n) => PATHS[n % PATHS.length] ?? '');
  let admitted = 0;
  const clients = Array.from({ length: CLIENTS }, async () => {
    for (let path = wanted.pop(); path !== undefined; path = wanted.pop()) {
      if ((await sendRequest(url + path, { key })).status === 200) admitted += 1;
    }
  });
  await Promise.all(clients);
  return admitted;
}

async function importGermanData({ bench }: World): Promise<void> {
  const size = { terms: 120, months: 2, weeks: 2, socialTerms: 0 };
  const files: { path: string; source: 'search' }[] = [];
  for (const report of generateReports({ size, seed: 2, now: new Date('2026-11-15T00:00:00Z'), marketplace: 'DE' })) {
    const path = join(bench.reports, report.fileName);
    await report.write(path);
    files.push({ path, source: 'search' });
  }
  const outcomes = await bench.importTogether(files);
  if (outcomes.some(({ status }) => status !== 'done')) throw new Error(JSON.stringify(outcomes));
}
