import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, startServerProcess } from '../support/process.ts';
import { sendRequest } from '../support/service.ts';
import { openTemporaryDirectory } from '../support/temporary-directory.ts';

let database: TestDatabase;
let directory: Awaited<ReturnType<typeof openTemporaryDirectory>>;
let server: ServerProcess;
let key: string;

beforeAll(async () => {
  database = await makeDatabase();
  directory = await openTemporaryDirectory();
  server = await startServerProcess({ DATABASE_URL: database.url.href, KEYRANK_DATA_DIR: directory.path });
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: 'Leavers', subscription });
  const request = { organization: 'Leavers', userEmail: 'a@example.com', scopes: SCOPES, expiresAt: null };
  key = (await createApiKey(database.operator, request)).key;
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await directory[Symbol.asyncDispose]();
});

describe('a client that leaves', () => {
  it('before its body is complete is counted as such, and is no defect', async () => {
    const socket = await send('POST /v1/tracked-keywords', 'Content-Length: 100\r\nExpect: 100-continue\r\n');
    await once(socket, 'data');
    socket.end('{"search_term":');
    await untilCounted('/v1/tracked-keywords');
    expect(defects()).toEqual([]);
  });

  it('before its answer is there is counted as such, and is no defect', async () => {
    // A transaction holds the row that an admission waits for, so that the client is gone before the answer.
    const holder = await database.owner.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM rate_windows FOR UPDATE');
      const socket = await send('GET /v1/search/keywords?query=shoes');
      await untilWaiting();
      socket.destroy();
      await untilCounted('/v1/search/keywords');
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    // Admissions of an organization are worked off in their order: after this one the other is over.
    const later = await sendRequest(`${server.url}/v1/search/keywords?query=shoes`, { key });
    expect(later.status).toBe(200);
    expect(defects()).toEqual([]);
  });
});

async function send(start: string, headers = ''): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.write(`${start} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`);
  return socket;
}

/** Until a session of the database waits for the row that is held. */
async function untilWaiting(): Promise<void> {
  const sql = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  while ((await database.owner.query(sql)).rowCount === 0) await sleep(20);
}

async function untilCounted(route: string): Promise<void> {
  const line = new RegExp(`"route":"${route}","status":499`);
  while (!line.test(server.log())) await sleep(20);
}

function defects(): readonly string[] {
  return server
    .log()
    .split('\n')
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line));
}
