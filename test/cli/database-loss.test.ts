import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inTransaction } from '../../src/postgres/pool.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { runKeyrank } from '../support/process.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

/** Runs a command that needs the table, and ends its connection while it waits for it. */
async function runAndLose(table: string, args: readonly string[]) {
  await using directory = await openTemporaryDirectory();
  const settings = { DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: join(directory.path, 'data') };
  return await inTransaction(database.owner, async (client) => {
    await client.query(`LOCK TABLE ${table}`);
    const running = runKeyrank(args, settings);
    await vi.waitUntil(endWaiting, { timeout: 20_000 });
    return await running;
  });
}

async function endWaiting(): Promise<boolean> {
  const { rowCount } = await database.owner.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount === 1;
}

describe('a command that loses the database', () => {
  it('says so, and what to do', async () => {
    const { code, stdout, stderr } = await runAndLose('organizations', ['organization', 'list']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^error: The database was lost, or is too busy\.\nRun the command again when it is back\. .+\n$/,
    );
  });

  it('says that an import may be repeated, also before the first file', async () => {
    const { code, stdout, stderr } = await runAndLose('rank_periods', ['import', 'report.csv']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: The database was lost\.\nImport the file again when it is back: .+\n$/);
  });
});
