// A server with everything that requests of the fuzzer need: keys of every kind, items to name, and room to search.
import { Pool } from 'undici';
import { SCOPES } from '../../../src/domain/account.ts';
import { BEYOND_WINDOWS, openWorld, type World } from '../world.ts';
import type { FuzzAnswer } from './answer-check.ts';
import { bodyOf, type Draft, type Facts, type KeyKind, targetOf } from './draft.ts';

export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

export type Send = (request: FuzzRequest) => Promise<FuzzAnswer>;

export interface FuzzWorld extends AsyncDisposable {
  readonly facts: Facts;
  readonly lanes: readonly Lane[];
  readonly send: Send;
  /** Whether the process that was started still answers. */
  isAlive(): Promise<boolean>;
}

/** An organization that sends one request after the other. Before each it gets what the request takes for granted. */
export interface Lane {
  prepare(draft: Draft): Promise<FuzzRequest>;
}

const LANES = 8;
/** Below the hourly limit of the plan. */
const SEARCHES_BEFORE_CLEANING = 400;
const HOURLY_LIMIT = 500;
const UNKNOWN_KEY = `krk_${'0'.repeat(43)}`;

export async function openFuzzWorld(): Promise<FuzzWorld> {
  const world = await openWorld(BEYOND_WINDOWS);
  const server = await world.startServer();
  const pool = new Pool(server.url, { connections: LANES * 2, headersTimeout: 60_000, bodyTimeout: 60_000 });
  const send: Send = async ({ target, method, headers, body }) => {
    const answer = await pool.request({ path: target, method, headers, body: body ?? null });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return { status: answer.statusCode, headers: answer.headers as Record<string, string>, body: bytes };
  };
  const sharedKeys = await makeSharedKeys(world);
  const facts = await learnFacts(send, await makeLaneKey(world, 'Facts'));
  const lanes = [];
  for (let i = 0; i < LANES; i += 1) lanes.push(await makeLane(world, { name: `Lane ${i}`, send, sharedKeys, facts }));
  return {
    facts,
    lanes,
    send,
    isAlive: async () => server.child.exitCode === null && (await fetch(`${server.url}/readyz`)).ok,
    [Symbol.asyncDispose]: async () => {
      await pool.close();
      await server[Symbol.asyncDispose]();
      await world[Symbol.asyncDispose]();
    },
  };
}

type SharedKeys = Readonly<Record<'inactive' | 'exhausted', string>> & { readonly narrow: ReadonlyMap<string, string> };

async function makeSharedKeys(world: World): Promise<SharedKeys> {
  await world.makeOrganization('Inactive', { status: 'inactive' });
  await world.makeOrganization('Narrow');
  const exhausted = await world.makeOrganization('Exhausted');
  await world.bench.database.owner.query(
    'INSERT INTO rate_log (organization_id, admitted_at) SELECT $1, clock_timestamp() FROM generate_series(1, $2)',
    [exhausted, HOURLY_LIMIT],
  );
  const narrow = new Map<string, string>();
  for (const scope of SCOPES) {
    const scopes = SCOPES.filter((each) => each !== scope);
    narrow.set(scope, await world.makeKey({ organization: 'Narrow', scopes }));
  }
  return {
    narrow,
    inactive: await world.makeKey({ organization: 'Inactive' }),
    exhausted: await world.makeKey({ organization: 'Exhausted' }),
  };
}

async function makeLaneKey(world: World, name: string): Promise<string> {
  await world.makeOrganization(name);
  return await world.makeKey({ organization: name });
}

/** How the items that paths name are made. */
const TRACKED_KEYWORD = { target: '/v1/tracked-keywords', table: 'tracked_keywords', body: { search_term: 'shoes' } };
const MAKERS: readonly { readonly target: string; readonly table: string; readonly body: object }[] = [
  { target: '/v1/webhooks', table: 'webhooks', body: { url: 'https://hooks.example.com/' } },
  {
    ...{ target: '/v1/notification-channels', table: 'webhooks' },
    body: { kind: 'discord', url: 'https://hooks.example.com/' },
  },
  { target: '/v1/lists', table: 'lists', body: { name: 'a list' } },
  { target: '/v1/saved-searches', table: 'saved_searches', body: { name: 'a search', address: '/?query=shoes' } },
  { target: '/v1/chart-notes', table: 'chart_notes', body: { date: '2026-02-03', note: 'a sale' } },
  { target: '/v1/shares', table: 'shares', body: { search: 'query=shoes' } },
  { target: '/v1/tracked-products', table: 'tracked_products', body: { asin: 'B0CHX1W1XY' } },
];

/** Before each request that adds to them. */
const EMPTIED_TABLES = ['idempotency_keys', 'tracked_keywords', ...MAKERS.map(({ table }) => table)];

