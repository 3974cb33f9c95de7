// A data directory with an embedded PostgreSQL that may be killed, and everything a trial needs around it: organizations with
// keys, rank data, and server processes of the compiled program.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SCOPES } from '../../src/domain/account.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { openDatabase } from '../../src/postgres/database.ts';
import { findPostmaster } from '../../src/postgres/embedded/postmaster.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openPool, type Pool } from '../../src/postgres/pool.ts';
import { runKeyrank, type ServerProcess, startServerProcess } from '../support/process.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';
import { MANY_WRITES } from './world.ts';

const SILENT = { info: () => {}, warn: () => {} };

export interface EmbeddedWorld extends AsyncDisposable {
  /** Holds the data directory, and has room for files of the trial. */
  readonly directory: string;
  readonly dataDirectory: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly operator: Pool;
  readonly owner: Pool;
  /** The key of a new organization. */
  makeKey(plan?: string): Promise<string>;
  startServer(settings?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  /** kill -9 of the server's main process and all of its others. */
  killPostgres(): Promise<void>;
  /** Resolves when the database answers. */
  untilAnswers(): Promise<void>;
  importReport(path: string): Promise<void>;
}

export async function openEmbeddedWorld(): Promise<EmbeddedWorld> {
  const temporary = await openTemporaryDirectory();
  const dataDirectory = join(temporary.path, 'data');
  const server = await openDatabase({ databaseUrl: null, dataDirectory, log: SILENT });
  const pool = (role: 'keyrank_operator' | 'keyrank_owner') =>
    openPool(server, { role, maxConnections: 2, onIdleError: () => {} });
  const [operator, owner] = [pool('keyrank_operator'), pool('keyrank_owner')];
  const settings = { KEYRANK_DATA_DIR: dataDirectory, KEYRANK_WRITES_PER_MINUTE: MANY_WRITES };
  let organizations = 0;
  return {
    directory: temporary.path,
    dataDirectory,
    settings,
    operator,
    owner,
    makeKey: async (plan = 'studio') => {
      organizations += 1;
      return await makeKey(operator, { organization: `Organization ${organizations}`, plan });
    },
    startServer: (more = {}) => startServerProcess({ ...settings, ...more }),
    killPostgres: () => killPostgres(join(dataDirectory, 'postgres')),
    untilAnswers: () => untilAnswers(operator),
    importReport: async (path) => {
      const { code, stderr, stdout } = await runKeyrank(['import', '--urgent', path], settings);
      if (code !== 0) throw new Error(`the import failed: ${stdout}${stderr}`);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([operator.end(), owner.end()]);
      await server[Symbol.asyncDispose]();
      await temporary[Symbol.asyncDispose]();
    },
  };
}

export async function makeKey(
  operator: Pool,
  { organization, plan }: { readonly organization: string; readonly plan: string },
): Promise<string> {
  await createOrganization(operator, {
    name: organization,
    subscription: { plan, status: 'active', periodEnd: null },
  });
  const userEmail = 'somebody@example.com';
  return (await createApiKey(operator, { organization, userEmail, scopes: SCOPES, expiresAt: null })).key;
}

async function killPostgres(clusterDirectory: string): Promise<void> {
  const pid = await findPostmaster(clusterDirectory);
  if (pid === undefined) return;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const each of [pid, ...children.split(' ').filter(Boolean).map(Number)]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It ended by itself meanwhile.
    }
  }
}

async function untilAnswers(pool: Pool): Promise<void> {
  for (;;) {
    const answered = await pool.query('SELECT 1').then(
      () => true,
      () => false,
    );
    if (answered) return;
    await sleep(50);
  }
}
