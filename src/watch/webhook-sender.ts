// Sends one message to one receiver. The address is checked where it is dialled, not where it is written: a name that meant
// a public address a moment ago may mean our own network now.
import { promises as dns, type LookupAddress, lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, errors } from 'undici';
import type { AttemptOutcome, DeliveryAttempt } from '../domain/webhook.ts';
import { isPublicAddress } from './public-address.ts';
import { signMessage } from './webhook-signature.ts';
import { findUrlFault } from './webhook-url.ts';

export interface WebhookSenderOptions {
  /** Private addresses and plain http are allowed; for receivers in the operator's own network. */
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  /** For tests; the system's own by default. */
  readonly resolve?: (hostname: string) => Promise<readonly LookupAddress[]>;
}

/** From the first look-up to the receiver's answer. The lease of a delivery is longer. */
const ATTEMPT_TIMEOUT_MS = 10_000;
/** Of an answer only the status counts; the rest is read to this length so that the connection can be kept. */
const MAX_RESPONSE_BYTES = 64 * 1024;
const KEEP_ALIVE_MS = 10_000;
const NAME_TIMEOUT_MS = 2_000;

class ForbiddenAddressError extends Error {}

export class WebhookSender implements AsyncDisposable {
  readonly #options: WebhookSenderOptions;
  readonly #agent: Agent;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    const { allowPrivate, resolve = allowPrivate ? resolveName : resolvePublicName } = options;
    this.#agent = new Agent({
      connect: { timeout: ATTEMPT_TIMEOUT_MS, lookup: guardedLookup({ allowPrivate, resolve }) },
      headersTimeout: ATTEMPT_TIMEOUT_MS,
      bodyTimeout: ATTEMPT_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    });
  }

  async send(attempt: DeliveryAttempt, now: Date): Promise<AttemptOutcome> {
    const url = new URL(attempt.url);
    const timestamp = String(Math.floor(now.getTime() / 1000));
    const message = { id: attempt.deliveryId, timestamp, payload: attempt.payload };
    try {
      if (findUrlFault(attempt.url, this.#options)) throw new ForbiddenAddressError();
      const { statusCode, body } = await this.#agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': this.#options.userAgent,
          'webhook-id': message.id,
          'webhook-timestamp': timestamp,
          'webhook-signature': signMessage(message, attempt.secret),
        },
        body: attempt.payload,
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
      });
      // The receiver has answered; how the rest of its answer goes is of no interest.
      await body.dump({ limit: MAX_RESPONSE_BYTES }).catch(() => {});
      return statusCode >= 200 && statusCode < 300
        ? { kind: 'accepted', responseStatus: statusCode }
        : { kind: 'refused', responseStatus: statusCode, error: `answered ${statusCode}` };
    } catch (error) {
      return { kind: 'unreachable', error: describeFault(error) };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

/** What a socket asks for the addresses of a name: it gets those that may be dialled, or an error. */
export function guardedLookup({
  allowPrivate,
  resolve,
}: {
  readonly allowPrivate: boolean;
  readonly resolve: (hostname: string) => Promise<readonly LookupAddress[]>;
}): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname)
      .then((addresses) => {
        // One private address among public ones is reason enough not to dial any of them.
        if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
          throw new ForbiddenAddressError();
        }
        return addresses;
      })
      .then(
        (addresses) => {
          const [first] = addresses;
          if (options.all) callback(null, [...addresses]);
          else callback(null, first?.address ?? '', first?.family);
        },
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      );
  };
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
  return new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)));
  });
}

/** In words for the delivery log: what the receiver's owner can act on, and nothing about our network. */
function describeFault(error: unknown): string {
  if (error instanceof ForbiddenAddressError) return 'the address is not a public one';
  if (error instanceof AggregateError && error.errors.length > 0) return describeFault(error.errors[0]);
  if (error instanceof errors.ConnectTimeoutError || error instanceof errors.HeadersTimeoutError) return TIMED_OUT;
  if (error instanceof Error && error.name === 'TimeoutError') return TIMED_OUT;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return FAULTS[code] ?? `the connection failed${code === '' ? '' : ` (${code})`}`;
}

const TIMED_OUT = `no answer within ${ATTEMPT_TIMEOUT_MS / 1000} s`;
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
