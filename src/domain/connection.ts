// A connection is an account at Amazon from which reports are fetched: the private application that a seller registered, with
// the seller's permission. Amazon's rates hold for the account, so that all its marketplaces share them.
import type { Caller, OrganizationId } from './account.ts';
import type { DownloadState } from './download.ts';
import { OperatorError } from './error.ts';
import { type AmazonRegion, findMarketplaceId, listMarketplaceCodes } from './marketplace.ts';
import type { IsoDate, Period } from './period.ts';

/** What must never be seen: not in a log, an error, a metric or a list. */
export interface ConnectionSecrets {
  readonly clientSecret: string;
  readonly refreshToken: string;
}

export interface Connection {
  readonly id: string;
  /** Null when it belongs to the operators of the installation. */
  readonly organizationId: OrganizationId | null;
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

/** What becomes of it: by state, how many downloads it has. */
export interface ConnectionRecord {
  readonly connection: Connection;
  readonly downloads: Readonly<Record<DownloadState, number>>;
}

/** A download as its status shows it. */
export interface DownloadStatus {
  readonly connection: string;
  readonly marketplace: string;
  readonly period: Period;
  readonly state: DownloadState;
  readonly message: string;
  /** When something happens next by itself. */
  readonly dueAt: Date | null;
  readonly isUnderWay: boolean;
  readonly importedAt: Date | null;
  readonly revision: number | null;
}

export type ConnectionCheck = { readonly works: true } | { readonly works: false; readonly fault: OperatorError };

/** What is tried again: all of a connection unless it says more. */
export interface RetrySelection {
  readonly marketplace?: string | undefined;
  readonly period?: Period | undefined;
}

/**
 * Connections as people manage them: each caller those of their organization, operators all. What the caller cannot see is undefined.
 * Whatever cannot be done for a reason that the caller can act on throws a RequestError. Secrets go in and never come out.
 */
export interface Connections {
  list(caller: Caller): Promise<readonly ConnectionRecord[]>;
  /** Newest periods first. */
  listDownloads(caller: Caller, id: string): Promise<readonly DownloadStatus[] | undefined>;
  /** Tries the secrets before it keeps them. */
  add(caller: Caller, given: NewConnection, secrets: ConnectionSecrets): Promise<ConnectionRecord>;
  /** Asks Amazon with the secrets that are kept. */
  test(caller: Caller, id: string): Promise<ConnectionCheck | undefined>;
  setEnabled(caller: Caller, id: string, isEnabled: boolean): Promise<ConnectionRecord | undefined>;
  /** Tries the new secrets before they replace the old ones. */
  rotate(
    caller: Caller,
    id: string,
    given: ConnectionSecrets & { readonly clientId: string | undefined },
  ): Promise<ConnectionRecord | undefined>;
  remove(caller: Caller, id: string): Promise<boolean>;
  /** Returns how many are tried at once. */
  retry(caller: Caller, id: string, selection: RetrySelection): Promise<number | undefined>;
}

/** Throws when nothing would be fetched, or what the region does not have. */
export function checkWanted({ region, marketplaces, lookBackWeeks, lookBackMonths, since }: NewConnection): void {
  if (lookBackWeeks === 0 && lookBackMonths === 0 && since === null) {
    throw new OperatorError('Nothing would be fetched.', {
      hint: 'Look back a week or a month at least, or give the date since when.',
    });
  }
  const foreign = marketplaces.find((code) => findMarketplaceId(code, region) === undefined);
  if (foreign === undefined) return;
  throw new OperatorError(`${foreign} is no marketplace of the region ${region}.`, {
    hint: `It has ${listMarketplaceCodes(region).join(', ')}.`,
  });
}

/** In one line, without anything that could change how a terminal or a log shows it. Undefined for what is no name. */
export function parseConnectionName(text: string): string | undefined {
  const name = text.trim();
  return name !== '' && name.length <= MAX_CONNECTION_NAME_CHARACTERS && !/\p{C}/u.test(name) ? name : undefined;
}

/** Client ids, client secrets and refresh tokens are of one kind: visible letters without spaces. Undefined for what is not. */
export function parseCredential(text: string, maxCharacters: number): string | undefined {
  const credential = text.trim();
  return /^[!-~]+$/.test(credential) && credential.length <= maxCharacters ? credential : undefined;
}

export const DEFAULT_LOOK_BACK_WEEKS = 8;
export const DEFAULT_LOOK_BACK_MONTHS = 3;
export const MAX_LOOK_BACK = 120;
export const MAX_CONNECTION_NAME_CHARACTERS = 80;
export const MAX_SECRET_CHARACTERS = 8192;
export const MAX_CLIENT_ID_CHARACTERS = 300;

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
