// HTTP messages that are broken in the ways in which clients, proxies and attackers break them.
import fc from 'fast-check';

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS', 'TRACE', 'PROPFIND', 'get', 'G\u0000T', 'PRI', ''];
const TARGETS = [
  ...['/v1/search/keywords?query=shoes', '/v1/meters', '/v1/tracked-keywords', '/v1/search/history', '/healthz'],
  ...[
    '/v1/%zz',
    '/v1//meters',
    '/../../etc/passwd',
    '//evil.example/v1',
    'http://evil.example/v1/meters',
    '*',
    'v1',
    '',
  ],
  ...[
    '/v1/meters HTTP/1.1',
    '/v1/search/keywords?query=%',
    '/v1/\u0000',
    '/caf\u00e9',
    '/\u007f',
    '/%00',
    '/#part',
    '/?',
  ],
];
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/9.9',
  'HTTP/1',
  'http/1.1',
  'ICE/1.0',
  '',
];
const HEADERS = [
  ...[
    'Host: x',
    'Host: x',
    'Host: x',
    'Host:',
    'Host: a\r\nHost: b',
    'Host : x',
    ' Host: x',
    'Host x',
    ': x',
    'X\u0000: y',
  ],
  ...[
    'Content-Length: 5',
    'Content-Length: 0',
    'Content-Length: -1',
    'Content-Length: +5',
    'Content-Length: 5, 5',
    'Content-Length: 0x5',
  ],
  ...['Content-Length: 99999999999999999999', 'Content-Length: 5\r\nContent-Length: 6', 'Transfer-Encoding: chunked'],
  ...[
    'Transfer-Encoding: chunked\r\nContent-Length: 5',
    'Transfer-Encoding: xchunked',
    'Transfer-Encoding: chunked, identity',
  ],
  ...[
    'Transfer-Encoding : chunked',
    'Transfer-Encoding:\u000bchunked',
    'Expect: 100-continue',
    'Expect: wonders',
    'Connection: close',
  ],
  ...[
    'Connection: upgrade\r\nUpgrade: websocket',
    'Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings',
    'TE: trailers',
    'X: \u0007',
  ],
  ...[
    'X-Request-Id: a\r\n b',
    'Content-Type: \u00ff',
    'Content-Encoding: gzip',
    `X: ${'a'.repeat(20_000)}`,
    `Cookie: ${'a=b; '.repeat(30_000)}`,
  ],
  ...[
    'Authorization: Bearer',
    'Authorization: Bearer a b',
    'Authorization: \u00ff\u00fe',
    'Accept: */*;q=zz',
    'Range: bytes=0-',
  ],
];
const BODIES = [
  '',
  'hello',
  '{"a":',
  '5\r\nhello\r\n0\r\n\r\n',
  '5\r\nhel',
  'zz\r\nhello\r\n',
  '-1\r\n',
  'ffffffffffffffff\r\nx',
  '0\r\nX: y\r\n\r\n',
  '\u0000',
];
const ENDINGS = ['\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', '\r\r\n', '\n\r'];

/** Bytes of one message; Latin-1 so that every byte can stand in it. */
export function malformedMessages(key: string): fc.Arbitrary<Buffer> {
  const composed = fc
    .record({
      method: fc.constantFrom(...METHODS),
      target: fc.constantFrom(...TARGETS),
      version: fc.constantFrom(...VERSIONS),
      headers: fc.array(fc.constantFrom(...HEADERS, `Authorization: Bearer ${key}`), { maxLength: 6 }),
      body: fc.constantFrom(...BODIES),
      ending: fc.constantFrom(...ENDINGS),
    })
    .map(({ method, target, version, headers, body, ending }) =>
      Buffer.from([`${method} ${target} ${version}`, ...headers, '', body].join(ending), 'latin1'),
    );
  const good = [
    `GET /v1/search/keywords?query=shoes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    `POST /v1/tracked-keywords HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: 23\r\n\r\n{"search_term":"shoes"}`,
    `DELETE /v1/search/history HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ];
  const damaged = fc
    .tuple(fc.constantFrom(...good), fc.array(damages(), { minLength: 1, maxLength: 4 }))
    .map(([text, changes]) => changes.reduce<Buffer>((bytes, change) => change(bytes), Buffer.from(text, 'latin1')));
  const noise = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  const smuggled = fc.tuple(composed, composed).map((two) => Buffer.concat(two));
  return fc.oneof(
    { weight: 4, arbitrary: composed },
    { weight: 4, arbitrary: damaged },
    { weight: 1, arbitrary: noise },
    { weight: 1, arbitrary: smuggled },
  );
}

/** One byte changed, a piece cut out, doubled, or put elsewhere, or the end cut off. */
function damages(): fc.Arbitrary<(bytes: Buffer) => Buffer> {
  const at = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  return fc
    .tuple(fc.constantFrom('change', 'cut', 'double', 'end'), at, fc.nat(255), fc.nat(20))
    .map(([kind, place, value, length]) => (bytes) => {
      const start = Math.floor(place * bytes.length);
      const [before, piece, after] = [
        bytes.subarray(0, start),
        bytes.subarray(start, start + length),
        bytes.subarray(start + length),
      ];
      if (kind === 'end') return before;
      if (kind === 'cut') return Buffer.concat([before, after]);
      if (kind === 'double') return Buffer.concat([before, piece, piece, after]);
      return Buffer.concat([before, Buffer.from([value]), bytes.subarray(start + 1)]);
    });
}
