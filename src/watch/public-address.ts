// Which addresses a webhook may lead to. Whoever may register a webhook chooses an address that our server then dials, so
// everything that only our server can reach is out of bounds: loopback, private and link-local networks, carrier-grade NAT,
// the metadata services of clouds, and every way of writing an IPv4 address inside an IPv6 one.
import { BlockList, isIP } from 'node:net';

const CLOSED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Global unicast; within it Teredo, ORCHID, documentation and 6to4, which wrap or stand for other addresses, are closed. */
const OPEN_IPV6: readonly [string, number] = ['2000::', 3];
const CLOSED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const closed = new BlockList();
for (const [network, prefix] of CLOSED_IPV4) closed.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of CLOSED_IPV6) closed.addSubnet(network, prefix, 'ipv6');
const open = new BlockList();
open.addSubnet(...OPEN_IPV6, 'ipv6');

/** Whether an IP address is one that anybody on the internet could dial too. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !closed.check(address, 'ipv4');
  // A zone (fe80::1%eth0) belongs to a link, never to the internet.
  if (family !== 6 || address.includes('%')) return false;
  return open.check(address, 'ipv6') && !closed.check(address, 'ipv6');
}
