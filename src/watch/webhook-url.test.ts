import { describe, expect, it } from 'vitest';
import { findUrlFault } from './webhook-url.ts';

describe('an address for webhooks', () => {
  it.each([
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://a.localhost/',
    'https://[::1]/',
    'https://10.0.0.1:8443/',
  ])('is public, unlike %s', (url) => {
    expect(findUrlFault(url, { allowPrivate: false })).toBe('is not a public address');
  });

  it.each([
    'https://notlocalhost/',
    'https://localhost.example.com/',
    'https://example.com/localhost',
    'https://[2606:4700::1111]/',
    'https://8.8.8.8/',
  ])('may be %s', (url) => {
    expect(findUrlFault(url, { allowPrivate: false })).toBeUndefined();
  });

  it('is an https address, unless private ones are allowed', () => {
    expect(findUrlFault('http://example.com/', { allowPrivate: false })).toBe('is not an https address');
    expect(findUrlFault('http://127.0.0.1/', { allowPrivate: true })).toBeUndefined();
  });
});
