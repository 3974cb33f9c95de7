// What holds for every endpoint is tested here for every endpoint, and for none of them anywhere else.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/domain/account.ts';
import { generateApiKey } from '../../src/domain/api-key.ts';
import { actionOf } from '../../src/http/endpoint.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { disableApiKey } from '../../src/postgres/api-keys.ts';
import type { FakeAmazon } from '../amazon/fake-amazon.ts';
import { openPatientAmazon } from '../support/patient-amazon.ts';
import { startTestService, type TestAnswer, type TestService } from '../support/service.ts';
import { fillPath, KNOWN_REPORT, makeValidRequest, VALID_QUERY } from '../support/valid-request.ts';

/** What failures of some endpoints carry beside data and error. */
const FAILURE_FIELDS: Readonly<Record<string, object>> = {
  deleteSearchHistory: { success: false, deleted_count: 0 },
  readAllDigests: { success: false, updated_count: 0 },
};

let service: TestService;
let amazon: FakeAmazon;
let key: string;

beforeAll(async () => {
  amazon = await openPatientAmazon();
  // A fast machine writes more often in a minute than anybody may.
  service = await startTestService({ KEYRANK_AMAZON_URL: amazon.url, KEYRANK_WRITES_PER_MINUTE: '1000000' });
  // Every endpoint is asked, those of operators too.
  key = await service.makeKey({ isOperator: true });
  await service.publish(KNOWN_REPORT.name, KNOWN_REPORT.text);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await amazon[Symbol.asyncDispose]();
});

/** What asks for a person or for nobody has tests of its own (test/people). */
const FOR_KEYS = ENDPOINTS.filter(({ access = 'subscriber' }) => access === 'subscriber' || access === 'member');

