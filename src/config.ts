// The only reader of the environment. Every setting, its default and what it means stands in SETTINGS, from which
// docs/reference/settings.md is made.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { RANK_STORE_SETTINGS, type RankStoreSettings, readRankStore } from './clickhouse/clickhouse-settings.ts';
import { OperatorError } from './domain/error.ts';
import type { HeldMarketplaces } from './domain/held-marketplaces.ts';
import { METERS, type Meter } from './domain/meter.ts';
import type { ReportLimits } from './ingest/reading/report-fault.ts';
import { type MailSettings, readMail } from './mail/mail-settings.ts';
import { type OpenIdSettings, readOpenId } from './openid/openid-settings.ts';
import type { StorageSettings } from './storage/s3-location.ts';
import { readStorage } from './storage/storage-settings.ts';
import { readUploadSettings, UPLOAD_SETTINGS, type UploadSettings } from './uploads/upload-settings.ts';

export interface Config extends StorageSettings, RankStoreSettings, UploadSettings {
  readonly host: string;
  readonly port: number;
  readonly adminHost: string;
  /** 0 picks a free port; null switches the admin listener off. */
  readonly adminPort: number | null;
  readonly dataDirectory: string;
  /** null: the embedded PostgreSQL. */
  readonly databaseUrl: URL | null;
  /** How the role that answers requests logs in to it; null: as DATABASE_URL does. */
  readonly serviceDatabaseUrl: URL | null;
  readonly databaseConnections: number;
  /** Changes that an organization may make in a minute, by each process. */
  readonly writesPerMinute: number;
  readonly defaultMarketplace: string;
  /** What this server holds and answers for. */
  readonly marketplaces: HeldMarketplaces;
  readonly workers: number;
  readonly meterIds: Readonly<Record<Meter, string>>;
  readonly logLevel: string;
  readonly shutdownTimeoutMs: number;
  readonly publicUrl: string | null;
  /** As they are written; whoever uses them reads them. */
  readonly trustedProxies: string;
  readonly reportLimits: ReportLimits;
  /** How long revisions that were replaced or withdrawn can be restored. */
  readonly keepRevisionsMs: number;
  readonly maxConnections: number;
  readonly unreadMs: number;
  readonly unreadBytes: number;
  readonly historyDays: number;
  /** Webhooks may lead to private addresses and plain http. */
  readonly allowPrivateWebhooks: boolean;
  /** Text of the keys that seal the secrets of connections; null: a file in the data directory. */
  readonly secretKeys: string | null;
  /** Report files that appear here are imported; null: nowhere. */
  readonly watchDirectory: string | null;
  /** With which people sign in; null: none. */
  readonly openId: OpenIdSettings | null;
  /** Asked instead of Amazon; null: Amazon. */
  readonly amazonUrl: string | null;
  /** How mail is sent; null: not at all. */
  readonly mail: MailSettings | null;
}

