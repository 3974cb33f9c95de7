import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyrank, type Keyrank, KeyrankError } from '../../sdk/src/keyrank.ts';
import { startTestService, type TestService } from '../support/service.ts';

const TERMS = 1203;

let service: TestService;
let keyrank: Keyrank;

beforeAll(async () => {
  service = await startTestService();
  const rows = Array.from({ length: TERMS }, (_, i) => [
    `monthly,01-2026,yoga mat ${i},${i + 1}`,
    `monthly,02-2026,yoga mat ${i},${i + 3000}`,
  ]);
  await service.publish('US_ranks.csv', ['period_type,period,search_term,rank', ...rows.flat(), ''].join('\n'));
  keyrank = createKeyrank({ baseUrl: `${service.url}/`, apiKey: await service.makeKey() });
});
afterAll(() => service[Symbol.asyncDispose]());

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => expect.fail('It did not fail.'),
    (error: unknown) => error,
  );
}

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const row of rows) list.push(row);
  return list;
}

/** A service that gives these answers, one after the other, and notes what it was asked. */
async function openScripted(answers: readonly ((response: ServerResponse) => void)[]) {
  const asked: string[] = [];
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    asked.push(`${request.method} ${request.url} ${body}`.trimEnd());
    answers[Math.min(asked.length, answers.length) - 1]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refusal(status: number, retryAfter?: string) {
  return (response: ServerResponse) => {
    const headers = { 'content-type': 'application/json', ...(retryAfter && { 'retry-after': retryAfter }) };
    const error = { code: status === 429 ? 'RATE_LIMIT_EXCEEDED' : 'SERVICE_UNAVAILABLE', message: 'Later.' };
    response.writeHead(status, headers).end(JSON.stringify({ data: null, error }));
  };
}

function success(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"error":null}');
}

describe('a call', () => {
  it('gives the body of the answer, and sends lists, words and marks as they are', async () => {
    const query = ['yoga mat 7', 'it costs 100% & more', 'naïve,mat'];
    const { data, pagination } = await keyrank.searchKeywords({ query, method: 'exact', exclude_nulls: true });
    expect(data.map(({ search_term, data: ranks }) => [search_term, ranks])).toEqual([
      ['yoga mat 7', { '01-2026': 8, '02-2026': 3007 }],
    ]);
    expect(pagination.total_count).toBe(1);
    const [entry] = (await keyrank.listSearchHistory({ limit: 1 })).data;
    expect(entry?.parameters).toMatchObject({ query, method: 'exact', exclude_nulls: true });
  });

  it('gives a file as a blob in every format', async () => {
    const query = ['yoga mat 7'];
    const workbook = await keyrank.exportKeywords({ query });
    expect(new Uint8Array(await workbook.arrayBuffer()).subarray(0, 2)).toEqual(new TextEncoder().encode('PK'));
    const rows = await keyrank.exportKeywords({ query, method: 'exact', file_format: 'ndjson' });
    expect(JSON.parse(await rows.text())).toMatchObject({ search_term: 'yoga mat 7' });
    const table = await keyrank.exportKeywords({ query, method: 'exact', file_format: 'csv' });
    expect(await table.text()).toContain('yoga mat 7');
  });

  it('creates, changes and deletes', async () => {
    const idempotencyKey = 'once';
    const body = { keywords: [{ search_term: 'yoga mat 1' }, { search_term: 'yoga mat 2', notes: 'why' }] };
    const first = await keyrank.createTrackedKeywords(body, { idempotencyKey });
    expect(await keyrank.createTrackedKeywords(body, { idempotencyKey })).toEqual(first);
    const [, second] = (await keyrank.listTrackedKeywords()).data;
    expect(second).toMatchObject({ notes: 'why', snapshot: { latest_rank: 3002 } });
    const id = second?.id ?? '';
    expect((await keyrank.changeTrackedKeyword(id, { notes: '', is_active: false })).data.is_active).toBe(false);
    await keyrank.deleteTrackedKeyword(id);
    expect(await failureOf(keyrank.getTrackedKeyword(id))).toMatchObject({ code: 'NOT_FOUND', status: 404 });
  });
});

