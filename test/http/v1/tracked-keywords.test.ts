import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestAnswer, type TestService } from '../../support/service.ts';

const HEADER = 'period_type,period,search_term,rank\n';
const MONTHS: Readonly<Record<string, readonly (readonly [string, number])[]>> = {
  '01-2026': [
    ['running shoes', 300],
    ['yoga mat', 20],
    ['wireless earbuds', 7],
  ],
  '02-2026': [
    ['Running Shoes', 200],
    ['wireless earbuds', 8],
  ],
  '03-2026': [
    ['running shoes', 250],
    ['yoga mat', 10],
    ['running shorts', 40],
  ],
};
const NO_RANKS = {
  latest_period: '',
  latest_rank: null,
  previous_rank: null,
  rank_change: null,
  best_rank: null,
  worst_rank: null,
  avg_rank: null,
  total_periods: 0,
  history: [],
};

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ KEYRANK_WRITES_PER_MINUTE: '1000000' });
  const lines = Object.entries(MONTHS).flatMap(([month, rows]) =>
    rows.map(([term, rank]) => `monthly,${month},${term},${rank}\n`),
  );
  await service.publish('ranks.csv', HEADER + lines.join(''));
}, 180_000);
afterAll(() => service[Symbol.asyncDispose]());

function track(key: string, body: unknown, headers: Record<string, string> = {}): Promise<TestAnswer> {
  return service.request('/v1/tracked-keywords', { method: 'POST', key, headers, body: JSON.stringify(body) });
}

