// nginx and Caddy with the configurations by marketplace of the guide, before servers on other ports than the guide's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeBlocks, readDocument } from '../docs/markdown.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

export interface GuideProxy extends AsyncDisposable {
  readonly url: string;
}

const GUIDE = 'docs/guides/several-servers.md';
/** Of those that hold US, both, and DE. */
const NGINX_SERVERS = ['127.0.0.1:8080', '127.0.0.1:8090', '127.0.0.1:8100'] as const;
const CADDY_SERVERS = ['10.0.0.11:8080', '10.0.0.12:8080', '10.0.0.13:8080'] as const;
const FOLDERS = ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'] as const;

export async function startNginx(ports: readonly number[]): Promise<GuideProxy> {
  const own = `127.0.0.1:${await freePort()}`;
  const text = withPorts(findConfiguration('nginx', '$arg_marketplace'), NGINX_SERVERS, ports);
  const temporary = FOLDERS.map((folder, n) => `${n === 0 ? 'client_body' : folder}_temp_path ${folder};`).join('\n');
  return await startProxy(own, {
    text: `daemon off; worker_processes 1; pid nginx.pid; error_log stderr crit;
     events { worker_connections 512; }
     http { access_log off; ${temporary}\n${text.replace('127.0.0.1:8443', own)}\n}`,
    command: (directory, path) => ['nginx', '-p', directory, '-c', path, '-e', 'stderr'],
  });
}

export async function startCaddy(ports: readonly number[]): Promise<GuideProxy> {
  const own = `127.0.0.1:${await freePort()}`;
  const text = withPorts(findConfiguration('caddyfile', '@de query'), CADDY_SERVERS, ports);
  return await startProxy(own, {
    text: `{\n  admin off\n  auto_https off\n}\n${text.replace('ranks.example.com', `http://${own}`)}`,
    command: (_directory, path) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', path],
  });
}

function findConfiguration(language: string, part: string): string {
  const block = codeBlocks(readDocument(GUIDE)).find((each) => each.language === language && each.text.includes(part));
  if (!block) throw new Error('the guide has no configuration by marketplace');
  return block.text;
}

function withPorts(text: string, addresses: readonly string[], ports: readonly number[]): string {
  return addresses.reduce((config, address, n) => config.replaceAll(address, `127.0.0.1:${ports[n]}`), text);
}

async function startProxy(
  own: string,
  { text, command }: { text: string; command: (directory: string, path: string) => readonly [string, ...string[]] },
): Promise<GuideProxy> {
  const directory = await openTemporaryDirectory();
  for (const folder of FOLDERS) await mkdir(join(directory.path, folder));
  const path = join(directory.path, 'proxy.conf');
  await writeFile(path, text);
  const [program, ...args] = command(directory.path, path);
  const env = { PATH: process.env.PATH, HOME: directory.path };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaints = '';
  child.stderr.on('data', (chunk) => (complaints += String(chunk)));
  const ended = once(child, 'close');
  const url = `http://${own}`;
  for (let isUp = false; !isUp; ) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${complaints}`);
    isUp = await fetch(`${url}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (!isUp) await sleep(50);
  }
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
