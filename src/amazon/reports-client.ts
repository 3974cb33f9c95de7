// The four requests of the Selling Partner API (Reports 2021-06-30) that a report needs, and the token before them. Where they go is
// fixed by region; what an answer means for a download is told by an AmazonFault.
import { type IncomingMessage, request as requestPlainly } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { Agent, type Dispatcher } from 'undici';
import type { AmazonOperation, Connection, ConnectionSecrets } from '../domain/connection.ts';
import type { ListedReport } from '../domain/download.ts';
import { type AmazonRegion, findMarketplaceId } from '../domain/marketplace.ts';
import { type Period, periodDates } from '../domain/period.ts';
import { AmazonFault, noAnswer, quote } from './amazon-fault.ts';

const REPORT_TYPE = 'GET_BRAND_ANALYTICS_SEARCH_TERMS_REPORT';
const REPORTS_PATH = '/reports/2021-06-30/reports';
const DOCUMENTS_PATH = '/reports/2021-06-30/documents';
const TOKEN_URL = 'https://api.amazon.com';
const API_URLS: Readonly<Record<AmazonRegion, string>> = {
  na: 'https://sellingpartnerapi-na.amazon.com',
  eu: 'https://sellingpartnerapi-eu.amazon.com',
  fe: 'https://sellingpartnerapi-fe.amazon.com',
};
/** Bodies lie in Amazon's storage. */
const DOCUMENT_HOSTS = /^[a-z0-9.-]+\.amazonaws\.com$/;

const ANSWER_TIMEOUT_MS = 30_000;
/** Between two pieces of a body. */
const SILENCE_LIMIT_MS = 60_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
/** A token is used no longer than until shortly before its end. */
const TOKEN_MARGIN_MS = 120_000;
const PAGE_SIZE = 100;
const ID = /^[!-~]{1,400}$/;

export interface ReportsClientOptions {
  /** Asked instead of Amazon, for everything; null: Amazon. */
  readonly amazonUrl: string | null;
  readonly userAgent: string;
  readonly now: () => Date;
  /** The rate of an operation, per second, when an answer names it. */
  readonly onRate?: (connectionId: string, operation: AmazonOperation, perSecond: number) => void;
}

/** An account, with what it takes to ask in its name. */
export interface Account {
  readonly connection: Pick<Connection, 'id' | 'region' | 'clientId'>;
  readonly secrets: ConnectionSecrets;
}

interface Token {
  readonly text: string;
  readonly endsAtMs: number;
  /** Of which secrets: others need another token. */
  readonly refreshToken: string;
}

class SilenceError extends Error {
  readonly code = 'ETIMEDOUT';
}

interface ApiRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Json = Readonly<Record<string, unknown>>;

