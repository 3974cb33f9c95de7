// PostgreSQL refuses to run as root. Started by root it runs as an unprivileged user; started by anyone else, as them.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { OperatorError } from '../../domain/error.ts';

const UNPRIVILEGED_USER = 'nobody';

export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
  /** What to hand to spawn: empty when the server runs as the user that we are. */
  readonly spawnAs: { readonly uid: number; readonly gid: number } | Record<string, never>;
  /**
   * The accounts of the operating system that may log in. Root may always: it can become any user anyway, and the
   * operator's `sudo keyrank …` has to join the server of a service that runs under its own account.
   */
  readonly loginNames: readonly string[];
}

/**
 * Root takes the owner of a cluster that is there already, so that it can also work on one that an ordinary user made;
 * for a new one it takes `nobody`.
 */
export function findServerUser(clusterDirectory: string): ServerUser {
  const uid = process.geteuid?.();
  const gid = process.getegid?.();
  if (uid === undefined || gid === undefined) {
    throw new OperatorError(`The embedded PostgreSQL does not run on ${process.platform}.`, {
      hint: 'Set DATABASE_URL to a PostgreSQL server (15 or newer).',
    });
  }
  if (uid !== 0) return { uid, gid, spawnAs: {}, loginNames: ['root', ownName(uid)] };
  const owner = findOwner(clusterDirectory) ?? findUnprivilegedUser();
  return { ...owner, spawnAs: owner, loginNames: ['root'] };
}

function ownName(uid: number): string {
  try {
    return userInfo().username;
  } catch (error) {
    throw new OperatorError(`The user id ${uid} has no name on this machine, and PostgreSQL needs one.`, {
      hint: `Add a line for ${uid} to /etc/passwd, run as a named user, or set DATABASE_URL to a PostgreSQL server.`,
      cause: error,
    });
  }
}

function findOwner(clusterDirectory: string): { uid: number; gid: number } | undefined {
  const stats = statSync(clusterDirectory, { throwIfNoEntry: false });
  return stats && stats.uid !== 0 ? { uid: stats.uid, gid: stats.gid } : undefined;
}

function findUnprivilegedUser(): { uid: number; gid: number } {
  try {
    return { uid: readId('-u'), gid: readId('-g') };
  } catch (error) {
    throw new OperatorError(
      `PostgreSQL must not run as root, and there is no user '${UNPRIVILEGED_USER}' to run it as.`,
      {
        hint: 'Run keyrank as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
        cause: error,
      },
    );
  }
}

function readId(flag: '-u' | '-g'): number {
  const text = execFileSync('id', [flag, UNPRIVILEGED_USER], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  // macOS prints nobody's -2 as 4294967294; spawn wants it signed.
  return Number.parseInt(text, 10) | 0;
}
