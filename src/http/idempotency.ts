import { createHash } from 'node:crypto';
import { RequestError } from '../domain/error.ts';
import { MAX_IDEMPOTENCY_KEYS } from '../domain/tracked-item.ts';

/** Visible ASCII. */
const PATTERN = /^[\x21-\x7e]{1,255}$/;

/** How the header is documented. */
export const IDEMPOTENCY_KEY = {
  description:
    'Any text of 1 to 255 visible ASCII characters, such as a UUID. A repetition with the same key and body within 24 hours ' +
    'changes nothing and gets the same answer, with its keywords as they are by then; the same key with another body is a 409. ' +
    `Failures are not kept, and of each user the last ${MAX_IDEMPOTENCY_KEYS} keys are.`,
  schema: { type: 'string', pattern: PATTERN.source, maxLength: 255 },
};

/** Whether a request is a repetition of another is decided by its key, and that it is the same by its body and the item in its path. */
export function parseIdempotency(
  key: string | undefined,
  { id, body }: { readonly id: string; readonly body: Uint8Array },
): { readonly key: string; readonly fingerprint: Uint8Array } | undefined {
  if (key === undefined) return undefined;
  if (PATTERN.test(key)) return { key, fingerprint: createHash('sha256').update(id).update(body).digest() };
  throw new RequestError(
    'INVALID_PARAMETERS',
    "Header 'Idempotency-Key' must be 1 to 255 visible ASCII characters.",
    'Use for example a new UUID for each request.',
  );
}
