// The engine over ClickHouse for tests: real segments and dictionaries, and real processes that each hold a part of the rows.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ClickHouseStore } from '../../src/clickhouse/clickhouse-store.ts';
import type { ClickHouse } from '../../src/clickhouse/connection.ts';
import { openBuild } from '../../src/clickhouse/fill/build.ts';
import { openClickHousePublication } from '../../src/clickhouse/fill/publication.ts';
import { FilePublisher } from '../../src/ingest/publish/file-publisher.ts';
import { GENERATION_FILE } from '../../src/ingest/publish/rank-stores.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import type { Manifest } from '../../src/snapshot/manifest/manifest.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { ServedRanks } from '../../src/snapshot/served-ranks.ts';
import { openTestClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { makeDatabase } from '../support/database.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import type { PublishingStore, StoreData, TestStore } from './engines.ts';
import { serve, writeManifest } from './snapshot-engine.ts';

let shared: Promise<TestClickHouse> | undefined;

export function openStoreOver(clickHouse: ClickHouse, dataDirectory: string): ClickHouseStore {
  return new ClickHouseStore({ clickHouse, dataDirectory, maxRunning: 8, maxQueued: 1000 });
}

/** Names of rows are paths, which no two tests share, so that one database does for all. */
export async function openClickHouseEngine(data: StoreData): Promise<TestStore> {
  shared ??= openTestClickHouse();
  const { clickHouse } = await shared;
  const directory = await openTemporaryDirectory();
  // Names of rows are paths in the data directory.
  const dataDirectory = join(directory.path, '..');
  const build = openBuild({ clickHouse, dataDirectory, threads: 1 });
  const store = openStoreOver(clickHouse, dataDirectory);
  await mkdir(directory.path, { recursive: true });
  const write = (next: StoreData, version: number): Promise<Manifest> =>
    writeManifest(directory.path, next, version, { build, fileName: GENERATION_FILE });
  let manifest = await write(data, 1);
  const ranks = await ServedRanks.open({ store, dataDirectory: directory.path, loadManifest: async () => manifest });
  return {
    store: ranks,
    replace: async (next) => {
      manifest = await write(next, manifest.version + 1);
      await serve(ranks, manifest.version);
    },
    [Symbol.asyncDispose]: async () => {
      await ranks[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

export async function openClickHousePublisher(): Promise<PublishingStore> {
  const database = await makeDatabase();
  const test = await openTestClickHouse();
  const directory = await openTemporaryDirectory();
  const { path: dataDirectory } = directory;
  const { clickHouse } = test;
  const pool = database.operator;
  const store = openStoreOver(clickHouse, dataDirectory);
  const ranks = await ServedRanks.open({ store, dataDirectory, loadManifest: () => loadManifest(pool) });
  const now = () => new Date();
  const elsewhere = openClickHousePublication({ clickHouse, dataDirectory, threads: 1 });
  return {
    store: ranks,
    publisher: new FilePublisher({ pool, dataDirectory, buildSnapshot, elsewhere, keepRevisionsMs: 3_600_000, now }),
    dataDirectory,
    settle: async () => serve(ranks, (await loadManifest(pool)).version),
    [Symbol.asyncDispose]: async () => {
      await ranks[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await test[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
