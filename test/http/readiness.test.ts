// When a server asks for no requests: while it is far behind the published data, and while its database takes no writes.
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataLag } from '../../src/domain/published-ranks.ts';
import { registerHealth } from '../../src/http/health.ts';
import { announceManifest, loadManifest } from '../../src/snapshot/manifest/manifest-rows.ts';
import { startTestService, type TestService } from '../support/service.ts';

const SEARCH = '/v1/search/keywords?query=shoes';
const NEWEST: DataLag = { servedVersion: 7, wantedVersion: 7, behindSeconds: 0, failures: 0, fault: null };

async function askReady(lag: DataLag, query = '') {
  const app = Fastify();
  registerHealth(app, {
    checkReady: async () => {},
    isDraining: () => false,
    findLag: () => lag,
    holdsMarketplace: (code) => code === 'DE',
  });
  return await app.inject(`/readyz${query}`);
}

describe('readiness', () => {
  it('200: serves the newest data', async () => {
    expect((await askReady(NEWEST)).json()).toEqual({
      data: { status: 'ready', data_version: 7, newest_data_version: 7, behind_seconds: 0, last_error: null },
      error: null,
    });
  });

  it('200: is a little behind, and says so', async () => {
    const answer = await askReady({ ...NEWEST, wantedVersion: 9, behindSeconds: 59.6 });
    expect(answer.statusCode).toBe(200);
    expect(answer.json().data).toMatchObject({ data_version: 7, newest_data_version: 9, behind_seconds: 60 });
  });

  it('503: is behind for more than a minute', async () => {
    const answer = await askReady({
      ...NEWEST,
      wantedVersion: 9,
      behindSeconds: 75.2,
      failures: 5,
      fault: 'files cannot be read',
    });
    expect(answer.statusCode).toBe(503);
    expect(answer.json().error.message).toBe(
      'Version 9 of the data was published 75 s ago, and version 7 is served. Loading it failed 5 times (files cannot be read).',
    );
  });
});

describe('readiness for a marketplace', () => {
  it.each(['?marketplace=DE', '?marketplace=DE&marketplace=DE', ''])('200: holds it (%s)', async (query) => {
    expect((await askReady(NEWEST, query)).statusCode).toBe(200);
  });

  it.each(['?marketplace=US', '?marketplace=DE&marketplace=US', '?marketplace=', '?marketplace=de'])(
    '503: does not hold it (%s)',
    async (query) => {
      const answer = await askReady(NEWEST, query);
      expect(answer.statusCode).toBe(503);
      expect(answer.json().error.message).toBe('This server does not hold the ranks of that marketplace.');
    },
  );
});

describe('a running server', () => {
  let service: TestService;
  let key: string;
  beforeAll(async () => {
    service = await startTestService();
    key = await service.makeKey();
    const rows = ['monthly,01-2026,running shoes,2', 'monthly,02-2026,running shoes,1', ''];
    await service.publish('US_ranks.csv', ['period_type,period,search_term,rank', ...rows].join('\n'));
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function readyData() {
    return (await service.request('/readyz')).json.data;
  }

  /** Publishes a snapshot that is not there. */
  async function publishBroken(): Promise<number> {
    const { owner } = service.database;
    await owner.query("UPDATE snapshot_files SET path = replace(path, 'search-monthly', 'gone')");
    const { rows } = await owner.query<{ version: number }>(
      'UPDATE rank_statistics SET version = version + 1 RETURNING version',
    );
    const version = rows[0]?.version ?? 0;
    await announceManifest(owner, version);
    return version;
  }

  it('serves on and says how far behind it is while newer data cannot be loaded, and catches up when it can', async () => {
    const expected = (await service.request(SEARCH, { key })).json.data;
    const { periods } = await loadManifest(service.database.operator);
    const segment = join(service.dataDirectory, periods[0]?.segment.path ?? '');
    // Without this segment it cannot be built anew either.
    await rename(segment, `${segment}.away`);
    const version = await publishBroken();
    await expect.poll(async () => (await readyData()).newest_data_version).toBe(version);
    await expect.poll(async () => (await readyData()).behind_seconds).toBeGreaterThan(0);
    await expect.poll(async () => (await readyData()).last_error).toBe('files are missing or damaged');
    expect(await readyData()).toMatchObject({ status: 'ready', data_version: version - 1 });
    const metrics = await (await fetch(`${service.running.adminUrl}/metrics`)).text();
    expect(metrics).toContain(`keyrank_data_version_served ${version - 1}`);
    expect(metrics).toContain(`keyrank_data_version_published ${version}`);
    expect(metrics).toMatch(/keyrank_data_load_failures [1-9]/);
    expect((await service.request(SEARCH, { key })).json.data).toEqual(expected);
    await rename(`${segment}.away`, segment);
    await expect.poll(async () => (await readyData()).data_version).toBeGreaterThan(version);
    expect(await readyData()).toMatchObject({ behind_seconds: 0, last_error: null });
    expect((await service.request(SEARCH, { key })).json.data).toEqual(expected);
  }, 120_000);

  it('is not ready while the database takes no writes, once a search was refused for it, and ready when it does again', async () => {
    const { owner } = service.database;
    const { rows } = await owner.query<{ name: string }>('SELECT current_database() AS name');
    const database = rows[0]?.name ?? '';
    const endConnections = () =>
      owner.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      );
    expect((await service.request('/readyz')).status).toBe(200);
    await owner.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    try {
      await endConnections();
      // The first searches may meet a connection that was ended.
      const askAgain = async () => {
        expect((await service.request(SEARCH, { key })).status).not.toBe(200);
        return (await service.request('/readyz')).json.error?.message;
      };
      await expect.poll(askAgain).toBe('The database takes no writes: its disk is full, or it is read-only.');
      expect((await service.request('/readyz')).status).toBe(503);
    } finally {
      await owner.query('SET default_transaction_read_only = off');
      await owner.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
    }
    await endConnections();
    await expect.poll(async () => (await service.request('/readyz')).status).toBe(200);
    expect((await service.request(SEARCH, { key })).status).toBe(200);
  }, 60_000);
});
