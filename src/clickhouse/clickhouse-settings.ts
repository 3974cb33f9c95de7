// What the settings of a cluster say.
import { OperatorError } from '../domain/error.ts';
import { RANK_STORES, type RankStoreName } from '../ingest/publish/rank-stores.ts';

export interface ClickHouseSettings {
  /** Every node, without user and password. */
  readonly hosts: readonly string[];
  readonly cluster: string;
  readonly database: string;
  readonly username: string;
  readonly password: string;
}

export interface RankStoreSettings {
  readonly rankStore: RankStoreName;
  /** null: none is named. */
  readonly clickHouse: ClickHouseSettings | null;
}

export const RANK_STORE_SETTINGS = [
  {
    name: 'KEYRANK_RANK_STORE',
    default: 'memory',
    meaning:
      'Where searches look: `memory` of each server, or a `clickhouse` cluster, for more data than a machine holds. It changes with ' +
      '`keyrank publish`.',
  },
  {
    name: 'CLICKHOUSE_URL',
    default: '',
    meaning: 'Every node of the ClickHouse cluster, `http://user:password@host:8123/keyrank`, separated by commas.',
  },
  {
    name: 'KEYRANK_CLICKHOUSE_CLUSTER',
    default: 'default',
    meaning: 'What the configuration of the nodes calls the cluster.',
  },
] as const;

type RankStoreSetting = (typeof RANK_STORE_SETTINGS)[number]['name'];

const DEFAULT_DATABASE = 'keyrank';

export function readRankStore(text: (name: RankStoreSetting) => string): RankStoreSettings {
  const given = text('KEYRANK_RANK_STORE');
  const clickHouse = readClickHouse({ urls: text('CLICKHOUSE_URL'), cluster: text('KEYRANK_CLICKHOUSE_CLUSTER') });
  const rankStore = RANK_STORES.find((store) => store === given);
  if (!rankStore) {
    throw new OperatorError(`KEYRANK_RANK_STORE=${given} is not valid.`, {
      hint: `Use one of ${RANK_STORES.join(', ')}.`,
    });
  }
  if (rankStore === 'memory' || clickHouse) return { rankStore, clickHouse };
  throw new OperatorError('KEYRANK_RANK_STORE=clickhouse needs the addresses of the nodes.', {
    hint: 'Name them in CLICKHOUSE_URL, or use KEYRANK_RANK_STORE=memory.',
  });
}

/** null: none is named. */
export function readClickHouse({
  urls,
  cluster,
}: {
  readonly urls: string;
  readonly cluster: string;
}): ClickHouseSettings | null {
  if (urls === '') return null;
  const parsed = urls.split(',').map((text) => parseUrl(text.trim()));
  const [first] = parsed;
  if (!first) return null;
  const databases = new Set(parsed.map(databaseOf));
  if (databases.size > 1) throw invalid('The addresses name different databases.');
  return {
    hosts: parsed.map(({ origin }) => origin),
    cluster,
    database: databaseOf(first),
    username: decodeURIComponent(first.username) || 'default',
    password: decodeURIComponent(first.password),
  };
}

function databaseOf({ pathname }: URL): string {
  return decodeURIComponent(pathname.slice(1)) || DEFAULT_DATABASE;
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  throw invalid('CLICKHOUSE_URL is not a list of addresses.');
}

// The value is not repeated: it may hold a password.
function invalid(message: string): OperatorError {
  return new OperatorError(message, {
    hint: 'Write every node like http://user:password@host:8123/keyrank, with commas between them.',
  });
}
