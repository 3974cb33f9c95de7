// Two servers over one database and one data directory, each of which holds a part of what is published.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, startService } from '../../src/boot.ts';
import { COMPILED, sendRequest, startTestService, type TestService, testConfig } from '../support/service.ts';

const HEADING = 'period_type,period,search_term,rank';
const WEEK = '/v1/search/keywords?query=shoes&type=weekly';
const MONTH = '/v1/search/keywords?query=shoes';

let german: TestService;
let american: RunningService;
let key: string;
beforeAll(async () => {
  german = await startTestService({ KEYRANK_MARKETPLACES: 'de' });
  key = await german.makeKey();
  const [months, weeks] = [['monthly,01-2026,shoes,2', 'monthly,02-2026,shoes,1'], ['weekly,06-2026,shoes,3']];
  const texts = {
    'US_months.csv': months,
    'US_weeks.csv': weeks,
    'DE_months.csv': months,
    'DE_weeks.csv': weeks,
  };
  const reports = Object.entries(texts).map(([name, rows]) => [name, [HEADING, ...rows, ''].join('\n')]);
  await german.publishAll(Object.fromEntries(reports), 'search');
});
afterAll(async () => {
  await american?.[Symbol.asyncDispose]();
  await german[Symbol.asyncDispose]();
});

function ask(path: string, options: Parameters<typeof german.request>[1] = {}) {
  return german.request(path, { key, ...options });
}

async function waitingPublications(): Promise<readonly string[]> {
  const { rows } = await german.database.owner.query<{ marketplace: string }>(
    'SELECT marketplace FROM publications ORDER BY id',
  );
  return rows.map(({ marketplace }) => marketplace);
}

describe('a server that holds one marketplace', () => {
  it('answers for it', async () => {
    for (const path of [MONTH, WEEK]) {
      const { status, json } = await ask(`${path}&marketplace=DE`);
      expect({ status, count: json.pagination.total_count }).toEqual({ status: 200, count: 1 });
    }
  });

  it.each([
    WEEK,
    `${WEEK}&marketplace=US`,
    '/v1/search/keywords/export?query=shoes&type=weekly',
    '/v1/search/asin?asin=B000000001&type=weekly',
    '/v1/trends/new?type=W',
    '/v1/trends/change-by?threshold=1&type=W',
    '/v1/search/suggestions?query=sh&type=weekly',
  ])('503: another one has what %s asks for', async (path) => {
    const used = (await ask('/v1/usage')).json;
    const answer = await ask(path);
    expect(answer.status).toBe(503);
    expect(answer.json.error.message).toBe('This server does not hold the weekly search ranks of US.');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect((await ask('/v1/usage')).json).toEqual(used);
  });

  it('says no of a marketplace that nobody holds, as ever', async () => {
    expect((await ask(`${MONTH}&marketplace=FR`)).status).toBe(400);
  });

  it('answers for tracked keywords, wherever they are tracked', async () => {
    const body = JSON.stringify({ search_term: 'shoes' });
    const headers = { 'content-type': 'application/json' };
    const created = await ask('/v1/tracked-keywords', { method: 'POST', body, headers });
    expect(created.json.data.snapshot).toMatchObject({ latest_period: '02-2026', latest_rank: 1, rank_change: 1 });
    const listed = await ask('/v1/tracked-keywords');
    expect(listed.json.data).toEqual([created.json.data]);
  });

  it.each(['/v1/meters', '/v1/usage', '/v1/search/history', '/v1/search/stats', '/v1/tracked-keywords/digests'])(
    'answers %s, which knows no marketplace, as every server does',
    async (path) => {
      expect((await ask(path)).status).toBe(200);
    },
  );

  it('lists all periods, and says which marketplaces are its own', async () => {
    const periods = async (marketplace: string) => (await ask(`/v1/periods?marketplace=${marketplace}`)).json.data;
    expect(await periods('US')).toHaveLength((await periods('DE')).length);
    const ready = async (marketplace: string) => (await ask(`/readyz?marketplace=${marketplace}`)).status;
    expect([await ready('DE'), await ready('US')]).toEqual([200, 503]);
    const metrics = (await sendRequest(`${german.running.adminUrl}/metrics`)).text;
    expect(metrics.match(/^keyrank_marketplace_held.*$/gm)).toEqual([
      'keyrank_marketplace_held{marketplace="DE"} 1',
      'keyrank_marketplace_held{marketplace="US"} 0',
    ]);
  });

  it('leaves the news of other marketplaces to a server that holds them', async () => {
    await expect.poll(waitingPublications).toEqual(['US', 'US', 'US']);
    const settings = { KEYRANK_DATA_DIR: german.dataDirectory, KEYRANK_MARKETPLACES: 'US' };
    american = await startService(testConfig(german.database, settings), COMPILED);
    await expect.poll(waitingPublications).toEqual([]);
    const there = await sendRequest(american.url + WEEK, { headers: { authorization: `Bearer ${key}` } });
    expect(there.json.pagination.total_count).toBe(1);
    const other = await sendRequest(`${american.url + WEEK}&marketplace=DE`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(other.json.error.message).toBe('This server does not hold the weekly search ranks of DE.');
  });
});
