// People of several organizations, each signed in as the owner of one, try what they can do with what is another's: members,
// invitations, keys, sessions, agents, links, lists, webhooks, imports and the organization itself.
import { createUser, setOperator } from '../../src/postgres/users.ts';
import { enter } from '../people/world.ts';
import type { Person } from '../support/person.ts';
import type { ServerProcess } from '../support/process.ts';
import type { ProbeResult } from './tenant-probes.ts';
import type { World } from './world.ts';

type Kind = 'organization' | 'member' | 'session' | 'invitation' | 'key' | 'share' | 'list' | 'webhook' | 'agent';

export interface SignedIn {
  readonly person: Person;
  /** The name of the organization; it stands in every text of theirs, and in every mail address. */
  readonly canary: string;
  readonly ids: Readonly<Record<Kind, string>>;
}

export interface People {
  readonly owners: readonly SignedIn[];
  /** Of an operator. */
  readonly importId: string;
}

const NAMES = ['north', 'south', 'west'];

export async function makePeople(world: World, server: ServerProcess): Promise<People> {
  const owners: SignedIn[] = [];
  for (const name of NAMES) owners.push(await makeOwner(world, server, `canaryteam${name}`));
  const { database } = world.bench;
  const email = 'operator@canaryoperators.example';
  await world.makeOrganization('canaryoperators');
  await createUser(database.operator, { email, organization: 'canaryoperators', role: 'owner', isOperator: false });
  await setOperator(database.operator, { email, isOperator: true });
  const operator = await enter({ url: server.url, database }, email);
  const made = await operator.ask('/v1/imports', { body: { file_name: 'canaryimport.csv', size_bytes: 1000 } });
  if (made.status !== 201) throw new Error(made.text);
  return { owners, importId: made.json.data.id };
}

async function makeOwner(world: World, server: ServerProcess, canary: string): Promise<SignedIn> {
  const { database } = world.bench;
  const organization = await world.makeOrganization(canary);
  const email = `owner@${canary}.example`;
  await createUser(database.operator, { email, organization: canary, role: 'owner', isOperator: false });
  const person = await enter({ url: server.url, database }, email);
  const post = async (path: string, body: object): Promise<string> => {
    const answer = await person.ask(path, { body });
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
    return answer.json.data.id;
  };
  const account = (await person.ask('/v1/account')).json.data;
  const { rows } = await database.operator.query<{ id: string }>(
    `WITH client AS (INSERT INTO agent_clients (name, redirect_uris) VALUES ($1, '{}') RETURNING id)
     INSERT INTO agents (organization_id, user_id, client_id, scopes, resource, code_hash, code_challenge, redirect_uri,
       code_expires_at, code_used_at)
     SELECT $2, $3, id, '{search}', '', sha256($1::text::bytea), '', '', now(), now() FROM client RETURNING id`,
    [canary, organization, account.user.id],
  );
  const ids = {
    organization,
    member: account.user.id,
    session: account.session_id,
    invitation: await post('/v1/invitations', { email: `guest@${canary}.example`, role: 'viewer' }),
    key: await post('/v1/keys', { name: canary, scopes: ['search'] }),
    share: await post('/v1/shares', { search: `query=${canary}`, title: canary }),
    list: await post('/v1/lists', { name: canary }),
    webhook: await post('/v1/webhooks', { url: `https://hooks.example/${canary}` }),
    agent: rows[0]?.id ?? '',
  };
  return { person, canary, ids };
}

/** What each sees of their own, by the word that shows it. */
const OWN_PAGES: readonly (readonly [path: string, word: Kind | 'canary'])[] = [
  ['/v1/account', 'canary'],
  ['/v1/members', 'member'],
  ['/v1/sessions', 'session'],
  ['/v1/invitations', 'invitation'],
  ['/v1/keys', 'key'],
  ['/v1/shares', 'share'],
  ['/v1/lists', 'list'],
  ['/v1/webhooks', 'webhook'],
  ['/v1/agents', 'agent'],
  ['/v1/audit-log?limit=1000', 'canary'],
  ['/v1/usage', 'canary'],
];

type Call = readonly [method: string, path: string, body?: object];

/** None of these may succeed. */
function refusedCalls({ ids }: SignedIn, importId: string): readonly Call[] {
  const part = `/v1/imports/${importId}`;
  return [
    ['PATCH', `/v1/members/${ids.member}`, { role: 'viewer' }],
    ['DELETE', `/v1/members/${ids.member}`],
    ['DELETE', `/v1/invitations/${ids.invitation}`],
    ['POST', '/v1/keys', { name: 'Theirs', scopes: ['search'], member_id: ids.member }],
    ['POST', `/v1/keys/${ids.key}/rotate`],
    ['DELETE', `/v1/keys/${ids.key}`],
    ['DELETE', `/v1/sessions/${ids.session}`],
    ['DELETE', `/v1/agents/${ids.agent}`],
    ['DELETE', `/v1/shares/${ids.share}`],
    ['POST', '/v1/shares', { list_id: ids.list }],
    ['GET', `/v1/lists/${ids.list}`],
    ['DELETE', `/v1/lists/${ids.list}`],
    ['GET', `/v1/webhooks/${ids.webhook}/deliveries`],
    ['DELETE', `/v1/webhooks/${ids.webhook}`],
    ['GET', '/v1/organizations'],
    ['PATCH', `/v1/organizations/${ids.organization}`, { plan: 'pro' }],
    ['GET', '/v1/imports'],
    ['GET', part],
    ['PATCH', part, { max_rejects: 5 }],
    ['POST', `${part}/publish`],
    ['POST', `${part}/undo`],
    ['GET', `${part}/rejects`],
    ['DELETE', part],
  ];
}

export async function probePeople({ owners, importId }: People): Promise<ProbeResult> {
  const leaks: string[] = [];
  const operations = new Set<string>();
  let probes = 0;
  const probe = async (asking: SignedIn, [method, path, body]: Call, isRefused: boolean) => {
    const { status, text } = await asking.person.ask(path, { method, ...(body && { body }) });
    probes += 1;
    operations.add(`${method} ${path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}')}`);
    const asked = path + JSON.stringify(body ?? {});
    const foreign = owners.filter((other) => other !== asking);
    const words = foreign.flatMap(({ canary, ids }) => [canary, ...Object.values(ids)]);
    const seen = [...words, 'canaryimport', 'canaryoperators'].filter(
      (word) => text.includes(word) && !asked.includes(word),
    );
    if (seen.length > 0 || (isRefused && status < 400)) {
      leaks.push(`${asking.canary} ${method} ${path}: ${status} ${seen.join(' ')}`);
    }
  };
  for (const asking of owners) {
    for (const other of owners) {
      if (other === asking) continue;
      for (const call of refusedCalls(other, importId)) await probe(asking, call, true);
      // Whatever the answer is, the session stays where it was.
      const organization_id = other.ids.organization;
      await probe(asking, ['PUT', '/v1/account/organization', { organization_id }], false);
      for (const [path] of OWN_PAGES) await probe(asking, ['GET', path], false);
    }
    await probe(asking, ['DELETE', '/v1/sessions'], false);
  }
  return { probes, operations: operations.size, leaks, blind: await listMissing(owners) };
}

/** What is no longer as its owner left it. */
async function listMissing(owners: readonly SignedIn[]): Promise<string[]> {
  const missing: string[] = [];
  for (const { person, canary, ids } of owners) {
    for (const [path, word] of OWN_PAGES) {
      const { text } = await person.ask(path);
      if (!text.includes(word === 'canary' ? canary : ids[word])) missing.push(`${canary} ${path}`);
    }
  }
  return missing;
}
