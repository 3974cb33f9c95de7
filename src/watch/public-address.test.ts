import { describe, expect, it } from 'vitest';
import { isPublicAddress } from './public-address.ts';

/**
 * The networks of IANA's special-purpose registries that are not globally reachable: first and last address, and the neighbours
 * on both sides, undefined where these are closed too.
 */
const CLOSED: readonly (readonly [string, string, string | undefined, string | undefined])[] = [
  ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '239.255.255.255', '223.255.255.255', undefined],
  ['240.0.0.0', '255.255.255.255', undefined, undefined],
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2000::'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff:ffff::', '3fff:1000::'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff:ffff::', undefined],
];

describe('an address that anybody could dial', () => {
  it.each(CLOSED)('is none from %s to %s', (first, last, before, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    for (const neighbour of [before, after]) if (neighbour) expect(isPublicAddress(neighbour)).toBe(true);
  });

  it('has no zone, and is an address', () => {
    expect(isPublicAddress('2606:4700::1111')).toBe(true);
    for (const text of ['2606:4700::1111%eth0', 'example.com', '1.2.3', '']) expect(isPublicAddress(text)).toBe(false);
  });
});
