// A team in the browser: the first signs in, invites a second, who comes in by the link; keys, sessions and roles.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSignInLink } from '../../src/postgres/users.ts';
import { makeTeam, PASSWORD, type Team } from '../people/world.ts';
import { inspectAtEverySize } from './inspect.ts';
import { openWebWorld, type WebWorld } from './web-world.ts';

let world: WebWorld;
let team: Team;
beforeAll(async () => {
  world = await openWebWorld(async () => {});
  team = await makeTeam(world.service, { hasPasswords: true });
});
afterAll(() => world[Symbol.asyncDispose]());

describe('people in the browser', () => {
  it('sign in with a password, invite, and come in by the link; keys are shown once', async () => {
    await using boss = await world.open('/team', { key: null });
    const { page } = boss;
    await page.getByLabel('Mail address').fill(team.emails.owner);
    await page.getByLabel('Password').fill('not the password');
    await page.getByRole('button', { name: 'Continue with password' }).click();
    await page.getByText('The mail address or the password is wrong.').waitFor();
    await inspectAtEverySize(boss);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Continue with password' }).click();
    await page.getByRole('list', { name: 'Members' }).getByText(team.emails.viewer).waitFor();

    await page.getByLabel('Invite by mail address').fill('new@example.com');
    await page.getByRole('button', { name: 'Invite' }).click();
    const link = await page.getByRole('status').filter({ hasText: 'shown once' }).locator('code').innerText();
    await page.getByRole('list', { name: 'Invitations' }).getByText('new@example.com').waitFor();

    await page.getByLabel('Name of the new key').fill('Weekly sheet');
    await page.getByRole('button', { name: 'Make key' }).click();
    const key = await page.getByText('The key “Weekly sheet”').locator('code').innerText();
    expect((await world.service.request('/v1/usage', { key })).status).toBe(200);
    await inspectAtEverySize(boss);
    await page.getByRole('button', { name: 'Rotate Weekly sheet' }).click();
    await page.getByRole('button', { name: 'Really rotate Weekly sheet?' }).click();
    await expect.poll(() => page.getByText('The key “Weekly sheet”').locator('code').innerText()).not.toBe(key);
    const rotated = await page.getByText('The key “Weekly sheet”').locator('code').innerText();
    expect((await world.service.request('/v1/usage', { key: rotated })).status).toBe(200);
    await page.getByRole('button', { name: 'Disable Weekly sheet' }).click();
    await page.getByRole('button', { name: 'Really disable Weekly sheet?' }).click();
    await page.getByText('Weekly sheet is disabled.').waitFor();
    expect((await world.service.request('/v1/usage', { key })).status).toBe(401);

    await using guest = await world.open(new URL(link).hash.replace('#', '/#'), { key: null });
    await guest.page.getByText(team.organization).waitFor();
    await inspectAtEverySize(guest);
    await guest.page.getByLabel('Choose a password').fill(PASSWORD);
    await guest.page.getByRole('button', { name: 'Accept' }).click();
    await guest.page.getByRole('link', { name: 'Team' }).click();
    await guest.page.getByText('Owners and admins make keys.').waitFor();
    expect(guest.page.url()).not.toContain('invitation');

    await page.reload();
    await page.getByLabel('Role of new@example.com').selectOption('admin');
    await page.getByText('new@example.com is admin now.').waitFor();
    await page.getByRole('button', { name: 'Remove new@example.com' }).click();
    await page.getByRole('button', { name: 'Yes, and delete what was tracked' }).click();
    await page.getByText('new@example.com is removed').waitFor();
    await page.reload();
    await page.getByText('Member removed').waitFor();
    await guest.page.reload();
    await guest.page.getByLabel('API key').waitFor();
    expect([boss.problems, guest.problems]).toEqual([[], []]);
  });

  it('see and end their sessions, change the password, and sign out', async () => {
    const path = await makeSignInLink(world.service.database.operator, team.emails.member);
    await using watched = await world.open(`/account${path.slice(1)}`, { key: null });
    const { page } = watched;
    // A program that looks through mails has opened it before, and pressed nothing.
    await page.getByText(`The link signs you in as ${team.emails.member}`).waitFor();
    await page.goto(`${world.service.url}/account${path.slice(1)}`);
    await page.reload();
    await page.goto(`${world.service.url}/account${path.slice(1)}`);
    await page.getByText(`The link signs you in as ${team.emails.member}`).waitFor();
    expect(page.url()).toBe(`${world.service.url}/account`);
    await inspectAtEverySize(watched);
    await page.getByRole('button', { name: `Sign in as ${team.emails.member}` }).click();
    await page.getByRole('list', { name: 'Sessions' }).getByText('this one').waitFor();
    expect(page.url()).toBe(`${world.service.url}/account`);
    await expect.poll(() => page.locator('.account-role').innerText()).toBe('member');
    await page.getByRole('img', { name: /^Uses of all meters/ }).waitFor();
    await page.getByText('This server sends no mail').waitFor();
    await inspectAtEverySize(watched);
    const login = { method: 'POST', body: JSON.stringify({ email: team.emails.member, password: PASSWORD }) };
    await world.service.request('/v1/sign-in/password', login);
    await page.reload();
    await expect.poll(() => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count()).toBe(2);
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('another four words entirely');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('The password is changed').waitFor();
    await expect.poll(() => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count()).toBe(1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key').waitFor();
    await page.goto(`${world.service.url}/account`);
    await page.getByLabel('API key').waitFor();
    expect(watched.problems).toEqual([]);
  });
});
