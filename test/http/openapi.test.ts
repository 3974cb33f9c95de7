import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/openapi.ts';
import { readRecordedAnswers } from '../../src/http/recorded-answers.ts';
import { ENDPOINTS } from '../../src/http/routes.ts';
import { VERSION } from '../../src/version.ts';
import type { FakeAmazon } from '../amazon/fake-amazon.ts';
import { openPatientAmazon } from '../support/patient-amazon.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { KNOWN_REPORT, makeValidRequest } from '../support/valid-request.ts';

const COMMITTED = fileURLToPath(new URL('../../openapi.json', import.meta.url));
const SPEC_PATHS = [
  'GET /v1/search/keywords',
  'GET /v1/search/keywords/export',
  'GET /v1/trends/social-media-ranks',
  'GET /v1/trends/change-by',
  'GET /v1/tracked-keywords',
  'POST /v1/tracked-keywords/digests/read-all',
  'DELETE /v1/search/history',
  'GET /v1/meters',
  'GET /v1/search/stats',
  'GET /v1/search/asin',
  'GET /v1/periods',
];

let service: TestService;
let amazon: FakeAmazon;
let served: Awaited<ReturnType<TestService['request']>>['json'];
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
ajv.addFormat('date-time', (text: string) => !Number.isNaN(Date.parse(text)));
ajv.addFormat('date', /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/);
beforeAll(async () => {
  amazon = await openPatientAmazon();
  service = await startTestService({ KEYRANK_AMAZON_URL: amazon.url });
  await service.publish(KNOWN_REPORT.name, KNOWN_REPORT.text);
  served = (await service.request('/openapi.json')).json;
  ajv.addSchema(served, 'openapi');
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await amazon[Symbol.asyncDispose]();
});

describe('openapi.json', () => {
  it('is what the service serves and what is committed (UPDATE=1 npm test -- openapi writes it)', async () => {
    const document = `${JSON.stringify(openApiDocument(ENDPOINTS, { version: VERSION, recorded: readRecordedAnswers() }), null, 2)}\n`;
    if (process.env.UPDATE === '1') await writeFile(COMMITTED, document);
    expect(await readFile(COMMITTED, 'utf8')).toBe(document);
    expect(served).toEqual(JSON.parse(document));
  });

  it('lints clean', async () => {
    const cli = join(dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js');
    const run = promisify(execFile)(process.execPath, [cli, 'lint', '--format=json', COMMITTED], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    const { stdout } = await run.catch((failed: { stdout: string }) => failed);
    expect(JSON.parse(stdout).problems).toEqual([]);
  });

  it('has every endpoint of the specification', () => {
    const paths = ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
    expect(paths).toEqual(expect.arrayContaining(SPEC_PATHS));
  });

  it.each(ENDPOINTS.map((endpoint) => [endpoint.operationId, endpoint] as const))(
    'says in words and shows by examples what %s takes and gives',
    async (_operationId, { path, method }) => {
      const { paths, components } = served;
      const { summary, description, parameters, requestBody, responses } = paths[path][method.toLowerCase()];
      expect([summary, description]).toEqual([expect.stringMatching(/\w/), expect.stringMatching(/\w{3}.*\.$/s)]);
      for (const { name, ...parameter } of parameters) {
        expect(parameter, name).toMatchObject({ description: expect.stringMatching(/\w/), example: expect.anything() });
      }
      const json = requestBody?.content['application/json'];
      if (json) expect(Object.keys(requestBody.content['application/json'].examples)).not.toEqual([]);
      for (const status of Object.keys(responses)) {
        const { description, headers, content } = responseOf({ path, method, status }).response;
        expect(description, status).toMatch(/\w/);
        for (const name of Object.keys(headers ?? {})) {
          expect(components.headers[name]).toMatchObject({
            description: expect.any(String),
            example: expect.anything(),
          });
        }
        // Files are shown where they are text.
        for (const [contentType, { examples }] of Object.entries<Record<string, object>>({ ...content })) {
          if (!/json|csv/.test(contentType)) continue;
          expect(Object.keys(examples ?? {}), `${status} ${contentType}`).not.toEqual([]);
        }
      }
    },
  );

  it.each(ENDPOINTS.map((endpoint) => [endpoint.operationId, endpoint] as const))(
    'describes the answers of %s',
    async (_operationId, endpoint) => {
      const { method, path } = endpoint;
      const key = await service.makeKey({ isOperator: true });
      const valid = await makeValidRequest(service, { endpoint, key });
      for (const [target, options] of [
        [
          valid.target,
          {
            key,
            ...(valid.headers && { headers: valid.headers }),
            ...(valid.body !== undefined && { body: valid.body }),
          },
        ],
        [`${valid.path}?zzz=1`, { key }],
        [valid.path, {}],
      ] as const) {
        const answer = await service.request(target, { method, ...options });
        if (answer.json === undefined) continue;
        const failures = validate({ path, method, status: String(answer.status), body: answer.json });
        expect(failures, JSON.stringify(answer.json)).toEqual([]);
      }
    },
  );
});

interface Answer {
  readonly path: string;
  readonly method: string;
  readonly status: string;
}

/** Where the document describes it, which may be once for many endpoints. */
function responseOf({ path, method, status }: Answer) {
  const place = ['paths', path, method.toLowerCase(), 'responses', status];
  const shared: string | undefined = place.reduce((value, part) => value[part], served).$ref;
  const found = shared === undefined ? place : shared.slice('#/'.length).split('/');
  return { place: found, response: found.reduce((value, part) => value[part], served) };
}

function validate({ body, ...answer }: Answer & { readonly body: unknown }): unknown[] {
  const pointer = [...responseOf(answer).place, 'content', 'application/json', 'schema']
    .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
    .join('/');
  const check = ajv.compile({ $ref: `openapi#/${pointer}` });
  return check(body) ? [] : (check.errors ?? []);
}
