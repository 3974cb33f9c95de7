// One tenant asks for more than its share; another must not notice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_BATCH } from '../../src/http/mcp-endpoint.ts';
import { startTestService, type TestService } from '../support/service.ts';

const WRITES_PER_MINUTE = 5;

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function track(key: string, term: string) {
  return await service.request('/v1/tracked-keywords', {
    method: 'POST',
    key,
    body: JSON.stringify({ search_term: term }),
  });
}

/** Keeps changes of tracked keywords of an organization's members waiting, as another server would that works on them. */
async function holdChanges(organization: string): Promise<AsyncDisposable> {
  const holder = await service.database.owner.connect();
  await holder.query('BEGIN');
  await holder.query(
    `SELECT pg_advisory_xact_lock(hashtextextended('tracked keywords ' || organization_id || ' ' || user_id, 0))
     FROM memberships JOIN organizations o ON o.id = organization_id WHERE o.name = $1`,
    [organization],
  );
  return {
    [Symbol.asyncDispose]: async () => {
      await holder.query('ROLLBACK');
      holder.release();
    },
  };
}

describe('a tenant whose changes wait for a lock', () => {
  it('holds up neither the changes nor the readings of another', async () => {
    const greedy = await service.makeKey({ organization: 'Greedy', subscription: {} });
    const calm = await service.makeKey();
    await track(greedy, 'before');
    let calmStatuses: readonly number[] = [];
    let flood: readonly Promise<unknown>[];
    {
      await using _held = await holdChanges('Greedy');
      flood = Array.from({ length: 40 }, (_, n) => track(greedy, `flood ${n}`));
      calmStatuses = [
        (await track(calm, 'tea')).status,
        (await service.request('/v1/tracked-keywords', { key: calm })).status,
        (await service.request('/v1/search/keywords?query=tea', { key: calm })).status,
        (await service.request('/v1/usage', { key: calm })).status,
      ];
    }
    expect(calmStatuses).toEqual([201, 200, 200, 200]);
    await Promise.all(flood);
  });

  it('can still read', async () => {
    const key = await service.makeKey({ organization: 'Reader', subscription: {} });
    await track(key, 'before');
    await using _held = await holdChanges('Reader');
    const flood = Array.from({ length: 20 }, (_, n) => track(key, `flood ${n}`));
    expect((await service.request('/v1/tracked-keywords', { key })).status).toBe(200);
    await Promise.all(flood);
  });
});

describe('changes', () => {
  it('are refused with 429 beyond the limit of a minute, and readings are not', async () => {
    await using limited = await startTestService({ KEYRANK_WRITES_PER_MINUTE: String(WRITES_PER_MINUTE) });
    const key = await limited.makeKey();
    const send = () => limited.request('/v1/search/history', { method: 'DELETE', key });
    for (let n = 0; n < WRITES_PER_MINUTE; n += 1) expect((await send()).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.json.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await limited.request('/v1/search/history', { key })).status).toBe(200);
    const other = await limited.makeKey();
    expect((await limited.request('/v1/search/history', { method: 'DELETE', key: other })).status).toBe(200);
  });
});

describe('a batch of MCP messages', () => {
  async function sendBatch(key: string, messages: readonly object[]) {
    return await service.request('/mcp', {
      method: 'POST',
      key,
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(messages),
    });
  }
  const search = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'search_keywords', arguments: { query: ['tea'] } },
  });

  it('is refused as a whole, in the form of the protocol, when it is too large', async () => {
    const key = await service.makeKey();
    const answer = await sendBatch(
      key,
      Array.from({ length: MAX_BATCH + 1 }, (_, id) => search(id)),
    );
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32_600,
        message: `A batch has at most ${MAX_BATCH} messages, and this one has ${MAX_BATCH + 1}. Send several batches, one after the other.`,
      },
    });
    const usage = await service.request('/v1/usage', { key });
    expect(usage.json.data.rate_limit.remaining).toBe(100);
  });

  it('spends a search for each search in it', async () => {
    const key = await service.makeKey();
    expect((await sendBatch(key, [search(1), search(2), search(3)])).status).toBe(200);
    const usage = await service.request('/v1/usage', { key });
    expect(usage.json.data.rate_limit.remaining).toBe(97);
  });
});
