// Checks that a message is the service's own, as Standard Webhooks describe. WebCrypto does the work, and compares in constant time.
import { KeyrankError } from './keyrank-error.ts';

export interface VerifyWebhookOptions {
  /** As the registration gave it (`whsec_…`); several while one takes the place of another. */
  readonly secret: string | readonly string[] | undefined;
  /** Of the request: those of `fetch`, or of Node's `request.headers`. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As it came. What was parsed and written again has another signature. */
  readonly body: string | Uint8Array;
  /** How far the message's time may be from now. */
  readonly toleranceSeconds?: number;
  readonly now?: () => Date;
}

interface Ranked {
  readonly marketplace: string;
  readonly type: 'monthly' | 'weekly';
  readonly period: string;
}

export interface PeriodPublished {
  readonly type: 'period.published';
  readonly timestamp: string;
  readonly data: Ranked & {
    readonly source: 'search' | 'social';
    readonly start_date: string;
    readonly end_date: string;
    readonly keywords: number;
    readonly revision: number;
  };
}

export interface PriorityHit {
  readonly type: 'tracked_keyword.priority_hit';
  readonly timestamp: string;
  readonly data: Ranked & {
    readonly tracked_keyword_id: string;
    readonly search_term: string;
    readonly priority_rule: { readonly field: string; readonly operator: string; readonly value: number };
    readonly latest_rank: number;
    readonly previous_rank: number | null;
    readonly rank_change: number | null;
    readonly best_rank: number;
    readonly worst_rank: number;
    readonly avg_rank: number;
  };
}

export interface ProductChanged {
  readonly type: 'tracked_product.changed';
  readonly timestamp: string;
  readonly data: Ranked & {
    readonly tracked_product_id: string;
    readonly asin: string;
    readonly title: string;
    readonly keywords: number;
    readonly previous_keywords: number | null;
    readonly entered: number;
    readonly left: number;
    readonly place: number;
    /** The most searched of the keywords that changed. */
    readonly rows: readonly {
      readonly change: 'entered' | 'left' | 'place';
      readonly search_term: string;
      readonly rank: number | null;
      readonly place: number | null;
      readonly previous_place: number | null;
    }[];
  };
}

export interface DataLate {
  readonly type: 'data.late';
  readonly timestamp: string;
  readonly data: Ranked & {
    readonly source: 'search';
    readonly start_date: string;
    readonly end_date: string;
    /** When it would have come if it were as punctual as those before it. */
    readonly expected_at: string;
  };
}

export type WebhookMessage = PeriodPublished | PriorityHit | ProductChanged | DataLate;

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET_HINT = 'It begins with whsec_ and was shown when the webhook was registered.';
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };

/** The message of a request, or a KeyrankError with the code `INVALID_WEBHOOK`. */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookMessage> {
  const { secret, headers, body, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, now = () => new Date() } = options;
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    return readHeader(headers, name) || refuse(`The header ${name} is missing.`);
  }) as [string, string, string];
  const ageSeconds = now().getTime() / 1000 - (/^\d{1,15}$/.test(timestamp) ? Number(timestamp) : Number.NaN);
  // Written so that a time that is none fails too.
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) refuse('The message is too old, or from the future.');

  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = join(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? []);
  if (secrets.length === 0) refuse('There is no secret.', SECRET_HINT);
  for (const key of await Promise.all(secrets.map(importKey))) {
    for (const signature of readSignatures(signatures)) {
      if (await crypto.subtle.verify(ALGORITHM, key, signature, signed)) return parse(bytes);
    }
  }
  return refuse('The signature does not fit.');
}

function readHeader(headers: VerifyWebhookOptions['headers'], name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
}

/** Those of our version; a message may have others beside them. */
function readSignatures(header: string): Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ')
    .filter((text) => text.startsWith('v1,'))
    .flatMap((text) => decodeBase64(text.slice('v1,'.length)) ?? []);
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) {
    refuse('The secret is not one of keyrank.', SECRET_HINT);
  }
  return crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['verify']);
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function join(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

function parse(bytes: Uint8Array): WebhookMessage {
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookMessage;
}

function refuse(message: string, hint = 'Answer with a failing status; do not trust the body.'): never {
  throw new KeyrankError({ code: 'INVALID_WEBHOOK', message, hint });
}
