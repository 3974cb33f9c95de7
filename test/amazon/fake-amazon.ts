// Stands in for Amazon: Login with Amazon, the Selling Partner API for Reports (2021-06-30, in the shapes of Amazon's published model),
// and the storage behind presigned addresses. It has a clock of its own, holds its callers to Amazon's rates, and causes the trouble
// that it is told to.
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { AmazonOperation } from '../../src/domain/connection.ts';
import { findMarketplaceById } from '../../src/domain/marketplace.ts';
import { isoWeekOf, monthOf, type Period, parseIsoDate, periodDates } from '../../src/domain/period.ts';
import { reportJson } from './report-json.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ADDRESS_MS = 5 * 60_000;

/** Requests per second and burst, as the model has them. */
const RATES: Readonly<Record<AmazonOperation, readonly [number, number]>> = {
  getReports: [0.0222, 10],
  createReport: [0.0167, 15],
  getReport: [2, 15],
  getReportDocument: [0.0167, 15],
};

/** Shares of requests that go wrong, from 0 to 1. */
export interface Trouble {
  readonly fatal: number;
  readonly throttled: number;
  readonly unavailable: number;
  /** Tokens and addresses that end before their time. */
  readonly expired: number;
  /** Bodies whose connection breaks. */
  readonly cut: number;
  /** Bodies that are whole for HTTP, but damaged or of another period. */
  readonly spoiled: number;
  /** Bodies that are packed and not said to be, and the reverse. */
  readonly mislabelled: number;
}

export const NO_TROUBLE: Trouble = {
  fatal: 0,
  throttled: 0,
  unavailable: 0,
  expired: 0,
  cut: 0,
  spoiled: 0,
  mislabelled: 0,
};

export interface FakeAccount {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly refreshToken: string;
}

interface Report {
  readonly reportId: string;
  readonly account: FakeAccount;
  readonly marketplaceId: string;
  readonly dataStartTime: string;
  readonly dataEndTime: string;
  readonly createdAt: Date;
  readonly doneAt: Date;
  readonly outcome: 'DONE' | 'FATAL' | 'CANCELLED';
  readonly documentId: string;
  /** What the body was made of when it was asked for. */
  readonly version: number;
}

export interface FakeAmazonOptions {
  readonly now: () => Date;
  readonly random: () => number;
  readonly trouble?: Trouble;
  /** When a period can be asked for; two days after its end by default. */
  readonly availableAt?: (marketplace: string, period: Period) => Date;
  /** 1, and more when Amazon has corrected it. */
  readonly versionAt?: (marketplace: string, period: Period, now: Date) => number;
  readonly termsPerReport?: number;
  /** Every application and seller is known, whatever their secrets. */
  readonly acceptsAnyone?: boolean;
  /** In place of the body. */
  readonly body?: (response: ServerResponse, request: IncomingMessage) => void;
}

export class FakeAmazon implements AsyncDisposable {
  readonly #options: FakeAmazonOptions;
  readonly #accounts: FakeAccount[] = [];
  readonly #tokens = new Map<string, { readonly account: FakeAccount; readonly endsAt: number }>();
  readonly #addresses = new Map<string, { readonly documentId: string; readonly endsAt: number }>();
  readonly #reports = new Map<string, Report>();
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  readonly #server = createServer((request, response) => void this.#handle(request, response));
  trouble: Trouble;
  url = '';
  /** Requests above Amazon's rates, of which there must be none. */
  overRate = 0;
  /** By operation, for whoever counts. */
  readonly asked: Record<string, number> = {};
  /** Everything that must be seen nowhere. */
  readonly secrets = new Set<string>();

  constructor(options: FakeAmazonOptions) {
    this.#options = options;
    this.trouble = options.trouble ?? NO_TROUBLE;
  }

  static async open(options: FakeAmazonOptions): Promise<FakeAmazon> {
    const fake = new FakeAmazon(options);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    fake.url = `http://127.0.0.1:${(fake.#server.address() as AddressInfo).port}`;
    return fake;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** A seller who has allowed an application. */
  addAccount(): FakeAccount {
    const secret = () => randomBytes(32).toString('hex');
    const account = {
      clientId: `amzn1.application-oa2-client.${randomBytes(16).toString('hex')}`,
      clientSecret: `amzn1.oa2-cs.v1.${secret()}`,
      refreshToken: `Atzr|${secret()}`,
    };
    this.#accounts.push(account);
    this.secrets.add(account.clientSecret).add(account.refreshToken);
    return account;
  }

  /** A report that somebody asked for before, and that is made. */
  addReport(account: FakeAccount, of: { readonly marketplaceId: string; readonly period: Period }): void {
    const { start, end } = periodDates(of.period);
    const createdAt = new Date(this.#options.now().getTime() - HOUR_MS);
    const reportId = `${50_000 + this.#reports.size}020000`;
    this.#reports.set(reportId, {
      reportId,
      account,
      marketplaceId: of.marketplaceId,
      dataStartTime: `${start}T00:00:00Z`,
      dataEndTime: `${end}T23:59:59Z`,
      createdAt,
      doneAt: createdAt,
      outcome: 'DONE',
      documentId: `amzn1.spdoc.1.4.na.${randomBytes(8).toString('hex')}`,
      version: 1,
    });
  }

