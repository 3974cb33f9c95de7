// Node's own file functions, for paths below the simulated root: the code under simulation imports them from node:fs as always,
// and every other path goes to the real ones.
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { type DirectoryNode, type Disk, systemError } from './disk.ts';
import { SIMULATED_ROOT, type SimulatedProcess } from './simulated-process.ts';
import type { World } from './world.ts';

type AnyFunction = (...values: never[]) => unknown;
type FileFunctions = Readonly<Record<string, (place: Place, ...rest: unknown[]) => Promise<unknown>>>;

/** A path as one process sees it. */
interface Place {
  readonly path: string;
  /** On the disk, which all processes share. */
  readonly diskPath: string;
  readonly process: SimulatedProcess;
  readonly disk: Disk;
}

/** Returns what gives Node its functions back. */
export function installDisk(world: World): () => void {
  const promises = fsPromises as unknown as Record<string, AnyFunction>;
  const streams = fs as unknown as Record<string, AnyFunction>;
  const replaced: (() => void)[] = [];
  const replace = (target: Record<string, AnyFunction>, name: string, make: (real: AnyFunction) => AnyFunction) => {
    const real = target[name];
    if (!real) throw new Error(`node:fs has no ${name}`);
    target[name] = make(real);
    replaced.push(() => {
      target[name] = real;
    });
  };
  for (const [name, simulate] of Object.entries(FUNCTIONS)) {
    replace(promises, name, (real) => (path: string, ...rest: never[]) => {
      const place = findPlace(world, path);
      return place ? simulate(place, ...rest) : real(...([path, ...rest] as never[]));
    });
  }
  replace(streams, 'createReadStream', (real) => (path: string, ...rest: never[]) => {
    const place = findPlace(world, path);
    return place ? readInPieces(place) : real(...([path, ...rest] as never[]));
  });
  syncBuiltinESMExports();
  return () => {
    for (const restore of replaced) restore();
    syncBuiltinESMExports();
  };
}

function findPlace(world: World, path: unknown): Place | undefined {
  if (typeof path !== 'string' || !path.startsWith(`${SIMULATED_ROOT}/`)) return undefined;
  const [name = ''] = path.slice(SIMULATED_ROOT.length + 1).split('/', 1);
  const process = world.processes.get(name) ?? world.ghost;
  return { path, diskPath: path.slice(SIMULATED_ROOT.length + 1 + name.length), process, disk: world.disk };
}

async function touch<T>(
  { process, path, diskPath }: Place,
  what: string,
  { effect, spoil }: { readonly effect: () => T; readonly spoil?: () => void },
): Promise<T> {
  return await process.call(`${what} ${diskPath}`, () => {
    if (process.world.strikes('disk')) {
      spoil?.();
      throw systemError(what === 'write' ? 'ENOSPC' : 'EIO', path);
    }
    return effect();
  });
}

const FUNCTIONS: FileFunctions = {
  open: async (place, flags) => {
    if (flags === 'w' || flags === 'wx') await write(place, Buffer.alloc(0));
    else await touch(place, 'open', { effect: () => existing(place) });
    return {
      sync: () => sync(place),
      datasync: () => sync(place),
      close: async () => {},
      [Symbol.asyncDispose]: async () => {},
      writeFile: (content: string | Buffer) => write(place, Buffer.from(content)),
    };
  },
  mkdir: async (place) => {
    const first = await touch(place, 'mkdir', { effect: () => place.disk.makeDirectories(place.diskPath) });
    return first === undefined ? undefined : place.path.slice(0, place.path.length - place.diskPath.length) + first;
  },
  rename: async (place, to) => {
    const target = String(to).slice(place.path.length - place.diskPath.length);
    await touch(place, 'rename', {
      effect: () => {
        place.process.world.checkUntouched(target, 'replaced by rename');
        place.disk.rename(place.diskPath, target);
      },
    });
  },
  link: async (place, to) => {
    const target = String(to).slice(place.path.length - place.diskPath.length);
    await touch(place, 'link', { effect: () => place.disk.link(place.diskPath, target) });
  },
  stat: (place) =>
    touch(place, 'stat', {
      effect: () => {
        const node = existing(place);
        const size = node.kind === 'file' ? node.content.length : 0;
        return { ino: node.inode, dev: 1, size, isDirectory: () => node.kind === 'directory' };
      },
    }),
  readFile: async (place, encoding) => {
    const content = await touch(place, 'read', { effect: () => place.disk.file(place.diskPath).content });
    return encoding ? content.toString('utf8') : content;
  },
  writeFile: (place, content) => write(place, Buffer.from(String(content))),
  readdir: (place) =>
    touch(place, 'list', { effect: () => listEntries(place.path, place.disk.directory(place.diskPath)) }),
  rm: (place) => remove(place),
};

function existing({ disk, diskPath, path }: Place) {
  const node = disk.find(diskPath);
  if (!node) throw systemError('ENOENT', path);
  return node;
}

async function write(place: Place, content: Buffer): Promise<void> {
  const { disk, diskPath, process } = place;
  await touch(place, 'write', {
    effect: () => {
      process.world.checkUntouched(diskPath, 'written to');
      disk.write(diskPath, content);
    },
    spoil: () => {
      if (content.length > 0) disk.write(diskPath, content.subarray(0, process.world.random.below(content.length)));
    },
  });
}

async function sync(place: Place): Promise<void> {
  const { disk, diskPath, process } = place;
  const { unsynced } = process.world.planted ?? {};
  const effect = () => {
    if (existing(place).kind !== unsynced) disk.sync(diskPath);
  };
  await touch(place, 'sync', { effect, spoil: () => disk.forget(diskPath) });
}

/** One name after the other, as rm does: it may end in between. */
async function remove(place: Place): Promise<void> {
  const node = place.disk.find(place.diskPath);
  if (node?.kind === 'directory') {
    for (const name of [...node.entries.keys()]) {
      await remove({ ...place, path: `${place.path}/${name}`, diskPath: `${place.diskPath}/${name}` });
    }
  }
  if (!node) return;
  await touch(place, 'remove', {
    effect: () => {
      place.process.world.checkUntouched(place.diskPath, 'removed');
      place.disk.remove(place.diskPath);
    },
  });
}

async function* readInPieces(place: Place): AsyncGenerator<Buffer> {
  yield await touch(place, 'read', { effect: () => place.disk.file(place.diskPath).content });
}

/** All entries below a directory; plain listings in the code under simulation are of directories without directories. */
function listEntries(path: string, directory: DirectoryNode): readonly object[] {
  return [...directory.entries].flatMap(([name, node]) => [
    { name, parentPath: path, isDirectory: () => node.kind === 'directory', isFile: () => node.kind === 'file' },
    ...(node.kind === 'directory' ? listEntries(`${path}/${name}`, node) : []),
  ]);
}
