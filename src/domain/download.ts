// A download is one period of one marketplace that is fetched from Amazon. It stands in the database and goes through states; a
// server takes one step at a time. What a step led to is an Answer, from which domain/download-step.ts plans the next one.
import { parseMarketplace } from './marketplace.ts';
import { FREQUENCIES, type Period, parsePeriodKey, periodKey } from './period.ts';

/**
 * wanted: is to be asked for. requested: Amazon is making it. ready: can be downloaded. downloaded: lies in the data directory.
 * imported: published. failed: given up, until somebody says retry.
 */
export const DOWNLOAD_STATES = ['wanted', 'requested', 'ready', 'downloaded', 'imported', 'failed'] as const;
export type DownloadState = (typeof DOWNLOAD_STATES)[number];

export interface Download {
  readonly id: string;
  readonly connectionId: string;
  readonly marketplace: string;
  readonly period: Period;
  readonly state: DownloadState;
  /** Of 'wanted': whether reports that Amazon has already were looked for. */
  readonly isListed: boolean;
  /** A report that Amazon made before is of no use. */
  readonly wantedSince: Date;
  readonly reportId: string | null;
  readonly documentId: string | null;
  /** Looks at a report that was still being made. */
  readonly polls: number;
  /** Of any kind, in a row. */
  readonly failures: number;
  /** Bodies in a row that could not be imported. */
  readonly spoiled: number;
  /** Reports in a row that Amazon did not make, although their time had come. */
  readonly fatals: number;
  /** Servers in a row that died at it. */
  readonly lost: number;
  /** The clock of the database when this step began. */
  readonly now: Date;
  /** Within the look-back: then corrections are looked for. */
  readonly isRecent: boolean;
}

/** What went wrong, of which each kind has a rule. */
export type DownloadFault =
  /** 429. */
  | 'throttled'
  /** 5xx, or no answer at all. */
  | 'unavailable'
  /** The access token was not accepted; another is asked for. */
  | 'token-expired'
  /** Login with Amazon does not give a token for these secrets. */
  | 'credentials'
  /** The secrets cannot be opened here: the key that sealed them is missing. */
  | 'sealed'
  /** 403: the application may not read this. */
  | 'forbidden'
  /** 400. */
  | 'refused'
  /** 404: Amazon does not know the report or the document any more. */
  | 'gone'
  /** The address of the body was valid for five minutes. */
  | 'address-expired'
  /** The body ended too early. */
  | 'cut'
  /** The body cannot be imported: damaged, or of another period. */
  | 'unreadable'
  /** The importer refuses it until an operator decides. */
  | 'declined'
  /** This machine: the disk is full, the database is lost. */
  | 'machine';

/** Why a download waits or was given up: a fault, or what is none of a request. */
export type DownloadReason =
  | DownloadFault
  /** The period ended lately: the report may simply not be made yet. */
  | 'early'
  /** Amazon did not make it although its time had come. */
  | 'not-made'
  /** Servers died at it. */
  | 'lost';

/** A report as Amazon lists it. */
export interface ListedReport {
  readonly reportId: string;
  readonly status: string;
  readonly createdAt: Date;
  /** YYYY-MM-DD. */
  readonly startDate: string;
  readonly endDate: string;
}

export type Answer =
  | { readonly kind: 'listed'; readonly reports: readonly ListedReport[] }
  | { readonly kind: 'created'; readonly reportId: string }
  | { readonly kind: 'report'; readonly status: string; readonly documentId: string | null; readonly why?: string }
  | { readonly kind: 'downloaded' }
  | { readonly kind: 'imported'; readonly revision: number; readonly isUnchanged: boolean }
  /** Looked at again because its time has come. */
  | { readonly kind: 'recheck' }
  /** Somebody imported the period from a file, or withdrew it: that stands above what Amazon has. */
  | { readonly kind: 'by-hand' }
  | {
      readonly kind: 'fault';
      readonly fault: DownloadFault;
      /** What was said, without any secret. */
      readonly detail: string;
      readonly retryAfterMs?: number | undefined;
    };

/** What becomes of the download. */
export interface NextStep
  extends Pick<
    Download,
    'state' | 'isListed' | 'reportId' | 'documentId' | 'polls' | 'failures' | 'spoiled' | 'fatals'
  > {
  /** For people: what it does or waits for. */
  readonly message: string;
  /** Null while nothing is wrong. */
  readonly reason: DownloadReason | null;
  /** Undefined: not by itself any more. */
  readonly delayMs: number | undefined;
  /** The body on disk is of no use any more. */
  readonly discards: boolean;
  /** Only reports made from now on will do. */
  readonly wantsNew: boolean;
  /** The whole connection waits for so long. */
  readonly holdMs?: number;
}

/** The name of the file that a report is kept in; it is shown as the source of the period. */
export function downloadFileName({ marketplace, period }: Pick<Download, 'marketplace' | 'period'>): string {
  return `${marketplace}_${period.frequency}_${periodKey(period)}${DOWNLOADED_SUFFIX}`;
}

const DOWNLOADED_SUFFIX = '.sp-api.json';

/** What a file with such a name must be; undefined for any other name. */
export function parseDownloadFileName(name: string): Pick<Download, 'marketplace' | 'period'> | undefined {
  const [code = '', frequencyName, key = '', ...more] = name.slice(0, -DOWNLOADED_SUFFIX.length).split('_');
  const frequency = FREQUENCIES.find((each) => each === frequencyName);
  const period = frequency && parsePeriodKey(key, frequency);
  const marketplace = parseMarketplace(code);
  if (!name.endsWith(DOWNLOADED_SUFFIX) || more.length > 0 || !period || !marketplace) return undefined;
  return { marketplace, period };
}

export const PERIOD_ORIGINS = ['amazon', 'file'] as const;
export type PeriodOrigin = (typeof PERIOD_ORIGINS)[number];

/** Whether a period was fetched from Amazon, or its file was imported by somebody. */
export function originOf(sourceFile: string): PeriodOrigin {
  return sourceFile.endsWith(DOWNLOADED_SUFFIX) ? 'amazon' : 'file';
}
