import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeFile, writeDurably } from '../../src/ingest/durable-file.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

it('gives two writers of the same file names of their own, so that neither touches what the other publishes', async () => {
  await using directory = await openTemporaryDirectory();
  const place = { dataDirectory: directory.path, path: 'segments/US/search-monthly-2026-01-r1.parquet' };
  const write = (content: string) => writeDurably(place, (path) => writeFile(path, content));
  const [first, second] = await Promise.all([write('first'), write('second')]);
  expect(await readFile(join(directory.path, first.path), 'utf8')).toBe('first');
  expect(await readFile(join(directory.path, second.path), 'utf8')).toBe('second');
  expect(await describeFile(join(directory.path, first.path))).toEqual({ sizeBytes: 5, sha256: first.sha256 });
});
