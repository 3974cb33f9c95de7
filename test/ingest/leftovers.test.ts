import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findLeftovers } from '../../src/ingest/publish/data-directory.ts';
import type { Manifest } from '../../src/snapshot/manifest/manifest.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const MANIFEST: Manifest = {
  id: '',
  storage: null,
  version: 0,
  computedAt: null,
  totalDataPoints: 0,
  periods: [],
  dictionaries: [],
  snapshots: [],
  keptRevisions: [],
};

it('takes nothing for left over that another import wrote after the files were listed', async () => {
  await using directory = await openTemporaryDirectory();
  const write = async (path: string) => {
    await mkdir(join(directory.path, 'segments/US'), { recursive: true });
    await writeFile(join(directory.path, path), '');
  };
  await write('segments/US/old.parquet');
  // The connection broke just before, and with it the import lock was lost.
  const readManifest = async () => {
    await write('segments/US/new.parquet');
    return MANIFEST;
  };
  const leftovers = await findLeftovers({ dataDirectory: directory.path, readManifest });
  expect(leftovers).toEqual(['segments/US/old.parquet']);
});
