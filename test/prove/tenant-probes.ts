// Members of several organizations write words that nobody else would into every text that the API takes. Then each asks for
// everything there is, at every endpoint of the document, and tries to touch every item of the others.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ServerProcess } from '../support/process.ts';
import { plainReport, untilTold } from '../support/publications.ts';
import { sendRequest, type TestAnswer } from '../support/service.ts';
import { type Operation, readOperations } from './fuzz/api-document.ts';
import { bodyOf, type Draft, type Facts, targetOf } from './fuzz/draft.ts';
import { validDrafts } from './fuzz/valid-drafts.ts';
import type { World } from './world.ts';

export interface Member {
  readonly organization: string;
  readonly key: string;
  /** In every text of this member's own. */
  readonly canary: string;
  /** In what the organization shares: the addresses of its webhooks. */
  readonly sharedCanary: string;
  /** Tracked, and in the published ranks, so that there are digests about it. */
  readonly publicTerm: string;
  readonly keywordId: string;
  readonly productId: string;
  /** A chat, which no colleague sees either. */
  readonly channelId: string;
  readonly webhookId: string;
  /** A list, its item, a saved search, a note on the chart, a link: the organization shares them. */
  readonly sharedIds: readonly string[];
  /** Of a link to a search of the organization's own name. */
  readonly shareToken: string;
}

export interface ProbeResult {
  readonly probes: number;
  readonly operations: number;
  readonly leaks: readonly string[];
  /** Members whose own words were missing where they belong: then nothing would be proven. */
  readonly blind: readonly string[];
}

const ORGANIZATIONS = ['one', 'two', 'three', 'four'];
const USERS = ['ada', 'bob'];
/** Newer than all of the demo data, and imported by a clock that is past it. */
const PERIOD = '12-2026';
const PERIOD_IS_OVER = new Date('2027-01-10T00:00:00Z');
/** What shows published ranks shows everybody's public terms. */
const RANK_PATHS = /^\/v1\/(search\/(keywords?|asin|suggestions)|trends|products|brands)/;
const FACTS: Facts = {
  windows: { monthly: [PERIOD], weekly: ['45-2026'] },
  marketplaces: ['US'],
  texts: ['shoes', 'a', 'public'],
  asins: ['B0CHX1W1XY'],
  known: { asin: 'B0CHX1W1XY', name: 'Acme' },
};

export async function makeMembers(world: World, server: ServerProcess): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const name of ORGANIZATIONS) {
    const organization = `canaryorganization${name}`;
    await world.makeOrganization(organization);
    for (const user of USERS) members.push(await makeMember(world, { server, organization, name, user }));
  }
  const file = join(world.bench.reports, 'public.csv');
  const ranks = Object.fromEntries(members.map(({ publicTerm }, i) => [publicTerm, i + 1]));
  await writeFile(file, plainReport({ frequency: 'monthly', period: PERIOD }, ranks));
  const { status } = await world.bench.importOne(file, { now: PERIOD_IS_OVER });
  if (status !== 'done') throw new Error(`The import ended as ${status}.`);
  await untilTold(world.bench.database);
  return members;
}

async function makeMember(
  world: World,
  place: {
    readonly server: ServerProcess;
    readonly organization: string;
    readonly name: string;
    readonly user: string;
  },
): Promise<Member> {
  const { server, organization, name, user } = place;
  const canary = `canary${name}${user}`;
  // Ada is the same person in all organizations.
  const email = user === 'ada' ? 'ada@example.com' : `${canary}@example.com`;
  const key = await world.makeKey({ organization, user: email });
  const postWhole = async (path: string, body: object) => {
    const headers = { 'idempotency-key': `${canary}key${path}` };
    const answer = await sendRequest(server.url + path, { key, method: 'POST', headers, body: JSON.stringify(body) });
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.json;
  };
  const post = async (path: string, body: object) => (await postWhole(path, body)).data;
  const publicTerm = `public ${name}${user} shoes`;
  const keyword = await post('/v1/tracked-keywords', { search_term: publicTerm, notes: `${canary} notes` });
  const product = await post('/v1/tracked-products', { asin: 'B0CHX1W1XY', notes: `${canary} product` });
  const channel = await post('/v1/notification-channels', {
    kind: 'slack',
    url: `https://${canary}.hooks.example/secret`,
  });
  const webhook = await post('/v1/webhooks', { url: `https://hooks.example/${organization}` });
  const list = await post('/v1/lists', { name: `${organization} ${user}`, notes: organization });
  const [item] = await post(`/v1/lists/${list.id}/items`, { items: [{ search_term: `${organization} term` }] });
  const search = await post('/v1/saved-searches', {
    name: `${organization} ${user}`,
    address: `/?query=${organization}`,
  });
  const note = await post('/v1/chart-notes', { date: '2026-12-15', note: organization });
  const share = await postWhole('/v1/shares', { search: `query=${organization}`, title: organization });
  for (const path of ['/v1/search/keywords?query=', '/v1/search/keyword?term=']) {
    await sendRequest(`${server.url}${path}${canary}`, { key });
  }
  return {
    organization,
    key,
    canary,
    sharedCanary: organization,
    publicTerm,
    keywordId: keyword.id,
    productId: product.id,
    channelId: channel.id,
    webhookId: webhook.id,
    sharedIds: [list.id, item.id, search.id, note.id, share.data.id],
    shareToken: share.token,
  };
}

