import { mkdir, open } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  describeDirectory,
  makeDirectory,
  syncDirectory,
  syncFile,
  writeDurably,
} from '../../../src/ingest/publish/durable-file.ts';
import { installDisk } from './disk-functions.ts';
import { SimulatedProcess } from './simulated-process.ts';
import { World } from './world.ts';

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

  it('keeps the files of a directory that were described, with the names that lead to them', async () => {
    const process = new SimulatedProcess(world, 'import');
    const { dataDirectory } = process;
    const directory = `${dataDirectory}/snapshots/US/1`;
    await untilDone(
      mkdir(directory, { recursive: true })
        .then(() => writeTo(`${directory}/columns`, 'content'))
        .then(() => syncFile(`${directory}/columns`)),
    );
    expect(world.disk.isDurable('/data/snapshots/US/1/columns')).toBe(false);
    const place = { dataDirectory, path: 'snapshots/US/1' };
    const files = await untilDone(describeDirectory({ ...place, names: ['columns'], older: undefined }));
    expect(files).toMatchObject([{ path: 'columns', sizeBytes: 7 }]);
    expect(world.disk.isDurable('/data/snapshots/US/1/columns')).toBe(true);
  });

  it.each([
    ['that were made', '/data'],
    ['of which a killed process had just made some', '/data/a'],
    ['that a killed process had just made', '/data/a/b'],
  ])('keeps the names of directories %s', async (_which, before) => {
    world.disk.makeDirectories(before);
    const { dataDirectory } = new SimulatedProcess(world, 'import');
    for (const path of ['a', 'a/b']) await untilDone(makeDirectory(`${dataDirectory}/${path}`));
    await untilDone(makeDirectory(`${dataDirectory}/a/b/c/d`));
    const file = `${dataDirectory}/a/b/c/d/file`;
    await untilDone(
      writeTo(file, 'content')
        .then(() => syncFile(file))
        .then(() => syncDirectory(`${dataDirectory}/a/b/c/d`)),
    );
    expect(world.disk.isDurable('/data/a/b/c/d/file')).toBe(true);
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
