import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUser, removeUser, setOperator } from '../../src/postgres/users.ts';
import { Person } from '../support/person.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { openWebhookReceiver } from '../support/webhook-receiver.ts';
import { enter, KeptMails, makeKeyOf, makeTeam, PASSWORD, type Team } from './world.ts';

let service: TestService;
let team: Team;
let owner: Person;
let admin: Person;
const mails = new KeptMails();

beforeAll(async () => {
  service = await startTestService({ KEYRANK_WEBHOOK_ALLOW_PRIVATE: 'true' }, { mailer: mails });
  team = await makeTeam(service);
  [owner, admin] = [await enter(service, team.emails.owner), await enter(service, team.emails.admin)];
});
afterAll(() => service[Symbol.asyncDispose]());

const tokenOf = (path: string) => path.split('=')[1] ?? '';
const idOf = async (email: string): Promise<string> =>
  (await owner.ask('/v1/members')).json.data.find((each: { email: string }) => each.email === email)?.id;

describe('invitations', () => {
  it('make a new account with a password, in the role that was meant', async () => {
    const { status, json } = await admin.ask('/v1/invitations', { body: { email: 'new@example.com', role: 'member' } });
    expect([status, json.data.is_mailed]).toEqual([201, true]);
    expect(await mails.nextToken('new@example.com')).toBe(tokenOf(json.data.path));
    const token = tokenOf(json.data.path);
    const fresh = new Person(service);
    const seen = await fresh.ask('/v1/sign-in/invitations', { body: { token } });
    expect(seen.json.data).toMatchObject({ organization: team.organization, email: 'new@example.com', role: 'member' });
    expect((await fresh.ask('/v1/sign-in/invitations/accept', { body: { token } })).status).toBe(400);
    expect((await fresh.ask('/v1/sign-in/invitations/accept', { body: { token, password: PASSWORD } })).status).toBe(
      200,
    );
    expect((await fresh.ask('/v1/account')).json.data).toMatchObject({
      user: { email: 'new@example.com', is_email_verified: false, has_password: true },
      organization: { name: team.organization, role: 'member' },
    });
    expect(
      (await new Person(service).ask('/v1/sign-in/invitations/accept', { body: { token, password: PASSWORD } })).status,
    ).toBe(401);
  });

  it('let nobody into an account that is there, and it into a second organization', async () => {
    const other = await makeTeam(service);
    const stranger = await enter(service, other.emails.owner);
    const { json } = await stranger.ask('/v1/invitations', { body: { email: team.emails.viewer, role: 'admin' } });
    const token = tokenOf(json.data.path);
    // Whoever invited has the link too.
    for (const person of [new Person(service), stranger]) {
      const answer = await person.ask('/v1/sign-in/invitations/accept', { body: { token, password: PASSWORD } });
      expect([answer.status, answer.json.error.code]).toEqual([409, 'CONFLICT']);
    }
    const viewer = await enter(service, team.emails.viewer);
    expect((await viewer.ask('/v1/sign-in/invitations/accept', { body: { token } })).status).toBe(200);
    const account = (await viewer.ask('/v1/account')).json.data;
    expect(account.organization).toMatchObject({ name: other.organization, role: 'admin' });
    expect(account.organizations).toHaveLength(2);
    const first = account.organizations.find((each: { name: string }) => each.name === team.organization);
    const to = (organization_id: string) =>
      viewer.ask('/v1/account/organization', { method: 'PUT', body: { organization_id } });
    expect((await to(first.id)).status).toBe(200);
    expect((await viewer.ask('/v1/account')).json.data.organization.role).toBe('viewer');
    const foreign = (await enter(service, (await makeTeam(service)).emails.owner)).ask('/v1/account');
    expect((await to((await foreign).json.data.organization.id)).status).toBe(404);
  });

  it('end what was planted in an account once its address is proven', async () => {
    const { json } = await owner.ask('/v1/invitations', { body: { email: 'victim@example.com', role: 'viewer' } });
    await mails.nextToken('victim@example.com');
    const thief = new Person(service);
    await thief.ask('/v1/sign-in/invitations/accept', { body: { token: tokenOf(json.data.path), password: PASSWORD } });
    expect((await thief.ask('/v1/account')).status).toBe(200);
    await new Person(service).ask('/v1/sign-in/links', { body: { email: 'victim@example.com' } });
    const victim = new Person(service);
    await victim.ask('/v1/sign-in/links/redeem', { body: { token: await mails.nextToken('victim@example.com') } });
    expect((await victim.ask('/v1/account')).json.data.user).toMatchObject({
      is_email_verified: true,
      has_password: false,
    });
    expect((await thief.ask('/v1/account')).status).toBe(401);
    expect((await thief.signIn('victim@example.com', PASSWORD)).status).toBe(401);
  });

  it('end with the right of whoever made them', async () => {
    const some = await makeTeam(service);
    const chief = await enter(service, some.emails.owner);
    const second = await enter(service, some.emails.admin);
    const invite = async (person: Person, role: string) => {
      const email = `${role}.${invited++}@example.com`;
      return tokenOf((await person.ask('/v1/invitations', { body: { email, role } })).json.data.path);
    };
    let invited = 0;
    const works = async (token: string) =>
      (await new Person(service).ask('/v1/sign-in/invitations', { body: { token } })).status === 200;
    const members: readonly { id: string; role: string }[] = (await chief.ask('/v1/members')).json.data;
    const { id = '' } = members.find(({ role }) => role === 'admin') ?? {};
    const change = (role: string) => chief.ask(`/v1/members/${id}`, { method: 'PATCH', body: { role } });
    const [own, theirs] = [await invite(chief, 'admin'), await invite(second, 'admin')];
    await change('member');
    expect([await works(own), await works(theirs)]).toEqual([true, false]);
    await change('owner');
    const [asOwner, plain] = [await invite(second, 'owner'), await invite(second, 'viewer')];
    await change('admin');
    expect([await works(asOwner), await works(plain)]).toEqual([false, true]);
    expect((await chief.ask(`/v1/members/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect([await works(own), await works(plain)]).toEqual([true, false]);
  });

  it('are accepted once by whoever comes at the same moment', async () => {
    const { json } = await owner.ask('/v1/invitations', { body: { email: 'twice@example.com', role: 'viewer' } });
    const body = { token: tokenOf(json.data.path), password: PASSWORD };
    const answers = await Promise.all(
      [1, 2, 3].map(() => new Person(service).ask('/v1/sign-in/invitations/accept', { body })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  it('are over after 7 days', async () => {
    const { json } = await owner.ask('/v1/invitations', { body: { email: 'late@example.com', role: 'viewer' } });
    await service.database.operator.query(
      `UPDATE invitations SET expires_at = expires_at - interval '7 days' WHERE id = $1`,
      [json.data.id],
    );
    const body = { token: tokenOf(json.data.path), password: PASSWORD };
    expect((await new Person(service).ask('/v1/sign-in/invitations/accept', { body })).status).toBe(401);
  });

  it('are withdrawn and replaced, and owners come from owners alone', async () => {
    const invite = (person: Person, role: string) =>
      person.ask('/v1/invitations', { body: { email: 'maybe@example.com', role } });
    expect((await invite(admin, 'owner')).status).toBe(403);
    const first = (await invite(owner, 'owner')).json.data;
    const second = (await invite(admin, 'viewer')).json.data;
    const look = (path: string) =>
      new Person(service).ask('/v1/sign-in/invitations', { body: { token: tokenOf(path) } });
    expect((await look(first.path)).status).toBe(401);
    expect((await look(second.path)).status).toBe(200);
    expect((await admin.ask(`/v1/invitations/${second.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await look(second.path)).status).toBe(401);
    expect((await invite(admin, 'emperor')).status).toBe(400);
    const known = await admin.ask('/v1/invitations', { body: { email: team.emails.member, role: 'viewer' } });
    expect(known.json.error.code).toBe('CONFLICT');
  });
});

describe('members', () => {
  it('keep one owner, whoever asks and however', async () => {
    const id = await idOf(team.emails.owner);
    const own = [
      () => owner.ask(`/v1/members/${id}`, { method: 'PATCH', body: { role: 'member' } }),
      () => owner.ask(`/v1/members/${id}`, { method: 'DELETE' }),
      () => owner.ask('/v1/account/leave', { body: { tracked: 'delete' } }),
    ];
    for (const ask of own)
      expect((await ask()).json.error).toMatchObject({
        code: 'CONFLICT',
        message: 'This is the last owner of the organization.',
      });
    expect((await admin.ask(`/v1/members/${id}`, { method: 'DELETE' })).status).toBe(403);
    expect(
      (await admin.ask(`/v1/members/${await idOf(team.emails.admin)}`, { method: 'PATCH', body: { role: 'owner' } }))
        .status,
    ).toBe(403);
    // Of two owners who leave at the same moment one stays.
    const two = await makeTeam(service);
    const first = await enter(service, two.emails.owner);
    const second = await enter(service, two.emails.admin);
    const members = (await first.ask('/v1/members')).json.data;
    await first.ask(`/v1/members/${members[1].id}`, { method: 'PATCH', body: { role: 'owner' } });
    const left = await Promise.all(
      [first, second].map((each) => each.ask('/v1/account/leave', { body: { tracked: 'delete' } })),
    );
    expect(left.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('who take each other’s role at the same moment are not both without', async () => {
    const two = await makeTeam(service);
    const first = await enter(service, two.emails.owner);
    const second = await enter(service, two.emails.admin);
    const [a, b]: readonly { id: string }[] = (await first.ask('/v1/members')).json.data;
    const demote = (person: Person, id: string | undefined) =>
      person.ask(`/v1/members/${id}`, { method: 'PATCH', body: { role: 'viewer' } });
    await first.ask(`/v1/members/${b?.id}`, { method: 'PATCH', body: { role: 'owner' } });
    const answers = await Promise.all([demote(first, b?.id), demote(second, a?.id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const { rows } = await service.database.owner.query(
      `SELECT FROM memberships m JOIN organizations o ON o.id = m.organization_id WHERE o.name = $1 AND role = 'owner'`,
      [two.organization],
    );
    expect(rows).toHaveLength(1);
  });

  it('change what they may do at once, with keys and sessions', async () => {
    const key = await makeKeyOf(service, { organization: team.organization, email: team.emails.member });
    const member = await enter(service, team.emails.member);
    const isLetIn = async () => [
      (await service.request('/v1/audit-log', { key })).status,
      (await member.ask('/v1/audit-log')).status,
    ];
    expect(await isLetIn()).toEqual([403, 403]);
    const change = async (role: string) =>
      owner.ask(`/v1/members/${await idOf(team.emails.member)}`, { method: 'PATCH', body: { role } });
    expect((await change('admin')).status).toBe(200);
    expect(await isLetIn()).toEqual([200, 200]);
    expect((await change('member')).status).toBe(200);
    expect(await isLetIn()).toEqual([403, 403]);
  });

  it.each([
    ['keep', 'an owner'],
    ['delete', 'an owner'],
    ['keep', 'the operator'],
    ['delete', 'the operator'],
  ] as const)(
    'are removed with their keys and sessions at once; what they tracked: %s, by %s',
    async (tracked, remover) => {
      const { organization, emails } = await makeTeam(service);
      const boss = await enter(service, emails.owner);
      const key = await makeKeyOf(service, { organization, email: emails.member });
      const person = await enter(service, emails.member);
      expect(
        (await person.ask('/v1/tracked-keywords', { body: { search_term: 'Snow  Boots', notes: 'for winter' } }))
          .status,
      ).toBe(201);
      expect((await person.ask('/v1/tracked-products', { body: { asin: 'B0CHX1W1XY' } })).status).toBe(201);
      const members = (await boss.ask('/v1/members')).json.data;
      const { id } = members.find((each: { email: string }) => each.email === emails.member);
      if (remover === 'an owner')
        expect((await boss.ask(`/v1/members/${id}?tracked=${tracked}`, { method: 'DELETE' })).status).toBe(200);
      else await removeUser(service.database.operator, { email: emails.member, organization, tracked });
      expect((await service.request('/v1/usage', { key })).status).toBe(401);
      expect((await person.ask('/v1/account')).status).toBe(401);
      const lists = (await boss.ask('/v1/lists')).json.data;
      expect(lists.map((each: { name: string }) => each.name)).toEqual(
        tracked === 'keep' ? [`Tracked by ${emails.member}`] : [],
      );
      if (tracked === 'keep') {
        const { data } = (await boss.ask(`/v1/lists/${lists[0].id}/items`)).json;
        expect(data).toMatchObject([{ value: 'Snow  Boots', notes: 'for winter' }, { value: 'B0CHX1W1XY' }]);
        // What stands in the list is what would be added to it.
        const again = await boss.ask(`/v1/lists/${lists[0].id}/items`, {
          body: { items: [{ search_term: 'snow boots' }, { asin: 'B0CHX1W1XY' }] },
        });
        expect([again.status, (await boss.ask(`/v1/lists/${lists[0].id}/items`)).json.data.length]).toEqual([201, 2]);
      }
      const { data: log } = (await boss.ask('/v1/audit-log')).json;
      expect(log[0]).toMatchObject({
        actor: remover === 'an owner' ? emails.owner : 'operator',
        action: 'member.remove',
        details: { member: emails.member, tracked },
      });
    },
  );
});

describe('keys', () => {
  it('are made once, limited by scope and role, rotated and disabled', async () => {
    const body = { name: 'Weekly sheet', scopes: ['search', 'account'], expires_at: '2199-01-31T00:00:00Z' };
    const made = await admin.ask('/v1/keys', { body });
    expect([made.status, made.json.data]).toEqual([
      201,
      expect.objectContaining({
        key: expect.stringMatching(/^krk_/),
        name: 'Weekly sheet',
        user: team.emails.admin,
        is_own: true,
        disabled_at: null,
      }),
    ]);
    const { id, key } = made.json.data;
    expect((await service.request('/v1/usage', { key })).status).toBe(200);
    expect((await service.request('/v1/members', { key })).status).toBe(403);
    const rotated = (await admin.ask(`/v1/keys/${id}/rotate`, { method: 'POST' })).json.data;
    expect((await service.request('/v1/usage', { key })).status).toBe(401);
    expect((await service.request('/v1/usage', { key: rotated.key })).status).toBe(200);
    expect((await admin.ask(`/v1/keys/${rotated.id}`, { method: 'DELETE' })).json.data.disabled_at).not.toBeNull();
    expect((await service.request('/v1/usage', { key: rotated.key })).status).toBe(401);
    expect((await admin.ask('/v1/keys')).text).not.toContain(rotated.key);
    for (const wrong of [
      { ...body, scopes: [] },
      { ...body, expires_at: '2001-01-01T00:00:00Z' },
      { ...body, name: ' ' },
      { ...body, member_id: '00000000-0000-4000-8000-000000000000' },
    ]) {
      expect((await admin.ask('/v1/keys', { body: wrong })).status).toBe(400);
    }
  });

  it('give no other key what they do not have, and are nobody else’s business', async () => {
    const narrow = (await owner.ask('/v1/keys', { body: { name: 'Narrow', scopes: ['people'] } })).json.data;
    const more = await service.request('/v1/keys', {
      method: 'POST',
      key: narrow.key,
      body: JSON.stringify({ name: 'More', scopes: ['search'] }),
    });
    expect([more.status, more.json.error.code]).toEqual([403, 'FORBIDDEN']);
    const member = await enter(service, team.emails.member);
    expect((await member.ask(`/v1/keys/${narrow.id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await member.ask('/v1/keys')).json.data.every((each: { is_own: boolean }) => each.is_own)).toBe(true);
    const stranger = await enter(service, (await makeTeam(service)).emails.owner);
    for (const [method, target] of [
      ['DELETE', `/v1/keys/${narrow.id}`],
      ['POST', `/v1/keys/${narrow.id}/rotate`],
    ] as const) {
      expect((await stranger.ask(target, { method })).status).toBe(404);
    }
    expect((await service.request('/v1/members', { key: narrow.key })).status).toBe(200);
  });
});

describe('whoever holds a key', () => {
  it('does not come to more than their own role by it', async () => {
    const { operator } = service.database;
    const some = await makeTeam(service);
    const [chief, second] = [await enter(service, some.emails.owner), await enter(service, some.emails.admin)];
    const members: readonly { id: string; role: string }[] = (await second.ask('/v1/members')).json.data;
    const makeFor = (asking: Person, role: string) =>
      asking.ask('/v1/keys', {
        body: { name: 'Theirs', scopes: ['people'], member_id: members.find((each) => each.role === role)?.id ?? '' },
      });
    expect((await makeFor(second, 'owner')).status).toBe(403);
    expect((await makeFor(second, 'viewer')).status).toBe(201);
    const own = (await chief.ask('/v1/keys', { body: { name: 'Own', scopes: ['people'] } })).json.data;
    expect((await second.ask(`/v1/keys/${own.id}/rotate`, { method: 'POST' })).status).toBe(403);

    // A key from before somebody became an operator does not operate; nor does anybody make another for them.
    const before = await makeKeyOf(service, { organization: some.organization, email: some.emails.member });
    await setOperator(operator, { email: some.emails.member, isOperator: true });
    expect((await service.request('/v1/organizations', { key: before })).status).toBe(403);
    expect((await makeFor(chief, 'member')).status).toBe(403);
  });

  it('loses an account that they made for an address, as soon as an operator or a provider knows whose it is', async () => {
    const { operator } = service.database;
    const some = await makeTeam(service);
    const email = `hijacked@${some.organization.replace(' ', '')}.example`.toLowerCase();
    const chief = await enter(service, some.emails.owner);
    const invited = await chief.ask('/v1/invitations', { body: { email, role: 'viewer' } });
    const stranger = new Person(service);
    const token = tokenOf(invited.json.data.path);
    await stranger.ask('/v1/sign-in/invitations/accept', { body: { token, password: PASSWORD } });
    expect((await stranger.ask('/v1/account')).status).toBe(200);
    const other = await makeTeam(service);
    await createUser(operator, { email, organization: other.organization, role: 'admin', isOperator: true });
    expect((await stranger.ask('/v1/account')).status).toBe(401);
    expect((await stranger.ask('/v1/sign-in/password', { body: { email, password: PASSWORD } })).status).toBe(401);
  });
});

describe('operators', () => {
  it('make an organization and invite its owner, and change its plan', async () => {
    await setOperator(service.database.operator, { email: team.emails.owner, isOperator: true });
    const made = await owner.ask('/v1/organizations', {
      body: { name: 'Northwind', plan: 'pro', owner: 'ada@northwind.example' },
    });
    expect([made.status, made.json.data]).toEqual([
      201,
      expect.objectContaining({ plan: 'pro', status: 'active', members: 0 }),
    ]);
    const ada = new Person(service);
    const token = tokenOf(made.json.data.invitation_path);
    expect((await ada.ask('/v1/sign-in/invitations/accept', { body: { token, password: PASSWORD } })).status).toBe(200);
    expect((await ada.ask('/v1/account')).json.data.organization).toMatchObject({ name: 'Northwind', role: 'owner' });
    const { id } = made.json.data;
    expect(
      (await owner.ask(`/v1/organizations/${id}`, { method: 'PATCH', body: { plan: 'studio' } })).json.data.plan,
    ).toBe('studio');
    expect((await ada.ask('/v1/usage')).json.data.plan).toBe('studio');
    expect((await owner.ask(`/v1/organizations/${id}`, { method: 'PATCH', body: { plan: 'nonsense' } })).status).toBe(
      409,
    );
    const log = (await ada.ask('/v1/audit-log')).json.data;
    expect(log.map(({ action }: { action: string }) => action)).toContain('organization.change');
  });
});

describe('a webhook', () => {
  it('is tried out with a message that stands in its log', async () => {
    await using receiver = await openWebhookReceiver();
    const webhook = (
      await owner.ask('/v1/webhooks', { body: { url: `${receiver.url}/x`, events: ['period.published'] } })
    ).json.data;
    expect((await owner.ask(`/v1/webhooks/${webhook.id}/test`, { method: 'POST' })).status).toBe(201);
    await receiver.untilReceived(1);
    await expect
      .poll(async () => (await owner.ask(`/v1/webhooks/${webhook.id}/deliveries`)).json.data)
      .toMatchObject([{ event: 'webhook.test', status: 'delivered', attempts: 1 }]);
    expect((await owner.ask(`/v1/webhooks/${webhook.id}`, { method: 'DELETE' })).status).toBe(200);
    const log: readonly { action: string; details: object }[] = (await owner.ask('/v1/audit-log')).json.data;
    const acts = log.filter(({ details }) => JSON.stringify(details).includes(webhook.id));
    expect(acts.map(({ action }) => action)).toEqual(['webhook.delete', 'webhook.create']);
  });
});

describe('usage by day', () => {
  it('counts what is counted by month', async () => {
    const key = await makeKeyOf(service, { organization: team.organization, email: team.emails.owner });
    for (let n = 0; n < 3; n += 1) await service.request('/v1/search/keywords?query=boots', { key });
    const days = (await owner.ask('/v1/usage/days?days=3')).json.data;
    expect(days.map(({ search }: { search: number }) => search).at(-1)).toBe(3);
    expect(days).toHaveLength(3);
    const { current_month } = (await owner.ask('/v1/usage')).json.data;
    expect(current_month.search).toBe(3);
  });
});
