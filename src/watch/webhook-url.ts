import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/**
 * Why messages are not sent to an address, in words that follow its name. A name is judged when it is dialled, by the
 * addresses it then means.
 */
export function findUrlFault(text: string, { allowPrivate }: { readonly allowPrivate: boolean }): string | undefined {
  if (allowPrivate) return undefined;
  const { protocol, hostname } = new URL(text);
  if (protocol !== 'https:') return 'is not an https address';
  const literal = hostname.replace(/^\[|\]$/g, '');
  const isLocalName = /(^|\.)localhost\.?$/.test(literal);
  if (isLocalName || (isIP(literal) !== 0 && !isPublicAddress(literal))) return 'is not a public address';
  return undefined;
}
