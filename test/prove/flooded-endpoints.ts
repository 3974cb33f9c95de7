// One organization sends requests to one endpoint as fast as they are answered, over many connections; another works as before.
// Every endpoint in turn, alone and beside in turns within one run.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { MAX_BATCH } from '../../src/http/mcp-endpoint.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { fillPath, VALID_QUERY } from '../support/valid-request.ts';
import { type EmbeddedWorld, openEmbeddedWorld } from './embedded-world.ts';
import { median } from './median.ts';
import { type LoadOutcome, offerLoad } from './offered-load.ts';
import type { Finding, Trial } from './promised.ts';
import { syntheticWord, writeSyntheticReport } from './synthetic-report.ts';

const FLOOD = fileURLToPath(new URL('./flood.mjs', import.meta.url));
const CONNECTIONS = 32;
const RATIO_GOAL = 2;
/** What the other one asks for: the threads, the database, and a bit of both. */
const CALM_PATHS = [
  '/v1/search/keywords?query=kakalo',
  '/v1/tracked-keywords',
  '/v1/usage',
  '/v1/search/suggestions?query=kaka',
];
const CALM_RATE = 60;
const NO_ITEM = '00000000-0000-4000-8000-000000000000';

interface Flood {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

export async function tryFloodedEndpoints({ seed, quick, report }: Trial): Promise<Finding> {
  const { seconds, rounds } = quick ? { seconds: 0.4, rounds: 1 } : { seconds: 3, rounds: 3 };
  await using world = await openEmbeddedWorld();
  await world.importReport(await writeSyntheticReport(world.directory, { seed, terms: 20_000, month: 1 }));
  // The limit of changes that servers have by default.
  await using server = await world.startServer({ KEYRANK_WRITES_PER_MINUTE: '' });
  const calm = async (): Promise<LoadOutcome> =>
    await offerLoad({ url: server.url, keys: [await world.makeKey()], paths: CALM_PATHS, seconds }, CALM_RATE);
  await calm();
  const faults: string[] = [];
  const slowed: { readonly name: string; readonly p50: number; readonly p99: number }[] = [];
  // In small: every sixth, another sixth with every seed.
  for (const flood of listFloods().filter((_, i) => !quick || i % 6 === seed % 6)) {
    const [medians, slowest]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      const alone = await calm();
      const { outcome: beside, answered } = await besides(flood, { world, url: server.url, calm });
      medians.push(beside.p50Ms / alone.p50Ms);
      slowest.push(beside.p99Ms / alone.p99Ms);
      if (beside.byStatus['200'] !== beside.sent) faults.push(`${flood.name}: ${JSON.stringify(beside.byStatus)}`);
      report(
        `${flood.name}: p50 ${alone.p50Ms.toFixed(1)} to ${beside.p50Ms.toFixed(1)} ms, ` +
          `p99 ${alone.p99Ms.toFixed(1)} to ${beside.p99Ms.toFixed(1)} ms; ${answered}`,
      );
    }
    slowed.push({ name: flood.name, p50: median(medians), p99: median(slowest) });
  }
  const worst = slowed.toSorted((a, b) => b.p99 - a.p99).slice(0, 3);
  const [p50, p99] = [median(slowed.map((each) => each.p50)), median(slowed.map((each) => each.p99))];
  return {
    // A few tenths of a second tell nothing of times.
    kept: faults.length === 0 && (quick || p99 <= RATIO_GOAL),
    figure:
      `${slowed.length} floods: p50 ${p50.toFixed(2)} × and p99 ${p99.toFixed(2)} × of that alone in the median, ` +
      `p99 ${worst.map(({ name, p99 }) => `${p99.toFixed(2)} × beside ${name}`).join(', ')}; ${faults.length} rounds with a refusal ${faults.slice(0, 3).join('; ')}`.trim(),
  };
}

function listFloods(): readonly Flood[] {
  const keywords = Array.from({ length: 400 }, () => ({ search_term: 'flood RANDOM' }));
  const bodies: Readonly<Record<string, object>> = {
    createTrackedKeywords: { keywords },
    changeTrackedKeyword: { notes: 'changed' },
    createWebhook: { url: 'https://hooks.example.com/' },
  };
  const words = Array.from({ length: 10 }, (_, n) => `query=${syntheticWord(n)}`).join('&');
  const floods = ENDPOINTS.map(({ operationId, method, path }) => ({
    name: operationId,
    method,
    path: fillPath(path, NO_ITEM) + (VALID_QUERY[operationId] ?? ''),
    ...(bodies[operationId] && { body: JSON.stringify(bodies[operationId]) }),
  }));
  const call = (name: string, input: object) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: input },
  });
  const batch = (message: object) => JSON.stringify(Array.from({ length: MAX_BATCH }, () => message));
  return [
    ...floods,
    { name: 'exportKeywords of many rows', method: 'GET', path: `/v1/search/keywords/export?${words}` },
    { name: 'wrong parameters', method: 'GET', path: '/v1/search/keywords?queries=x' },
    { name: 'MCP searches', method: 'POST', path: '/mcp', body: batch(call('search_keywords', { query: ['kakalo'] })) },
    { name: 'MCP trends', method: 'POST', path: '/mcp', body: batch(call('rank_changes', {})) },
    {
      name: 'MCP changes',
      method: 'POST',
      path: '/mcp',
      body: batch(call('track_keywords', { search_terms: ['flood RANDOM'] })),
    },
  ];
}

/** What the other one has while the flood goes on. */
async function besides(
  { method, path, body }: Flood,
  {
    world,
    url,
    calm,
  }: { readonly world: EmbeddedWorld; readonly url: string; readonly calm: () => Promise<LoadOutcome> },
): Promise<{ readonly outcome: LoadOutcome; readonly answered: string }> {
  const order = { url, key: await world.makeKey('pro'), method, path, body, connections: CONNECTIONS };
  const child = spawn(process.execPath, [FLOOD, JSON.stringify(order)], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.setEncoding('utf8');
  let answered = '';
  child.stdout.on('data', (chunk: string) => (answered += chunk));
  try {
    await once(child.stdout, 'data');
    const outcome = await calm();
    child.stdin.end();
    await once(child, 'close');
    return { outcome, answered: answered.replace('begun\n', '') };
  } finally {
    child.kill();
  }
}
