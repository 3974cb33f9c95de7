// A ClickHouse cluster for tests: two processes of Debian's package on this machine, each a shard, or the cluster that the environment
// names. One for all tests of a process.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClickHouseSettings, readClickHouse } from '../../src/clickhouse/clickhouse-settings.ts';
import { ClickHouse } from '../../src/clickhouse/connection.ts';
import { migrate } from '../../src/clickhouse/schema.ts';
import { name, sql } from '../../src/clickhouse/sql.ts';

const PROGRAM = ['/usr/bin/clickhouse-server', '/usr/sbin/clickhouse-server'].find((path) => existsSync(path));
/** Every node of a cluster, and its name in their configuration. */
const { KEYRANK_TEST_CLICKHOUSE_URL = '' } = process.env;
export const GIVEN_NODES = KEYRANK_TEST_CLICKHOUSE_URL === '' ? undefined : KEYRANK_TEST_CLICKHOUSE_URL.split(',');
const GIVEN_CLUSTER = process.env.KEYRANK_TEST_CLICKHOUSE_CLUSTER ?? 'default';

const CLUSTER = 'test';
const SHARDS = 2;
const MEMORY_BYTES = 2_000_000_000;
const START_MS = 120_000;

/** Why there is no cluster; undefined: there is one. */
export const NO_CLICKHOUSE =
  PROGRAM || GIVEN_NODES ? undefined : 'ClickHouse is not installed, and KEYRANK_TEST_CLICKHOUSE_URL names none';

export interface ClickHouseNode {
  readonly url: string;
  /** Like a machine that loses its power. */
  kill(): Promise<void>;
  /** Again, with what lies on its disk. */
  start(): Promise<void>;
  /** For good: its disk goes with it. */
  remove(): Promise<void>;
}

export interface TestCluster {
  readonly nodes: readonly ClickHouseNode[];
  readonly cluster: string;
  readonly urls: readonly string[];
}

export interface TestClickHouse extends AsyncDisposable {
  readonly clickHouse: ClickHouse;
  readonly settings: ClickHouseSettings;
  /** Of a keyrank. */
  readonly environment: Record<string, string>;
}

let shared: Promise<TestCluster> | undefined;

export function openTestCluster(): Promise<TestCluster> {
  shared ??= startCluster();
  return shared;
}

/** A database of its own, with tables. */
export async function openTestClickHouse(cluster?: TestCluster): Promise<TestClickHouse> {
  const { urls, cluster: clusterName } = cluster ?? (await openTestCluster());
  const database = `keyrank_test_${randomBytes(6).toString('hex')}`;
  const withDatabase = urls.map((url) => new URL(database, url).href).join(',');
  const settings = readClickHouse({ urls: withDatabase, cluster: clusterName });
  if (!settings) throw new Error('no address of ClickHouse');
  const clickHouse = new ClickHouse(settings);
  await migrate(clickHouse);
  return {
    clickHouse,
    settings,
    environment: {
      KEYRANK_RANK_STORE: 'clickhouse',
      CLICKHOUSE_URL: withDatabase,
      KEYRANK_CLICKHOUSE_CLUSTER: clusterName,
    },
    [Symbol.asyncDispose]: async () => {
      await clickHouse.onEachNode(sql`DROP DATABASE ${name(database)}`).catch(() => {});
      await clickHouse[Symbol.asyncDispose]();
    },
  };
}

/** Processes of its own, for tests that kill them. */
export async function startCluster({ shards = SHARDS, memoryBytes = MEMORY_BYTES } = {}): Promise<TestCluster> {
  if (GIVEN_NODES) return { nodes: [], cluster: GIVEN_CLUSTER, urls: GIVEN_NODES };
  const directory = mkdtempSync(join(tmpdir(), 'keyrank-clickhouse-'));
  const ports = await findPorts(2 * shards);
  const places = Array.from({ length: shards }, (_, i) => ({
    directory: join(directory, String(i)),
    http: ports[2 * i] ?? 0,
    tcp: ports[2 * i + 1] ?? 0,
  }));
  const nodes = places.map((place) => nodeAt(place, { places, memoryBytes }));
  await Promise.all(nodes.map((node) => node.start()));
  return { nodes, cluster: CLUSTER, urls: nodes.map(({ url }) => url) };
}

interface Place {
  readonly directory: string;
  readonly http: number;
  readonly tcp: number;
}

/**
 * Ends the server with the process that started it, however that ends, because its input is closed then: tests are ended by signals,
 * which leave no time for anything. What lies on the disk goes too, unless it is to be kept for another start.
 */
const KEEPER = `trap '' INT TERM HUP
"$0" "--config-file=$1/config.xml" < /dev/null & server=$!
read -r last
exec > /dev/null 2>&1
kill -9 $server
wait $server
[ "$last" = keep ] && exit
rm -rf "$1"
rmdir "$(dirname "$1")" 2> /dev/null`;

function nodeAt(
  place: Place,
  { places, memoryBytes }: { readonly places: readonly Place[]; readonly memoryBytes: number },
): ClickHouseNode {
  const url = `http://127.0.0.1:${place.http}`;
  let child: ChildProcess | undefined;
  let log = '';
  mkdirSync(place.directory, { recursive: true });
  writeFileSync(join(place.directory, 'config.xml'), configuration(place, places));
  writeFileSync(join(place.directory, 'users.xml'), users(memoryBytes));
  const end = async (lastWord: string) => {
    const ending = child;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.ref();
    ending.stdin?.end(`${lastWord}\n`);
    await ended;
  };
  const start = async () => {
    const started = spawn('/bin/sh', ['-c', KEEPER, PROGRAM ?? '', place.directory], { stdio: 'pipe' });
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk) => (log = `${log}${chunk}`.slice(-20_000)));
    }
    // A test that is done need not wait for it.
    started.unref();
    for (const stream of started.stdio) (stream as unknown as { unref(): void } | null)?.unref();
    child = started;
    for (const deadline = Date.now() + START_MS; ; ) {
      const answer = await fetch(url).catch(() => undefined);
      if (answer?.ok) return;
      if (started.exitCode !== null || Date.now() > deadline) throw new Error(`ClickHouse does not start:\n${log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return { url, kill: () => end('keep'), start, remove: () => end('') };
}

function configuration({ directory, http, tcp }: Place, places: readonly Place[]): string {
  const shards = places.map(
    (place) => `<shard><replica><host>127.0.0.1</host><port>${place.tcp}</port></replica></shard>`,
  );
  return `<yandex>
    <logger><level>error</level><console>1</console></logger>
    <http_port>${http}</http_port><tcp_port>${tcp}</tcp_port><listen_host>127.0.0.1</listen_host>
    <path>${directory}/data/</path><tmp_path>${directory}/tmp/</tmp_path>
    <users_config>${directory}/users.xml</users_config>
    <default_profile>default</default_profile><default_database>default</default_database>
    <mark_cache_size>67108864</mark_cache_size><mlock_executable>0</mlock_executable>
    <remote_servers><${CLUSTER}>${shards.join('')}</${CLUSTER}></remote_servers>
  </yandex>`;
}

function users(memoryBytes: number): string {
  return `<yandex>
  <profiles><default><max_memory_usage>${memoryBytes}</max_memory_usage><max_threads>1</max_threads><fsync_metadata>0</fsync_metadata>
  </default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></default></users>
  <quotas><default></default></quotas>
</yandex>`;
}

async function findPorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