export class ReportsClient implements AsyncDisposable {
  readonly #options: ReportsClientOptions;
  readonly #agent = new Agent({
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: SILENCE_LIMIT_MS,
    connect: { timeout: 10_000 },
  });
  /** By connection. */
  readonly #tokens = new Map<string, Token>();

  constructor(options: ReportsClientOptions) {
    this.#options = options;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  /** Reports of a marketplace that are made, or were asked for, since a moment; with a token for those that follow. */
  async listReports(
    account: Account,
    query: { readonly marketplace: string; readonly since: Date } | { readonly nextToken: string },
  ): Promise<{ readonly reports: readonly ListedReport[]; readonly nextToken: string | undefined }> {
    const answer = await this.#ask(account, 'getReports', {
      method: 'GET',
      path: REPORTS_PATH,
      query:
        'nextToken' in query
          ? query
          : {
              reportTypes: REPORT_TYPE,
              marketplaceIds: marketplaceIdOf(account, query.marketplace),
              processingStatuses: 'DONE,IN_PROGRESS,IN_QUEUE',
              createdSince: query.since.toISOString(),
              pageSize: String(PAGE_SIZE),
            },
    });
    const reports = listOf(answer.reports).map(listedOf);
    return { reports: reports.filter(({ reportId }) => ID.test(reportId)), nextToken: textOf(answer.nextToken) };
  }

  async createReport(
    account: Account,
    wanted: { readonly marketplace: string; readonly period: Period },
  ): Promise<string> {
    const { start, end } = periodDates(wanted.period);
    const answer = await this.#ask(account, 'createReport', {
      method: 'POST',
      path: REPORTS_PATH,
      body: {
        reportType: REPORT_TYPE,
        marketplaceIds: [marketplaceIdOf(account, wanted.marketplace)],
        reportOptions: { reportPeriod: wanted.period.frequency === 'weekly' ? 'WEEK' : 'MONTH' },
        dataStartTime: `${start}T00:00:00Z`,
        dataEndTime: `${end}T23:59:59Z`,
      },
    });
    return idOf(answer.reportId);
  }

  async getReport(
    account: Account,
    reportId: string,
  ): Promise<{ readonly status: string; readonly documentId: string | null }> {
    const answer = await this.#ask(account, 'getReport', {
      method: 'GET',
      path: `${REPORTS_PATH}/${encodeURIComponent(reportId)}`,
    });
    const documentId = answer.reportDocumentId === undefined ? null : idOf(answer.reportDocumentId);
    return { status: String(answer.processingStatus), documentId };
  }

  /** The address of a body, valid for five minutes. What it says of compression is not believed: the bytes tell. */
  async findDocument(account: Account, documentId: string): Promise<URL> {
    const answer = await this.#ask(account, 'getReportDocument', {
      method: 'GET',
      path: `${DOCUMENTS_PATH}/${encodeURIComponent(documentId)}`,
    });
    const text = textOf(answer.url) ?? '';
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url && this.#isDocumentAddress(url)) return url;
    throw new AmazonFault('refused', 'the file does not lie in Amazon’s storage.');
  }

  /** A body, or a part of it, as it comes. The caller reads it to its end or destroys it. */
  async openBody(
    url: URL,
    options: { readonly fromByte: number; readonly signal?: AbortSignal | undefined },
  ): Promise<IncomingMessage> {
    const { fromByte, signal } = options;
    // Not undici: where the other side closes while a body waits for the disk, it throws where nobody can catch it.
    const request = url.protocol === 'https:' ? requestSecurely : requestPlainly;
    const headers = {
      'user-agent': this.#options.userAgent,
      ...(fromByte > 0 && { range: `bytes=${fromByte}-` }),
    };
    try {
      return await new Promise<IncomingMessage>((resolve, reject) => {
        const asked = request(url, { headers, agent: false, ...(signal && { signal }) }, (answer) => {
          clearTimeout(waiting);
          resolve(answer);
        });
        // A header that comes letter by letter is no silence.
        const waiting = setTimeout(() => asked.destroy(new SilenceError('no answer came')), ANSWER_TIMEOUT_MS);
        asked.on('error', (error) => {
          clearTimeout(waiting);
          reject(error);
        });
        asked.setTimeout(SILENCE_LIMIT_MS, () => asked.destroy(new SilenceError('nothing came')));
        asked.end();
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new AmazonFault('unavailable', noAnswer(error));
    }
  }

  #isDocumentAddress(url: URL): boolean {
    const { amazonUrl } = this.#options;
    return amazonUrl === null ? ReportsClient.isStorage(url.href) : url.origin === new URL(amazonUrl).origin;
  }

  /** Whether an address leads to Amazon's storage: whatever an answer says, nothing else is fetched. */
  static isStorage(address: string): boolean {
    if (!URL.canParse(address)) return false;
    const { protocol, hostname, port, username } = new URL(address);
    return protocol === 'https:' && DOCUMENT_HOSTS.test(hostname) && port === '' && username === '';
  }

  async #ask(account: Account, operation: AmazonOperation, request: ApiRequest): Promise<Json> {
    const { connection } = account;
    const token = await this.#findToken(account);
    const { method, path, query = {}, body } = request;
    const search = new URLSearchParams(query).toString();
    const { status, headers, json } = await this.#request(this.#options.amazonUrl ?? API_URLS[connection.region], {
      method,
      path: search === '' ? path : `${path}?${search}`,
      headers: {
        'x-amz-access-token': token,
        'x-amz-date': this.#options
          .now()
          .toISOString()
          .replace(/[-:]|\.\d+/g, ''),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const perSecond = Number(headers['x-amzn-ratelimit-limit']);
    if (perSecond > 0) this.#options.onRate?.(connection.id, operation, perSecond);
    if (status >= 200 && status < 300) {
      if (Object.keys(json).length > 0) return json;
      throw new AmazonFault('unavailable', 'its answer cannot be read.');
    }
    const fault = faultOf(status, headers, json, [...Object.values(account.secrets), token]);
    if (fault.fault === 'token-expired') this.#tokens.delete(connection.id);
    throw fault;
  }

  async #findToken({ connection, secrets }: Account): Promise<string> {
    const kept = this.#tokens.get(connection.id);
    const nowMs = this.#options.now().getTime();
    if (kept && kept.endsAtMs > nowMs && kept.refreshToken === secrets.refreshToken) return kept.text;
    const { status, headers, json } = await this.#request(this.#options.amazonUrl ?? TOKEN_URL, {
      method: 'POST',
      path: '/auth/o2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: secrets.refreshToken,
        client_id: connection.clientId,
        client_secret: secrets.clientSecret,
      }).toString(),
    });
    const text = textOf(json.access_token);
    if (status === 200 && text !== undefined) {
      const validMs = Number(json.expires_in ?? 3600) * 1000;
      const endsAtMs = nowMs + Math.max(0, validMs - TOKEN_MARGIN_MS);
      this.#tokens.set(connection.id, { text, endsAtMs, refreshToken: secrets.refreshToken });
      return text;
    }
    const hidden = Object.values(secrets);
    if (status === 429 || status >= 500) throw faultOf(status, headers, json, hidden);
    const said = `${quote(json.error ?? status, hidden)}: ${quote(json.error_description, hidden)}.`;
    throw new AmazonFault('credentials', said);
  }

  async #request(
    origin: string,
    request: {
      readonly method: 'GET' | 'POST';
      readonly path: string;
      readonly headers: Record<string, string>;
      readonly body?: string;
    },
  ): Promise<{ readonly status: number; readonly headers: Dispatcher.ResponseData['headers']; readonly json: Json }> {
    try {
      const { statusCode, headers, body } = await this.#agent.request({
        origin,
        ...request,
        headers: { accept: 'application/json', 'user-agent': this.#options.userAgent, ...request.headers },
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      let text = '';
      for await (const chunk of body.setEncoding('utf8') as AsyncIterable<string>) {
        text += chunk;
        if (text.length > MAX_ANSWER_BYTES) throw new AmazonFault('refused', 'the answer is too long.');
      }
      return { status: statusCode, headers, json: parseJson(text) };
    } catch (error) {
      if (error instanceof AmazonFault) throw error;
      throw new AmazonFault('unavailable', noAnswer(error));
    }
  }
}

