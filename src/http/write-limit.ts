// Changes cost no quota, and each costs the database a flush to disk. A token bucket for each organization, in each process:
// far above what people and their scripts do, far below what would be felt by others. It need not be exact.
import { RequestError } from '../domain/error.ts';

const MINUTE_MS = 60_000;
/** A body counts as one change for each of these that it has in full, and one more: some 100 keywords. */
const BYTES_PER_CHANGE = 4096;
const MAX_ORGANIZATIONS = 10_000;

interface Bucket {
  tokens: number;
  filledMs: number;
}

export class WriteLimit {
  readonly #perMinute: number;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number, nowMs: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#nowMs = nowMs;
  }

  /** Counts a change, a large one several times, or throws when the organization has made too many. */
  take(organizationId: string, bodyBytes = 0): void {
    const cost = Math.min(this.#perMinute, 1 + Math.floor(bodyBytes / BYTES_PER_CHANGE));
    const nowMs = this.#nowMs();
    const bucket = this.#buckets.get(organizationId) ?? this.#open(organizationId, nowMs);
    const refilled = ((nowMs - bucket.filledMs) * this.#perMinute) / MINUTE_MS;
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + refilled);
    bucket.filledMs = nowMs;
    if (bucket.tokens < cost) throw this.#exceeded(cost - bucket.tokens);
    bucket.tokens -= cost;
  }

  #open(organizationId: string, nowMs: number): Bucket {
    if (this.#buckets.size >= MAX_ORGANIZATIONS) this.#buckets.clear();
    const bucket = { tokens: this.#perMinute, filledMs: nowMs };
    this.#buckets.set(organizationId, bucket);
    return bucket;
  }

  #exceeded(lacking: number): RequestError {
    const retryAfterSeconds = Math.max(1, Math.ceil((lacking * MINUTE_MS) / this.#perMinute / 1000));
    return new RequestError(
      'RATE_LIMIT_EXCEEDED',
      `The organization has made its ${this.#perMinute} changes of the last minute.`,
      `Wait ${retryAfterSeconds} s for the next one; several keywords can be tracked by one request.`,
      { retryAfterSeconds },
    );
  }
}