describe('every row', () => {
  it('of a search comes once and in order, with as few searches as can be', async () => {
    const before = (await keyrank.getUsage()).data.rate_limit.used;
    const rows = await collect(keyrank.all.searchKeywords({ query: ['yoga'], order_by: 'latest_rank' }));
    expect(rows.map(({ summary }) => summary.latest_rank)).toEqual(Array.from({ length: TERMS }, (_, i) => i + 3000));
    expect((await keyrank.getUsage()).data.rate_limit.used - before).toBe(2);
  });

  it('of a list with offsets comes from where and in what steps it was asked', async () => {
    const options = { order_by: 'current_rank', order_direction: 'ASC', limit: 500, offset: 200 } as const;
    const rows = await collect(keyrank.all.listRankChanges(options));
    expect(rows.map((row) => row.current_rank)).toEqual(Array.from({ length: TERMS - 200 }, (_, i) => i + 3200));
  });

  it('is left when the reader stops', async () => {
    const before = (await keyrank.getUsage()).data.rate_limit.used;
    for await (const { search_term } of keyrank.all.searchKeywords({ query: ['yoga'], limit: 10 })) {
      expect(search_term).toContain('yoga');
      break;
    }
    expect((await keyrank.getUsage()).data.rate_limit.used - before).toBe(1);
  });

  it.each(['listSearchHistory', 'listSocialMediaRanks', 'listNewTerms', 'listDigests'] as const)(
    'of %s comes without being told how many at once',
    async (name) => {
      const { pagination } = await keyrank[name]({ limit: 1 });
      expect(await collect<unknown>(keyrank.all[name]())).toHaveLength(pagination.total_count);
    },
  );
});

