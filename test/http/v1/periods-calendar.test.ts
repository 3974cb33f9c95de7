import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plainReport } from '../../support/publications.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const PATH = '/v1/periods/calendar';
const NOBODY = {
  reason: null,
  message: null,
  expected_at: null,
  next_at: null,
  published_at: null,
  origin: null,
  revision: null,
};

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = await service.makeKey();
});
afterAll(() => service[Symbol.asyncDispose]());

const ask = async (path: string, by = key) => await service.request(path, { key: by });

async function connect(name: string, marketplace: string): Promise<string> {
  const id = randomUUID();
  await service.database.operator.query(
    `INSERT INTO connections (id, name, region, marketplaces, client_id, secrets, key_id, look_back_weeks, look_back_months)
     VALUES ($1, $2, 'eu', ARRAY[$3], 'amzn1.private', 'sealed', 'key', 0, 0)`,
    [id, name, marketplace],
  );
  return id;
}

async function fetchWeek(
  connectionId: string,
  { marketplace, number, state, reason }: { marketplace: string; number: number; state: string; reason: string | null },
) {
  await service.database.operator.query(
    `INSERT INTO downloads (connection_id, marketplace, frequency, year, number, end_date, state, reason, message, wanted_since, due_at)
     VALUES ($1, $2, 'weekly', 2025, $3, '2025-05-10', $4, $5, 'Amazon says: private words', now(), '2030-01-02T03:04:05Z')`,
    [connectionId, marketplace, number, state, reason],
  );
}

describe('200', () => {
  it('is empty while nothing is published or fetched', async () => {
    expect((await ask(PATH)).json).toEqual({ data: [], year: null, years: [], error: null });
    expect((await ask(`${PATH}?year=2020`)).json).toEqual({ data: [], year: 2020, years: [], error: null });
  });

  it('shows what is there and what is fetched, of all marketplaces, without a word of whose account it is', async () => {
    await service.publish('US_one.csv', plainReport({ frequency: 'monthly', period: '12-2025' }, { kettle: 1 }));
    await service.publish('US_two.csv', plainReport({ frequency: 'monthly', period: '12-2024' }, { kettle: 1 }));
    const id = await connect('private name', 'DE');
    await fetchWeek(id, { marketplace: 'DE', number: 19, state: 'requested', reason: 'early' });
    await fetchWeek(id, { marketplace: 'DE', number: 18, state: 'failed', reason: 'credentials' });
    const disabled = await connect('disabled', 'FR');
    await fetchWeek(disabled, { marketplace: 'FR', number: 18, state: 'wanted', reason: null });
    await service.database.operator.query('UPDATE connections SET disabled_at = now() WHERE id = $1', [disabled]);
    const answer = await ask(PATH);
    const week = { ...NOBODY, marketplace: 'DE', type: 'weekly', next_at: '2030-01-02T03:04:05.000Z' };
    expect(answer.json).toEqual({
      data: [
        {
          ...week,
          period: '19-2025',
          start_date: '2025-05-04',
          end_date: '2025-05-10',
          state: 'coming',
          reason: 'not_made_yet',
          message: 'Amazon has not made this report yet. It is asked for again every few hours.',
        },
        {
          ...week,
          period: '18-2025',
          start_date: '2025-04-27',
          end_date: '2025-05-03',
          state: 'failed',
          reason: 'not_allowed',
          message: expect.stringMatching(/^Amazon does not give this report/),
        },
        {
          ...NOBODY,
          marketplace: 'US',
          type: 'monthly',
          period: '12-2025',
          start_date: '2025-12-01',
          end_date: '2025-12-31',
          state: 'there',
          published_at: expect.stringMatching(/Z$/),
          origin: 'file',
          revision: 1,
        },
      ],
      year: 2025,
      years: [2025, 2024],
      error: null,
    });
    expect((await ask(`${PATH}?year=2024`)).json.data).toEqual([
      expect.objectContaining({ period: '12-2024', state: 'there' }),
    ]);
    for (const word of ['private', 'amzn1', 'sealed']) expect(answer.text).not.toContain(word);
  });

  it('tells all of a connection that its account is refused, for as long as it waits', async () => {
    await service.database.operator.query(
      `UPDATE connections SET held_until = '2030-01-03T00:00:00Z', reason = 'credentials', fault = 'private' WHERE name = 'private name'`,
    );
    expect((await ask(PATH)).json.data[0]).toMatchObject({
      reason: 'not_allowed',
      next_at: '2030-01-03T00:00:00.000Z',
    });
  });

  it('reads as a role that cannot see secrets, names and messages', async () => {
    for (const columns of [
      'secrets FROM connections',
      'name FROM connections',
      'fault FROM connections',
      'message FROM downloads',
    ])
      await expect(service.database.service.query(`SELECT ${columns}`)).rejects.toThrow(/permission denied/);
    await expect(service.database.service.query('UPDATE downloads SET due_at = now()')).rejects.toThrow(
      /permission denied/,
    );
  });
});

describe('400', () => {
  it.each(['0', '999', '10000', '20x6', ''])('refuses the year %j', async (year) => {
    const { status, json } = await ask(`${PATH}?year=${year}`);
    expect([status, json.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
  });
});

describe('403', () => {
  it('needs the scope account', async () => {
    const { status, json } = await ask(PATH, await service.makeKey({ scopes: ['search'] }));
    expect([status, json.error.code]).toEqual([403, 'FORBIDDEN']);
  });
});
