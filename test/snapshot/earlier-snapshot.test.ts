import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findManifest, formatManifest, MANIFEST_NAME } from '../../src/snapshot/format.ts';
import { loadSnapshot } from '../../src/snapshot/load.ts';
import { openEngine } from '../store/engine.ts';
import { rankedData } from '../store/search-fixture.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

const ADDED = ['previous-rank', 'term-place', 'change-order', 'abs-change-order'];

it('makes the columns of the trend lists for a snapshot that was built before there were any', async () => {
  await using directory = await openTemporaryDirectory();
  await openEngine(directory.path, rankedData(['a', 'b', 'c', 'd'], ['d', 'x', 'b', 'c']));
  const snapshot = join(directory.path, 'snapshot-0');
  const stored = await loadSnapshot({ directory: snapshot });
  const manifest = await findManifest(snapshot);
  if (!manifest) throw new Error('there is no snapshot');
  const columns = Object.fromEntries(Object.entries(manifest.columns).filter(([name]) => !ADDED.includes(name)));
  await writeFile(join(snapshot, MANIFEST_NAME), formatManifest({ ...manifest, columns }));

  const made = await loadSnapshot({ directory: snapshot });
  for (const name of ADDED) {
    const bytes = await readFile(join(snapshot, `${name}.bin`));
    expect(bytes.length, name).toBeGreaterThan(0);
    expect(Buffer.from(made.buffers[name] ?? new SharedArrayBuffer(0)), name).toEqual(bytes);
  }
  expect(Object.keys(made.buffers).sort()).toEqual(Object.keys(stored.buffers).sort());
});
