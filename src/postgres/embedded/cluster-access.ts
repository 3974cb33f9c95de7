// Who may log in: the accounts of ServerUser.loginNames, over the socket, as one of our three roles. The kernel tells
// PostgreSQL who is at the other end (peer), so there is no password to keep. Everyone else is refused, even the user
// that the server runs as when root started it.
import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DATABASE_ROLES } from '../connection.ts';
import type { ServerUser } from './server-user.ts';

export async function writeAccessFiles(clusterDirectory: string, user: ServerUser): Promise<void> {
  const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const mappings = user.loginNames.flatMap((name) => DATABASE_ROLES.map((role) => `keyrank ${quote(name)} ${role}\n`));
  await replaceFile({ clusterDirectory, name: 'pg_ident.conf', text: mappings.join(''), user });
  await replaceFile({ clusterDirectory, name: 'pg_hba.conf', text: 'local all all peer map=keyrank\n', user });
}

/**
 * Root writes here into a directory of an unprivileged user. A new file that is renamed into place cannot be led
 * elsewhere by a symbolic link.
 */
async function replaceFile(options: {
  readonly clusterDirectory: string;
  readonly name: string;
  readonly text: string;
  readonly user: ServerUser;
}): Promise<void> {
  const path = join(options.clusterDirectory, options.name);
  const temporary = `${path}.${randomUUID()}`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.chown(options.user.uid, options.user.gid);
      await file.writeFile(options.text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