  expireTokens(): void {
    this.#tokens.clear();
  }

  /** The seller takes the permission back. */
  removeAccount(account: FakeAccount): void {
    this.#accounts.splice(this.#accounts.indexOf(account), 1);
    this.#tokens.clear();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    let text = '';
    for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
    const path = url.pathname;
    if (path === '/auth/o2/token') return this.#giveToken(new URLSearchParams(text), response);
    if (path.startsWith('/storage/')) return this.#giveBody(url, request, response);
    const operation = operationOf(request.method ?? '', path);
    if (!operation) return sendErrors(response, 404, 'NotFound', 'There is no such operation.');
    this.asked[operation] = (this.asked[operation] ?? 0) + 1;
    const account = this.#findAccount(request);
    if (!account) {
      return sendErrors(
        response,
        403,
        'Unauthorized',
        'Access to requested resource is denied.',
        'The access token you provided has expired.',
      );
    }
    if (!this.#isWithinRate(account, operation)) {
      this.overRate += 1;
      return sendErrors(response, 429, 'QuotaExceeded', 'You exceeded your quota for the requested resource.');
    }
    response.setHeader('x-amzn-RateLimit-Limit', String(RATES[operation][0]));
    if (this.#happens('throttled'))
      return sendErrors(response, 429, 'QuotaExceeded', 'You exceeded your quota for the requested resource.');
    if (this.#happens('unavailable')) return this.#failSomehow(response);
    const id = decodeURIComponent(path.split('/').at(-1) ?? '');
    if (operation === 'createReport') return this.#create(account, JSON.parse(text), response);
    if (operation === 'getReports') return this.#list(account, url.searchParams, response);
    if (operation === 'getReport') return this.#give(account, id, response);
    return this.#giveDocument(account, id, response);
  }

  #happens(kind: keyof Trouble): boolean {
    return this.#options.random() < this.trouble[kind];
  }

  #giveToken(form: URLSearchParams, response: ServerResponse) {
    const named = this.#accounts.find(({ clientId }) => clientId === form.get('client_id')) ?? this.#welcome(form);
    if (!named || named.clientSecret !== form.get('client_secret')) {
      return send(response, 401, { error: 'invalid_client', error_description: 'Client authentication failed' });
    }
    if (named.refreshToken !== form.get('refresh_token')) {
      const error_description =
        "The request has an invalid grant parameter : refresh_token. User may have revoked or didn't grant the permission.";
      return send(response, 400, { error: 'invalid_grant', error_description });
    }
    if (this.#happens('unavailable')) return this.#failSomehow(response);
    const access_token = `Atza|${randomBytes(32).toString('hex')}`;
    this.secrets.add(access_token);
    const validMs = this.#happens('expired') ? 60_000 : HOUR_MS;
    this.#tokens.set(access_token, { account: named, endsAt: this.#options.now().getTime() + validMs });
    send(response, 200, { access_token, refresh_token: named.refreshToken, token_type: 'bearer', expires_in: 3600 });
  }

  #welcome(form: URLSearchParams): FakeAccount | undefined {
    if (!this.#options.acceptsAnyone) return undefined;
    const textOf = (name: string) => form.get(name) ?? '';
    const [clientId, clientSecret] = [textOf('client_id'), textOf('client_secret')];
    const account = { clientId, clientSecret, refreshToken: textOf('refresh_token') };
    this.#accounts.push(account);
    return account;
  }

  #findAccount(request: IncomingMessage): FakeAccount | undefined {
    const token = this.#tokens.get(String(request.headers['x-amz-access-token']));
    return token && token.endsAt > this.#options.now().getTime() ? token.account : undefined;
  }

