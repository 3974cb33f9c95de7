import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { OperatorError } from '../domain/error.ts';

/** Refuses a directory for a backup that exists, or that would share a fate with the data directory. */
export async function checkPlace({
  directory,
  dataDirectory,
}: {
  readonly directory: string;
  readonly dataDirectory: string;
}): Promise<void> {
  if (await stat(directory).catch(() => undefined)) {
    throw new OperatorError(`${directory} exists already.`, { hint: 'Give each backup a directory of its own.' });
  }
  const [place, data] = await Promise.all([realPlace(directory), realPlace(dataDirectory)]);
  if (!isWithin(place, data) && !isWithin(data, place)) return;
  const relation = isWithin(place, data) ? 'lies inside' : 'would hold';
  throw new OperatorError(`${directory} ${relation} the data directory ${dataDirectory}.`, {
    hint: 'What happens to the data would happen to its backup: choose a directory elsewhere, better on another disk.',
  });
}

/** Where a path leads that need not exist yet, with every symbolic link followed. */
async function realPlace(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (error) {
    const parent = dirname(absolute);
    if (parent === absolute) throw error;
    return join(await realPlace(parent), basename(absolute));
  }
}

function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}
