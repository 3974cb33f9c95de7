import { createHash } from 'node:crypto';

/** How secrets of enough random bits are kept: keys, sessions, links, invitations. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
