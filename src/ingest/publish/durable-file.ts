// Atomic, durable files: write under a temporary name, fsync, rename.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, rename, stat } from 'node:fs/promises';
import { basename, dirname, join, posix, resolve } from 'node:path';
import type { StoredFile } from '../../domain/stored-file.ts';

export interface FilePlace {
  readonly dataDirectory: string;
  /** Relative to the data directory, with forward slashes. */
  readonly path: string;
}

/** Sweeping removes every file with this ending. */
const TEMPORARY_ENDING = '.tmp';
const TOKEN_BYTES = 4;

/**
 * A name that nobody else writes to. An import whose connection broke has lost the import lock without knowing it, and goes on
 * beside the next one: neither may touch what the other publishes.
 */
export function uniquePath(path: string): string {
  const token = randomBytes(TOKEN_BYTES).toString('hex');
  const { dir, name, ext } = posix.parse(path);
  return posix.join(dir, `${name}.${token}${ext}`);
}

/** Writes a file in full under a name of its own, or leaves nothing under its name. */
export async function writeDurably(
  { dataDirectory, path: wantedPath }: FilePlace,
  write: (temporaryPath: string) => Promise<void>,
): Promise<StoredFile> {
  const path = uniquePath(wantedPath);
  const target = join(dataDirectory, path);
  await mkdir(dirname(target), { recursive: true });
  const temporary = `${target}${TEMPORARY_ENDING}`;
  await write(temporary);
  await syncFile(temporary);
  const described = await describeFile(temporary);
  await rename(temporary, target);
  await syncNames({ dataDirectory, path });
  return { path, ...described };
}

/**
 * Describes files that were forced to disk when they were written, and forces their names to disk too. A file that is the
 * very one of the older description, by hard link, keeps what is known of it: cost must not grow with what is unchanged.
 */
export async function describeDirectory({
  dataDirectory,
  path: directoryPath,
  names,
  older,
}: FilePlace & {
  readonly names: readonly string[];
  readonly older: { readonly directory: string; readonly files: readonly StoredFile[] } | undefined;
}): Promise<readonly StoredFile[]> {
  const directory = join(dataDirectory, directoryPath);
  const known = new Map(older?.files.map((file) => [basename(file.path), file]));
  const describe = async (name: string): Promise<StoredFile> => {
    const path = join(directory, name);
    const same = known.get(name);
    if (older && same && (await isSameFile(path, join(older.directory, name)))) return { ...same, path: name };
    return { path: name, ...(await describeFile(path)) };
  };
  const files: StoredFile[] = [];
  for (const name of names) files.push(await describe(name));
  await syncDirectory(directory);
  await syncNames({ dataDirectory, path: directoryPath });
  return files;
}

/** The older one may have been deleted; then it is another. */
async function isSameFile(path: string, older: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(path), stat(older).catch(() => undefined)]);
  return first.ino === second?.ino && first.dev === second.dev;
}

export async function describeFile(path: string): Promise<Omit<StoredFile, 'path'>> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Forces to disk the name of what lies there, and of every directory above it: a process that died may have made those. */
async function syncNames({ dataDirectory, path }: FilePlace): Promise<void> {
  for (let name = path; name !== '.'; name = dirname(name)) await syncDirectory(join(dataDirectory, dirname(name)));
}

/** For what holds mail addresses, hashes of keys or secrets: its owner alone may look inside. */
export const PRIVATE_DIRECTORY_MODE = 0o700;
export const PRIVATE_FILE_MODE = 0o600;

/** Makes a directory and its parents, and forces their names to disk. Those that were there keep their mode. */
export async function makeDirectory(directory: string, { isPrivate = false } = {}): Promise<void> {
  const path = resolve(directory);
  const first = await mkdir(path, { recursive: true, ...(isPrivate ? { mode: PRIVATE_DIRECTORY_MODE } : {}) });
  // A process that died may have made it a moment ago.
  if (first === undefined) return await syncDirectory(dirname(path));
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    // The umask may have taken more than it should.
    if (isPrivate) await chmod(made, PRIVATE_DIRECTORY_MODE);
    await syncDirectory(dirname(made));
  }
}

export async function syncFile(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  await file.sync();
}

export async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, 'r');
  await directory.sync();
}
