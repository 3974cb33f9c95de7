// A connection is an account at Amazon from which reports are fetched: the private application that a seller registered, with
// the seller's permission. Amazon's rates hold for the account, so that all its marketplaces share them.
import type { AmazonRegion } from './marketplace.ts';
import type { IsoDate } from './period.ts';

/** What must never be seen: not in a log, an error, a metric or a list. */
export interface ConnectionSecrets {
  readonly clientSecret: string;
  readonly refreshToken: string;
}

export interface Connection {
  readonly id: string;
  readonly name: string;
  readonly region: AmazonRegion;
  /** Codes such as US. */
  readonly marketplaces: readonly string[];
  readonly clientId: string;
  /** How far back periods are fetched, and looked at again for corrections. */
  readonly lookBackWeeks: number;
  readonly lookBackMonths: number;
  /** Periods that ended since then are fetched as well; null: the look-back alone. */
  readonly since: IsoDate | null;
  readonly createdAt: Date;
  readonly disabledAt: Date | null;
  /** Why nothing is asked for at the moment, in one sentence; null when all is well. */
  readonly fault: string | null;
  readonly heldUntil: Date | null;
}

export type NewConnection = Pick<
  Connection,
  'name' | 'region' | 'marketplaces' | 'clientId' | 'lookBackWeeks' | 'lookBackMonths' | 'since'
>;

export const DEFAULT_LOOK_BACK_WEEKS = 8;
export const DEFAULT_LOOK_BACK_MONTHS = 3;
export const MAX_LOOK_BACK = 120;
export const MAX_CONNECTION_NAME_CHARACTERS = 80;

/** The operations of Amazon's API that are used; each has a rate of its own. */
export const AMAZON_OPERATIONS = ['getReports', 'createReport', 'getReport', 'getReportDocument'] as const;
export type AmazonOperation = (typeof AMAZON_OPERATIONS)[number];

export interface OperationRate {
  /** Between two requests, once the burst is used up. */
  readonly intervalMs: number;
  /** Requests that may follow each other at once after a quiet time. */
  readonly burst: number;
}

/**
 * A little below Amazon's published rates (0.0222, 0.0167, 2 and 0.0167 a second; bursts of 10, 15, 15 and 15), because a request
 * arrives a moment later than it was counted here, and by then the next one may have caught up.
 */
export const AMAZON_RATES: Readonly<Record<AmazonOperation, OperationRate>> = {
  getReports: { intervalMs: 47_000, burst: 8 },
  createReport: { intervalMs: 62_000, burst: 13 },
  getReport: { intervalMs: 550, burst: 13 },
  getReportDocument: { intervalMs: 62_000, burst: 13 },
};

/** What an answer says is not believed when it would stop an account for good. */
const MAX_INTERVAL_MS = 3_600_000;

/** Amazon says the rate of an account with each answer: a slower one than the published one holds until another is said. */
export function intervalAtRate(operation: AmazonOperation, perSecond: number): number {
  return Math.min(MAX_INTERVAL_MS, Math.max(AMAZON_RATES[operation].intervalMs, Math.ceil(1040 / perSecond)));
}
