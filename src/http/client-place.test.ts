import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { checkSameOrigin, readClientPlace } from './client-place.ts';

function place(
  headers: Record<string, string>,
  { method = 'POST', publicUrl = null as string | null, remote = '127.0.0.1' } = {},
) {
  const request = { method, headers: { host: '127.0.0.1:8080', ...headers }, socket: { remoteAddress: remote } };
  return readClientPlace(request as unknown as IncomingMessage, publicUrl);
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

  it('takes the word of a proxy on this machine for the address, and of nobody else', () => {
    const forwarded = { 'x-forwarded-for': '9.9.9.9, 203.0.113.7' };
    expect(place(forwarded).address).toBe('203.0.113.7');
    expect(place(forwarded, { remote: '198.51.100.1' }).address).toBe('198.51.100.1');
    expect(place({ 'x-forwarded-for': '<script>' }, { remote: '::ffff:127.0.0.1' }).address).toBe('127.0.0.1');
  });

  it('reads the session from the cookie of its kind alone', () => {
    const token = `kru_${'a'.repeat(43)}`;
    expect(place({ cookie: `x=1; keyrank=${token}` }).sessionToken).toBe(token);
    expect(place({ cookie: `__Host-keyrank=${token}` }).sessionToken).toBeUndefined();
    expect(place({ cookie: `keyrank=${token}` }, { publicUrl: 'https://ranks.example' }).sessionToken).toBeUndefined();
    expect(place({ cookie: 'keyrank=krk_nonsense' }).sessionToken).toBeUndefined();
  });
});
