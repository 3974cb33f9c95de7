import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/postgres/embedded/embedded-postgres.ts';
import { boundServerLog } from '../../src/postgres/embedded/server-log.ts';
import { makeDataDirectory, query, silentLog } from '../support/embedded-server.ts';

test('the log is cut under the running server, which goes on writing to it, and the last part is kept', async () => {
  const dataDirectory = await makeDataDirectory();
  const server = await openEmbeddedPostgres({ dataDirectory, log: silentLog });
  onTestFinished(() => server.close());
  const path = join(dataDirectory, 'postgres.log');
  await expect(query(server.connection('keyrank_service'), 'SELECT one FROM first')).rejects.toThrow('first');
  const before = await readFile(path, 'utf8');
  await boundServerLog(path, before.length);
  expect((await stat(path)).size).toBe(before.length);

  await boundServerLog(path, before.length - 1);
  await expect(query(server.connection('keyrank_service'), 'SELECT two FROM second')).rejects.toThrow('second');
  expect(await readFile(`${path}.1`, 'utf8')).toBe(before);
  const after = await readFile(path, 'utf8');
  expect(after).toMatch(/^\d{4}-.* ERROR: {2}relation "second" does not exist/);
  expect(after).not.toContain('first');
});