export interface Setting {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

const DAY_MS = 86_400_000;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

export const SETTINGS = [
  { name: 'HOST', default: '127.0.0.1', meaning: 'Address to listen on. `0.0.0.0` lets other machines in.' },
  { name: 'PORT', default: '8080', meaning: 'Port of the API. `0` picks a free one.' },
  { name: 'KEYRANK_PUBLIC_URL', default: '', meaning: 'Address that clients use, when a proxy stands in front.' },
  {
    name: 'KEYRANK_TRUSTED_PROXIES',
    default: '',
    meaning:
      'Addresses and networks of proxies on other machines, `10.0.0.5,10.1.0.0/16`, whose `X-Forwarded-For` and `-Proto` are believed. ' +
      'Those on this machine always are.',
  },
  { name: 'KEYRANK_ADMIN_HOST', default: '127.0.0.1', meaning: 'Address of the admin listener.' },
  {
    name: 'KEYRANK_ADMIN_PORT',
    default: '8081',
    meaning: 'Port of the admin listener (`/metrics`, `/healthz`, `/readyz`). `0` picks a free one, `off` means none.',
  },
  { name: 'KEYRANK_DATA_DIR', default: './data', meaning: 'Everything keyrank keeps on disk.' },
  {
    name: 'KEYRANK_STORAGE',
    default: '',
    meaning:
      'A bucket in which published files lie, `s3://bucket/prefix`; the data directory of each machine is then a cache. Empty: the ' +
      'data directory alone. It changes with `keyrank storage move`.',
  },
  {
    name: 'KEYRANK_STORAGE_ENDPOINT',
    default: '',
    meaning:
      'Address of a storage that speaks S3, `https://host:port`. Empty: `AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, or Amazon’s by region.',
  },
  {
    name: 'KEYRANK_STORAGE_REGION',
    default: '',
    meaning: 'Region of the bucket. Empty: `AWS_REGION`, `AWS_DEFAULT_REGION`, or us-east-1.',
  },
  {
    name: 'KEYRANK_STORAGE_ACCESS_KEY_ID',
    default: '',
    meaning: 'Id of the key for the bucket. Empty: `AWS_ACCESS_KEY_ID`, with the two that belong to it.',
  },
  {
    name: 'KEYRANK_STORAGE_SECRET_ACCESS_KEY',
    default: '',
    meaning: 'The key itself. It stands in no log and no message.',
  },
  { name: 'KEYRANK_STORAGE_SESSION_TOKEN', default: '', meaning: 'Of temporary keys. Most keys have none.' },
  {
    name: 'KEYRANK_STORAGE_PATH_STYLE',
    default: '',
    meaning:
      '`true`: the bucket stands in the path of addresses, `false`: in the host name. Empty: `true` where an endpoint is given.',
  },
  ...RANK_STORE_SETTINGS,
  {
    name: 'DATABASE_URL',
    default: '',
    meaning:
      'An outside PostgreSQL 15 or newer, `postgres://user:password@host:5432/database`. Empty: the embedded one.',
  },
  {
    name: 'KEYRANK_SERVICE_DATABASE_URL',
    default: '',
    meaning:
      'With `DATABASE_URL`: how requests reach the same database, as `keyrank_service`, `postgres://keyrank_service:password@host:5432/database`.',
  },
  {
    name: 'KEYRANK_DATABASE_CONNECTIONS',
    default: '10',
    meaning: 'Most connections of one process for requests. Jobs take up to 5 more.',
  },
  {
    name: 'KEYRANK_WRITES_PER_MINUTE',
    default: '300',
    meaning: 'Most changes (requests other than GET) of one organization in a minute, for each process.',
  },
  { name: 'KEYRANK_DEFAULT_MARKETPLACE', default: 'US', meaning: 'Marketplace of requests that name none.' },
  {
    name: 'KEYRANK_MARKETPLACES',
    default: '',
    meaning:
      'Marketplaces that this server loads and answers for, such as `US,DE`. Empty: all. The months of the default one are ' +
      'always loaded, for tracked keywords.',
  },
  { name: 'KEYRANK_WORKERS', default: '', meaning: 'Search threads. Empty: one per processor core.' },
  { name: 'KEYRANK_METER_SEARCH', default: 'meter_search', meaning: 'Billing identifier of keyword searches.' },
  { name: 'KEYRANK_METER_EXPORTS', default: 'meter_exports', meaning: 'Billing identifier of exports.' },
  { name: 'KEYRANK_METER_ASIN', default: 'meter_asin', meaning: 'Billing identifier of ASIN searches.' },
  { name: 'KEYRANK_METER_ALERTS', default: 'meter_alerts', meaning: 'Billing identifier of alerts.' },
  {
    name: 'KEYRANK_WEBHOOK_ALLOW_PRIVATE',
    default: 'false',
    meaning: '`true` lets webhooks lead to private and loopback addresses and to plain http.',
  },
  {
    name: 'SMTP_URL',
    default: '',
    meaning:
      'The mail server that takes mails: `smtp://user:password@host:587`, or `smtps://` where it begins with TLS. Without a port 587 ' +
      'or 465. A password goes to another machine encrypted only. Empty: no mail is sent.',
  },
  {
    name: 'KEYRANK_MAIL_FROM',
    default: '',
    meaning: 'With `SMTP_URL`: who mails come from, `keyrank <ranks@example.com>` or an address alone.',
  },
  {
    name: 'KEYRANK_SECRET_KEY',
    default: '',
    meaning:
      'Key that seals the secrets of connections: 32 bytes as base64 or hex. Several, separated by commas: the first seals, all ' +
      'open. Empty: `secret.key` in the data directory, made when it is first needed.',
  },
  {
    name: 'KEYRANK_WATCH_DIR',
    default: '',
    meaning: 'A folder: report files that appear in it are imported and moved to `done/` or `failed/`. Empty: none.',
  },
  {
    name: 'KEYRANK_AMAZON_URL',
    default: '',
    meaning:
      'Asked instead of Amazon, secrets included: https, or http on this machine. For trying out with a stand-in; leave it empty.',
  },
  { name: 'KEYRANK_SHUTDOWN_SECONDS', default: '15', meaning: 'Longest wait for running requests when stopping.' },
  {
    name: 'KEYRANK_IMPORT_MAX_MB',
    default: '20000',
    meaning: 'The largest report that is imported, unpacked. As much is spilled to disk at most while it is read.',
  },
  {
    name: 'KEYRANK_IMPORT_MAX_RATIO',
    default: '100',
    meaning: 'How many times its size a gzip file may unpack to. The first 64 MB are free.',
  },
  { name: 'KEYRANK_IMPORT_MAX_LINE_KB', default: '1024', meaning: 'The longest line of a CSV report.' },
  { name: 'KEYRANK_IMPORT_MAX_COLUMNS', default: '250', meaning: 'The most columns of a CSV report.' },
  ...UPLOAD_SETTINGS,
  {
    name: 'KEYRANK_REVISION_DAYS',
    default: '30',
    meaning: 'How long a replaced or withdrawn revision of a period can be restored. Its segment is kept as long.',
  },
  {
    name: 'KEYRANK_MAX_CONNECTIONS',
    default: '4000',
    meaning:
      'Most connections of clients to one process. One organization has at most half of them, and so have all connections that ' +
      'have not shown a valid key.',
  },
  {
    name: 'KEYRANK_UNREAD_SECONDS',
    default: '30',
    meaning: 'An answer of which the client takes nothing for so long is given up and its connection closed.',
  },
  {
    name: 'KEYRANK_UNREAD_MEGABYTES',
    default: '128',
    meaning:
      'Memory of one process for answers that wait to be read. One organization is refused above a quarter of it.',
  },
  { name: 'KEYRANK_HISTORY_DAYS', default: '365', meaning: 'How long searches stand in the search history.' },
  {
    name: 'KEYRANK_OIDC_ISSUER',
    default: '',
    meaning: 'Address of an OpenID provider with which people sign in, `https://login.example.com`. Empty: none.',
  },
  { name: 'KEYRANK_OIDC_CLIENT_ID', default: '', meaning: 'Id of the client that is registered with the provider.' },
  { name: 'KEYRANK_OIDC_CLIENT_SECRET', default: '', meaning: 'Its secret. It stands in no log and no message.' },
  { name: 'KEYRANK_OIDC_NAME', default: '', meaning: 'What the button says. Empty: the host of the provider.' },
  {
    name: 'KEYRANK_OIDC_TRUST_EMAIL',
    default: 'false',
    meaning:
      '`true`: addresses count as verified though the provider does not say so, as one for your own organization may not.',
  },
  { name: 'LOG_LEVEL', default: 'info', meaning: `One of ${LOG_LEVELS.map((level) => `\`${level}\``).join(', ')}.` },
] as const satisfies readonly Setting[];

type SettingName = (typeof SETTINGS)[number]['name'];

export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const text = (name: SettingName): string => {
    const given = environment[name]?.trim();
    return given === undefined || given === '' ? defaultOf(name) : given;
  };
  const integer = (name: SettingName, range: { min: number; max: number }): number => {
    const value = text(name);
    const number = Number(value);
    if (/^[0-9]{1,9}$/.test(value) && number >= range.min && number <= range.max) return number;
    throw invalid(name, value, `Use a whole number from ${range.min} to ${range.max}.`);
  };
  const flag = (name: SettingName): boolean => {
    const value = text(name);
    if (value === 'true' || value === 'false') return value === 'true';
    throw invalid(name, value, 'Use true or false.');
  };
  const port = { min: 0, max: 65_535 };
  return {
    host: text('HOST'),
    port: integer('PORT', port),
    adminHost: text('KEYRANK_ADMIN_HOST'),
    adminPort: text('KEYRANK_ADMIN_PORT') === 'off' ? null : integer('KEYRANK_ADMIN_PORT', port),
    dataDirectory: resolve(text('KEYRANK_DATA_DIR')),
    ...readStorage(
      (name) => text(name),
      (name) => environment[name]?.trim() ?? '',
    ),
    ...readRankStore((name) => text(name)),
    databaseUrl: parseDatabaseUrl('DATABASE_URL', text('DATABASE_URL')),
    serviceDatabaseUrl: parseDatabaseUrl('KEYRANK_SERVICE_DATABASE_URL', text('KEYRANK_SERVICE_DATABASE_URL')),
    databaseConnections: integer('KEYRANK_DATABASE_CONNECTIONS', { min: 1, max: 1000 }),
    writesPerMinute: integer('KEYRANK_WRITES_PER_MINUTE', { min: 1, max: 1_000_000 }),
    defaultMarketplace: parseMarketplace('KEYRANK_DEFAULT_MARKETPLACE', text('KEYRANK_DEFAULT_MARKETPLACE')),
    marketplaces: parseMarketplaces(text('KEYRANK_MARKETPLACES')),
    workers: text('KEYRANK_WORKERS') === '' ? availableParallelism() : integer('KEYRANK_WORKERS', { min: 1, max: 256 }),
    meterIds: Object.fromEntries(
      METERS.map((meter) => [meter, text(`KEYRANK_METER_${meter.toUpperCase()}` as SettingName)]),
    ) as Record<Meter, string>,
    logLevel: parseLogLevel(text('LOG_LEVEL')),
    shutdownTimeoutMs: integer('KEYRANK_SHUTDOWN_SECONDS', { min: 1, max: 600 }) * 1000,
    reportLimits: {
      columns: integer('KEYRANK_IMPORT_MAX_COLUMNS', { min: 4, max: 1000 }),
      lineBytes: integer('KEYRANK_IMPORT_MAX_LINE_KB', { min: 64, max: 16_384 }) * 1024,
      unpackedBytes: integer('KEYRANK_IMPORT_MAX_MB', { min: 1, max: 10_000_000 }) * 1e6,
      unpackedRatio: integer('KEYRANK_IMPORT_MAX_RATIO', { min: 1, max: 2000 }),
    },
    keepRevisionsMs: integer('KEYRANK_REVISION_DAYS', { min: 0, max: 36_500 }) * DAY_MS,
    ...readUploadSettings(integer),
    maxConnections: integer('KEYRANK_MAX_CONNECTIONS', { min: 10, max: 1_000_000 }),
    unreadMs: integer('KEYRANK_UNREAD_SECONDS', { min: 1, max: 3600 }) * 1000,
    unreadBytes: integer('KEYRANK_UNREAD_MEGABYTES', { min: 16, max: 100_000 }) * 1024 * 1024,
    historyDays: integer('KEYRANK_HISTORY_DAYS', { min: 1, max: 36_500 }),
    publicUrl: parsePublicUrl(text('KEYRANK_PUBLIC_URL')),
    trustedProxies: text('KEYRANK_TRUSTED_PROXIES'),
    allowPrivateWebhooks: flag('KEYRANK_WEBHOOK_ALLOW_PRIVATE'),
    secretKeys: text('KEYRANK_SECRET_KEY') || null,
    watchDirectory: text('KEYRANK_WATCH_DIR') === '' ? null : resolve(text('KEYRANK_WATCH_DIR')),
    openId: readOpenId({
      issuer: text('KEYRANK_OIDC_ISSUER'),
      clientId: text('KEYRANK_OIDC_CLIENT_ID'),
      clientSecret: text('KEYRANK_OIDC_CLIENT_SECRET'),
      name: text('KEYRANK_OIDC_NAME'),
      trustsEmail: flag('KEYRANK_OIDC_TRUST_EMAIL'),
    }),
    amazonUrl: parseAmazonUrl(text('KEYRANK_AMAZON_URL')),
    mail: readMail({ server: text('SMTP_URL'), sender: text('KEYRANK_MAIL_FROM') }),
  };
}

function defaultOf(name: SettingName): string {
  return SETTINGS.find((setting) => setting.name === name)?.default ?? '';
}

function parseDatabaseUrl(name: SettingName, text: string): URL | null {
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'postgres:' || url.protocol === 'postgresql:')) return url;
  // The value is not repeated: it may hold a password.
  throw new OperatorError(`${name} is not the address of a PostgreSQL database.`, {
    hint: 'Write it like postgres://user:password@host:5432/database, or leave it empty for the embedded PostgreSQL.',
  });
}

function parsePublicUrl(text: string): string | null {
  if (text === '') return null;
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/+$/, '');
  throw invalid('KEYRANK_PUBLIC_URL', text, 'Write it like https://ranks.example.com.');
}

function parseAmazonUrl(text: string): string | null {
  if (text === '') return null;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url && (url.protocol === 'https:' || isLocal)) return url.origin;
  throw invalid('KEYRANK_AMAZON_URL', text, 'Write it like https://stand-in.example.com, or leave it empty.');
}

function parseMarketplace(name: SettingName, text: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase();
  throw invalid(name, text, 'Use a two-letter code such as US.');
}

function parseMarketplaces(text: string): HeldMarketplaces {
  if (text === '') return null;
  return text.split(',').map((code) => parseMarketplace('KEYRANK_MARKETPLACES', code.trim()));
}

function parseLogLevel(text: string): string {
  if (LOG_LEVELS.includes(text)) return text;
  throw invalid('LOG_LEVEL', text, `Use one of ${LOG_LEVELS.join(', ')}.`);
}

function invalid(name: string, value: string, hint: string): OperatorError {
  return new OperatorError(`${name}=${value} is not valid.`, { hint });
}