function faultOf(
  status: number,
  headers: Dispatcher.ResponseData['headers'],
  json: Json,
  secrets: readonly string[],
): AmazonFault {
  const [first] = listOf(json.errors);
  const said =
    quote([first?.code, first?.message, first?.details].filter(Boolean).join(': '), secrets) ||
    `it answered ${status}.`;
  if (status === 429) {
    const seconds = Number(headers['retry-after']);
    return new AmazonFault('throttled', said, seconds > 0 ? Math.min(seconds, 3600) * 1000 : undefined);
  }
  if (status >= 500) return new AmazonFault('unavailable', `it answered ${status}.`);
  const isToken = /token/i.test(said) && /expired|invalid|revoked|malformed/i.test(said);
  if (status === 401 || (status === 403 && isToken)) return new AmazonFault('token-expired', said);
  if (status === 403) return new AmazonFault('forbidden', said);
  return new AmazonFault(status === 404 ? 'gone' : 'refused', said);
}

function marketplaceIdOf({ connection }: Account, marketplace: string): string {
  const id = findMarketplaceId(marketplace, connection.region);
  if (id === undefined)
    throw new AmazonFault('refused', `${marketplace} is no marketplace of the region ${connection.region}.`);
  return id;
}

function listedOf(report: Json): ListedReport {
  return {
    reportId: String(report.reportId),
    status: String(report.processingStatus),
    createdAt: new Date(String(report.createdTime)),
    startDate: String(report.dataStartTime).slice(0, 10),
    endDate: String(report.dataEndTime).slice(0, 10),
  };
}

/** It is kept, and asked for later. */
function idOf(value: unknown): string {
  const id = textOf(value);
  if (id === undefined || !ID.test(id)) throw new AmazonFault('unavailable', 'its answer has no report in it.');
  return id;
}

function listOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function parseJson(text: string): Json {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : {};
  } catch {
    return {};
  }
}
