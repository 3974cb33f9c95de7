import { open } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeDurably } from '../../../src/ingest/publish/durable-file.ts';
import { installDisk } from './disk-functions.ts';
import { PLANTED_FAULTS } from './planted-faults.ts';
import { runSeed } from './run-seed.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { World } from './world.ts';

const WORLDS = 30;

describe('a simulated world', () => {
  it('is the same each time for the same seed, but for names that are drawn', async () => {
    const [first, second] = [await runSeed(5), await runSeed(5)];
    const plain = (trace: readonly string[]) => trace.map((line) => line.replace(/\.[0-9a-f]{8}/g, ''));
    expect(plain(first.trace)).toEqual(plain(second.trace));
    expect([first.steps, first.faults]).toEqual([second.steps, second.faults]);
    expect(first.faults).toBeGreaterThan(0);
  });

  it(`keeps every invariant, ${WORLDS} times`, async () => {
    for (let seed = 1; seed <= WORLDS; seed += 1) {
      const { violations, trace } = await runSeed(seed);
      expect(violations, `seed ${seed}\n${trace.join('\n')}`).toEqual([]);
    }
  });

  it('shows a planted fault', async () => {
    const planted = PLANTED_FAULTS.find(({ unsynced }) => unsynced === 'directory');
    const found: string[] = [];
    for (let seed = 1; found.length === 0; seed += 1) found.push(...(await runSeed(seed, planted)).violations);
    expect(found[0]).toContain('a power cut could damage it');
  });
});

describe('a simulated disk', () => {
  let world: World;
  let restore: (() => void)[];
  beforeEach(() => {
    world = new World(1, undefined);
    restore = [world.clock.install(), installDisk(world)];
  });
  afterEach(() => {
    for (const undo of restore) undo();
  });

  it('keeps what was written durably, also below directories that a killed process had just made', async () => {
    world.disk.makeDirectories('/data/segments/US');
    const process = new SimulatedProcess(world, 'import');
    const place = { dataDirectory: process.dataDirectory, path: 'segments/US/a.parquet' };
    const written = await untilDone(writeDurably(place, (path) => writeTo(path, 'content')));
    expect(world.disk.isDurable(`/data/${written.path}`)).toBe(true);
    world.cutPower();
    expect(world.disk.file(`/data/${written.path}`).content.toString()).toBe('content');
  });

  it('may lose what was not forced to it', async () => {
    const process = new SimulatedProcess(world, 'import');
    await untilDone(writeTo(`${process.dataDirectory}/a`, 'content'));
    expect(world.disk.isDurable('/data/a')).toBe(false);
  });

  it('has nothing to do with real paths', async () => {
    const file = await open(new URL(import.meta.url), 'r');
    expect((await file.stat()).size).toBeGreaterThan(1_000);
    await file.close();
  });

  async function untilDone<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      // Some calls take no time at all.
      world.clock.after(1, () => {});
      await world.clock.step();
    }
    return await done;
  }
});

async function writeTo(path: string, content: string): Promise<void> {
  const file = await open(path, 'w');
  await file.writeFile(content);
  await file.close();
}
