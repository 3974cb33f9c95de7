// Sends one message to one receiver. The address is checked where it is dialled, not where it is written: a name that meant
// a public address a moment ago may mean our own network now.
import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, errors } from 'undici';
import { contain } from '../domain/containment.ts';
import { errorCode } from '../domain/error-code.ts';
import type { AttemptOutcome, DeliveryAttempt } from '../domain/webhook.ts';
import { isPublicAddress } from './public-address.ts';
import { signMessage } from './webhook-signature.ts';
import { findUrlFault } from './webhook-url.ts';

export interface WebhookSenderOptions {
  /** Private addresses and plain http are allowed; for receivers in the operator's own network. */
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  /** Told of what should never happen. The attempt during which it happened ends as if there had been no answer. */
  readonly onError: (error: unknown) => void;
  /** From the first look-up to the end of the receiver's answer; 10 s by default. The lease of a delivery is longer. */
  readonly attemptTimeoutMs?: number;
  /** For tests; the system's own by default. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

const ATTEMPT_TIMEOUT_MS = 10_000;
/** Of an answer only the status counts; the rest is read to this length so that the connection can be kept. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const KEEP_ALIVE_MS = 10_000;
const NAME_TIMEOUT_MS = 2_000;

class ForbiddenAddressError extends Error {}
/** A name may exist and mean nothing: an alias whose target has no records. */
class NoAddressError extends Error {
  readonly code = 'ENODATA';
}

export class WebhookSender implements AsyncDisposable {
  readonly #options: WebhookSenderOptions;
  readonly #timeoutMs: number;
  readonly #agent: Agent;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#timeoutMs = options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS;
    const { allowPrivate, onError, resolve = allowPrivate ? resolveName : resolvePublicName } = options;
    this.#agent = new Agent({
      connect: { timeout: this.#timeoutMs, lookup: guardedLookup({ allowPrivate, onError, resolve }) },
      headersTimeout: this.#timeoutMs,
      bodyTimeout: this.#timeoutMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
  }

  /** Signed, to a program of the organization. */
  async send(
    attempt: Pick<DeliveryAttempt, 'deliveryId' | 'url' | 'secret' | 'payload'>,
    now: Date,
  ): Promise<AttemptOutcome> {
    const timestamp = String(Math.floor(now.getTime() / 1000));
    const message = { id: attempt.deliveryId, timestamp, payload: attempt.payload };
    return await this.post(attempt.url, {
      body: attempt.payload,
      headers: {
        'webhook-id': message.id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signMessage(message, attempt.secret),
      },
    });
  }

  /** JSON to an address that a member chose. */
  async post(
    address: string,
    { body: payload, headers = {} }: { readonly body: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<AttemptOutcome> {
    try {
      const url = new URL(address);
      if (findUrlFault(address, this.#options)) throw new ForbiddenAddressError();
      const { statusCode, body } = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': this.#options.userAgent,
          ...headers,
        },
        body: payload,
        signal: AbortSignal.timeout(this.#timeoutMs),
      });
      // The receiver has answered; how the rest of its answer goes is of no interest.
      await body.dump({ limit: MAX_RESPONSE_BYTES }).catch(() => {});
      return statusCode >= 200 && statusCode < 300
        ? { kind: 'accepted', responseStatus: statusCode }
        : { kind: 'refused', responseStatus: statusCode, error: `answered ${statusCode}` };
    } catch (error) {
      return { kind: 'unreachable', error: describeFault(error, this.#timeoutMs) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

interface NameLookup {
  readonly allowPrivate: boolean;
  readonly resolve: (hostname: string) => Promise<readonly LookupAddress[]>;
}

/** What a socket asks for the addresses of a name: it gets those that may be dialled, or an error. */
export function guardedLookup({
  onError,
  ...lookup
}: NameLookup & { readonly onError: (error: unknown) => void }): LookupFunction {
  return (hostname, options, callback) => {
    // The callback belongs to the socket. What it throws must become neither a rejection that nobody handles nor an
    // exception that nobody catches: both would end the process.
    const answer = (give: () => void) => setImmediate(() => void contain(give, onError));
    listDiallable(hostname, lookup).then(
      (addresses) =>
        answer(() =>
          options.all ? callback(null, [...addresses]) : callback(null, addresses[0].address, addresses[0].family),
        ),
      (error: unknown) => answer(() => callback(asError(error), '', 0)),
    );
  };
}

/** At least one address: a socket that is given none throws. */
async function listDiallable(
  hostname: string,
  { allowPrivate, resolve }: NameLookup,
): Promise<readonly [LookupAddress, ...LookupAddress[]]> {
  const found = await resolve(hostname);
  // One private address among public ones is reason enough not to dial any of them.
  if (!allowPrivate && !found.every(({ address }) => isPublicAddress(address))) throw new ForbiddenAddressError();
  const [first, ...others] = found.flatMap(({ address }) => {
    const family = isIP(address);
    return family === 0 ? [] : [{ address, family }];
  });
  if (!first) throw new NoAddressError();
  return [first, ...others];
}

function asError(error: unknown): NodeJS.ErrnoException {
  return error instanceof Error ? error : new Error('the look-up failed', { cause: error });
}

/**
 * Asks the name servers directly. The system's own look-up takes one of the few threads that all files share, and a name
 * that answers slowly would keep it from others.
 */
async function resolvePublicName(hostname: string): Promise<readonly LookupAddress[]> {
  const resolver = new dns.Resolver({ timeout: NAME_TIMEOUT_MS, tries: 2 });
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = [
    ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason;
  return addresses;
}

/** As every program on this machine would, hosts file included: private names often stand only there. */
function resolveName(hostname: string): Promise<readonly LookupAddress[]> {
  return dns.lookup(hostname, { all: true });
}

/** In words for the delivery log: what the receiver's owner can act on, and nothing about our network. */
function describeFault(error: unknown, timeoutMs: number): string {
  if (error instanceof ForbiddenAddressError) return 'the address is not a public one';
  if (error instanceof AggregateError && error.errors.length > 0) return describeFault(error.errors[0], timeoutMs);
  if (isTimeout(error)) return `no answer within ${timeoutMs / 1000} s`;
  const code = errorCode(error) ?? '';
  return FAULTS[code] ?? `the connection failed${code === '' ? '' : ` (${code})`}`;
}

function isTimeout(error: unknown): boolean {
  if (error instanceof errors.ConnectTimeoutError || error instanceof errors.HeadersTimeoutError) return true;
  return error instanceof Error && error.name === 'TimeoutError';
}

const FAULTS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not exist',
  ENODATA: 'the name has no address',
  EAI_AGAIN: 'the name could not be looked up',
  ESERVFAIL: 'the name could not be looked up',
  ETIMEOUT: 'the name could not be looked up',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
};