async function list(key: string, query = '') {
  const answer = await service.request(`/v1/tracked-keywords?${query}`, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

async function terms(key: string, query = ''): Promise<string[]> {
  return (await list(key, query)).map((each: { search_term: { original_term: string } }) => {
    return each.search_term.original_term;
  });
}

function change(key: string, id: string, body: unknown): Promise<TestAnswer> {
  return service.request(`/v1/tracked-keywords/${id}`, { method: 'PATCH', key, body: JSON.stringify(body) });
}

function manyTerms(count: number, prefix = 'term') {
  return { keywords: Array.from({ length: count }, (_, i) => ({ search_term: `${prefix} ${i}` })) };
}

describe('POST /v1/tracked-keywords', () => {
  it('201: tracks one keyword and shows it as the list will', async () => {
    const key = await service.makeKey();
    const rule = { field: 'rank_change', operator: 'gte', value: -12.5 };
    const answer = await track(key, { search_term: ' Running  Shoes ', notes: 'spring\nsale ', priority_rule: rule });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        created_at: expect.stringMatching(/Z$/),
        updated_at: answer.json.data.created_at,
        notes: 'spring\nsale',
        is_active: true,
        priority_enabled: true,
        priority_rule: rule,
        search_term: { id: expect.any(Number), original_term: 'Running  Shoes' },
        list_ids: [],
        snapshot: {
          latest_period: '03-2026',
          latest_rank: 250,
          previous_rank: 200,
          rank_change: -50,
          best_rank: 200,
          worst_rank: 300,
          avg_rank: 250,
          total_periods: 3,
          history: [
            { period: '01-2026', rank: 300 },
            { period: '02-2026', rank: 200 },
            { period: '03-2026', rank: 250 },
          ],
        },
      },
      error: null,
    });
    expect(await list(key)).toEqual([answer.json.data]);
  });

  it('201: takes a term that is not in the data, with defaults for all the rest', async () => {
    const key = await service.makeKey();
    const { json } = await track(key, { search_term: 'not there yet' });
    expect(json.data).toMatchObject({
      notes: '',
      is_active: true,
      priority_enabled: false,
      priority_rule: { field: 'latest_rank', operator: 'lt', value: 1000 },
      snapshot: NO_RANKS,
    });
  });

  it('201: gives every spelling of a term the same id, whoever tracks it', async () => {
    const [a, b] = [await service.makeKey(), await service.makeKey()];
    const ids = [
      (await track(a, { search_term: 'Yoga Mat' })).json.data.search_term.id,
      (await track(b, { search_term: 'ｙｏｇａ mat' })).json.data.search_term.id,
    ];
    expect(ids[0]).toBe(ids[1]);
    expect(Number.isSafeInteger(ids[0])).toBe(true);
  });

  it('201: tracks many at once in their order, and leaves those that are tracked already as they are', async () => {
    const key = await service.makeKey();
    const first = await track(key, { search_term: 'yoga mat', notes: 'mine' });
    const answer = await track(key, {
      keywords: [
        { search_term: 'zebra' },
        { search_term: 'YOGA MAT', notes: 'other' },
        { search_term: 'apple' },
        { search_term: 'Zebra', notes: 'twice' },
      ],
    });
    expect(answer.status).toBe(201);
    const { data, ...rest } = answer.json;
    expect(rest).toEqual({ created_count: 2, existing_count: 2, error: null });
    expect(data[1]).toEqual(first.json.data);
    expect(data[3]).toEqual(data[0]);
    expect(data[0].notes).toBe('');
    expect(await terms(key)).toEqual(['yoga mat', 'zebra', 'apple']);
  });

  it('201: a repetition with the same Idempotency-Key and body gets the same answer and changes nothing', async () => {
    const key = await service.makeKey();
    const header = { 'idempotency-key': 'import-1' };
    const first = await track(key, { search_term: 'once' }, header);
    const again = await Promise.all([1, 2, 3].map(() => track(key, { search_term: 'once' }, header)));
    expect(again.map(({ status, text }) => [status, text])).toEqual(again.map(() => [201, first.text]));
    expect(await terms(key)).toEqual(['once']);
  });

  it('201: of requests with one Idempotency-Key that come together one does the work', async () => {
    const key = await service.makeKey();
    const send = () => track(key, manyTerms(20), { 'idempotency-key': 'together' });
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.json).toMatchObject({ created_count: 20, existing_count: 0 });
  });

  it('201: an Idempotency-Key belongs to one user, is kept for a day, and not for failures', async () => {
    const key = await service.makeKey({ organization: 'Shared', subscription: {}, user: 'one@shared.example' });
    const colleague = await service.makeKey({ organization: 'Shared', user: 'two@shared.example' });
    const header = { 'idempotency-key': 'same' };
    expect((await track(key, { search_term: '' }, header)).status).toBe(400);
    expect((await track(key, { search_term: 'a' }, header)).status).toBe(201);
    expect((await track(colleague, { search_term: 'b' }, header)).status).toBe(201);
    expect((await track(key, { search_term: 'b' }, header)).status).toBe(409);
    await service.database.operator.query(`UPDATE idempotency_keys SET created_at = now() - interval '25 hours'`);
    expect((await track(key, { search_term: 'b' }, header)).status).toBe(201);
  });

  it('201: a repetition shows its keywords as they are by then, and as they were added if they are gone', async () => {
    const key = await service.makeKey();
    const header = { 'idempotency-key': 'later' };
    const body = {
      keywords: [
        { search_term: 'Kept', notes: 'first' },
        { search_term: 'gone', notes: 'bye' },
      ],
    };
    const { json: first } = await track(key, body, header);
    await change(key, first.data[0].id, { notes: 'second' });
    await service.request(`/v1/tracked-keywords/${first.data[1].id}`, { method: 'DELETE', key });
    const { status, json: again } = await track(key, body, header);
    expect([status, again]).toEqual([
      201,
      { ...first, data: [{ ...first.data[0], notes: 'second', updated_at: expect.any(String) }, first.data[1]] },
    ]);
    expect(await terms(key)).toEqual(['Kept']);
  });

  it('201: what is kept of the largest requests is small, and of the last thousand only', async () => {
    const key = await service.makeKey();
    const notes = 'n'.repeat(1000);
    const body = { keywords: Array.from({ length: 500 }, (_, n) => ({ search_term: `large ${n}`, notes })) };
    for (let n = 0; n < 112; n += 1) {
      expect((await track(key, body, { 'idempotency-key': `large-${n}` })).status).toBe(201);
    }
    const stored = await service.database.operator.query<{ bytes: number; count: number }>(
      `SELECT sum(pg_column_size(k)) AS bytes, count(*) AS count FROM idempotency_keys k WHERE key LIKE 'large-%'`,
    );
    expect(stored.rows[0]?.count).toBe(112);
    expect(stored.rows[0]?.bytes).toBeLessThan(2_000_000);

    await service.database.operator.query(
      `INSERT INTO idempotency_keys (organization_id, user_id, key, fingerprint, created_at)
       SELECT organization_id, user_id, 'old-' || n, fingerprint, created_at - interval '1 hour'
       FROM idempotency_keys, generate_series(1, 1000) AS n WHERE key = 'large-0'`,
    );
    expect((await track(key, { search_term: 'large 0' }, { 'idempotency-key': 'newest' })).status).toBe(409);
    expect((await track(key, { keywords: [{ search_term: 'large 0' }] }, { 'idempotency-key': 'newest' })).status).toBe(
      201,
    );
    const left = await service.database.operator.query<{ key: string }>(
      `SELECT key FROM idempotency_keys WHERE (organization_id, user_id) IN
         (SELECT organization_id, user_id FROM idempotency_keys WHERE key = 'large-0')`,
    );
    expect(left.rows).toHaveLength(1000);
    expect(left.rows.filter((row) => row.key.startsWith('large-') || row.key === 'newest')).toHaveLength(113);
  });

  it('201: an answer that was kept whole, before an upgrade, is given again', async () => {
    const key = await service.makeKey();
    const header = { 'idempotency-key': 'whole' };
    await track(key, { search_term: 'whole' }, header);
    const answer = JSON.stringify({ data: 'as it was', error: null });
    await service.database.operator.query(
      `UPDATE idempotency_keys SET answer = $1, keyword_ids = '{}', are_new = '{}' WHERE key = 'whole'`,
      [answer],
    );
    expect((await track(key, { search_term: 'whole' }, header)).text).toBe(answer);
  });

  it('400: an Idempotency-Key must be visible ASCII', async () => {
    const key = await service.makeKey();
    for (const bad of ['', 'a b', 'x'.repeat(256)]) {
      const answer = await track(key, { search_term: 'a' }, { 'idempotency-key': bad });
      expect([answer.status, answer.json.error.message], bad).toEqual([
        400,
        "Header 'Idempotency-Key' must be 1 to 255 visible ASCII characters.",
      ]);
    }
  });

  it.each([
    [{ search_terms: 'x' }, "Unknown field 'search_terms'.", "Did you mean 'search_term'?"],
    [{}, "Field 'search_term' is missing.", 'Add "search_term" to the body.'],
    [{ search_term: 7 }, "Field 'search_term' must be text, but is 7.", expect.any(String)],
    [{ search_term: ' \u200b ' }, "Field 'search_term' is blank.", expect.any(String)],
    [{ search_term: 'a\u0000b' }, "Field 'search_term' contains a NUL character.", expect.any(String)],
    [{ search_term: '\ud800' }, "Field 'search_term' is not valid Unicode.", expect.any(String)],
    [
      { search_term: 'x'.repeat(257) },
      "Field 'search_term' has 257 characters, and at most 256 are allowed.",
      'Shorten the value.',
    ],
    [
      { search_term: 'a', notes: 'x'.repeat(1001) },
      "Field 'notes' has 1001 characters, and at most 1000 are allowed.",
      'Shorten the value.',
    ],
    [{ search_term: 'a', notes: null }, "Field 'notes' must be text, but is null.", expect.any(String)],
    [
      { search_term: 'a', priority_enabled: 'true' },
      "Field 'priority_enabled' must be true or false, but is 'true'.",
      expect.any(String),
    ],
    [
      { search_term: 'a', priority_rule: { field: 'rank', operator: 'lt', value: 1 } },
      "Field 'priority_rule.field' must be one of 'latest_rank', 'rank_change', 'best_rank', 'worst_rank', 'avg_rank', but is 'rank'.",
      expect.any(String),
    ],
    [
      { search_term: 'a', priority_rule: { field: 'latest_rank', operator: 'lt', value: '1' } },
      "Field 'priority_rule.value' must be a number from -1000000000 to 1000000000, but is '1'.",
      expect.any(String),
    ],
    [
      { search_term: 'a', priority_rule: { field: 'latest_rank', operator: 'lt', values: 1 } },
      "Unknown field 'priority_rule.values'.",
      "Did you mean 'priority_rule.value'?",
    ],
    [{ keywords: [] }, "Field 'keywords' must be a list of 1 to 500, but is a list of 0.", expect.any(String)],
    [{ keywords: 'a' }, "Field 'keywords' must be a list of 1 to 500, but is 'a'.", expect.any(String)],
    [{ keywords: [{ search_term: 'a' }, {}] }, "Field 'keywords[1].search_term' is missing.", expect.any(String)],
    [{ keywords: [{ search_term: 'a' }], notes: '' }, "Unknown field 'notes'.", 'Known fields: keywords.'],
  ])('400: %j', async (body, message, hint) => {
    const key = await service.makeKey();
    const answer = await track(key, body);
    expect([answer.status, answer.json]).toEqual([
      400,
      { data: null, error: { code: 'INVALID_PARAMETERS', message, hint, docs: '/docs/errors#INVALID_PARAMETERS' } },
    ]);
    expect(await list(key)).toEqual([]);
  });

  it('409: a keyword that is tracked already, in any spelling', async () => {
    const key = await service.makeKey();
    const { id } = (await track(key, { search_term: 'yoga mat' })).json.data;
    const answer = await track(key, { search_term: 'Yoga  MAT' });
    expect([answer.status, answer.json]).toEqual([
      409,
      {
        data: null,
        error: {
          code: 'CONFLICT',
          message: 'This keyword is tracked already.',
          hint: `Change it with PATCH /v1/tracked-keywords/${id}.`,
          docs: '/docs/errors#CONFLICT',
        },
      },
    ]);
  });

  it('409: beyond 500 active ones nothing is added, however many requests come at once', async () => {
    const key = await service.makeKey();
    await track(key, manyTerms(480));
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => track(key, manyTerms(5, `batch ${i}`))));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(4).fill(201), ...Array(6).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.json.error).toMatchObject({
      message: 'This would make 505 active tracked keywords, and at most 500 are allowed.',
      hint: 'Pause or delete some first; nothing was changed.',
    });
    const tracked = await list(key);
    expect(tracked).toHaveLength(500);
    // A paused one makes room, but may then not be resumed.
    expect((await change(key, tracked[0].id, { is_active: false })).status).toBe(200);
    expect((await track(key, { search_term: 'one more' })).status).toBe(201);
    expect((await change(key, tracked[0].id, { is_active: true })).status).toBe(409);
    expect((await list(key)).filter((each: { is_active: boolean }) => each.is_active)).toHaveLength(500);
  });

  it('201: takes terms that normalise to far more characters than they have', async () => {
    const key = await service.makeKey();
    expect((await track(key, { search_term: '\ufdfa'.repeat(256) })).status).toBe(201);
  });
});