/** @param rounds how many random valid requests each member sends to each endpoint that only reads */
export async function probeTenants(options: {
  readonly server: ServerProcess;
  readonly members: readonly Member[];
  readonly seed: number;
  readonly rounds: number;
}): Promise<ProbeResult> {
  const { server, members, seed, rounds } = options;
  const operations = readOperations();
  const leaks: string[] = [];
  let probes = 0;
  const probe = async (member: Member, request: ProbeRequest) => {
    const { operation, target, body } = request;
    const answer = await sendRequest(server.url + target, {
      method: operation.method,
      key: member.key,
      ...(body === undefined ? {} : { body }),
    });
    probes += 1;
    const seen = answer.text + JSON.stringify([...answer.headers]);
    const words = foreignWords({ member, members, operation }).filter((word) => seen.includes(word));
    const isTouched = request.isForeign && answer.status !== 404;
    if (words.length > 0 || isTouched) {
      leaks.push(`${member.canary} ${operation.method} ${target}: ${answer.status} ${words.join(' ')}`);
    }
  };
  /** Whoever has a link sees the list of shares with that one, and is refused everything else. */
  const probeLink = async ({ shareToken, canary, sharedCanary }: Member, { operation, target, body }: ProbeRequest) => {
    const answer = await sendRequest(server.url + target, {
      method: operation.method,
      key: shareToken,
      ...(body === undefined ? {} : { body }),
    });
    probes += 1;
    const isOwnShare = target === '/v1/shares' && answer.status === 200;
    const foreign = members.filter((other) => other.sharedCanary !== sharedCanary);
    const words = foreign.flatMap((other) => [other.canary, other.sharedCanary, ...other.sharedIds]);
    const seen = words.filter((word) => answer.text.includes(word));
    if (seen.length > 0 || (!isOwnShare && answer.status !== 403)) {
      leaks.push(`the link of ${canary} ${operation.method} ${target}: ${answer.status} ${seen.join(' ')}`);
    }
  };
  await Promise.all(
    members.map(async (member, i) => {
      for (const operation of operations) {
        const requests = operation.path.includes('{id}')
          ? itemRequests({ member, members, operation })
          : ownRequests({ operation, seed: seed + i, rounds });
        for (const request of requests) await probe(member, request);
      }
    }),
  );
  await Promise.all(
    members.map(async (member) => {
      for (const operation of operations) {
        for (const request of strangerRequests({ member, members, operation })) await probeLink(member, request);
      }
    }),
  );
  leaks.push(...(await listChanges(server, members)));
  return { probes, operations: operations.length, leaks, blind: await listBlind(server, members) };
}

interface ProbeRequest {
  readonly operation: Operation;
  readonly target: string;
  readonly body?: string;
  /** It names an item of somebody else, and must find nothing. */
  readonly isForeign: boolean;
}

/** Every item of others, at this endpoint, and to read also what is the member's own. Webhooks belong to the organization. */
function itemRequests({ member, members, operation }: Owned & { readonly operation: Operation }): ProbeRequest[] {
  const strangers = members.filter(({ organization }) => organization !== member.organization);
  const others = members.filter(({ key }) => key !== member.key);
  const foreign = [
    ...others.flatMap(({ keywordId, productId, channelId }) => [keywordId, productId, channelId]),
    ...strangers.flatMap(({ webhookId, sharedIds }) => [webhookId, ...sharedIds]),
  ];
  const own =
    operation.method === 'GET'
      ? [member.keywordId, member.productId, member.channelId, member.webhookId, ...member.sharedIds]
      : [];
  return [...foreign, ...own].map((id) => ({
    operation,
    target: operation.path.replace('{id}', id),
    ...(operation.body && { body: JSON.stringify(FOREIGN_BODIES[operation.id] ?? { notes: 'changed' }) }),
    isForeign: foreign.includes(id),
  }));
}

/** What whoever has a link of a member tries: every endpoint, with the items of all members. */
function strangerRequests({ member, members, operation }: Owned & { readonly operation: Operation }): ProbeRequest[] {
  if (operation.path.includes('{id}')) return itemRequests({ member, members, operation });
  const target = operation.path.replace(/\{\w+\}/, 'B0CHX1W1XY');
  const body = operation.body && JSON.stringify(WRITTEN[operation.id] ?? {});
  return [{ operation, target, ...(body && { body }), isForeign: false }];
}

/** What another body is wrong for. */
const FOREIGN_BODIES: Readonly<Record<string, object>> = {
  addListItems: { items: [{ search_term: 'changed' }] },
  removeListItems: { ids: ['01234567-89ab-4cde-8f01-23456789abcd'] },
  tagListItems: { ids: ['01234567-89ab-4cde-8f01-23456789abcd'], add: ['x'] },
  changeSavedSearch: { name: 'changed' },
  changeChartNote: { note: 'changed' },
  changeNotificationChannel: { events: ['late'] },
};

