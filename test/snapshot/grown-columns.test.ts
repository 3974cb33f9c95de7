// Columns that only grow: what a publication adds is written and read, and the rest is taken over.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readParts, writeGrownColumn } from '../../src/snapshot/format/column-file.ts';
import type { SnapshotFile } from '../../src/snapshot/format/format.ts';
import { loadSnapshot } from '../../src/snapshot/format/load.ts';
import { rankedData } from '../store/search-fixture.ts';
import { buildSet } from '../store/snapshot-engine.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

let scratch: Awaited<ReturnType<typeof openTemporaryDirectory>>;

beforeAll(async () => {
  scratch = await openTemporaryDirectory();
});
afterAll(() => scratch[Symbol.asyncDispose]());

describe('a column that grows by one part after the other', () => {
  it('has few parts, and rewrites each byte a few times at most', async () => {
    const publications = 300;
    const addedBytes = 100;
    let older: { directory: string; parts: readonly SnapshotFile[] } = { directory: '', parts: [] };
    let writtenBytes = 0;
    const whole: Buffer[] = [];
    for (let n = 0; n < publications; n += 1) {
      const directory = join(scratch.path, `generation-${n}`);
      await mkdir(directory);
      const added = Buffer.alloc(addedBytes, n);
      whole.push(added);
      const parts = await writeGrownColumn({ directory, name: 'text', older, added: [added] });
      const known = new Set(older.parts.map(({ name, crc32 }) => `${name} ${crc32}`));
      for (const { name, crc32, sizeBytes } of parts) writtenBytes += known.has(`${name} ${crc32}`) ? 0 : sizeBytes;
      expect(parts.length).toBeLessThanOrEqual(16);
      expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
      if (older.directory !== '') await rm(older.directory, { recursive: true });
      older = { directory, parts };
    }
    expect(Buffer.from(await readParts(older))).toEqual(Buffer.concat(whole));
    expect(writtenBytes / (publications * addedBytes)).toBeLessThan(4);
  });

  it('stays as it is when nothing is added', async () => {
    const [first, second] = [join(scratch.path, 'first'), join(scratch.path, 'second')];
    await Promise.all([mkdir(first), mkdir(second)]);
    const older = { directory: '', parts: [] };
    const parts = await writeGrownColumn({ directory: first, name: 'text', older, added: [Buffer.from('a')] });
    const again = { directory: first, parts };
    expect(await writeGrownColumn({ directory: second, name: 'text', older: again, added: [] })).toEqual(parts);
  });
});

describe('a server that has the generation before', () => {
  async function buildTwo(name: string): Promise<readonly [string, string]> {
    const data = rankedData(['x one', 'x two'], ['x two', 'x three'], ['x four', 'x two']);
    const set = { marketplace: 'US', frequency: 'monthly', source: 'search' } as const;
    const last = await buildSet(join(scratch.path, name), set, data, { steps: [2] });
    return [join(scratch.path, name, 'snapshot-0'), last];
  }

  it('has the same columns as one that reads all of them', async () => {
    const [before, after] = await buildTwo('same');
    const older = await loadSnapshot({ directory: before });
    const taken = await loadSnapshot({ directory: after, findOlder: () => older });
    const read = await loadSnapshot({ directory: after });
    expect(Object.keys(taken.buffers).sort()).toEqual(Object.keys(read.buffers).sort());
    for (const [name, buffer] of Object.entries(read.buffers)) {
      expect(Buffer.from(taken.buffers[name] ?? new SharedArrayBuffer(0)), name).toEqual(Buffer.from(buffer));
    }
    const oldest = older.manifest.periods[0]?.key;
    expect(taken.buffers[`rank-${oldest}`]).toBe(older.buffers[`rank-${oldest}`]);
  });

  it('reads only what is new, and refuses that when it is damaged', async () => {
    const [before, after] = await buildTwo('new');
    const older = await loadSnapshot({ directory: before });
    const { manifest } = await loadSnapshot({ directory: after });
    const parts = manifest.columns['term-text'] ?? [];
    expect(parts).toHaveLength(2);
    const damage = async ({ name }: SnapshotFile): Promise<void> => {
      const bytes = await readFile(join(after, name));
      // A file of its own: the older one is a link that both generations share.
      await rm(join(after, name));
      await writeFile(
        join(after, name),
        bytes.map((byte) => byte ^ 1),
      );
    };
    const [known, added] = parts;
    if (!known || !added) throw new Error('the column has no parts');
    await damage(known);
    const taken = await loadSnapshot({ directory: after, findOlder: () => older });
    expect(Buffer.from(taken.buffers['term-text'] ?? new SharedArrayBuffer(0)).toString()).toBe(
      'x onex twox threex four',
    );
    await damage(added);
    await expect(loadSnapshot({ directory: after, findOlder: () => older })).rejects.toThrow(
      'does not have the checksum',
    );
  });
});
