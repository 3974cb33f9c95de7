import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeSubscription } from '../../../src/postgres/organizations.ts';
import { plainReport, untilTold } from '../../support/publications.ts';
import { startTestService, type TestService } from '../../support/service.ts';

interface Row {
  readonly search_term: string;
  readonly rank: number | null;
}

let service: TestService;
let ada: string;
let bob: string;
let eve: string;

beforeAll(async () => {
  service = await startTestService();
  ada = await service.makeKey({ organization: 'Acme', subscription: {}, user: 'ada@acme.example' });
  bob = await service.makeKey({ organization: 'Acme', user: 'bob@acme.example' });
  eve = await service.makeKey({ organization: 'Evil', subscription: {}, user: 'ada@acme.example' });
  await track(ada, [
    { search_term: 'Running Shoes', priority_rule: { field: 'latest_rank', operator: 'lt', value: 100 } },
    { search_term: 'yoga mat', priority_rule: { field: 'rank_change', operator: 'gte', value: 50 } },
    { search_term: 'not there', priority_rule: { field: 'latest_rank', operator: 'gt', value: 0 } },
    { search_term: 'paused', priority_rule: { field: 'latest_rank', operator: 'gt', value: 0 } },
  ]);
  const { json } = await service.request('/v1/tracked-keywords?', { key: ada });
  await service.request(`/v1/tracked-keywords/${json.data[3].id}`, {
    method: 'PATCH',
    key: ada,
    body: '{"is_active": false}',
  });
  await track(bob, [{ search_term: 'yoga mat' }]);
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

async function track(key: string, keywords: readonly object[]): Promise<void> {
  const body = JSON.stringify({ keywords });
  const answer = await service.request('/v1/tracked-keywords', { method: 'POST', key, body });
  expect(answer.status, answer.text).toBe(201);
}

async function publish(
  period: string,
  ranks: Readonly<Record<string, number>>,
  frequency: 'monthly' | 'weekly' = 'monthly',
): Promise<void> {
  await service.publish(`${frequency}-${period}.csv`, plainReport({ frequency, period }, ranks));
  await untilTold(service.database);
}

async function list(key: string, query = '') {
  const answer = await service.request(`/v1/tracked-keywords/digests?${query}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function alertCount(key: string): Promise<number> {
  return (await service.request('/v1/usage', { key })).json.data.current_month.alerts;
}

async function readAll(key: string) {
  return (await service.request('/v1/tracked-keywords/digests/read-all', { method: 'POST', key })).json;
}

describe('digests', () => {
  it('come to each user who tracks active keywords, one for each published month and week', async () => {
    await publish('01-2026', { 'running shoes': 150, 'yoga mat': 90, paused: 1 });
    await publish('02-2026', { 'RUNNING shoes': 99, 'yoga mat': 40, paused: 2 });
    await publish('08-2026', { 'running shoes': 7 }, 'weekly');
    const { data, pagination, error } = await list(ada);
    const keywordIds = (await service.request('/v1/tracked-keywords', { key: ada })).json.data.map(
      ({ id }: { id: string }) => id,
    );
    const row = (i: number, term: string, [rank, previous, change]: (number | null)[], hit: boolean) => ({
      tracked_keyword_id: keywordIds[i],
      search_term: term,
      rank,
      previous_rank: previous,
      rank_change: change,
      priority_hit: hit,
    });
    const digest = (type: string, period: string, rows: readonly object[]) => ({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'period',
      marketplace: 'US',
      type,
      period,
      created_at: expect.stringMatching(/Z$/),
      is_read: false,
      rows,
      products: [],
    });
    expect(data).toEqual([
      digest('weekly', '08-2026', [
        row(0, 'Running Shoes', [7, null, null], true),
        row(1, 'yoga mat', [null, null, null], false),
        row(2, 'not there', [null, null, null], false),
      ]),
      digest('monthly', '02-2026', [
        row(0, 'Running Shoes', [99, 150, 51], true),
        row(1, 'yoga mat', [40, 90, 50], true),
        row(2, 'not there', [null, null, null], false),
      ]),
      digest('monthly', '01-2026', [
        row(0, 'Running Shoes', [150, null, null], false),
        row(1, 'yoga mat', [90, null, null], false),
        row(2, 'not there', [null, null, null], false),
      ]),
    ]);
    expect(pagination).toMatchObject({ total_count: 3, page_size: 20 });
    expect(error).toBeNull();
    expect((await list(bob)).data.map(({ rows }: { rows: Row[] }) => rows.map((each) => each.rank))).toEqual([
      [null],
      [40],
      [90],
    ]);
    // The same person in another organization tracks nothing there.
    expect((await list(eve)).data).toEqual([]);
  });

  it('raise alerts that the meter counts exactly', async () => {
    expect(await alertCount(ada)).toBe(3);
    expect(await alertCount(eve)).toBe(0);
  });

  it('do not come again for a revision, whose rules are evaluated all the same', async () => {
    // 'running shoes' hit before and does so again; 'not there' is there now.
    await publish('02-2026', { 'running shoes': 98, 'not there': 5 });
    const { data } = await list(ada);
    expect(data).toHaveLength(3);
    expect(data[1].rows[0]).toMatchObject({ rank: 99 });
    expect(await alertCount(ada)).toBe(4);
    await publish('02-2026', { 'running shoes': 97, 'not there': 6 });
    expect(await alertCount(ada)).toBe(4);
  });

  it('come for other marketplaces and social ranks not at all', async () => {
    await service.publish(
      'social.csv',
      plainReport({ frequency: 'monthly', period: '03-2026' }, { 'running shoes': 1 }),
      'social',
    );
    await service.publish(
      'DE_ranks.csv',
      `marketplace,${plainReport({ frequency: 'monthly', period: '03-2026' }, { 'running shoes': 1 })}`.replace(
        '\nmonthly',
        '\nDE,monthly',
      ),
    );
    await untilTold(service.database);
    expect((await service.request('/v1/periods?marketplace=DE', { key: ada })).json.data).toHaveLength(1);
    expect((await list(ada)).pagination.total_count).toBe(3);
  });

  it('are listed by page and by whether they were read, and read-all counts what was not', async () => {
    const page = await list(ada, 'limit=1&offset=1');
    expect(page.data.map(({ period }: { period: string }) => period)).toEqual(['02-2026']);
    expect(page.pagination).toMatchObject({ current_page: 2, total_pages: 3, has_next: true, has_previous: true });
    // However many ask at once, each digest is counted once.
    const answers = await Promise.all([1, 2, 3, 4].map(() => readAll(ada)));
    expect(answers.map((each) => [each.success, each.error])).toEqual(answers.map(() => [true, null]));
    expect(answers.reduce((sum, each) => sum + each.updated_count, 0)).toBe(3);
    expect(await readAll(ada)).toEqual({ success: true, updated_count: 0, error: null });
    await publish('03-2026', { 'yoga mat': 41 });
    expect((await list(ada, 'unread_only=true')).data.map(({ period }: { period: string }) => period)).toEqual([
      '03-2026',
    ]);
    expect((await list(ada)).data.map(({ is_read }: { is_read: boolean }) => is_read)).toEqual([
      false,
      true,
      true,
      true,
    ]);
    expect((await list(bob, 'unread_only=true')).pagination.total_count).toBe(4);
    expect(await readAll(eve)).toEqual({ success: true, updated_count: 0, error: null });
    expect(await readAll(ada)).toEqual({ success: true, updated_count: 1, error: null });
  });

  it('do not come to organizations without an active subscription', async () => {
    const idle = await service.makeKey({ organization: 'Idle', subscription: {} });
    await track(idle, [{ search_term: 'yoga mat', priority_rule: { field: 'latest_rank', operator: 'gt', value: 0 } }]);
    const set = (status: 'active' | 'inactive') =>
      changeSubscription(service.database.operator, { name: 'Idle', change: { status } });
    await set('inactive');
    await publish('04-2026', { 'yoga mat': 41 });
    await set('active');
    expect((await list(idle)).data).toEqual([]);
    expect(await alertCount(idle)).toBe(0);
    await publish('05-2026', { 'yoga mat': 41 });
    expect((await list(idle)).data).toHaveLength(1);
    expect(await alertCount(idle)).toBe(1);
  });

  it('come for an old month that is imported late to those whose plan can see it', async () => {
    const studio = await service.makeKey({ organization: 'Studio', subscription: { plan: 'studio' } });
    await track(studio, [{ search_term: 'yoga mat' }]);
    const before = (await list(ada)).pagination.total_count;
    const months = Array.from(
      { length: 24 },
      (_, i) => `${String(1 + (i % 12)).padStart(2, '0')}-${2024 + Math.floor(i / 12)}`,
    );
    const [header, ...lines] = months.flatMap((period) =>
      plainReport({ frequency: 'monthly', period }, { 'yoga mat': 5 }).trim().split('\n'),
    );
    const report = [header, ...lines.filter((line) => line !== header)].join('\n');
    await service.publish('history.csv', `${report}\n`);
    await untilTold(service.database);
    expect((await list(studio)).pagination.total_count).toBe(24);
    // Five months of 2026 are newer: of the 24 months before them Pro sees 19.
    expect((await list(ada)).pagination.total_count).toBe(before + 19);
    const pages = [await list(ada), await list(ada, 'offset=20'), await list(ada, 'offset=40')];
    const told = pages.flatMap(({ data }) => data).map(({ period }: { period: string }) => period);
    expect(told).toContain('06-2024');
    expect(told).not.toContain('05-2024');
  });
});
