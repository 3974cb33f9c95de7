import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('what the HTTP parser rejects', () => {
  it.each([
    ['a line that is no request', 'NONSENSE\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an unknown version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a missing Host', 'GET /v1/meters HTTP/1.1\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two Host headers', 'GET /v1/meters HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two equal Host headers', 'GET /v1/meters HTTP/1.1\r\nHost: a\r\nhOsT: a\r\n\r\n', 400, 'BAD_REQUEST'],
    ['two Host headers of HTTP/1.0', 'GET /v1/meters HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n', 400, 'BAD_REQUEST'],
    ['another host in the target', 'GET http://evil.example/v1/meters HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost x\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'raw UTF-8 in the target',
      'GET /v1/search/keywords?query=caf\u00e9 HTTP/1.1\r\nHost: x\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'BAD_REQUEST'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'BAD_REQUEST',
    ],
    [
      'a bad chunk size',
      'POST /v1/tracked-keywords/digests/read-all HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'BAD_REQUEST',
    ],
    ['bad percent-encoding in the path', 'GET /v1/%zz HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\n\r\n', 417, 'EXPECTATION_FAILED'],
    ['a CONNECT', 'CONNECT a.example:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(200_000)}\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
    [
      'a target beyond the header limit',
      `GET /${'a'.repeat(200_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      431,
      'HEADERS_TOO_LARGE',
    ],
  ])('answers %s in the envelope, with the standard headers', async (_name, message, status, code) => {
    const answer = await exchange(message);
    expect(answer.statusLine).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
      'content-type': 'application/json; charset=utf-8',
    });
    expect(JSON.parse(answer.body)).toEqual({
      data: null,
      error: { code, message: expect.any(String), hint: expect.any(String), docs: `/docs/errors#${code}` },
    });
  });

  it('413: a body above the limit is refused in the envelope', async () => {
    const key = await service.makeKey();
    const answer = await service.request('/v1/tracked-keywords', {
      method: 'POST',
      key,
      body: 'a'.repeat(1024 * 1024 + 1),
    });
    expect([answer.status, answer.json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('takes the same host in target and header', async () => {
    const answer = await exchange('GET http://a.example/healthz HTTP/1.1\r\nHost: A.example\r\n\r\n');
    expect(answer.statusLine).toBe('HTTP/1.1 200 OK');
  });

  it('408: a request that does not arrive in time is ended in the envelope', async () => {
    const answer = await exchange('GET /v1/meters HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    expect(answer.statusLine).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(answer.body).error.code).toBe('REQUEST_TIMEOUT');
  });

  it('leaves the service well', async () => {
    expect((await service.request('/healthz')).json).toEqual({ data: { status: 'ok' }, error: null });
    expect((await service.request('/readyz')).json).toMatchObject({ data: { status: 'ready' }, error: null });
  });
});

async function exchange(
  message: string,
): Promise<{ statusLine: string; headers: Record<string, string>; body: string }> {
  const { hostname, port } = new URL(service.url);
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8');
      const length = /content-length: ([0-9]+)/i.exec(received)?.[1];
      const [, body] = received.split('\r\n\r\n', 2);
      if (length !== undefined && body !== undefined && Buffer.byteLength(body) >= Number(length)) {
        socket.destroy();
        resolve(received);
      }
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
    socket.write(Buffer.from(message, 'utf8'));
  });
  const [head = '', body = ''] = text.split('\r\n\r\n', 2);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  );
  return { statusLine, headers, body };
}