describe('GET /v1/tracked-keywords', () => {
  let key: string;
  beforeAll(async () => {
    key = await service.makeKey();
    await track(key, {
      keywords: ['wireless earbuds', 'yoga mat', 'running shorts', 'running shoes', 'running nowhere'].map((term) => ({
        search_term: term,
      })),
    });
  });

  it('200: shows each keyword as of a month', async () => {
    const asOf = async (period: string) =>
      (await list(key, `period=${period}`)).map(({ snapshot }: { snapshot: object }) => snapshot);
    const [earbuds, mat, shorts] = await asOf('02-2026');
    expect(earbuds).toEqual({
      latest_period: '02-2026',
      latest_rank: 8,
      previous_rank: 7,
      rank_change: -1,
      best_rank: 7,
      worst_rank: 8,
      avg_rank: 7.5,
      total_periods: 2,
      history: [
        { period: '01-2026', rank: 7 },
        { period: '02-2026', rank: 8 },
      ],
    });
    expect(mat).toMatchObject({ latest_period: '01-2026', latest_rank: 20, previous_rank: null, rank_change: null });
    expect(mat.history).toEqual([
      { period: '01-2026', rank: 20 },
      { period: '02-2026', rank: null },
    ]);
    expect(shorts).toEqual(NO_RANKS);
    expect((await asOf('03-2026'))[1]).toMatchObject({ latest_rank: 10, previous_rank: null, total_periods: 2 });
    expect(await asOf('03-2026')).toEqual((await list(key)).map(({ snapshot }: { snapshot: object }) => snapshot));
  });

  it.each([
    ['query=running', ['running shorts', 'running shoes']],
    ['query=SHOE', ['running shoes']],
    ['query=wireles', ['wireless earbuds']],
    ['query=nowhere', []],
    ['query=mat+yoga', ['yoga mat']],
    ['query=running&period=01-2026', ['running shorts', 'running shoes']],
  ])('200: %s keeps what the search finds', async (query, expected) => {
    expect(await terms(key, query)).toEqual(expected);
  });

  it.each([
    [
      'period=12-2025',
      "Parameter 'period' names the period '12-2025', which is outside the periods that your plan can see.",
    ],
    [
      'period=04-2026',
      "Parameter 'period' names the period '04-2026', which is outside the periods that your plan can see.",
    ],
    ['period=13-2026', "Parameter 'period' must be a month in the form MM-YYYY, but is '13-2026'."],
    ['period=3-2026', "Parameter 'period' must be a month in the form MM-YYYY, but is '3-2026'."],
  ])('400: %s', async (query, message) => {
    const answer = await service.request(`/v1/tracked-keywords?${query}`, { key });
    expect([answer.status, answer.json.error.message]).toEqual([400, message]);
    if (message.includes('outside')) {
      expect(answer.json.error.hint).toBe('Use a monthly period from 01-2026 to 03-2026.');
    }
  });

  it('200: shows a user nothing of a colleague or of another organization', async () => {
    const stranger = await service.makeKey();
    expect(await list(stranger)).toEqual([]);
  });

  it('200: shows nothing of months that the plan cannot see', async () => {
    const monthOf = (i: number) => `${String(1 + (i % 12)).padStart(2, '0')}-${2020 + Math.floor(i / 12)}`;
    await using other = await startTestService();
    const rows = Array.from(
      { length: 26 },
      (_, i) => `monthly,${monthOf(i)},hidden ${i < 2 ? 'early' : 'late'},${i + 1}\n`,
    );
    await other.publish('ranks.csv', HEADER + rows.join(''));
    const pro = await other.makeKey();
    const studio = await other.makeKey({ subscription: { plan: 'studio' } });
    const snapshotsOf = async (plan: string) => {
      const body = JSON.stringify({ keywords: [{ search_term: 'hidden early' }, { search_term: 'hidden late' }] });
      const { json } = await other.request('/v1/tracked-keywords', { method: 'POST', key: plan, body });
      return json.data.map(({ snapshot }: { snapshot: object }) => snapshot);
    };
    const [early, late] = await snapshotsOf(pro);
    expect(early).toEqual(NO_RANKS);
    expect(late).toMatchObject({ best_rank: 3, total_periods: 24 });
    expect(late.history).toHaveLength(24);
    const [earlyForStudio] = await snapshotsOf(studio);
    expect(earlyForStudio).toMatchObject({ best_rank: 1, latest_period: '02-2020', total_periods: 2 });
    const answer = await other.request('/v1/tracked-keywords?period=02-2020', { key: pro });
    expect([answer.status, answer.json.error.hint]).toEqual([400, 'Use a monthly period from 03-2020 to 02-2022.']);
    expect((await other.request('/v1/tracked-keywords?period=02-2020', { key: studio })).status).toBe(200);
  });
});

