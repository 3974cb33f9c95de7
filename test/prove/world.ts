// A database with published demo data, and server processes on it that know nothing of being watched.
import { join } from 'node:path';
import { generateReports } from '../../demo/report.ts';
import type { DemoSize } from '../../demo/size.ts';
import { SCOPES, type Scope, type Subscription } from '../../src/domain/account.ts';
import type { ImportFile } from '../../src/ingest/import-request.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openWorkbench, type Workbench } from '../ingest/workbench.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { untilTold } from '../support/publications.ts';

/** Something of everything. */
const SMALL: DemoSize = { terms: 100, months: 2, weeks: 2, socialTerms: 20 };
/** More than any plan's window. */
export const BEYOND_WINDOWS: DemoSize = { terms: 600, months: 26, weeks: 8, socialTerms: 80 };
/** Trials change more in a minute than anyone may by default. */
export const MANY_WRITES = '1000000';
const NOW = new Date('2026-11-15T00:00:00Z');
const STUDIO: Subscription = { plan: 'studio', status: 'active', periodEnd: null };

export interface World extends AsyncDisposable {
  readonly bench: Workbench;
  readonly settings: Readonly<Record<string, string>>;
  startServer(settings?: Readonly<Record<string, string>>): Promise<ServerProcess>;
  makeOrganization(name: string, subscription?: Partial<Subscription>): Promise<string>;
  makeKey(owner: {
    readonly organization: string;
    readonly user?: string;
    readonly scopes?: readonly Scope[];
  }): Promise<string>;
}

export async function openWorld(size: DemoSize = SMALL): Promise<World> {
  const bench = await openWorkbench();
  await importDemoData(bench, size);
  const settings = {
    DATABASE_URL: bench.database.url.href,
    KEYRANK_DATA_DIR: bench.dataDirectory,
    KEYRANK_WRITES_PER_MINUTE: MANY_WRITES,
  };
  return {
    bench,
    settings,
    startServer: async (more = {}) => {
      const server = await startServerProcess({ ...settings, ...more });
      await untilTold(bench.database);
      return server;
    },
    makeOrganization: async (name, subscription = {}) => {
      const { id } = await createOrganization(bench.database.operator, {
        name,
        subscription: { ...STUDIO, ...subscription },
      });
      return id;
    },
    makeKey: async ({
      organization,
      user = `user@${organization.toLowerCase().replaceAll(' ', '-')}.example`,
      scopes = SCOPES,
    }) =>
      (
        await createApiKey(bench.database.operator, {
          organization,
          userEmail: user,
          scopes,
          expiresAt: null,
          role: 'owner',
        })
      ).key,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  };
}

async function importDemoData(bench: Workbench, size: DemoSize): Promise<void> {
  const reports = [...generateReports({ size, now: NOW })];
  const files: ImportFile[] = [];
  for (const report of reports) {
    const path = join(bench.reports, report.fileName);
    await report.write(path);
    files.push({ path, source: report.kind });
  }
  const outcomes = await bench.importTogether(files);
  if (outcomes.some(({ status }) => status !== 'done')) throw new Error(JSON.stringify(outcomes));
}
