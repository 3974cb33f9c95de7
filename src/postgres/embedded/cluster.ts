// The cluster: what PostgreSQL calls its data directory, here KEYRANK_DATA_DIR/postgres. It is made under a temporary
// name and renamed, so it is wholly there or not at all, and of two processes that make one at once the first wins.
import { chown, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../../domain/error.ts';
import { errorCode, errorMessage } from '../../domain/error-code.ts';
import { writeAccessFiles } from './cluster-access.ts';
import type { ServerBinaries } from './server-binaries.ts';
import { runServerProgram } from './server-program.ts';
import type { ServerAddress } from './server-session.ts';
import { listInitArguments } from './server-settings.ts';
import type { ServerUser } from './server-user.ts';
import { takesPlace, temporaryPathIn } from './temporary-folder.ts';

const INIT_LIMIT_MS = 120_000;

export interface Cluster {
  readonly directory: string;
  readonly address: ServerAddress;
  readonly logPath: string;
  readonly user: ServerUser;
  /** Found only when a server must be started: joining one needs none. */
  readonly findBinaries: () => Promise<ServerBinaries>;
}

/** True when there is something that must be a cluster: an empty folder is as good as none. */
export async function hasCluster(clusterDirectory: string): Promise<boolean> {
  try {
    return (await readdir(clusterDirectory)).length > 0;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    // What is wrong with it is for checkCluster to say.
    return true;
  }
}

export async function makeCluster(options: {
  readonly dataDirectory: string;
  readonly clusterDirectory: string;
  readonly binaries: ServerBinaries;
  readonly user: ServerUser;
}): Promise<void> {
  const { dataDirectory, clusterDirectory, binaries, user } = options;
  const temporary = temporaryPathIn(dataDirectory);
  try {
    await mkdir(temporary, { mode: 0o700 });
    if (user.uid !== process.geteuid?.()) await chown(temporary, user.uid, user.gid);
    const { succeeded, output } = await runServerProgram({
      file: binaries.initdb,
      args: listInitArguments(temporary),
      user,
      workingDirectory: temporary,
      limitMs: INIT_LIMIT_MS,
    });
    if (!succeeded) throw new Error(output);
    await writeAccessFiles(temporary, user);
    // Where somebody else was faster, theirs is as good as ours.
    await takesPlace(temporary, clusterDirectory);
    await syncDirectory(dataDirectory);
  } catch (error) {
    throw new OperatorError(`The database in ${clusterDirectory} could not be made: ${errorMessage(error)}`, {
      hint: 'Look for a full disk, a read-only mount or missing privileges; nothing was left behind.',
      cause: error,
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Refuses what PostgreSQL would refuse later in words that do not tell the operator what to do. */
export async function checkCluster(options: {
  readonly clusterDirectory: string;
  readonly user: ServerUser;
  readonly majorVersion: string;
}): Promise<void> {
  const { clusterDirectory, user, majorVersion } = options;
  const stats = await stat(clusterDirectory);
  if (stats.uid !== user.uid) {
    throw new OperatorError(
      `${clusterDirectory} belongs to user id ${stats.uid}, but PostgreSQL would run as user id ${user.uid}.`,
      {
        hint:
          stats.uid === 0
            ? `PostgreSQL does not run as root: chown -R ${user.uid}:${user.gid} '${clusterDirectory}'`
            : 'Run keyrank as the user that made the data directory, or change the owner of the folder.',
      },
    );
  }
  const version = await readFile(join(clusterDirectory, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    throw new OperatorError(`${clusterDirectory} is not a PostgreSQL data directory: ${errorMessage(error)}.`, {
      hint: 'Move it away, or restore it from a backup; an empty or missing folder is filled at the next start.',
      cause: error,
    });
  });
  if (version.trim() === majorVersion) return;
  throw new OperatorError(
    `${clusterDirectory} was made by PostgreSQL ${version.trim()}; this keyrank carries PostgreSQL ${majorVersion}.`,
    {
      hint: `Back up with the keyrank release that made it, restore with this one into a new KEYRANK_DATA_DIR; or run PostgreSQL ${version.trim()} on it and set DATABASE_URL.`,
    },
  );
}
