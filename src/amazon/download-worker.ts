// Fetches reports from Amazon. Every server runs one; the queue gives each step to one of them. A step is one request, one body or one
// import: what it led to goes through the rules of the domain, and what follows from it is written down before the next begins.
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, slowerInterval } from '../domain/connection.ts';
import { contain } from '../domain/containment.ts';
import { type Answer, type Download, downloadFileName, originOf } from '../domain/download.ts';
import type { ClaimedDownloads, DownloadLane, DownloadQueue } from '../domain/download-queue.ts';
import { findLatePeriod, type LatePeriod, listWantedPeriods } from '../domain/download-schedule.ts';
import { planStep } from '../domain/download-step.ts';
import { OperatorError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-code.ts';
import { FREQUENCIES, isSamePeriod, type Period } from '../domain/period.ts';
import type { PublishedPeriod } from '../domain/store.ts';
import { AmazonFault } from './amazon-fault.ts';
import { fetchBody, findBody, readNote } from './report-body.ts';
import type { Account, ReportsClient } from './reports-client.ts';
import type { SecretKeys } from './secret-keys.ts';

/** What an import of one file led to. */
export type ImportAnswer = Extract<Answer, { readonly kind: 'imported' | 'fault' }>;

export interface ReportImport {
  readonly path: string;
  readonly marketplace: string;
  readonly period: Period;
  readonly signal: AbortSignal;
}

export interface DownloadWorkerOptions {
  readonly queue: DownloadQueue;
  readonly client: ReportsClient;
  readonly openKeys: () => Promise<SecretKeys>;
  readonly importReport: (report: ReportImport) => Promise<ImportAnswer>;
  /** Retail search ranks that are published now. */
  readonly listPublished: () => Promise<readonly PublishedPeriod[]>;
  /** The next period of a series is later than usual; called again and again while it is. */
  readonly onLate: (late: LatePeriod, now: Date) => Promise<unknown>;
  /** Bodies lie here until they are imported. */
  readonly directory: string;
  readonly maxBytes: number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** `about` names what the failure concerns. */
  readonly onError: (error: unknown, about?: Readonly<Record<string, unknown>>) => void;
  readonly onStep?: (download: Download, answer: Answer) => void;
}

const EXTEND_MS = 30_000;
/** Pages of one look at what Amazon has. */
const MAX_PAGES = 5;

export class DownloadWorker {
  readonly #options: DownloadWorkerOptions;
  readonly #stopping = new AbortController();
  #lateCount = 0;

  constructor(options: DownloadWorkerOptions) {
    this.#options = options;
  }

  /** Series whose next period was late at the last plan. */
  get lateCount(): number {
    return this.#lateCount;
  }

  /** Ends what is under way; what was not finished is taken up again later. */
  stop(): void {
    this.#stopping.abort(new OperatorError('The server is stopping.'));
  }

  /** Writes down what is to be fetched, and removes bodies that nobody needs. */
  async plan(): Promise<void> {
    const { queue, listPublished, onLate } = this.#options;
    await this.#sweep();
    const connections = await queue.listConnections();
    const [now, published] = [await queue.readNow(), await listPublished()];
    const wanted = connections.flatMap((connection) =>
      connection.marketplaces.flatMap((marketplace) =>
        FREQUENCIES.flatMap((frequency) => listWantedPeriods(connection, frequency, now))
          // What somebody imported is not fetched: a file has more than Amazon's API gives.
          .filter((period) => !findPublished(published, { marketplace, period }))
          .map((period) => ({ connectionId: connection.id, marketplace, period })),
      ),
    );
    if (wanted.length > 0) await queue.addWanted(wanted);
    const late = listLate(connections, published, now);
    this.#lateCount = late.length;
    for (const each of late) await onLate(each, now);
  }

  /** Takes the next step of a lane; false when none is due. */
  async step(lane: DownloadLane): Promise<boolean> {
    const { queue, random, onError, onStep } = this.#options;
    if (this.#stopping.signal.aborted) return false;
    const claim = await queue.claim(lane);
    if (!claim) return false;
    // Whoever was too slow stops: another server may have begun with the same file.
    const lost = new AbortController();
    const extend = async () => {
      if (!(await queue.extend(claim.lease))) lost.abort();
    };
    const extending = setInterval(() => void contain(extend, onError), EXTEND_MS);
    const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
    try {
      const answer = await this.#answer(claim, signal);
      if (!answer) {
        await queue.giveBack(claim.lease);
        return false;
      }
      if (answer.kind !== 'fault' && claim.operation && claim.connection.fault !== null)
        await queue.release(claim.connection.id);
      for (const download of claim.downloads) {
        const next = planStep(download, answer, random());
        if (next.discards) await this.#discard(download);
        await queue.settle(claim, download, next, answer.kind === 'imported' ? answer.revision : undefined);
        onStep?.(download, answer);
      }
      return true;
    } finally {
      clearInterval(extending);
    }
  }

  /** Removes bodies of downloads that are not there any more. */
  async #sweep(): Promise<void> {
    // Names first: what is begun after that is not looked at.
    const names = await readdir(this.#options.directory).catch(() => []);
    if (names.length === 0) return;
    const kept = await this.#options.queue.listKept();
    for (const name of names) if (!kept.has(name.slice(0, UUID_CHARACTERS))) await this.#remove(name);
  }

  /** Undefined when it was ended from outside: then nothing is known. */
  async #answer(claim: ClaimedDownloads, signal: AbortSignal): Promise<Answer | undefined> {
    const { queue, onError } = this.#options;
    const [download] = claim.downloads;
    if (!download) return undefined;
    try {
      return await this.#act(claim, download, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof AmazonFault)) {
        const { marketplace, period } = download;
        onError(error, { connection: claim.connection.name, marketplace, period });
        return { kind: 'fault', fault: 'machine', detail: errorMessage(error) };
      }
      if (error.fault === 'throttled' && claim.operation) await queue.slowDown(claim.connection.id, claim.operation);
      return { kind: 'fault', fault: error.fault, detail: error.detail, retryAfterMs: error.retryAfterMs };
    }
  }

  async #act(claim: ClaimedDownloads, download: Download, signal: AbortSignal): Promise<Answer> {
    const published = findPublished(await this.#options.listPublished(), download);
    const isByHand = published !== undefined && originOf(published.sourceFile) === 'file';
    switch (download.state) {
      case 'imported':
        return isByHand || !published ? { kind: 'by-hand' } : { kind: 'recheck' };
      case 'wanted':
        if (claim.downloads.length === 1 && isByHand) return { kind: 'by-hand' };
        return claim.operation === 'getReports'
          ? await this.#list(claim, download)
          : await this.#create(claim, download);
      case 'requested':
        return await this.#look(claim, download);
      case 'ready':
        return await this.#fetch(claim, download, signal);
      case 'downloaded':
        return isByHand ? { kind: 'by-hand' } : await this.#import(download, signal);
      case 'failed':
        throw new Error('nothing is to be done for a download that failed');
    }
  }

  async #account({ connection, sealed }: ClaimedDownloads): Promise<Account> {
    try {
      const keys = await this.#options.openKeys();
      return { connection, secrets: keys.open(connection.id, sealed) };
    } catch (error) {
      const hint = error instanceof OperatorError && error.hint !== undefined ? ` ${error.hint}` : '';
      throw new AmazonFault('sealed', `${errorMessage(error)}${hint}`);
    }
  }

  async #list(claim: ClaimedDownloads, { marketplace }: Download): Promise<Answer> {
    const { client, queue } = this.#options;
    const account = await this.#account(claim);
    const since = new Date(Math.min(...claim.downloads.map(({ wantedSince }) => wantedSince.getTime())));
    const first = await client.listReports(account, { marketplace, since });
    const reports = [...first.reports];
    let { nextToken } = first;
    for (let page = 1; nextToken !== undefined && page < MAX_PAGES; page += 1) {
      if (!(await queue.takeTurn(claim.connection.id, 'getReports'))) break;
      const next = await client.listReports(account, { nextToken });
      reports.push(...next.reports);
      nextToken = next.nextToken;
    }
    return { kind: 'listed', reports };
  }

  async #create(claim: ClaimedDownloads, download: Download): Promise<Answer> {
    const account = await this.#account(claim);
    return { kind: 'created', reportId: await this.#options.client.createReport(account, download) };
  }

  async #look(claim: ClaimedDownloads, { reportId }: Download): Promise<Answer> {
    const { client, queue } = this.#options;
    if (reportId === null) throw new AmazonFault('gone', 'the report has no number.');
    const account = await this.#account(claim);
    const report = await client.getReport(account, reportId);
    const { status, documentId } = report;
    if (status !== 'FATAL' || documentId === null) return { kind: 'report', ...report };
    if (!(await queue.takeTurn(claim.connection.id, 'getReportDocument'))) return { kind: 'report', ...report };
    // A courtesy: without the reason the rule is the same.
    let why = '';
    await contain(
      async () => {
        why = await readNote(client, await client.findDocument(account, documentId));
      },
      () => {},
    );
    return { kind: 'report', ...report, why };
  }

  async #fetch(claim: ClaimedDownloads, download: Download, signal: AbortSignal): Promise<Answer> {
    const { client, maxBytes } = this.#options;
    const { documentId } = download;
    if (documentId === null) throw new AmazonFault('gone', 'the document has no number.');
    const place = this.#placeOf(download);
    if (!(await findBody(place))) {
      const url = await client.findDocument(await this.#account(claim), documentId);
      await fetchBody({ client, url, ...place, maxBytes, signal });
    }
    return { kind: 'downloaded' };
  }

  async #import(download: Download, signal: AbortSignal): Promise<Answer> {
    const { marketplace, period } = download;
    const path = await findBody(this.#placeOf(download));
    if (path === undefined) throw new AmazonFault('cut', 'the file is not in the data directory.');
    return await this.#options.importReport({ path, marketplace, period, signal });
  }

  #placeOf(download: Download): { readonly directory: string; readonly fileName: string } {
    const document = createHash('sha256')
      .update(download.documentId ?? '')
      .digest('hex')
      .slice(0, 16);
    return {
      directory: join(this.#options.directory, `${download.id}-${document}`),
      fileName: downloadFileName(download),
    };
  }

  async #discard({ id }: Download): Promise<void> {
    for (const name of await readdir(this.#options.directory).catch(() => []))
      if (name.startsWith(id)) await this.#remove(name);
  }

  async #remove(name: string): Promise<void> {
    await rm(join(this.#options.directory, name), { recursive: true, force: true });
  }
}

const UUID_CHARACTERS = 36;

/** Tells the queue when Amazon's rate for an account is slower than the published one. */
export function noteRates(
  queue: DownloadQueue,
  onError: (error: unknown) => void,
): NonNullable<ConstructorParameters<typeof ReportsClient>[0]['onRate']> {
  return (connectionId, operation, perSecond) => {
    const intervalMs = slowerInterval(operation, perSecond);
    if (intervalMs !== undefined) void contain(() => queue.slowDown(connectionId, operation, intervalMs), onError);
  };
}

function listLate(
  connections: readonly Connection[],
  published: readonly PublishedPeriod[],
  now: Date,
): readonly LatePeriod[] {
  const fetched = new Set(connections.flatMap(({ marketplaces }) => marketplaces));
  const known = new Set(published.map(({ marketplace }) => marketplace));
  return [...known].flatMap((marketplace) =>
    FREQUENCIES.flatMap((frequency) => {
      const series = published.filter(
        (each) => each.marketplace === marketplace && each.period.frequency === frequency,
      );
      return findLatePeriod(series, { now, isFetched: fetched.has(marketplace) }) ?? [];
    }),
  );
}

function findPublished(
  published: readonly PublishedPeriod[],
  { marketplace, period }: Pick<Download, 'marketplace' | 'period'>,
): PublishedPeriod | undefined {
  return published.find((each) => each.marketplace === marketplace && isSamePeriod(each.period, period));
}
