import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkSameOrigin, readClientPlace } from './client-place.ts';
import { parseTrustedProxies } from './trusted-proxies.ts';

function place(
  headers: Record<string, string>,
  { method = 'POST', publicUrl = null as string | null, remote = '127.0.0.1', proxies = '' } = {},
) {
  const socket = { remoteAddress: remote, localPort: 8080 };
  const request = { method, headers: { host: '127.0.0.1:8080', ...headers }, socket };
  const isTrustedProxy = parseTrustedProxies(proxies);
  return readClientPlace(request as unknown as IncomingMessage, { publicUrl, isTrustedProxy });
}

const isLetIn = (
  headers: Record<string, string>,
  options: { method?: string; needsProof?: boolean; publicUrl?: string } = {},
) => {
  try {
    checkSameOrigin(place(headers, options), { needsProof: options.needsProof ?? true });
    return true;
  } catch {
    return false;
  }
};

describe('where a request comes from', () => {
  it.each([
    [
      'the page itself, by both headers',
      { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:8080' },
      {},
      true,
    ],
    ['the page of an older browser', { origin: 'http://127.0.0.1:8080' }, {}, true],
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, {}, false],
    ['another site that an older browser names', { origin: 'https://evil.example' }, {}, false],
    ['another port of this machine', { origin: 'http://127.0.0.1:9090' }, {}, false],
    ['another host of this site', { 'sec-fetch-site': 'same-site' }, {}, false],
    ['a sandboxed frame', { origin: 'null' }, {}, false],
    ['a write that says nothing', {}, {}, false],
    ['a write that says nothing and has no cookie', {}, { needsProof: false }, true],
    ['a read that says nothing', {}, { method: 'GET' }, true],
    ['an address that was typed', { 'sec-fetch-site': 'none' }, { method: 'GET' }, true],
    ['a write that nobody asked for', { 'sec-fetch-site': 'none' }, {}, false],
    ['a link on another site', { 'sec-fetch-site': 'cross-site' }, { method: 'GET' }, false],
    ['the page behind a proxy', { origin: 'https://ranks.example' }, { publicUrl: 'https://ranks.example' }, true],
    [
      'the host of the proxy without TLS',
      { origin: 'http://ranks.example' },
      { publicUrl: 'https://ranks.example' },
      false,
    ],
  ])('%s', (_name, headers, options, expected) => {
    expect(isLetIn(headers as Record<string, string>, options)).toBe(expected);
  });

  it('has a cookie for TLS and for this machine, and none for http from elsewhere', () => {
    expect(place({}).cookieKind).toBe('loopback');
    expect(place({ host: 'localhost:80' }).cookieKind).toBe('loopback');
    expect(place({ host: '127.0.0.1.evil.example' }).cookieKind).toBeUndefined();
    expect(place({ host: 'ranks.example' }).cookieKind).toBeUndefined();
    expect(place({ host: 'ranks.example', 'x-forwarded-proto': 'https' }).cookieKind).toBe('secure');
    expect(place({}, { publicUrl: 'https://ranks.example' }).cookieKind).toBe('secure');
  });

  it('takes the word of proxies of ours, one behind the other, and of nobody else', () => {
    const forwarded = {
      'x-forwarded-for': '9.9.9.9, 203.0.113.7',
      'x-forwarded-proto': 'https',
      host: 'ranks.example',
    };
    expect(place(forwarded).address).toBe('203.0.113.7');
    expect(place(forwarded, { remote: '::ffff:127.0.0.1' }).address).toBe('203.0.113.7');
    const outside = { remote: '198.51.100.1' };
    expect(place(forwarded, outside)).toMatchObject({ address: '198.51.100.1', cookieKind: undefined });
    expect(place(forwarded, { ...outside, proxies: '10.0.0.1, 198.51.100.0/24' })).toMatchObject({
      address: '203.0.113.7',
      cookieKind: 'secure',
    });
    const chain = { ...outside, proxies: '198.51.100.1,203.0.113.7,2001:db8::/32' };
    expect(place(forwarded, chain).address).toBe('9.9.9.9');
    expect(place({ 'x-forwarded-for': '2001:db8::5' }, { ...chain, remote: '2001:db8::1' }).address).toBe(
      '2001:db8::5',
    );
    expect(place({ 'x-forwarded-for': '<script>' }, { remote: '::ffff:127.0.0.1' }).address).toBe('127.0.0.1');
    expect(place({ 'x-forwarded-for': '<script>, 9.9.9.9' }).address).toBe('9.9.9.9');
  });

  it.each(['x', '10.0.0.1/33', '10.0.0.1/', '10.0.0.0/8/8', '::/129', 'ranks.example'])(
    'knows no proxy that is called %s',
    (text) => {
      expect(() => parseTrustedProxies(`127.0.0.1,${text}`)).toThrow('neither an address nor a network');
    },
  );

  it('knows its own address when it is configured, or that of this machine and port', () => {
    expect(place({}).isOriginKnown).toBe(true);
    expect(place({ host: 'localhost:8080' }).isOriginKnown).toBe(true);
    expect(place({ host: 'localhost:6666' }).isOriginKnown).toBe(false);
    expect(place({ host: 'ranks.example:8080' }).isOriginKnown).toBe(false);
    expect(place({ host: 'x' }, { publicUrl: 'https://ranks.example' })).toMatchObject({
      isOriginKnown: true,
      origin: 'https://ranks.example',
    });
  });

  it('reads the session from the cookie of its kind alone', () => {
    const token = `kru_${'a'.repeat(43)}`;
    expect(place({ cookie: `x=1; keyrank=${token}` }).sessionToken).toBe(token);
    expect(place({ cookie: `__Host-keyrank=${token}` }).sessionToken).toBeUndefined();
    expect(place({ cookie: `keyrank=${token}` }, { publicUrl: 'https://ranks.example' }).sessionToken).toBeUndefined();
    expect(place({ cookie: 'keyrank=krk_nonsense' }).sessionToken).toBeUndefined();
  });
});
