// Which initdb and postgres to run. The installed package is used where it lies when that works for the server's user.
// It does not when the checkout is under a folder that this user may not enter (/root), or when npm ran no install
// scripts and the package lacks its symbolic links. Then a complete private copy is made, once; node_modules is never
// written to.
import { chmod, copyFile, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { errorCode, errorMessage, ifMissing } from '../../domain/error-code.ts';
import type { PlatformPackage } from './platform-package.ts';
import { runServerProgram } from './server-program.ts';
import type { ServerUser } from './server-user.ts';
import { sweepAbandoned, takesPlace, temporaryPathIn } from './temporary-folder.ts';

const PROBE_LIMIT_MS = 20_000;

/** The server's user must be able to reach it, which a data directory under /root does not allow. */
const ROOT_CACHE_DIRECTORY = '/var/cache/keyrank';

export interface ServerBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

export async function findServerBinaries(options: {
  readonly platformPackage: PlatformPackage;
  readonly user: ServerUser;
  readonly dataDirectory: string;
  readonly cacheDirectory?: string;
}): Promise<ServerBinaries> {
  const { platformPackage, user } = options;
  const installed = join(platformPackage.directory, 'native');
  if ((await findTrouble(installed, user)) === undefined) return binariesOf(installed);

  const isRoot = process.geteuid?.() === 0;
  const cache = options.cacheDirectory ?? (isRoot ? ROOT_CACHE_DIRECTORY : options.dataDirectory);
  const copy = join(cache, `postgres-${platformPackage.version}-${process.platform}-${process.arch}`);
  try {
    if (isRoot) await openRootCache(cache);
    if (!(await isTrusted(copy)) || (await findTrouble(copy, user)) !== undefined) {
      await publishCopy(platformPackage, copy, user);
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`PostgreSQL's programs could not be copied to ${copy}: ${errorMessage(error)}.`, {
      hint: `Make ${cache} writable, or set DATABASE_URL to a PostgreSQL server.`,
      cause: error,
    });
  }
  const trouble = await findTrouble(copy, user);
  if (trouble === undefined) return binariesOf(copy);
  throw new OperatorError(`The embedded PostgreSQL does not run on this machine: ${trouble}`, {
    hint: 'It needs glibc (not musl, as in Alpine) and leave to run programs there; or set DATABASE_URL to a PostgreSQL server.',
  });
}

function binariesOf(directory: string): ServerBinaries {
  return { initdb: join(directory, 'bin/initdb'), postgres: join(directory, 'bin/postgres') };
}

/** Running both is the exact test: it needs every folder on the way, the files and the libraries behind the links. */
async function findTrouble(directory: string, user: ServerUser): Promise<string | undefined> {
  for (const file of Object.values(binariesOf(directory))) {
    try {
      const request = { file, args: ['--version'], user, workingDirectory: '/', limitMs: PROBE_LIMIT_MS };
      const { succeeded, output } = await runServerProgram(request);
      // An empty or damaged file may well "succeed": what is no program is run as a script of the shell.
      if (!succeeded || !output.includes('(PostgreSQL)')) return output || `${file} is damaged`;
    } catch (error) {
      return errorMessage(error);
    }
  }
  return undefined;
}

async function openRootCache(cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  if (await isTrusted(cache)) return chmod(cache, 0o755);
  throw new OperatorError(`${cache} is not a folder that only root can write to, so programs in it are not trusted.`, {
    hint: `Remove ${cache}; it is made again at the next start.`,
  });
}

async function isTrusted(directory: string): Promise<boolean> {
  const stats = await lstat(directory).catch(ifMissing(undefined));
  return stats?.isDirectory() === true && stats.uid === process.geteuid?.() && (stats.mode & 0o022) === 0;
}

/** Nobody sees a half-made copy, and of two processes at once either one's copy will do. */
async function publishCopy({ directory }: PlatformPackage, copy: string, user: ServerUser): Promise<void> {
  const folder = dirname(copy);
  await sweepAbandoned(folder);
  const temporary = temporaryPathIn(folder);
  try {
    await copyTree(join(directory, 'native'), temporary);
    await makeLinks(directory, temporary);
    if (await takesPlace(temporary, copy)) return;
    // Something is there: the copy of a process that was faster, which must not be moved away under it, or a broken one.
    if ((await isTrusted(copy)) && (await findTrouble(copy, user)) === undefined) return;
    await rename(copy, `${temporary}-broken`).catch(() => undefined);
    await takesPlace(temporary, copy);
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(`${temporary}-broken`, { recursive: true, force: true });
  }
}

/** Modes are set outright, because both the umask of `npm ci` and ours may hide the files from the server's user. */
async function copyTree(source: string, target: string): Promise<void> {
  await mkdir(target);
  await chmod(target, 0o755);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) {
      if (!['include', 'pgxs', 'pkgconfig', 'man', 'doc'].includes(entry.name)) await copyTree(from, to);
    } else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(from, to);
      await chmod(to, ((await lstat(from)).mode & 0o111) === 0 ? 0o644 : 0o755);
    }
  }
}

/** All links of the package are in this list, so those that are already there are made anew as well. */
async function makeLinks(packageDirectory: string, target: string): Promise<void> {
  const list = await readFile(join(packageDirectory, 'native/pg-symlinks.json'), 'utf8').catch(ifMissing('[]'));
  for (const link of JSON.parse(list) as readonly { readonly source: string; readonly target: string }[]) {
    const place = join(target, relative('native', link.target));
    await symlink(relative(dirname(link.target), link.source), place).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  }
}
