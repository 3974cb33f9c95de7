// The contract between the worker and where downloads stand. Any number of servers work on one queue; each download is worked on
// by one of them at a time, and by another when that one dies.
import type { AmazonOperation, Connection } from './connection.ts';
import type { Download, DownloadState, NextStep } from './download.ts';
import type { Period } from './period.ts';

/** Steps of one kind go one after the other on each server, those of different kinds side by side. */
export const DOWNLOAD_LANES = {
  ask: ['imported', 'requested', 'wanted'],
  fetch: ['ready'],
  import: ['downloaded'],
} as const satisfies Readonly<Record<string, readonly DownloadState[]>>;
export type DownloadLane = keyof typeof DOWNLOAD_LANES;

/** Bodies that lie on disk at most, waiting to be imported together. */
export const MAX_DOWNLOADED = 20;
/** When those that wait are larger, they are imported before the next one is fetched. */
export const MAX_WAITING_BYTES = 3_000_000_000;

/** Secrets as they are stored. */
export interface SealedSecrets {
  readonly keyId: string;
  readonly bytes: Uint8Array;
}

export interface ClaimedDownloads {
  readonly lease: string;
  readonly connection: Connection;
  readonly sealed: SealedSecrets;
  /** The one that is counted for this step; null when nothing is asked for. */
  readonly operation: AmazonOperation | null;
  /**
   * One; of a look at what Amazon has, all that it may answer: those of the same marketplace; of an import, all bodies of the
   * connection that have come, except that what went wrong before is imported alone.
   */
  readonly downloads: readonly Download[];
}

export interface WantedDownload {
  readonly connectionId: string;
  readonly marketplace: string;
  readonly period: Period;
}

export interface SettledDownload {
  readonly download: Download;
  readonly step: NextStep;
  /** That was published, or was there already. */
  readonly revision?: number | undefined;
}

export interface DownloadQueue {
  /** By the database's clock. */
  readNow(): Promise<Date>;
  /** Those that are not disabled. */
  listConnections(): Promise<readonly Connection[]>;
  /** Adds what is not there yet; returns how many. */
  addWanted(wanted: readonly WantedDownload[]): Promise<number>;
  /**
   * The next step that is due, for whose operation the account's rate has room: it is counted here, before it is asked for. The
   * lease ends by itself unless it is extended. Nothing is fetched while so many bodies wait to be imported.
   */
  claim(lane: DownloadLane, maxDownloaded?: number): Promise<ClaimedDownloads | undefined>;
  /** One more request within the rate, if there is room. */
  takeTurn(connectionId: string, operation: AmazonOperation): Promise<boolean>;
  /** Amazon said what the rate is, or, without an interval, that it is used up. */
  slowDown(connectionId: string, operation: AmazonOperation, intervalMs?: number): Promise<void>;
  /** Whether it is still held. */
  extend(lease: string): Promise<boolean>;
  /** Another server may go on at once. */
  giveBack(lease: string): Promise<void>;
  /** Writes down what follows, of all at once. Does nothing when the lease was lost. */
  settle(claim: Pick<ClaimedDownloads, 'lease'>, settled: readonly SettledDownload[]): Promise<void>;
  /** Ids of downloads whose bodies are needed. */
  listKept(): Promise<ReadonlySet<string>>;
  /** Amazon answers this connection again. */
  release(connectionId: string): Promise<void>;
}
