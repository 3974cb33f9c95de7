// The life of a person: an invitation, a sign-in, keys and members, and what operators do.
import { setOperator } from '../../src/postgres/users.ts';
import type { DemoWorld } from './demo-world.ts';
import type { AskOptions } from './recording.ts';

const PASSWORD = 'correct horse battery staple';

type Record_ = (
  name: `${string}.${string}`,
  target: string,
  options?: AskOptions,
  // biome-ignore lint/suspicious/noExplicitAny: what is recorded is looked at by its reader.
) => Promise<any>;

export async function recordPeople(world: DemoWorld, record: Record_): Promise<void> {
  const { request, database } = world.service;
  const key = await world.service.makeKey({
    organization: 'Northwind',
    user: 'ada@northwind.example',
    subscription: { plan: 'studio' },
  });
  const post = { method: 'POST' } as const;
  await record('getSignInWays.all', '/v1/sign-in', { key: undefined });
  const { data: invited } = await record('createInvitation.member', '/v1/invitations', {
    ...post,
    key,
    body: { email: 'bob@northwind.example', role: 'member' },
  });
  await record('listInvitations.one', '/v1/invitations', { key });
  const token = invited.path.split('=')[1];
  await record('readInvitation.one', '/v1/sign-in/invitations', { ...post, key: undefined, body: { token } });
  await record('acceptInvitation.newAccount', '/v1/sign-in/invitations/accept', {
    ...post,
    key: undefined,
    body: { token, password: PASSWORD },
  });
  const login = { email: 'bob@northwind.example', password: PASSWORD };
  await record('signInWithPassword.one', '/v1/sign-in/password', { ...post, key: undefined, body: login });
  const signIn = async () => {
    const answer = await request('/v1/sign-in/password', { method: 'POST', body: JSON.stringify(login) });
    const [cookie = ''] = answer.headers.getSetCookie()[0]?.split(';') ?? [];
    return { key: undefined, headers: { cookie, 'sec-fetch-site': 'same-origin' } };
  };
  const bob = await signIn();
  await record('requestSignInLink.one', '/v1/sign-in/links', {
    ...post,
    key: undefined,
    body: { email: 'bob@northwind.example' },
  });
  const { makeSignInLink } = await import('../../src/postgres/users.ts');
  const link = (await makeSignInLink(database.operator, 'bob@northwind.example')).split('=')[1];
  await record('readSignInLink.one', '/v1/sign-in/links/read', { ...post, key: undefined, body: { token: link } });
  await record('signInWithLink.one', '/v1/sign-in/links/redeem', { ...post, key: undefined, body: { token: link } });
  await record('getAccount.session', '/v1/account', bob);
  const organization = (await request('/v1/account', { headers: bob.headers })).json.data.organization.id;
  await record('switchOrganization.own', '/v1/account/organization', {
    ...bob,
    method: 'PUT',
    body: { organization_id: organization },
  });
  await record('listSessions.two', '/v1/sessions', bob);
  const sessions = (await request('/v1/sessions', { headers: bob.headers })).json.data;
  const other = sessions.find((each: { is_current: boolean }) => !each.is_current);
  await record('endSession.one', `/v1/sessions/${other.id}`, { ...bob, method: 'DELETE' });
  await record('endOtherSessions.all', '/v1/sessions', { ...bob, method: 'DELETE' });
  await record('changePassword.one', '/v1/account/password', {
    ...bob,
    method: 'PUT',
    body: { current_password: PASSWORD, new_password: PASSWORD },
  });
  const { data: made } = await record('createKey.one', '/v1/keys', {
    ...post,
    key,
    body: { name: 'Weekly sheet', scopes: ['search', 'export'], expires_at: '2199-01-31T00:00:00Z' },
  });
  await record('listKeys.all', '/v1/keys', { key });
  const { data: rotated } = await record('rotateKey.one', `/v1/keys/${made.id}/rotate`, { ...post, key });
  await record('disableKey.one', `/v1/keys/${rotated.id}`, { key, method: 'DELETE' });
  await record('listMembers.all', '/v1/members', { key });
  const members = (await request('/v1/members', { key })).json.data;
  const member = `/v1/members/${members.find((each: { is_self: boolean }) => !each.is_self).id}`;
  await record('changeMember.admin', member, { key, method: 'PATCH', body: { role: 'admin' } });
  await record('leaveOrganization.keep', '/v1/account/leave', { ...bob, ...post, body: { tracked: 'keep' } });
  await record('signOut.one', '/v1/sign-out', { ...post, key: undefined });
  const { data: again } = await recordless(world, key);
  await record('deleteInvitation.one', `/v1/invitations/${again.id}`, { key, method: 'DELETE' });
  const carol = { organization: 'Northwind', user: 'carol@northwind.example' };
  await world.service.makeKey(carol);
  const others = (await request('/v1/members', { key })).json.data;
  const carolId = others.find((each: { email: string }) => each.email === carol.user).id;
  await record('removeMember.delete', `/v1/members/${carolId}?tracked=delete`, { key, method: 'DELETE' });
  await record('listAuditLog.newest', '/v1/audit-log?limit=2', { key });
  await record('listUsageDays.two', '/v1/usage/days?days=2', { key });
  await setOperator(database.operator, { email: 'ada@northwind.example', isOperator: true });
  // Keys from before do not operate.
  const operatorKey = await world.service.makeKey({ organization: 'Northwind', user: 'ada@northwind.example' });
  const { data: organizationMade } = await record('createOrganization.one', '/v1/organizations', {
    ...post,
    key: operatorKey,
    body: { name: 'Contoso', plan: 'pro', owner: 'eve@contoso.example' },
  });
  await record('listOrganizations.all', '/v1/organizations', { key: operatorKey });
  await record('changeOrganization.plan', `/v1/organizations/${organizationMade.id}`, {
    key: operatorKey,
    method: 'PATCH',
    body: { plan: 'studio' },
  });
}

async function recordless(world: DemoWorld, key: string) {
  const body = JSON.stringify({ email: 'dan@northwind.example', role: 'viewer' });
  return (await world.service.request('/v1/invitations', { method: 'POST', key, body })).json;
}
