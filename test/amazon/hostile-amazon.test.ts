// Whoever stands where Amazon should be, and answers what Amazon never would.
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AmazonFault } from '../../src/amazon/amazon-fault.ts';
import { countBodyBytes, fetchBody, readNote } from '../../src/amazon/report-body.ts';
import { type Account, ReportsClient } from '../../src/amazon/reports-client.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

let answer: Answer;
let asked: string[] = [];
let client: ReportsClient;
let url: URL;
let directory: string;
const rates: number[] = [];
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  response.on('error', () => {});
  if (request.url === '/auth/o2/token') return void response.end('{"access_token":"Atza|x","expires_in":3600}');
  answer(response, request);
});
const ACCOUNT: Account = {
  connection: { id: 'c', region: 'na', clientId: 'i' },
  secrets: { clientSecret: 's', refreshToken: 'Atzr|r' },
};
const PERIOD = { frequency: 'weekly', year: 2026, number: 28 } as const;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/storage/x`);
  const onRate = (_: string, __: string, perSecond: number) => void rates.push(perSecond);
  client = new ReportsClient({ amazonUrl: url.origin, userAgent: 'keyrank/test', now: () => new Date(), onRate });
  directory = await mkdtemp(join(tmpdir(), 'keyrank-test-'));
});
afterEach(async () => {
  asked = [];
  server.closeAllConnections();
  await rm(join(directory, 'body'), { recursive: true, force: true });
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await new Promise((resolve) => server.close(resolve));
  await rm(directory, { recursive: true, force: true });
});

async function faultOf(work: Promise<unknown>): Promise<readonly [string, string]> {
  const fault = await work.catch((error: unknown) => error);
  if (fault instanceof AmazonFault) return [fault.fault, fault.detail];
  throw new Error(`no fault: ${JSON.stringify(fault)}`);
}

const fetchIt = (more: { readonly maxBytes?: number; readonly paceWindowMs?: number } = {}) =>
  fetchBody({ client, url, directory: join(directory, 'body'), fileName: 'x.sp-api.json', maxBytes: 1e6, ...more });
const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value));
/** Writes for as long as somebody reads. */
const endless =
  (head = '') =>
  (response: ServerResponse) => {
    const piece = Buffer.alloc(64 * 1024, 'x');
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.write(head);
    response.on('drain', more);
    more();
  };

describe('an answer of the API', () => {
  it('ends at a limit, and is read by its bytes alone', async () => {
    answer = endless('{"reportId":"');
    expect(await faultOf(client.getReport(ACCOUNT, 'x'))).toEqual(['refused', 'the answer is too long.']);
    answer = (response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('{"a":1}');
    expect((await client.getReport(ACCOUNT, 'x')).documentId).toBeNull();
    answer = (response) =>
      void response.writeHead(200, { 'content-length': 99 }).write('{"a":1}', () => response.destroy());
    expect((await faultOf(client.getReport(ACCOUNT, 'x')))[0]).toBe('unavailable');
  });

  it('leads nowhere else', async () => {
    answer = (response) => void response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    expect((await faultOf(client.getReport(ACCOUNT, 'x')))[0]).toBe('refused');
    expect((await faultOf(fetchIt()))[0]).toBe('unavailable');
    for (const place of ['http://169.254.169.254/x', 'file:///etc/passwd', `${url.href.replace('127', '128')}`, 7]) {
      answer = json({ url: place });
      expect((await faultOf(client.findDocument(ACCOUNT, 'x')))[0]).toBe('refused');
    }
    expect(asked.every((path) => /^\/(auth|reports|storage)\//.test(path))).toBe(true);
  });

  it.each(['', 'x'.repeat(5000), 'a\u0000b', 'a b', '\ud800', 7, { a: 1 }])(
    'gives no id that is %j',
    async (reportId) => {
      answer = json({ reportId, reportDocumentId: reportId, processingStatus: 'DONE' });
      const create = client.createReport(ACCOUNT, { marketplace: 'US', period: PERIOD });
      expect((await faultOf(create))[0]).toBe('unavailable');
      expect((await faultOf(client.getReport(ACCOUNT, 'x')))[0]).toBe('unavailable');
    },
  );

  it('repeats no secret of the caller, however it is written', async () => {
    const secrets = { clientSecret: 'short one+1', refreshToken: 'Atzr|r/2' };
    const { clientSecret, refreshToken } = secrets;
    const echo = `${clientSecret} ${refreshToken} ${encodeURIComponent(clientSecret)} ${encodeURIComponent(refreshToken)} Atza|x`;
    answer = (response) =>
      void response.writeHead(400).end(JSON.stringify({ errors: [{ code: 'InvalidInput', message: echo }] }));
    const [, detail] = await faultOf(client.getReport({ ...ACCOUNT, secrets }, 'x'));
    expect(detail).toBe('InvalidInput: … … … … …');
  });

  it('may list and complain of anything', async () => {
    answer = json({ reports: [null, 7, 'x', [], {}, { reportId: 'a\nb' }], nextToken: {} });
    const listed = await client.listReports(ACCOUNT, { marketplace: 'US', since: new Date() });
    expect(listed.nextToken).toBeUndefined();
    expect(listed.reports.map(({ reportId }) => reportId)).toEqual(['undefined', 'undefined']);
    answer = (response) => void response.writeHead(400).end(JSON.stringify({ errors: [null, 'x'] }));
    expect(await faultOf(client.getReport(ACCOUNT, 'x'))).toEqual(['refused', 'it answered 400.']);
    answer = (response) => void response.writeHead(429, { 'x-amzn-ratelimit-limit': '-1', 'retry-after': '1e9' }).end();
    expect((await faultOf(client.getReport(ACCOUNT, 'x')))[0]).toBe('throttled');
    expect(rates).toEqual([]);
  });
});

describe('a body', () => {
  it('ends at a limit', async () => {
    answer = endless();
    expect(await faultOf(fetchIt())).toEqual(['declined', expect.stringMatching(/^The file is larger than 1 MB/)]);
    expect(await countBodyBytes(directory)).toBe(0);
    expect((await readNote(client, url)).length).toBeLessThanOrEqual(300);
  });

  it('that comes in drops is given up, and what came is kept', async () => {
    answer = (response) => {
      response.setHeader('etag', '"1"');
      const dripping = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(dripping));
    };
    expect(await faultOf(fetchIt({ paceWindowMs: 100 }))).toEqual(['cut', 'it came too slowly.']);
    const [part = ''] = await readdir(join(directory, 'body'));
    expect((await stat(join(directory, 'body', part))).size).toBeGreaterThan(0);
  });

  it('is not believed about its length', async () => {
    answer = (response) => {
      response.writeHead(200, { etag: '"1"', 'content-length': 100 });
      response.write('x'.repeat(60), () => response.destroy());
    };
    expect((await faultOf(fetchIt()))[0]).toBe('cut');
    // The rest of another file, from another place, or of a length that cannot be.
    answer = (response, { headers }) => {
      const isRest = headers.range !== undefined;
      response.writeHead(isRest ? 206 : 200, { etag: '"1"', ...(isRest && { 'content-range': 'bytes 10-99/100' }) });
      response.end('y'.repeat(isRest ? 90 : 20));
    };
    await fetchIt();
    expect(await countBodyBytes(directory)).toBe(20);
    answer = (response, { headers }) => {
      response.writeHead(headers.range === undefined ? 206 : 416).end();
    };
    await rm(join(directory, 'body'), { recursive: true });
    expect((await faultOf(fetchIt()))[0]).toBe('unavailable');
  });
});
