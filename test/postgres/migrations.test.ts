import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { outsidePostgres } from '../../src/postgres/connection.ts';
import { migrate } from '../../src/postgres/migrations.ts';
import { makeEmptyDatabase } from '../support/database.ts';

describe('migrations', () => {
  it('are applied once, however many processes start at the same moment', async () => {
    await using database = await makeEmptyDatabase();
    const applied = await Promise.all(Array.from({ length: 8 }, () => migrate(outsidePostgres(database.url))));
    expect(applied.flat()).toEqual([...new Set(applied.flat())]);
    expect(applied.flat()[0]).toBe('0001-accounts.sql');
    expect(await migrate(outsidePostgres(database.url))).toEqual([]);
  });

  it('refuse a database of a newer version and change nothing', async () => {
    await using database = await makeEmptyDatabase();
    await migrate(outsidePostgres(database.url));
    await run(database.url, `INSERT INTO keyrank.schema_migrations (version, name, checksum) VALUES (9999, 'x', 'y')`);
    await expect(migrate(outsidePostgres(database.url))).rejects.toMatchObject({
      name: 'OperatorError',
      message: 'The database is from a newer version of keyrank (schema 9999).',
      hint: 'Install that version or a later one; nothing was changed.',
    });
  });

  it('refuse a database whose migrations were others', async () => {
    await using database = await makeEmptyDatabase();
    await migrate(outsidePostgres(database.url));
    await run(database.url, `UPDATE keyrank.schema_migrations SET checksum = 'other' WHERE version = 1`);
    await expect(migrate(outsidePostgres(database.url))).rejects.toThrow('is not the one this database was made with');
  });

  it('say what is wrong with an address that does not answer', async () => {
    const server = outsidePostgres(new URL('postgres://nobody:secret@127.0.0.1:1/none'));
    const failed = migrate(server);
    await expect(failed).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringMatching(/^Cannot connect to PostgreSQL at 127\.0\.0\.1:1\/none: .*ECONNREFUSED/),
      hint: expect.stringContaining('DATABASE_URL'),
    });
    await expect(failed).rejects.not.toThrow('secret');
  });
});

async function run(url: URL, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(sql);
  await client.end();
}