async function makeLane(
  world: World,
  options: { readonly name: string; readonly send: Send; readonly sharedKeys: SharedKeys; readonly facts: Facts },
): Promise<Lane> {
  const { name, send, sharedKeys, facts } = options;
  const { owner } = world.bench.database;
  const organization = await world.makeOrganization(name);
  const good = await world.makeKey({ organization: name });
  let searches = 0;
  const clear = (table: string) => owner.query(`DELETE FROM ${table} WHERE organization_id = $1`, [organization]);

  async function makeItem(path: string): Promise<string> {
    if (path.includes('{asin}')) return facts.known.asin;
    if (path.includes('{name}')) return encodeURIComponent(facts.known.name);
    const maker = MAKERS.find((each) => path.replace('list-items', 'lists').startsWith(each.target)) ?? TRACKED_KEYWORD;
    const { target, table } = maker;
    const body = JSON.stringify(maker.body);
    await clear(table);
    const answer = await send({ target, method: 'POST', headers: { authorization: `Bearer ${good}` }, body });
    const { id } = JSON.parse(answer.body.toString('utf8')).data;
    if (!path.startsWith('/v1/list-items/')) return id;
    const items = { target: `/v1/lists/${id}/items`, method: 'POST', headers: { authorization: `Bearer ${good}` } };
    const added = await send({ ...items, body: '{"items": [{"search_term": "shoes"}]}' });
    return JSON.parse(added.body.toString('utf8')).data[0].id;
  }

  return {
    prepare: async (draft) => {
      const { operation, key, id } = draft;
      if (operation.isMetered && ++searches % SEARCHES_BEFORE_CLEANING === 0) await clear('rate_log');
      if (operation.method === 'POST') {
        for (const table of EMPTIED_TABLES) await clear(table);
      }
      const needsItem = operation.path.includes('{') && id === 'own';
      const item = id === 'own' ? (needsItem ? await makeItem(operation.path) : '') : id.text;
      const scheme = authorizationOf(key, {
        good,
        ...sharedKeys,
        narrow: sharedKeys.narrow.get(operation.scope) ?? '',
      });
      return {
        method: operation.method,
        target: targetOf(draft, item),
        headers: { ...(scheme === undefined ? {} : { authorization: scheme }), ...draft.headers },
        body: bodyOf(draft),
      };
    },
  };
}

function authorizationOf(kind: KeyKind, keys: Readonly<Partial<Record<KeyKind, string>>>): string | undefined {
  if (kind === 'none') return undefined;
  if (kind === 'malformed') return `Basic ${keys.good}`;
  return `Bearer ${kind === 'unknown' ? UNKNOWN_KEY : keys[kind]}`;
}

interface Named {
  readonly search_term: string;
  readonly latest_data: {
    readonly brands: readonly string[];
    readonly categories: readonly string[];
    readonly products: readonly { readonly asin: string }[];
  };
}

async function learnFacts(send: Send, key: string): Promise<Facts> {
  const read = async (target: string) => {
    const answer = await send({ target, method: 'GET', headers: { authorization: `Bearer ${key}` }, body: undefined });
    return JSON.parse(answer.body.toString('utf8')).data;
  };
  const periods: readonly { type: string; period: string; source: string }[] = await read('/v1/periods');
  const windowOf = (type: string) =>
    periods.filter((each) => each.type === type && each.source === 'search').map(({ period }) => period);
  const words = ['a', 'shoes', 'for', 'women', 'men', 'kids', 'set', 'black', 'boots', 'bag'].map(
    (each) => `query=${each}`,
  );
  const search = `/v1/search/keywords?${words.join('&')}&limit=1000`;
  const rows: readonly Named[] = await read(search);
  const weekly: readonly Named[] = await read(`${search}&type=weekly`);
  const namedIn = (found: readonly Named[]) => ({
    asin: found.flatMap(({ latest_data }) => latest_data.products.map(({ asin }) => asin)),
    name: found.flatMap(({ latest_data }) => latest_data.brands),
  });
  const [inMonths, inWeeks] = [namedIn(rows), namedIn(weekly)];
  const inBoth = (kind: 'asin' | 'name') => inMonths[kind].find((each) => inWeeks[kind].includes(each)) ?? '';
  const textsOf = (row: Named) => [
    row.search_term,
    ...row.search_term.split(' '),
    ...row.latest_data.brands,
    ...row.latest_data.categories,
  ];
  const products = rows.flatMap((row) => row.latest_data.products);
  if (!inBoth('asin') || !inBoth('name')) throw new Error('no product or brand is in months and weeks');
  return {
    windows: { monthly: windowOf('monthly'), weekly: windowOf('weekly') },
    marketplaces: ['US', 'us', 'uS'],
    texts: [...new Set(rows.flatMap(textsOf))],
    asins: [...new Set(products.map(({ asin }) => asin))],
    known: { asin: inBoth('asin'), name: inBoth('name') },
  };
}