interface Owned {
  readonly member: Member;
  readonly members: readonly Member[];
}

/** Valid requests; of those that write, one that fails as late as possible or changes nothing that is looked at afterwards. */
function ownRequests({
  operation,
  seed,
  rounds,
}: {
  readonly operation: Operation;
  readonly seed: number;
  readonly rounds: number;
}): ProbeRequest[] {
  const isReading = operation.method === 'GET';
  const drafts = fc.sample(validDrafts(operation, FACTS), { seed, numRuns: isReading ? rounds : 1 });
  return drafts.map(readable).map((draft) => {
    const body = isReading ? undefined : bodyOf({ ...draft, body: WRITTEN[operation.id] });
    return {
      operation,
      target: targetOf(draft, 'B0CHX1W1XY'),
      ...(body === undefined ? {} : { body: body.toString() }),
      isForeign: false,
    };
  });
}

const WRITTEN: Readonly<Record<string, object>> = {
  createTrackedKeywords: { search_term: 'of my own' },
  createTrackedProducts: { asin: 'B0CHX1W1XZ' },
  createWebhook: { url: 'https://hooks.example/mine' },
  createNotificationChannel: { kind: 'discord', url: 'https://hooks.example/mine' },
  changeNotifications: { default_priority_rule: null },
  createList: { name: 'of my own' },
  createSavedSearch: { name: 'of my own', address: '/' },
  createShare: { search: 'query=mine' },
  createChartNote: { date: '2026-12-01', note: 'of my own' },
};

/** Files as text, so that words can be found in them. */
function readable(draft: Draft): Draft {
  const hasForm = draft.operation.query.some(({ name }) => name === 'file_format');
  return hasForm ? { ...draft, query: { ...draft.query, file_format: ['csv'] } } : draft;
}

function foreignWords({ member, members, operation }: Owned & { readonly operation: Operation }): readonly string[] {
  const others = members.filter(({ key }) => key !== member.key);
  const strangers = others.filter(({ organization }) => organization !== member.organization);
  return [
    ...others.flatMap(({ canary, keywordId, productId, channelId }) => [canary, keywordId, productId, channelId]),
    ...strangers.flatMap(({ sharedCanary, webhookId, sharedIds }) => [sharedCanary, webhookId, ...sharedIds]),
    ...(RANK_PATHS.test(operation.path) ? [] : others.map(({ publicTerm }) => publicTerm)),
  ];
}

/** What is no longer as its owner left it. */
async function listChanges(server: ServerProcess, members: readonly Member[]): Promise<string[]> {
  const changes: string[] = [];
  for (const { organization, key, canary, keywordId, productId, channelId, webhookId, sharedIds } of members) {
    const keyword = await read(server, key, `/v1/tracked-keywords/${keywordId}`);
    if (keyword.json.data?.notes !== `${canary} notes`) changes.push(`the keyword of ${canary} was changed`);
    const product = await read(server, key, `/v1/tracked-products/${productId}`);
    if (product.json.data?.notes !== `${canary} product`) changes.push(`the product of ${canary} was changed`);
    const channels = await read(server, key, '/v1/notification-channels');
    const channel = channels.json.data?.find(({ id }: { id: string }) => id === channelId);
    if (channel?.events.length !== 3) changes.push(`the channel of ${canary} was changed`);
    const [list, , search, note] = sharedIds;
    const shared = [`lists/${list}`, `lists/${list}/items`, `saved-searches/${search}`, `chart-notes/${note}`];
    for (const path of shared) {
      const { text } = await read(server, key, `/v1/${path}`);
      if (!text.includes(organization) || text.includes('changed')) changes.push(`${path} of ${canary} was changed`);
    }
    const webhooks = await read(server, key, '/v1/webhooks');
    if (!webhooks.text.includes(webhookId)) changes.push(`the webhook of ${canary} was deleted`);
  }
  return changes;
}

async function listBlind(server: ServerProcess, members: readonly Member[]): Promise<string[]> {
  const blind: string[] = [];
  for (const { key, canary, sharedCanary, publicTerm } of members) {
    const own = {
      '/v1/tracked-keywords': canary,
      '/v1/tracked-products': canary,
      '/v1/notification-channels': `${canary}.hooks.example`,
      '/v1/webhooks': sharedCanary,
      '/v1/lists': sharedCanary,
      '/v1/saved-searches': sharedCanary,
      '/v1/chart-notes': sharedCanary,
      '/v1/shares': sharedCanary,
      '/v1/tracked-keywords/digests': publicTerm,
    };
    for (const [path, word] of Object.entries(own)) {
      if (!(await read(server, key, path)).text.includes(word)) blind.push(`${canary} ${path}`);
    }
  }
  return blind;
}

function read(server: ServerProcess, key: string, path: string): Promise<TestAnswer> {
  return sendRequest(server.url + path, { key });
}
