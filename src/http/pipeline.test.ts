import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { type Account, SCOPES } from '../domain/account.ts';
import { generateApiKey } from '../domain/api-key.ts';
import type { RateLimitState } from '../domain/rate-limit.ts';
import { StoreOverloadError } from '../domain/store.ts';
import type { ClientPlace } from './client-place.ts';
import { defineEndpoint, type EndpointDefinition } from './endpoint.ts';
import { integer } from './parameters.ts';
import { runEndpoint } from './pipeline.ts';
import type { Resources } from './resources.ts';
import { searchKeywords } from './v1/search-keywords.ts';

const KEY = generateApiKey((count) => new Uint8Array(count).fill(7));
const NOW = new Date('2026-11-15T00:00:00Z');
const STATE: RateLimitState = { limit: 100, counted: 3, now: NOW, resetsAt: new Date('2026-11-15T00:10:00Z') };
const LIMIT_HEADERS = { 'ratelimit-limit': '100', 'ratelimit-remaining': '97', 'ratelimit-reset': '1794701400' };
const ACCOUNT = {
  caller: { keyId: 'k', organizationId: 'o', userId: 'u', role: 'owner', scopes: new Set(SCOPES) },
  subscription: { plan: 'pro', status: 'active', periodEnd: null },
  expiresAt: null,
} as unknown as Account;

const parameters = { limit: integer('', { min: 1, max: 10, absent: 5 }) };

function run(
  change: Partial<EndpointDefinition<typeof parameters>>,
  {
    state = STATE,
    unavailable = false,
    query = '',
    key = KEY,
    asked = [],
    turns = [],
    isFull = false,
  }: {
    state?: RateLimitState;
    unavailable?: boolean;
    query?: string;
    key?: string;
    asked?: string[];
    turns?: string[];
    isFull?: boolean;
  } = {},
) {
  const resources = {
    accounts: {
      find: async (text: string) => {
        asked.push(text);
        return text === KEY ? ACCOUNT : undefined;
      },
    },
    rateLimiter: {
      admit: async () => ({ admitted: state.counted < state.limit, rateLimit: state }),
      read: async () => state,
    },
    ranks: {
      checkRoom: () => {
        if (isFull) throw new StoreOverloadError(1);
      },
    },
    turns: {
      take: async (owner: string) => {
        turns.push(owner);
        return () => turns.push('end');
      },
    },
    now: () => NOW,
    isUnavailable: () => unavailable,
  } as unknown as Resources;
  const endpoint = defineEndpoint({
    method: 'GET',
    path: '/v1/test',
    operationId: 'test',
    summary: '',
    description: '',
    tag: '',
    scope: 'search',
    meter: 'search',
    parameters,
    success: { contentType: 'application/json', schema: Type.Null() },
    handle: async ({ admit }) => {
      await admit();
      return { body: '{}' };
    },
    ...change,
  });
  const request = {
    authorization: `Bearer ${key}`,
    place: { address: '127.0.0.1' } as ClientPlace,
    accept: undefined,
    lastEventId: undefined,
    queryString: query,
    id: '',
    onCaller: () => undefined,
    readBody: async () => new Uint8Array(0),
    openPart: () => {
      throw new Error('takes no parts');
    },
    idempotencyKey: undefined,
    signal: new AbortController().signal,
  };
  return runEndpoint(endpoint, { request, resources });
}

it('takes one turn, whether it is answered, refused later or refused for its key', async () => {
  const organization = ACCOUNT.caller.organizationId;
  for (const [query, key, owner] of [
    ['', KEY, organization],
    ['limit=11', KEY, organization],
    ['', `${KEY}x`, 'nobody'],
  ] as const) {
    const turns: string[] = [];
    await run({}, { query, key, turns });
    expect(turns).toEqual([owner, 'end']);
  }
});

describe('a rate-limited request', () => {
  it('carries the limit on success', async () => {
    const { answer } = await run({});
    expect([answer.status, answer.headers]).toMatchObject([200, LIMIT_HEADERS]);
  });

  it('carries the limit, read and not spent, when its parameters are wrong', async () => {
    let handled = false;
    const handle = async () => {
      handled = true;
      return { body: '' };
    };
    const { answer } = await run({ handle }, { query: 'limit=11' });
    expect([answer.status, answer.headers, handled]).toMatchObject([400, LIMIT_HEADERS, false]);
  });

  it('carries the limit and Retry-After when it is exceeded', async () => {
    const { answer } = await run({}, { state: { ...STATE, counted: 100 } });
    expect(answer).toMatchObject({
      status: 429,
      headers: { ...LIMIT_HEADERS, 'ratelimit-remaining': '0', 'retry-after': '600' },
    });
  });

  it('carries the limit when the service fails after it was admitted, tells nothing of the cause, and gives it to the log', async () => {
    const cause = new Error('secret detail');
    const handle: EndpointDefinition<typeof parameters>['handle'] = async ({ admit }) => {
      await admit();
      throw cause;
    };
    const { answer, defect } = await run({ handle, failureFields: searchKeywords.failureFields ?? (() => ({})) });
    expect([answer.status, answer.headers]).toMatchObject([500, LIMIT_HEADERS]);
    expect(JSON.parse(String(answer.body))).toEqual({
      data: null,
      pagination: {
        current_page: 1,
        page_size: 50,
        total_count: 0,
        total_pages: 0,
        has_next: false,
        has_previous: false,
      },
      error: {
        code: 'INTERNAL_SERVER_ERROR',
        message: 'The service failed to answer this request.',
        hint: 'Try again later; if it stays, report the X-Request-Id of this answer to the operator.',
        docs: '/docs/errors#INTERNAL_SERVER_ERROR',
      },
    });
    expect(defect).toBe(cause);
  });

  it('is asked to come again when the database cannot be reached', async () => {
    const handle = async () => {
      throw new Error('connection refused');
    };
    const { answer } = await run({ handle }, { unavailable: true });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(String(answer.body)).error.code).toBe('SERVICE_UNAVAILABLE');
  });

  it('is sent away when searches would have to wait', async () => {
    const { answer } = await run({}, { isFull: true });
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  });

  it('with a wrong key is refused for the key, also when searches would have to wait', async () => {
    const unknown = generateApiKey((count) => new Uint8Array(count).fill(8));
    const { answer } = await run({}, { isFull: true, key: unknown });
    expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
  });

  it('reports where its time went', async () => {
    const { answer } = await run({});
    expect(answer.headers['server-timing']).toMatch(/^auth;dur=[\d.]+, admit;dur=[\d.]+, total;dur=[\d.]+$/);
  });
});

describe('a key', () => {
  it('with a wrong checksum is refused without a look into the database', async () => {
    const asked: string[] = [];
    const { answer } = await run({}, { key: `${KEY.slice(0, -1)}${KEY.endsWith('x') ? 'y' : 'x'}`, asked });
    expect([answer.status, asked]).toEqual([401, []]);
    await run({}, { asked });
    expect(asked).toEqual([KEY]);
  });
});
