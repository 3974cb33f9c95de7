// Changing the rank store with the command that does it, and what analysts see then.
import { describe, expect, it } from 'vitest';
import { VIEWED_TABLES, viewName } from '../../src/clickhouse/schema.ts';
import { name, sql } from '../../src/clickhouse/sql.ts';
import { loadManifestVersion } from '../../src/snapshot/manifest/manifest-rows.ts';
import { ServedRanks } from '../../src/snapshot/served-ranks.ts';
import { currentReport, fixtureRows, WEEK_NAME, writeReport } from '../ingest/report-fixture.ts';
import { openWorkbench } from '../ingest/workbench.ts';
import { openStoreOver } from '../store/clickhouse-engine.ts';
import { ENGINES, viewOf } from '../store/engines.ts';
import { planKeywords } from '../store/search-fixture.ts';
import { NO_CLICKHOUSE, openTestClickHouse } from '../support/clickhouse.ts';
import { runKeyrank } from '../support/process.ts';

const ROWS = 40;

describe('the suites of rank stores', () => {
  it.skipIf(NO_CLICKHOUSE)(`run on ClickHouse${NO_CLICKHOUSE ? `: not run, ${NO_CLICKHOUSE}` : ''}`, () => {
    expect(ENGINES.map((engine) => engine.name)).toContain('ClickHouse');
  });
});

describe.skipIf(NO_CLICKHOUSE)('keyrank publish', () => {
  it('makes everything again for another store, in one step, and back; other settings are refused meanwhile', async () => {
    await using bench = await openWorkbench();
    await using test = await openTestClickHouse();
    const { dataDirectory, database, reports } = bench;
    const memory = { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: dataDirectory };
    const cluster = { ...memory, ...test.environment };
    await bench.importOne(await writeReport(reports, WEEK_NAME, currentReport(fixtureRows(ROWS))));
    const before = await bench.manifest();

    expect(await runKeyrank(['clickhouse', 'migrate'], cluster)).toMatchObject({ code: 0 });
    const refused = await runKeyrank(['import', '--urgent', `${reports}/${WEEK_NAME}`], cluster);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('keyrank publish --to clickhouse') });
    const published = await runKeyrank(['publish', '--to', 'clickhouse', '--json'], cluster);
    expect(published).toMatchObject({ code: 0, stdout: expect.stringContaining('"sets": 1') });

    const now = await bench.manifest();
    expect(now.version).toBe(before.version + 1);
    expect(now.periods).toEqual(before.periods);
    const store = openStoreOver(test.clickHouse, dataDirectory);
    await using ranks = await ServedRanks.open({ store, dataDirectory, loadManifest: () => bench.manifest() });
    using view = viewOf(ranks, { frequency: 'weekly' });
    const data = { frequency: 'weekly', periods: view.periods.map((period) => ({ period, rows: [] })) } as const;
    expect(await view.count(planKeywords(data, { queries: ['term'] }))).toBe(ROWS);
    const counts = await Promise.all(
      VIEWED_TABLES.map(async (table) => {
        const from = name(test.clickHouse.database, viewName(table));
        const [found] = await test.clickHouse.rows<{ rows: number }>(sql`SELECT count() AS rows FROM ${from}`);
        return [table, found?.rows];
      }),
    );
    expect(Object.fromEntries(counts)).toMatchObject({
      documents: ROWS,
      points: ROWS,
      terms: ROWS,
      holdings: 6 * ROWS,
    });

    expect(await runKeyrank(['verify'], cluster)).toMatchObject({ code: 0 });
    expect(await runKeyrank(['publish', '--to', 'memory'], cluster)).toMatchObject({ code: 0 });
    expect(await loadManifestVersion(database.operator)).toBe(before.version + 2);
    const again = await runKeyrank(['import', '--urgent', `${reports}/${WEEK_NAME}`], memory);
    expect(again).toMatchObject({ code: 0 });
  }, 600_000);
});