  /** A token bucket for each account and operation, as the API's documents describe it. */
  #isWithinRate(account: FakeAccount, operation: AmazonOperation): boolean {
    const [perSecond, burst] = RATES[operation];
    const key = `${account.refreshToken} ${operation}`;
    const nowMs = this.#options.now().getTime();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    bucket.tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
    this.#buckets.set(key, bucket);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  #failSomehow(response: ServerResponse): void {
    const chance = this.#options.random();
    if (chance < 0.5) response.destroy();
    else if (chance < 0.75) sendErrors(response, 503, 'ServiceUnavailable', 'Temporarily unavailable.');
    else send(response, 500, 'not json at all');
  }

  #create(account: FakeAccount, body: Readonly<Record<string, unknown>>, response: ServerResponse) {
    const { reportType, marketplaceIds, dataStartTime, dataEndTime, reportOptions } = body;
    const [marketplaceId] = Array.isArray(marketplaceIds) ? marketplaceIds.map(String) : [];
    const marketplace = findMarketplaceById(marketplaceId ?? '');
    const kind = (reportOptions as { reportPeriod?: string } | undefined)?.reportPeriod;
    const period = periodOf(kind, String(dataStartTime), String(dataEndTime));
    if (reportType !== 'GET_BRAND_ANALYTICS_SEARCH_TERMS_REPORT' || !marketplaceId || !marketplace || !period) {
      return sendErrors(response, 400, 'InvalidInput', 'Invalid Input', 'Report dates do not match the report period.');
    }
    const now = this.#options.now();
    const availableAt = this.#options.availableAt?.(marketplace, period) ?? new Date(endMs(period) + 2 * DAY_MS);
    const isFatal = now < availableAt || this.#happens('fatal');
    const report: Report = {
      reportId: `${50000 + this.#reports.size}01${Math.floor(this.#options.random() * 1e4)}`,
      account,
      marketplaceId,
      dataStartTime: String(dataStartTime),
      dataEndTime: String(dataEndTime),
      createdAt: now,
      doneAt: new Date(now.getTime() + 20_000 + this.#options.random() * 600_000),
      outcome: isFatal ? 'FATAL' : 'DONE',
      documentId: `amzn1.spdoc.1.4.na.${randomBytes(8).toString('hex')}`,
      version: this.#options.versionAt?.(marketplace, period, now) ?? 1,
    };
    this.#reports.set(report.reportId, report);
    // The answer may be lost although the report was taken.
    if (this.#happens('unavailable')) return void response.destroy();
    send(response, 202, { reportId: report.reportId });
  }

  #list(account: FakeAccount, query: URLSearchParams, response: ServerResponse) {
    if (!query.has('reportTypes') && !query.has('nextToken'))
      return sendErrors(response, 400, 'InvalidInput', 'Invalid Input');
    const offset = Number(query.get('nextToken') ?? 0);
    const [statuses, ids] = [query.get('processingStatuses')?.split(','), query.get('marketplaceIds')?.split(',')];
    const since = new Date(query.get('createdSince') ?? 0);
    const found = [...this.#reports.values()]
      .filter(
        (report) =>
          report.account === account && report.createdAt >= since && (!ids || ids.includes(report.marketplaceId)),
      )
      .map((report) => this.#present(report))
      .filter(({ processingStatus }) => !statuses || statuses.includes(processingStatus))
      .reverse();
    const size = Number(query.get('pageSize') ?? 10);
    const next = offset + size < found.length ? { nextToken: String(offset + size) } : {};
    send(response, 200, { reports: found.slice(offset, offset + size), ...next });
  }

  #present(report: Report) {
    const isDone = this.#options.now() >= report.doneAt;
    const processingStatus = isDone ? report.outcome : 'IN_PROGRESS';
    return {
      marketplaceIds: [report.marketplaceId],
      reportId: report.reportId,
      reportType: 'GET_BRAND_ANALYTICS_SEARCH_TERMS_REPORT',
      dataStartTime: report.dataStartTime.replace('Z', '+00:00'),
      dataEndTime: report.dataEndTime.replace('Z', '+00:00'),
      createdTime: report.createdAt.toISOString(),
      processingStatus,
      processingStartTime: report.createdAt.toISOString(),
      ...(isDone && { processingEndTime: report.doneAt.toISOString(), reportDocumentId: report.documentId }),
    };
  }

  #give(account: FakeAccount, id: string, response: ServerResponse) {
    const report = this.#reports.get(id);
    if (report?.account !== account) return sendErrors(response, 404, 'NotFound', `Report ${id} was not found.`);
    send(response, 200, this.#present(report));
  }

  #giveDocument(account: FakeAccount, id: string, response: ServerResponse) {
    const report = [...this.#reports.values()].find(({ documentId }) => documentId === id);
    if (report?.account !== account) return sendErrors(response, 404, 'NotFound', `Document ${id} was not found.`);
    const signature = randomBytes(32).toString('hex');
    this.secrets.add(signature);
    const validMs = this.#happens('expired') ? -1 : ADDRESS_MS;
    this.#addresses.set(signature, { documentId: id, endsAt: this.#options.now().getTime() + validMs });
    const isSaid = this.#isPacked(report) !== this.#happens('mislabelled');
    send(response, 200, {
      reportDocumentId: id,
      url: `${this.url}/storage/${id}?X-Amz-Signature=${signature}`,
      ...(isSaid && { compressionAlgorithm: 'GZIP' }),
    });
  }

  #isPacked({ reportId }: Report): boolean {
    return Number(reportId) % 3 !== 0;
  }

  #giveBody(url: URL, request: IncomingMessage, response: ServerResponse) {
    const address = this.#addresses.get(url.searchParams.get('X-Amz-Signature') ?? '');
    const report = [...this.#reports.values()].find(({ documentId }) => documentId === address?.documentId);
    if (!address || !report || address.endsAt <= this.#options.now().getTime()) {
      response.writeHead(403, { 'content-type': 'application/xml' });
      return void response.end('<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>');
    }
    if (this.#options.body && report.outcome === 'DONE') return this.#options.body(response, request);
    if (this.#happens('unavailable')) return this.#failSomehow(response);
    const bytes = this.#bodyOf(report);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const rest = bytes.subarray(from);
    response.setHeader('etag', `"${report.documentId}"`);
    response.setHeader('content-length', rest.length);
    if (from > 0) response.setHeader('content-range', `bytes ${from}-${bytes.length - 1}/${bytes.length}`);
    response.writeHead(from > 0 ? 206 : 200);
    if (!this.#happens('cut')) return void response.end(rest);
    response.write(rest.subarray(0, Math.floor(rest.length * this.#options.random())), () => response.destroy());
  }

  #bodyOf(report: Report): Buffer {
    const pack = (text: string) => (this.#isPacked(report) ? gzipSync(text) : Buffer.from(text));
    if (report.outcome !== 'DONE') {
      return pack(
        JSON.stringify({ errorDetails: 'Something went wrong processing your request. Please try again later.' }),
      );
    }
    const { marketplaceId, version } = report;
    const [start, end] = [report.dataStartTime.slice(0, 10), report.dataEndTime.slice(0, 10)];
    const of = { marketplaceId, start, end, version, terms: this.#options.termsPerReport ?? 12 };
    if (!this.#happens('spoiled')) return pack(reportJson(of));
    const chance = this.#options.random();
    // Of another marketplace; damaged inside; and cut without a trace of it in the headers.
    if (chance < 0.3)
      return pack(
        reportJson({ ...of, marketplaceId: marketplaceId === 'ATVPDKIKX0DER' ? 'A2EUQ1WTGCTBG2' : 'ATVPDKIKX0DER' }),
      );
    const bytes = pack(reportJson(of));
    if (chance > 0.6) return bytes.subarray(0, Math.floor(bytes.length * 0.7));
    const damaged = Buffer.from(bytes);
    damaged.fill(0xfe, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 40);
    return damaged;
  }
}

function operationOf(method: string, path: string): AmazonOperation | undefined {
  const [, kind, id] = /^\/reports\/2021-06-30\/(reports|documents)(?:\/([^/]+))?$/.exec(path) ?? [];
  if (kind === 'documents') return method === 'GET' && id ? 'getReportDocument' : undefined;
  if (kind !== 'reports') return undefined;
  if (id) return method === 'GET' ? 'getReport' : undefined;
  return method === 'POST' ? 'createReport' : method === 'GET' ? 'getReports' : undefined;
}

/** Undefined when the days are not exactly those of one week or month. */
function periodOf(kind: string | undefined, startTime: string, endTime: string): Period | undefined {
  const [start, end] = [parseIsoDate(startTime.slice(0, 10)), parseIsoDate(endTime.slice(0, 10))];
  if (!start || !end || (kind !== 'WEEK' && kind !== 'MONTH')) return undefined;
  const period = kind === 'WEEK' ? isoWeekOf(end) : monthOf(end);
  const dates = periodDates(period);
  return dates.start === start && dates.end === end ? period : undefined;
}

function endMs(period: Period): number {
  return Date.parse(`${periodDates(period).end}T00:00:00Z`) + DAY_MS;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function sendErrors(response: ServerResponse, status: number, code: string, message: string, details = ''): void {
  send(response, status, { errors: [{ code, message, details }] });
}
