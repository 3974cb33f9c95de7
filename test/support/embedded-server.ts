// What the tests of the embedded PostgreSQL share: data directories that clean up after themselves, and other processes,
// of this user or of an ordinary one, that open a server and wait for orders.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { findPostmaster, stopPostmaster } from '../../src/postgres/embedded/postmaster.ts';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const SERVER_MODULE = 'dist/postgres/embedded/embedded-postgres.js';
const STOP_LIMIT_MS = 20_000;

export const isRoot = process.geteuid?.() === 0;
export const silentLog = { info(): void {}, warn(): void {} };

/** The ordinary user of these tests: `nobody` for root, else whoever runs them. */
export function ordinaryUser(): { uid: number; gid: number } | undefined {
  if (!isRoot) return undefined;
  const read = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

/** Root's own Node may lie where no one else can run it, as nvm's does; then nothing can be tested as somebody else. */
export const hasOrdinaryUser =
  !isRoot || spawnSync(process.execPath, ['--version'], { ...ordinaryUser(), cwd: '/' }).status === 0;

export interface TestDirectory {
  /** Does not exist yet, in a folder that only its owner may enter. */
  readonly dataDirectory: string;
  remove(): Promise<void>;
}

export async function openTestDirectory(
  options: { readonly ordinary?: boolean; readonly name?: string } = {},
): Promise<TestDirectory> {
  const parent = await mkdtemp(join(tmpdir(), 'keyrank-test-'));
  const user = options.ordinary ? ordinaryUser() : undefined;
  if (user) await chown(parent, user.uid, user.gid);
  const dataDirectory = join(parent, options.name ?? 'data');
  return {
    dataDirectory,
    async remove() {
      await stopPostmaster(join(dataDirectory, 'postgres'), STOP_LIMIT_MS);
      await rm(parent, { recursive: true, force: true });
    },
  };
}

/** A data directory for one test. */
export async function makeDataDirectory(options: { readonly ordinary?: boolean; readonly name?: string } = {}) {
  const { dataDirectory, remove } = await openTestDirectory(options);
  onTestFinished(remove);
  return dataDirectory;
}

export function findServerProcess(dataDirectory: string): Promise<number | undefined> {
  return findPostmaster(join(dataDirectory, 'postgres'));
}

export async function query<Row extends object>(
  connection: { host: string; port: number; user: string; database: string },
  text: string,
): Promise<Row[]> {
  const client = new Client(connection);
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** The parts of this checkout that a server needs, where an ordinary user can read them. */
export async function makeOrdinaryCheckout(): Promise<string> {
  if (!isRoot) return CHECKOUT;
  const copy = await mkdtemp(join(tmpdir(), 'keyrank-checkout-'));
  await chmod(copy, 0o755);
  await cp(join(CHECKOUT, 'dist'), join(copy, 'dist'), { recursive: true });
  await writeFile(join(copy, 'package.json'), '{"type":"module"}');
  const waiting = ['pg', `@embedded-postgres/${process.platform}-${process.arch}`];
  const copied = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (copied.has(name)) continue;
    copied.add(name);
    const source = join(CHECKOUT, 'node_modules', name);
    const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as { dependencies?: object };
    waiting.push(...Object.keys(manifest.dependencies ?? {}));
    await mkdir(dirname(join(copy, 'node_modules', name)), { recursive: true });
    await cp(source, join(copy, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
  }
  return copy;
}

export async function removeCheckout(checkout: string): Promise<void> {
  if (checkout !== CHECKOUT) await rm(checkout, { recursive: true, force: true });
}

const SCRIPT = `
import { createInterface } from 'node:readline';
const { openEmbeddedPostgres } = await import(process.argv[1]);
const log = { info() {}, warn() {} };
try {
  const server = await openEmbeddedPostgres({ ...JSON.parse(process.argv[2]), log });
  console.log('open');
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'close') break;
  }
  await server.close();
  console.log('closed');
} catch (error) {
  console.log(error.name + ': ' + error.message + ' ' + error.hint);
}
process.exit();
`;

/** Runs statements on an open `server` in a process that has nothing else to do; answers its exit code. */
export async function runWithServer(dataDirectory: string, statements: string): Promise<unknown> {
  const script = `
    const { openEmbeddedPostgres } = await import(process.argv[1]);
    const log = { info() {}, warn() {} };
    const server = await openEmbeddedPostgres({ dataDirectory: process.argv[2], log });
    ${statements}`;
  const args = ['--input-type=module', '-e', script, join(CHECKOUT, SERVER_MODULE), dataDirectory];
  const [code] = await once(spawn(process.execPath, args, { cwd: '/', stdio: 'inherit' }), 'exit');
  return code;
}

/** Another keyrank process with the server open; `said` is 'open' or its error. */
export interface OtherProcess {
  readonly child: ChildProcess;
  readonly said: string;
  close(): Promise<string>;
  kill(): Promise<void>;
}

export async function startOtherProcess(options: {
  readonly dataDirectory: string;
  readonly packageDirectory?: string;
  readonly checkout?: string;
  readonly ordinary?: boolean;
  readonly uid?: number;
}): Promise<OtherProcess> {
  const { checkout = CHECKOUT, ordinary = false, uid, ...rest } = options;
  const user = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', SCRIPT, join(checkout, SERVER_MODULE), JSON.stringify(rest)],
    { ...(ordinary ? ordinaryUser() : user), cwd: '/', stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => String((await lines.next()).value);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const said = await nextLine();
  return {
    child,
    said,
    async close() {
      child.stdin.write('close\n');
      return nextLine();
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
