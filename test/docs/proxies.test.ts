// The proxy configurations of the guide, in a real nginx and a real Caddy, before servers that say who they are.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startCaddy, startNginx } from '../support/guide-proxies.ts';

/** By the ports of the guide. */
const SERVERS = ['us', 'both', 'de'] as const;
type Name = (typeof SERVERS)[number];

let servers: Record<Name, { server: Server; port: number }>;
/** What a server does instead of answering. */
let conduct: Partial<Record<Name, 'refuse' | 'cut'>>;
let posts: number;

beforeAll(async () => {
  const opened = await Promise.all(
    SERVERS.map(async (name) => {
      const server = createServer((request, response) => {
        if (request.method === 'POST') posts += 1;
        const does = request.url?.startsWith('/readyz') ? undefined : conduct[name];
        if (does === 'cut') return void request.socket.destroy();
        if (does === 'refuse') return void response.writeHead(503, { 'retry-after': '1' }).end(`503 of ${name}`);
        response.end(name);
      });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const address = server.address();
      return [name, { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 }] as const;
    }),
  );
  servers = Object.fromEntries(opened) as typeof servers;
});
afterAll(() => {
  for (const { server } of Object.values(servers)) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  conduct = {};
  posts = 0;
});

function has(program: string): boolean {
  return spawnSync(program, [program === 'nginx' ? '-v' : 'version']).status === 0;
}

/** Who answered twelve requests for a marketplace. */
async function whoAnswers(url: string, path: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for (let n = 0; n < 12; n += 1) names.add(await (await fetch(url + path)).text());
  return [...names].sort();
}

const PROXIES = [
  ['nginx', startNginx],
  ['caddy', startCaddy],
] as const;

describe.each(PROXIES)('%s with the configuration by marketplace', (program, start) => {
  it.runIf(has(program))('leads to servers that hold it, and to the other one when one fails', async () => {
    const ports = SERVERS.map((name) => servers[name].port);
    await using proxy = await start(ports);
    const { url } = proxy;
    expect(await whoAnswers(url, '/v1/search/keywords?query=a&marketplace=DE')).toEqual(['both', 'de']);
    expect(await whoAnswers(url, '/v1/search/keywords?query=a&marketplace=US')).toEqual(['both', 'us']);
    expect(await whoAnswers(url, '/v1/search/keywords?query=a')).toEqual(['both', 'us']);

    conduct = { both: 'cut' };
    expect(await whoAnswers(url, '/v1/search/keywords?marketplace=DE')).toEqual(['de']);
    expect(await whoAnswers(url, '/v1/search/keywords')).toEqual(['us']);
    // What changes something may have been done before the connection broke: it is not sent again.
    posts = 0;
    for (let n = 0; n < 4; n += 1) await fetch(`${url}/v1/tracked-keywords`, { method: 'POST', body: '{}' });
    expect(posts).toBe(4);
  });

  it.runIf(program === 'nginx' && has(program))('answers in the envelope when no server does', async () => {
    await using proxy = await start(SERVERS.map((name) => servers[name].port));
    conduct = { de: 'refuse', both: 'refuse' };
    const refused = await fetch(`${proxy.url}/v1/search/keywords?marketplace=DE`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    conduct = { de: 'cut', both: 'cut' };
    const broken = await fetch(`${proxy.url}/v1/search/keywords?marketplace=DE`);
    expect([broken.status, broken.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await broken.json()).toMatchObject({ data: null, error: { code: 'SERVICE_UNAVAILABLE' } });
  });
});
