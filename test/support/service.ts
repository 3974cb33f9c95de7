import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type RunningService, type StartOptions, startService } from '../../src/boot.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { SCOPES, type Scope, type Subscription } from '../../src/domain/account.ts';
import type { Role } from '../../src/domain/role.ts';
import type { RankSource } from '../../src/domain/store.ts';
import { importReports } from '../../src/ingest/importer.ts';
import { FilePublisher } from '../../src/ingest/publish/file-publisher.ts';
import { DEFAULT_REPORT_LIMITS } from '../../src/ingest/reading/report-fault.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { buildSnapshot } from '../../src/snapshot/build/build.ts';
import { loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { openStorage } from '../../src/storage/object-store.ts';
import { makeDatabase, type TestDatabase } from './database.ts';
import { serviceLogin } from './process.ts';
import { openTemporaryDirectory } from './temporary-directory.ts';

export interface TestService extends AsyncDisposable {
  readonly url: string;
  readonly database: TestDatabase;
  readonly dataDirectory: string;
  readonly running: RunningService;
  /** Sends a request with this key and reads the whole answer. */
  request(path: string, options?: RequestOptions): Promise<TestAnswer>;
  makeKey(options?: KeyOptions): Promise<string>;
  /** Imports a report and waits until the service shows it. */
  publish(fileName: string, text: string, source?: RankSource, now?: Date): Promise<void>;
  /** The same for many reports at once, by file name. */
  publishAll(texts: Readonly<Record<string, string>>, source: RankSource): Promise<void>;
}

export interface RequestOptions {
  readonly method?: string;
  readonly key?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface KeyOptions {
  readonly organization?: string;
  readonly user?: string;
  readonly scopes?: readonly Scope[];
  readonly expiresAt?: Date | null;
  readonly role?: Role;
  readonly subscription?: Partial<Subscription>;
  /** Of the whole installation. */
  readonly isOperator?: boolean;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of a body by asserting it.
  readonly json: any;
}

const IMPORT_OPTIONS = {
  flags: {},
  isDryRun: false,
  replacesSmaller: false,
  limits: DEFAULT_REPORT_LIMITS,
  maxRejects: 0,
  defaultMarketplace: 'US',
  threads: 2,
  memoryLimitBytes: 500_000_000,
};

export const COMPILED: StartOptions = {
  workerFolder: new URL('../../dist/snapshot/threads/', import.meta.url),
  webDirectory: new URL('../../dist/web', import.meta.url),
};

/** The whole service in this process, on a database of its own and a free port. */
export async function startTestService(
  settings: Record<string, string> = {},
  options: StartOptions = {},
): Promise<TestService> {
  const database = await makeDatabase();
  const directory = await openTemporaryDirectory();
  const config = testConfig(database, { KEYRANK_DATA_DIR: join(directory.path, 'data'), ...settings });
  const running = await startService(config, {
    ...COMPILED,
    program: programFor(database, config, settings),
    ...options,
  });
  let count = 0;
  return {
    url: running.url,
    database,
    dataDirectory: config.dataDirectory,
    running,
    request: (path, options) => sendRequest(running.url + path, options),
    makeKey: async (options = {}) => {
      count += 1;
      const organization = options.organization ?? `Organization ${count}`;
      const subscription = { plan: 'pro', status: 'active', periodEnd: null, ...options.subscription } as const;
      if (options.organization === undefined || options.subscription) {
        await createOrganization(database.operator, { name: organization, subscription });
      }
      const userEmail = options.user ?? `user${count}@example.com`;
      const { key } = await createApiKey(database.operator, {
        organization,
        userEmail,
        scopes: options.scopes ?? SCOPES,
        expiresAt: options.expiresAt ?? null,
        // A colleague may do what tests of endpoints do; the first of an organization owns it.
        ...(options.organization === undefined || options.subscription ? {} : { role: options.role ?? 'admin' }),
      });
      if (options.isOperator) await makeOperator(database, userEmail);
      return key;
    },
    publish: (fileName, text, source = 'search', now = new Date()) => publishAll({ [fileName]: text }, source, now),
    publishAll,
    [Symbol.asyncDispose]: async () => {
      await running[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };

  async function publishAll(
    texts: Readonly<Record<string, string>>,
    source: RankSource,
    now = new Date(),
  ): Promise<void> {
    const files = Object.keys(texts).map((fileName) => join(directory.path, fileName));
    await Promise.all(Object.values(texts).map((text, i) => writeFile(files[i] ?? '', text)));
    const outcomes = await importReports({
      files: files.map((path) => ({ path, source })),
      options: IMPORT_OPTIONS,
      publisher: new FilePublisher({
        ...config,
        pool: database.operator,
        storage: openStorage(config),
        buildSnapshot,
        now: () => now,
      }),
      dataDirectory: config.dataDirectory,
      onProgress: () => {},
      now: () => now,
      publishTogether: true,
    });
    if (outcomes.some(({ status }) => status !== 'done')) throw new Error(JSON.stringify(outcomes));
    const { version } = await loadManifest(database.operator);
    while (running.dataVersion < version) await sleep(20);
  }
}

/** What runs the imports of a service in this process. */
export function programFor({ url }: TestDatabase, { dataDirectory }: Config, settings: Record<string, string>) {
  const environment = { ...process.env, ...settings, DATABASE_URL: url.href, KEYRANK_DATA_DIR: dataDirectory };
  return { path: fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url)), environment };
}

async function makeOperator({ operator }: TestDatabase, email: string): Promise<void> {
  await operator.query('UPDATE users SET is_operator = true WHERE email = $1', [email]);
}

export function testConfig(database: TestDatabase, settings: Record<string, string> = {}): Config {
  return readConfig({
    DATABASE_URL: database.url.href,
    ...serviceLogin({ DATABASE_URL: database.url.href }),
    PORT: '0',
    KEYRANK_ADMIN_PORT: '0',
    LOG_LEVEL: 'silent',
    ...settings,
  });
}

export async function sendRequest(url: string, options: RequestOptions = {}): Promise<TestAnswer> {
  const response = await fetch(url, {
    method: options.method ?? 'GET',
    headers: { ...(options.key ? { authorization: `Bearer ${options.key}` } : {}), ...options.headers },
    ...(options.body === undefined ? {} : { body: options.body }),
  });
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}
