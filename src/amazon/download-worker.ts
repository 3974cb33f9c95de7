// Fetches reports from Amazon. Every server runs one; the queue gives each step to one of them. A step is one request, one body or one
// import: what it led to goes through the rules of the domain, and what follows from it is written down before the next begins.
import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, intervalAtRate } from '../domain/connection.ts';
import { contain } from '../domain/containment.ts';
import { type Answer, type Download, downloadFileName, originOf } from '../domain/download.ts';
import {
  type ClaimedDownloads,
  type DownloadLane,
  type DownloadQueue,
  MAX_DOWNLOADED,
  MAX_WAITING_BYTES,
  type SettledDownload,
} from '../domain/download-queue.ts';
import { findLatePeriod, type LatePeriod, listWantedPeriods } from '../domain/download-schedule.ts';
import { planStep } from '../domain/download-step.ts';
import { OperatorError } from '../domain/error.ts';
import { errorMessage } from '../domain/error-code.ts';
import { FREQUENCIES, isSamePeriod, type Period } from '../domain/period.ts';
import type { PublishedPeriod } from '../domain/store.ts';
import { AmazonFault } from './amazon-fault.ts';
import { countBodyBytes, fetchBody, findBody, readNote } from './report-body.ts';
import type { Account, ReportsClient } from './reports-client.ts';
import type { SecretKeys } from './secret-keys.ts';

/** What an import of one file led to. */
export type ImportAnswer = Extract<Answer, { readonly kind: 'imported' | 'fault' }>;

export interface ReportImport {
  readonly path: string;
  readonly marketplace: string;
  readonly period: Period;
}

export interface DownloadWorkerOptions {
  readonly queue: DownloadQueue;
  readonly client: ReportsClient;
  readonly openKeys: () => Promise<SecretKeys>;
  /** Together; the answers are in the order of the reports. */
  readonly importReports: (reports: readonly ReportImport[], signal: AbortSignal) => Promise<readonly ImportAnswer[]>;
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
    const claim = lane === 'fetch' ? await this.#claimFetch() : await queue.claim(lane);
    if (!claim) return false;
    // Whoever was too slow stops: another server may have begun with the same file.
    const lost = new AbortController();
    const extend = async () => {
      if (!(await queue.extend(claim.lease))) lost.abort();
    };
    const extending = setInterval(() => void contain(extend, onError), EXTEND_MS);
    const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
    try {
      const answers = await this.#answer(claim, signal);
      if (!answers) {
        await queue.giveBack(claim.lease);
        return false;
      }
      const [first] = answers.values();
      if (first?.kind !== 'fault' && claim.operation && claim.connection.fault !== null)
        await queue.release(claim.connection.id);
      const settled = [...answers].map(([download, answer]) => {
        const revision = answer.kind === 'imported' ? answer.revision : undefined;
        return { download, step: planStep(download, answer, random()), revision };
      });
      // Whoever takes the next step of what goes on must not lose what is new; what is imported is not fetched again for nothing.
      const isOver = ({ step }: SettledDownload) => step.state === 'imported';
      for (const each of settled) if (each.step.discards && !isOver(each)) await this.#discard(each.download);
      await queue.settle(claim, settled);
      for (const each of settled) if (each.step.discards && isOver(each)) await this.#discard(each.download);
      for (const [download, answer] of answers) onStep?.(download, answer);
      return true;
    } finally {
      clearInterval(extending);
    }
  }

  async #claimFetch(): Promise<ClaimedDownloads | undefined> {
    const { queue, directory } = this.#options;
    return await queue.claim('fetch', (await countBodyBytes(directory)) < MAX_WAITING_BYTES ? MAX_DOWNLOADED : 1);
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
  async #answer(claim: ClaimedDownloads, signal: AbortSignal): Promise<ReadonlyMap<Download, Answer> | undefined> {
    const { downloads } = claim;
    const forAll = (answer: Answer) => new Map(downloads.map((download) => [download, answer]));
    const [download] = downloads;
    if (!download) return undefined;
    try {
      if (download.state === 'downloaded') return await this.#import(downloads, signal);
      return forAll(await this.#act(claim, download, signal));
    } catch (error) {
      if (signal.aborted) return undefined;
      return forAll(await this.#explain(claim, download, error));
    }
  }

  async #explain(claim: ClaimedDownloads, download: Download, error: unknown): Promise<Answer> {
    const { queue, onError } = this.#options;
    if (!(error instanceof AmazonFault)) {
      const { marketplace, period } = download;
      onError(error, { connection: claim.connection.name, marketplace, period });
      return { kind: 'fault', fault: 'machine', detail: errorMessage(error) };
    }
    if (error.fault === 'throttled' && claim.operation) await queue.slowDown(claim.connection.id, claim.operation);
    return { kind: 'fault', fault: error.fault, detail: error.detail, retryAfterMs: error.retryAfterMs };
  }

  async #act(claim: ClaimedDownloads, download: Download, signal: AbortSignal): Promise<Answer> {
    const published = findPublished(await this.#options.listPublished(), download);
    const isByHand = isImportedByHand(published);
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
      case 'failed':
        throw new Error(`nothing is asked for a download that is ${download.state}`);
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

  /** Together, so that the snapshot of a marketplace is built once for all its periods that have come. */
  async #import(downloads: readonly Download[], signal: AbortSignal): Promise<ReadonlyMap<Download, Answer>> {
    const { listPublished, importReports } = this.#options;
    const all = await listPublished();
    const answers = new Map<Download, Answer>();
    const found: { readonly download: Download; readonly path: string }[] = [];
    for (const download of downloads) {
      const path = await findBody(this.#placeOf(download));
      if (isImportedByHand(findPublished(all, download))) answers.set(download, { kind: 'by-hand' });
      else if (path !== undefined) found.push({ download, path });
      else answers.set(download, { kind: 'fault', fault: 'cut', detail: 'the file is not in the data directory.' });
    }
    if (found.length === 0) return answers;
    const reports = found.map(({ download: { marketplace, period }, path }) => ({ path, marketplace, period }));
    const imported = await importReports(reports, signal);
    for (const [place, { download }] of found.entries()) {
      const answer = imported[place];
      if (answer) answers.set(download, answer);
    }
    return answers;
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

/** Tells the queue Amazon's rate for an account. */
export function noteRates(
  queue: DownloadQueue,
  onError: (error: unknown) => void,
): NonNullable<ConstructorParameters<typeof ReportsClient>[0]['onRate']> {
  return (connectionId, operation, perSecond) => {
    void contain(() => queue.slowDown(connectionId, operation, intervalAtRate(operation, perSecond)), onError);
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

function isImportedByHand(published: PublishedPeriod | undefined): boolean {
  return published !== undefined && originOf(published.sourceFile) === 'file';
}

function findPublished(
  published: readonly PublishedPeriod[],
  { marketplace, period }: Pick<Download, 'marketplace' | 'period'>,
): PublishedPeriod | undefined {
  return published.find((each) => each.marketplace === marketplace && isSamePeriod(each.period, period));
}
