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
  for (let i = 0; i < LANES; i += 1) lanes.push(await makeLane(world, { name: `Lane ${i}`, send, sharedKeys }));
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

async function makeLane(
  world: World,
  { name, send, sharedKeys }: { readonly name: string; readonly send: Send; readonly sharedKeys: SharedKeys },
): Promise<Lane> {
  const { owner } = world.bench.database;
  const organization = await world.makeOrganization(name);
  const good = await world.makeKey({ organization: name });
  let searches = 0;
  const clear = (table: string) => owner.query(`DELETE FROM ${table} WHERE organization_id = $1`, [organization]);

  async function makeItem(path: string): Promise<string> {
    const isWebhook = path.startsWith('/v1/webhooks');
    const target = isWebhook ? '/v1/webhooks' : '/v1/tracked-keywords';
    const body = JSON.stringify(isWebhook ? { url: 'https://hooks.example.com/' } : { search_term: 'shoes' });
    await clear(isWebhook ? 'webhooks' : 'tracked_keywords');
    const answer = await send({ target, method: 'POST', headers: { authorization: `Bearer ${good}` }, body });
    return JSON.parse(answer.body.toString('utf8')).data.id;
  }

  return {
    prepare: async (draft) => {
      const { operation, key, id } = draft;
      if (operation.isMetered && ++searches % SEARCHES_BEFORE_CLEANING === 0) await clear('rate_log');
      if (operation.method === 'POST') {
        for (const table of ['tracked_keywords', 'idempotency_keys', 'webhooks']) await clear(table);
      }
      const needsItem = operation.path.includes('{id}') && id === 'own';
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

async function learnFacts(send: Send, key: string): Promise<Facts> {
  const read = async (target: string) => {
    const answer = await send({ target, method: 'GET', headers: { authorization: `Bearer ${key}` }, body: undefined });
    return JSON.parse(answer.body.toString('utf8')).data;
  };
  const periods: readonly { type: string; period: string; source: string }[] = await read('/v1/periods');
  const windowOf = (type: string) =>
    periods.filter((each) => each.type === type && each.source === 'search').map(({ period }) => period);
  const rows = [
    ...(await read('/v1/search/keywords?query=a&limit=200')),
    ...(await read('/v1/search/keywords?query=shoes')),
  ];
  const textsOf = (row: { search_term: string; latest_data: { brands: string[]; categories: string[] } }) => [
    row.search_term,
    ...row.search_term.split(' '),
    ...row.latest_data.brands,
    ...row.latest_data.categories,
  ];
  const products = rows.flatMap((row) => row.latest_data.products);
  return {
    windows: { monthly: windowOf('monthly'), weekly: windowOf('weekly') },
    marketplaces: ['US', 'us', 'uS'],
    texts: [...new Set(rows.flatMap(textsOf))],
    asins: [...new Set<string>(products.map(({ asin }: { asin: string }) => asin))],
  };
}