describe('GET, PATCH and DELETE /v1/tracked-keywords/{id}', () => {
  it('200: reads, pauses, changes and removes one', async () => {
    const key = await service.makeKey();
    const { data: made } = (await track(key, { search_term: 'yoga mat', notes: 'a' })).json;
    const read = () => service.request(`/v1/tracked-keywords/${made.id}`, { key });
    expect((await read()).json).toEqual({ data: made, error: null });
    const asOf = await service.request(`/v1/tracked-keywords/${made.id}?period=01-2026`, { key });
    expect(asOf.json.data.snapshot).toMatchObject({ latest_rank: 20, total_periods: 1 });

    const paused = await change(key, made.id, { is_active: false });
    expect([paused.status, paused.json.data]).toEqual([
      200,
      { ...made, is_active: false, updated_at: paused.json.data.updated_at },
    ]);
    expect(Date.parse(paused.json.data.updated_at)).toBeGreaterThan(Date.parse(made.updated_at));
    const rule = { field: 'best_rank', operator: 'eq', value: 3 };
    const changed = await change(key, made.id, { notes: '', priority_enabled: true, priority_rule: rule });
    expect(changed.json.data).toMatchObject({
      notes: '',
      is_active: false,
      priority_enabled: true,
      priority_rule: rule,
    });
    expect((await read()).json.data).toEqual(changed.json.data);

    const removed = await service.request(`/v1/tracked-keywords/${made.id}`, { method: 'DELETE', key });
    expect([removed.status, removed.json]).toEqual([200, { data: { id: made.id }, error: null }]);
    expect((await read()).status).toBe(404);
    expect((await track(key, { search_term: 'yoga mat' })).status).toBe(201);
  });

  it.each([
    [{}, 'The body has no field to change.'],
    [{ search_term: 'b' }, "Unknown field 'search_term'."],
    [{ is_active: null }, "Field 'is_active' must be true or false, but is null."],
  ])('400: PATCH %j', async (body, message) => {
    const key = await service.makeKey();
    const { id } = (await track(key, { search_term: 'a' })).json.data;
    const answer = await change(key, id, body);
    expect([answer.status, answer.json.error.message]).toEqual([400, message]);
  });
});