describe.each(FOR_KEYS.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '%s',
  (_name, endpoint) => {
    const { method, operationId, scope, meter, parameters } = endpoint;
    // An item that is not there: before the handler nobody looks for it.
    const path = fillPath(endpoint.path, randomUUID());
    const success = endpoint.success.status ?? 200;
    const fields = FAILURE_FIELDS[operationId] ?? {};
    const hasLimit = { 'ratelimit-limit': '100', 'ratelimit-remaining': expect.stringMatching(/^[0-9]+$/) };

    async function sendValid(options: { key?: string; headers?: Record<string, string> }): Promise<TestAnswer> {
      const { target, ...request } = await makeValidRequest(service, { endpoint, key });
      const headers = { ...request.headers, ...options.headers };
      return await service.request(target, { ...request, ...options, headers });
    }

    function failure(error: object) {
      return { data: null, ...fields, error };
    }

    it(`${success}: answers with standard headers and no error`, async () => {
      const answer = await sendValid({ key });
      expect(answer.status, answer.text).toBe(success);
      expect(headersOf(answer.headers)).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'server-timing': expect.stringContaining('total;dur='),
        ...(meter ? hasLimit : {}),
      });
      if (answer.json) expect(answer.json).toHaveProperty('error', null);
    });

    it(`${success}: takes the request id of the caller, if it is a plain one`, async () => {
      const id = (given: string) => sendValid({ key, headers: { 'x-request-id': given } });
      expect((await id('trace-1.A_b')).headers.get('x-request-id')).toBe('trace-1.A_b');
      expect((await id('no spaces')).headers.get('x-request-id')).not.toBe('no spaces');
    });

    it('400: an unknown parameter names itself and changes nothing', async () => {
      const answer = await service.request(`${path}${VALID_QUERY[operationId] ?? '?'}&zzzzzz=1`, { method, key });
      expect(answer.status).toBe(400);
      expect(answer.json).toEqual(
        failure({
          code: 'INVALID_PARAMETERS',
          message: "Unknown parameter 'zzzzzz'.",
          hint: expect.stringMatching(/^(Known parameters: |This endpoint takes no parameters)/),
          docs: '/docs/errors#INVALID_PARAMETERS',
        }),
      );
      expect(headersOf(answer.headers)).toMatchObject(meter ? hasLimit : {});
      if (!meter) expect(answer.headers.has('ratelimit-limit')).toBe(false);
    });

    it.each(Object.keys(parameters))(
      '400: %s with bad percent-encoding, invalid UTF-8 or NUL is refused',
      async (name) => {
        for (const bad of ['%', '%zz', '%a', '%ff', '%c3%28', '%ed%a0%80', '%00']) {
          const others = (VALID_QUERY[operationId] ?? '').slice(1);
          const query = others.startsWith(`${name}=`) ? `${name}=${bad}` : `${others}&${name}=${bad}`;
          const answer = await service.request(`${path}?${query}`, { method, key });
          expect([answer.status, answer.json.error.code], bad).toEqual([400, 'INVALID_PARAMETERS']);
          expect(answer.json.error.message, bad).toContain(`'${name}'`);
        }
      },
    );

    const asksForSubscription = (endpoint.access ?? 'subscriber') === 'subscriber';
    if (asksForSubscription)
      it('400: an organization without an active subscription is told so, before its parameters are looked at', async () => {
        const ended = { periodEnd: new Date(Date.now() - 1000) };
        for (const subscription of [{ status: 'inactive' } as const, ended]) {
          const inactive = await service.makeKey({ subscription });
          for (const target of [path, `${path}?zzzzzz=1`]) {
            const answer = await service.request(target, { method, key: inactive });
            expect(answer.status).toBe(400);
            expect(answer.json).toEqual(
              failure({
                code: 'NO_ACTIVE_SUBSCRIPTION',
                message: 'The organization has no active subscription.',
                hint: 'Ask the operator to activate a plan for this organization.',
                docs: '/docs/errors#NO_ACTIVE_SUBSCRIPTION',
              }),
            );
            expect(answer.headers.has('ratelimit-limit')).toBe(false);
          }
        }
      });

    it('401: one body for missing, malformed, unknown, disabled and expired keys, before anything else', async () => {
      const expired = await service.makeKey({ expiresAt: new Date(Date.now() - 1000) });
      const unknown = generateApiKey(randomBytes);
      const disabled = await service.makeKey();
      await disableApiKey(service.database.operator, disabled);
      const headers: Record<string, string>[] = [
        {},
        { authorization: 'Bearer' },
        { authorization: 'Bearer nonsense' },
        { authorization: `Basic ${key}` },
        { authorization: key },
        { authorization: `Bearer ${key.slice(0, -1)}` },
        { authorization: `Bearer ${key} ${key}` },
        { authorization: `Bearer ${unknown}` },
        { authorization: `Bearer ${expired}` },
        { authorization: `Bearer ${disabled}` },
      ];
      for (const each of headers) {
        const answer = await service.request(`${path}?api_key=${key}&zzzzzz=1`, { method, headers: each });
        expect(answer.status).toBe(401);
        expect(answer.json).toEqual(
          failure({
            code: 'UNAUTHORIZED',
            message: 'A valid API key is required.',
            hint: 'Send the header "Authorization: Bearer <API_KEY>" with a key that is enabled and not expired.',
            docs: '/docs/errors#UNAUTHORIZED',
          }),
        );
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(answer.headers.has('ratelimit-limit')).toBe(false);
      }
    });

    it('takes the scheme in any case', async () => {
      const answer = await sendValid({ headers: { authorization: `bEARER  ${key}` } });
      expect(answer.status).toBe(success);
    });

    it('403: a key without the scope is refused, before subscription and parameters are looked at', async () => {
      const narrow = await service.makeKey({
        scopes: SCOPES.filter((each) => each !== scope),
        subscription: { status: 'inactive' },
      });
      const answer = await service.request(`${path}?zzzzzz=1`, { method, key: narrow });
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual(
        failure({
          code: 'FORBIDDEN',
          message: `This API key lacks the scope '${scope}'.`,
          hint: 'Use a key that has this scope; the operator can issue one.',
          docs: '/docs/errors#FORBIDDEN',
        }),
      );
      expect(answer.headers.has('ratelimit-limit')).toBe(false);
    });

    it('404 and 405: come before the key is looked at', async () => {
      const wrongPath = await service.request(`${path}/more/parts/than/any`, { method });
      expect([wrongPath.status, wrongPath.json.error.code]).toEqual([404, 'NOT_FOUND']);
      const served = ENDPOINTS.filter((each) => each.path === endpoint.path).map((each) => each.method as string);
      for (const other of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
        if (served.includes(other)) continue;
        const answer = await service.request(path, { method: other });
        expect(answer.status, other).toBe(405);
        expect(answer.headers.get('allow')).toBe(served.join(', '));
        if (other !== 'HEAD') expect(answer.json).toMatchObject({ data: null, error: { code: 'METHOD_NOT_ALLOWED' } });
      }
    });

    if (endpoint.body) {
      it('400: a body that is missing, no JSON, or not as documented says what is wrong', async () => {
        const { target } = await makeValidRequest(service, { endpoint, key });
        const send = (body?: string | Uint8Array<ArrayBuffer>) =>
          service.request(target, { method, key, ...(body === undefined ? {} : { body }) });
        const cases = [
          [undefined, 'INVALID_PARAMETERS', 'The body is missing.'],
          ['', 'INVALID_PARAMETERS', 'The body is missing.'],
          ['{"a": 1,}', 'BAD_REQUEST', 'The body is not well-formed JSON.'],
          ['a=1', 'BAD_REQUEST', 'The body is not well-formed JSON.'],
          [Uint8Array.of(0x22, 0xff, 0x22), 'BAD_REQUEST', 'The body is not valid UTF-8.'],
          ['[]', 'INVALID_PARAMETERS', 'The body must be a JSON object, but is a list of 0.'],
          ['null', 'INVALID_PARAMETERS', 'The body must be a JSON object, but is null.'],
          ['{"zzzzzz": 1}', 'INVALID_PARAMETERS', "Unknown field 'zzzzzz'."],
          ['{"__proto__": 1}', 'INVALID_PARAMETERS', "Unknown field '__proto__'."],
        ] as const;
        for (const [body, code, message] of cases) {
          const answer = await send(body);
          expect([answer.status, answer.json.error.code, answer.json.error.message], String(body)).toEqual([
            400,
            code,
            message,
          ]);
        }
      });

      it('413: a body above the limit is refused in the envelope', async () => {
        const answer = await service.request(path, { method, key, body: `{"a": "${'a'.repeat(1024 * 1024)}"}` });
        expect([answer.status, answer.json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
      });
    }

    if (endpoint.item) {
      it("404: an item that is not the caller's own or not there is not found", async () => {
        const { target, ...request } = await makeValidRequest(service, { endpoint, key });
        const stranger = await service.makeKey();
        const missing = target.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/, randomUUID());
        const isForOperators = actionOf(endpoint) === 'operate';
        const answers = [
          ...(isForOperators ? [] : [await service.request(target, { ...request, key: stranger })]),
          await service.request(missing, { ...request, key }),
        ];
        for (const { status, json } of answers) {
          expect([status, json]).toEqual([
            404,
            failure({
              code: 'NOT_FOUND',
              message: `There is no ${endpoint.item} with this id.`,
              hint: 'List them to see their ids.',
              docs: '/docs/errors#NOT_FOUND',
            }),
          ]);
        }
        for (const id of ['1', 'x', randomUUID().toUpperCase(), `${randomUUID()}0`, '%00']) {
          const answer = await service.request(endpoint.path.replace('{id}', id), { ...request, key });
          expect([answer.status, answer.json.error.code], id).toEqual([404, 'NOT_FOUND']);
        }
      });
    }

    it('414: a target above the limit is refused in the envelope', async () => {
      const answer = await service.request(`${path}?query=${'a'.repeat(131_072)}`, { method, key });
      expect(answer.status).toBe(414);
      expect(answer.json).toEqual(failure(expect.objectContaining({ code: 'URI_TOO_LONG' })));
    });
  },
);

function headersOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(headers.entries());
}