describe('an error', () => {
  it('says what the service said', async () => {
    const query = { query: ['yoga'], brands: ['Acme'] };
    const error = await failureOf(keyrank.searchKeywords(query));
    expect(error).toBeInstanceOf(KeyrankError);
    expect(error).toMatchObject({
      name: 'KeyrankError',
      code: 'INVALID_PARAMETERS',
      status: 400,
      hint: expect.stringContaining("'brand'"),
      docs: `${service.url}/docs/errors#INVALID_PARAMETERS`,
      requestId: expect.stringMatching(/^[\w-]{10,}$/),
      retryAfterSeconds: undefined,
    });
    expect(String(error)).toContain('brands');
  });

  it('of the hourly limit says how long to wait', async () => {
    const limited = createKeyrank({ baseUrl: service.url, apiKey: await service.makeKey(), maxWaitSeconds: 60 });
    const searches = Array.from({ length: 100 }, () => limited.searchKeywords({ query: ['yoga'], limit: 1 }));
    await Promise.all(searches);
    // An hour is longer than it may wait.
    const error = await failureOf(limited.searchKeywords({ query: ['yoga'] }));
    expect(error).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', status: 429 });
    expect((error as KeyrankError).retryAfterSeconds).toBeGreaterThan(60);
  });

  it('tells that there is no key, nobody, or somebody else', async () => {
    expect(() => createKeyrank({ baseUrl: service.url, apiKey: undefined })).toThrow(
      expect.objectContaining({ code: 'NO_API_KEY' }),
    );
    const gone = await openScripted([]);
    await gone[Symbol.asyncDispose]();
    const { baseUrl } = gone;
    const unreachable = await failureOf(createKeyrank({ baseUrl, apiKey: 'krk_x' }).getUsage());
    expect(unreachable).toMatchObject({ code: 'UNREACHABLE', status: undefined, cause: expect.any(TypeError) });

    const page = (status: number) => (response: ServerResponse) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Proxy</h1>');
    await using proxy = await openScripted([page(200), page(502)]);
    const proxied = createKeyrank({ baseUrl: proxy.baseUrl, apiKey: 'krk_x' });
    expect(await failureOf(proxied.getUsage())).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 200 });
    expect(await failureOf(proxied.getUsage())).toMatchObject({ code: 'UNEXPECTED_ANSWER', status: 502 });
  });

  it('tells of a connection that was lost in the middle of an answer', async () => {
    await using broken = await openScripted([
      (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{"data":', () => response.destroy());
      },
    ]);
    const error = await failureOf(createKeyrank({ baseUrl: broken.baseUrl, apiKey: 'krk_x' }).getUsage());
    expect(error).toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('waiting', () => {
  it('is for those who ask', async () => {
    await using scripted = await openScripted([refusal(429, '1'), success]);
    const error = await failureOf(createKeyrank({ baseUrl: scripted.baseUrl, apiKey: 'krk_x' }).listPeriods());
    expect(error).toMatchObject({ status: 429, retryAfterSeconds: 1 });
    expect(scripted.asked).toHaveLength(1);
  });

  it('ends with an answer, of a body too', async () => {
    await using scripted = await openScripted([refusal(429, '1'), refusal(503, '0'), success]);
    const patient = createKeyrank({ baseUrl: scripted.baseUrl, apiKey: 'krk_x', maxWaitSeconds: 5 });
    const body = { search_term: 'yoga mat' };
    await patient.createTrackedKeywords(body, { idempotencyKey: 'k' });
    expect(scripted.asked).toEqual(Array(3).fill(`POST /v1/tracked-keywords ${JSON.stringify(body)}`));
  });

  it('has a bound over all its turns', async () => {
    await using scripted = await openScripted([refusal(429, '1')]);
    const patient = createKeyrank({ baseUrl: scripted.baseUrl, apiKey: 'krk_x', maxWaitSeconds: 2 });
    expect(await failureOf(patient.listPeriods())).toMatchObject({ status: 429 });
    expect(scripted.asked).toHaveLength(3);
  });

  it.each([
    ['a failure that names no time', refusal(503), (client: Keyrank) => client.listPeriods()],
    ['a 503 of what may have been done', refusal(503, '1'), (client: Keyrank) => client.deleteSearchHistory()],
  ])('is not for %s', async (_name, answer, ask) => {
    await using scripted = await openScripted([answer, success]);
    const patient = createKeyrank({ baseUrl: scripted.baseUrl, apiKey: 'krk_x', maxWaitSeconds: 60 });
    expect(await failureOf(ask(patient))).toMatchObject({ status: 503 });
    expect(scripted.asked).toHaveLength(1);
  });

  it('takes the date that a proxy names', async () => {
    await using scripted = await openScripted([refusal(429, new Date(Date.now() + 1500).toUTCString()), success]);
    const patient = createKeyrank({ baseUrl: scripted.baseUrl, apiKey: 'krk_x', maxWaitSeconds: 60 });
    expect(await patient.listPeriods()).toEqual({ data: [], error: null });
    expect(scripted.asked).toHaveLength(2);
  });

  it('is given up by a signal, as is a request under way', async () => {
    const controller = new AbortController();
    const reason = new Error('Enough.');
    await using waiting = await openScripted([refusal(429, '1000')]);
    const patient = createKeyrank({ baseUrl: waiting.baseUrl, apiKey: 'krk_x', maxWaitSeconds: 3600 });
    const failing = failureOf(patient.listPeriods({}, { signal: controller.signal }));
    while (waiting.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort(reason);
    expect(await failing).toBe(reason);

    await using silent = await openScripted([() => controllerOfSilent.abort(reason)]);
    const controllerOfSilent = new AbortController();
    const call = createKeyrank({ baseUrl: silent.baseUrl, apiKey: 'krk_x' }).getUsage({
      signal: controllerOfSilent.signal,
    });
    expect(await failureOf(call)).toBe(reason);
    expect(waiting.asked).toHaveLength(1);
  });
});
