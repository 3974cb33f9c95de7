// Whose word counts for where a request comes from: a proxy says for whom it speaks, in headers that anybody else could invent.
import { BlockList, isIP } from 'node:net';
import { OperatorError } from '../domain/error.ts';

/** Whether the address is that of a proxy. */
export type IsProxy = (address: string) => boolean;

/** Addresses and networks with commas between them; this machine is always one. */
export function parseTrustedProxies(text: string): IsProxy {
  const known = new BlockList();
  known.addSubnet('127.0.0.0', 8, 'ipv4');
  known.addAddress('::1', 'ipv6');
  for (const entry of text.split(',').map((each) => each.trim())) {
    if (entry !== '') addProxy(known, entry);
  }
  return (address) => {
    const version = isIP(address);
    return version !== 0 && known.check(address, version === 6 ? 'ipv6' : 'ipv4');
  };
}

function addProxy(known: BlockList, entry: string): void {
  const [address = '', bits, ...more] = entry.split('/');
  const version = isIP(address);
  const maxBits = version === 6 ? 128 : 32;
  const isLength = bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= maxBits);
  if (version === 0 || !isLength || more.length > 0) {
    throw new OperatorError(`KEYRANK_TRUSTED_PROXIES: "${entry}" is neither an address nor a network.`, {
      hint: 'Write them like 10.0.0.5,10.1.0.0/16.',
    });
  }
  known.addSubnet(address, Number(bits ?? maxBits), version === 6 ? 'ipv6' : 'ipv4');
}
