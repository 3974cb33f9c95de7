// Imports into ClickHouse that are killed at any moment: what must hold at that moment and afterwards.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouseStore } from '../../src/clickhouse/clickhouse-store.ts';
import { openClickHousePublication } from '../../src/clickhouse/fill/publication.ts';
import { namesIn } from '../../src/clickhouse/schema.ts';
import { sql } from '../../src/clickhouse/sql.ts';
import type { SearchRow } from '../../src/domain/search-row.ts';
import { importReports } from '../../src/ingest/importer.ts';
import { ServedRanks } from '../../src/snapshot/served-ranks.ts';
import { currentReport, fixtureRows, WEEK_NAME, writeReport } from '../ingest/report-fixture.ts';
import { openWorkbench, TEST_OPTIONS, type Workbench } from '../ingest/workbench.ts';
import { openStoreOver } from '../store/clickhouse-engine.ts';
import { viewOf } from '../store/engines.ts';
import { planKeywords } from '../store/search-fixture.ts';
import { openTestClickHouse, type TestClickHouse } from '../support/clickhouse.ts';
import { startKeyrank } from '../support/process.ts';

const ROWS = 3_000;

export interface KilledPublishing extends AsyncDisposable {
  /** Kills an import after a part of the time that one takes; throws when anything but a whole version was ever to be seen. */
  kill(part: number): Promise<'before' | 'after'>;
}

interface Ground {
  readonly bench: Workbench;
  readonly test: TestClickHouse;
}

/** Imports a first version in peace. */
export async function openKilledPublishing(): Promise<KilledPublishing> {
  const [bench, test] = await Promise.all([openWorkbench(), openTestClickHouse()]);
  const ground = { bench, test };
  let made = 1;
  await importHere(ground, await writeVersion(bench, made));
  made += 1;
  const startMs = performance.now();
  const [code] = await once(startImport(ground, await writeVersion(bench, made)), 'close');
  if (code !== 0) throw new Error(`an import that nobody killed ended with code ${code}`);
  const durationMs = performance.now() - startMs;
  return {
    kill: async (part) => {
      const published = made;
      made += 1;
      const path = await writeVersion(bench, made);
      const child = startImport(ground, path);
      const ended = once(child, 'close');
      await Promise.race([ended, sleep(part * durationMs)]);
      child.kill('SIGKILL');
      await ended;
      const seen = await checkShown(ground, [published, made]);
      await importHere(ground, path);
      await checkShown(ground, [made]);
      await checkLeftovers(ground);
      return seen === made ? 'after' : 'before';
    },
    [Symbol.asyncDispose]: async () => {
      await test[Symbol.asyncDispose]();
      await bench[Symbol.asyncDispose]();
    },
  };
}

async function writeVersion({ reports }: Workbench, version: number): Promise<string> {
  const rows = fixtureRows(ROWS).map((row) => ({ ...row, term: `${row.term} of version ${version}` }));
  return await writeReport(reports, WEEK_NAME.replace('.csv', `-${version}.csv`), currentReport(rows));
}

function startImport({ bench, test }: Ground, path: string) {
  const { database, dataDirectory } = bench;
  const settings = { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: dataDirectory, ...test.environment };
  const child = startKeyrank(['import', '--urgent', path], settings);
  child.stdout.resume();
  child.stderr.resume();
  return child;
}

function publisherOf({ bench, test }: Ground) {
  const { clickHouse } = test;
  return bench.publisher({
    elsewhere: openClickHousePublication({ clickHouse, dataDirectory: bench.dataDirectory, threads: 1 }),
  });
}

async function importHere(ground: Ground, path: string): Promise<void> {
  await importReports({
    files: [{ path, source: 'search' }],
    options: TEST_OPTIONS,
    publisher: publisherOf(ground),
    dataDirectory: ground.bench.dataDirectory,
    onProgress: () => {},
    now: () => new Date(),
  });
}

/** Which of the versions a server shows that starts now. */
async function checkShown({ bench, test }: Ground, allowed: readonly number[]): Promise<number> {
  const { dataDirectory } = bench;
  const store: ClickHouseStore = openStoreOver(test.clickHouse, dataDirectory);
  await using ranks = await ServedRanks.open({ store, dataDirectory, loadManifest: () => bench.manifest() });
  using view = viewOf(ranks, { frequency: 'weekly' });
  const data = { frequency: 'weekly', periods: view.periods.map((period) => ({ period, rows: [] })) } as const;
  const plan = { ...planKeywords(data, { queries: ['term'], orderBy: 'latest_rank' }), limit: 2 * ROWS };
  const { totalCount, rows } = await view.search(plan);
  const version = allowed.find((each) => rows[0]?.searchTerm.endsWith(` of version ${each}`));
  const isWhole = rows.every((row: SearchRow, i) => row.searchTerm === `term ${i + 1} of version ${version}`);
  if (version === undefined || !isWhole || totalCount !== ROWS || rows.length !== ROWS) {
    throw new Error(`${totalCount} terms are shown, the first is ${rows[0]?.searchTerm}`);
  }
  return version;
}

/** The next batch sweeps; then there is nothing but what the manifest names, and all of that. */
async function checkLeftovers(ground: Ground): Promise<void> {
  const publisher = publisherOf(ground);
  await publisher.openBatch({ onWait: () => {} }, async () => {});
  const { faults } = await publisher.verify({ onItem: () => {} });
  if (faults.length > 0) throw new Error(`what is published is damaged: ${JSON.stringify(faults)}`);
  const { clickHouse } = ground.test;
  const { generations, documents, postings } = namesIn(clickHouse.database);
  for (const { all } of [generations, documents, postings]) {
    const found = await clickHouse.rows(sql`SELECT DISTINCT generation FROM ${all}`);
    if (found.length !== 1) throw new Error(`generations were left behind: ${JSON.stringify(found)}`);
  }
}
