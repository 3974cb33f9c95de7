// Signatures as the Standard Webhooks specification 1.0 describes them: HMAC-SHA256 over id, timestamp and payload.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { signedContent } from '../domain/webhook.ts';

export interface WebhookMessage {
  readonly id: string;
  /** Unix seconds, as text. */
  readonly timestamp: string;
  readonly payload: string;
}

const SECRET_PREFIX = 'whsec_';
const TOLERANCE_SECONDS = 5 * 60;

export function signMessage(message: WebhookMessage, secret: Uint8Array): string {
  return `v1,${createHmac('sha256', secret).update(signedContent(message)).digest('base64')}`;
}

/** Reads `whsec_…`, with or without the prefix; undefined when it is no secret. */
export function parseSecret(text: string): Uint8Array | undefined {
  const encoded = text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text;
  return /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) ? Buffer.from(encoded, 'base64') : undefined;
}

/** Why a message cannot be trusted; undefined when it can. */
export function findSignatureFault(
  message: WebhookMessage,
  { signatures, secret, now }: { readonly signatures: string; readonly secret: Uint8Array; readonly now: Date },
): string | undefined {
  const ageSeconds = now.getTime() / 1000 - Number(message.timestamp);
  if (!/^[0-9]{1,12}$/.test(message.timestamp)) return 'webhook-timestamp is not a Unix time';
  if (Math.abs(ageSeconds) > TOLERANCE_SECONDS) return 'webhook-timestamp is more than five minutes off';
  const expected = Buffer.from(signMessage(message, secret));
  // Several signatures stand side by side while a secret is being changed.
  const isSigned = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return isSigned ? undefined : 'webhook-signature does not match';
}
