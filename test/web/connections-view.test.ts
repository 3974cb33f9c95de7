// Accounts at Amazon in the browser: connected by an admin, tested, given new secrets, tried again, removed; and who may not.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AMAZON_REGIONS, listMarketplaceCodes } from '../../src/domain/marketplace.ts';
import { setOperator } from '../../src/postgres/users.ts';
import { REGIONS } from '../../web/connections/regions.ts';
import { FakeAmazon } from '../amazon/fake-amazon.ts';
import { makeKeyOf, makeTeam, type Team } from '../people/world.ts';
import { inspectAtEverySize } from './inspect.ts';
import { openWebWorld, type WatchedPage, type WebWorld } from './web-world.ts';

let amazon: FakeAmazon;
let world: WebWorld;
let team: Team;
const keys = { admin: '', viewer: '' };

beforeAll(async () => {
  const never = () => new Date('2999-01-01T00:00:00Z');
  amazon = await FakeAmazon.open({ now: () => new Date(), random: () => 0.9, availableAt: never });
  world = await openWebWorld(async () => {}, { KEYRANK_AMAZON_URL: amazon.url });
  team = await makeTeam(world.service);
  for (const role of ['admin', 'viewer'] as const) {
    const email = team.emails[role];
    keys[role] = await makeKeyOf(world.service, { organization: team.organization, email });
  }
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await amazon[Symbol.asyncDispose]();
});

it('offers the marketplaces that each region has', () => {
  expect(REGIONS.map(({ name, codes }) => [name, codes])).toEqual(
    AMAZON_REGIONS.map((region) => [region, listMarketplaceCodes(region)]),
  );
});

async function connect({ page }: WatchedPage, of: { clientId: string; clientSecret: string; refreshToken: string }) {
  await page.getByLabel('Name', { exact: true }).fill('acme-na');
  await page.getByLabel('US', { exact: true }).setChecked(true);
  await page.getByLabel('Client id').fill(of.clientId);
  await page.getByLabel('Client secret').fill(of.clientSecret);
  await page.getByLabel('Refresh token').fill(of.refreshToken);
  await page.getByRole('button', { name: 'Connect' }).click();
}

it('/connections: an admin connects an account, looks after it, and removes it', async () => {
  const account = amazon.addAccount();
  await using watched = await world.open('/periods', { key: keys.admin });
  const { page } = watched;
  await page.getByRole('link', { name: 'Connections' }).click();
  await page.getByText('No account is connected yet.').waitFor();
  await inspectAtEverySize(watched);
  // What Amazon refuses is not kept, and what was entered can be mended.
  await connect(watched, { ...account, refreshToken: 'Atzr|wrong' });
  await page.getByRole('alert').getByText('Amazon did not answer as it should: invalid_grant').waitFor();
  await page.getByLabel('Refresh token').fill(account.refreshToken);
  await page.getByText('How far back').click();
  await page.getByLabel('Weeks to look back').fill('1');
  await page.getByLabel('Months to look back').fill('0');
  await page.getByRole('button', { name: 'Connect' }).click();
  await page.getByRole('heading', { name: 'acme-na' }).waitFor();
  await page.getByText('looks back 1 week and 0 months').waitFor();
  await expect.poll(() => page.getByLabel('Client secret').inputValue()).toBe('');
  await expect.poll(() => page.getByLabel('US', { exact: true }).isDisabled()).toBe(true);

  await page.getByRole('button', { name: 'Test acme-na' }).click();
  await page.getByText('Amazon answers acme-na.').waitFor();
  await page.getByRole('button', { name: 'Disable acme-na' }).click();
  await page.getByRole('button', { name: 'Enable acme-na' }).waitFor();
  // Whatever the server planned until then.
  const { operator } = world.service.database;
  await operator.query('DELETE FROM downloads');
  await operator.query(
    `INSERT INTO downloads (connection_id, marketplace, frequency, year, number, end_date, state, reason, message, wanted_since)
     SELECT id, 'US', 'weekly', 2026, 40, '2026-10-03', 'failed', 'forbidden', 'Amazon forbids it: no brand here.', now()
     FROM connections`,
  );
  await page.getByRole('button', { name: 'Downloads of acme-na' }).click();
  await page.getByText('Amazon forbids it: no brand here.').waitFor();
  await inspectAtEverySize(watched);
  await page.getByRole('button', { name: 'Retry now US, W40, 27 Sep – 3 Oct 2026' }).click();
  await page.getByText('US, W40, 27 Sep – 3 Oct 2026 is tried again now.').waitFor();

  await page.getByRole('button', { name: 'New secrets of acme-na' }).click();
  const form = page.getByRole('form', { name: 'New secrets of acme-na' });
  await form.getByLabel('Client secret').fill('wrong');
  await form.getByLabel('Refresh token').fill(account.refreshToken);
  await form.getByRole('button', { name: 'Replace the secrets' }).click();
  await form.getByRole('alert').getByText('invalid_client').waitFor();
  await form.getByLabel('Client secret').fill(account.clientSecret);
  await form.getByRole('button', { name: 'Replace the secrets' }).click();
  await page.getByText('acme-na has new secrets.').waitFor();
  await inspectAtEverySize(watched);
  const seen = await page.content();
  for (const secret of amazon.secrets) expect(seen).not.toContain(secret);

  await page.getByRole('button', { name: 'Remove acme-na' }).click();
  await page.getByRole('button', { name: 'Really remove acme-na?' }).click();
  await page.getByText('acme-na is removed. What it published stays.').waitFor();
  await page.getByText('No account is connected yet.').waitFor();
  await page.getByRole('link', { name: 'Team' }).click();
  for (const act of [
    'Connection added',
    'Connection disabled',
    'Downloads tried again',
    'Connection given new secrets',
  ])
    await page.getByText(act).first().waitFor();
  expect(watched.problems).toEqual([]);
  expect([...new Set(watched.failures)].map((failure) => failure.replace(/[0-9a-f-]{36}/, '{id}'))).toEqual([
    '409 /v1/connections',
    '409 /v1/connections/{id}/rotate',
  ]);
});

it('/periods: whoever may, tries again what failed; others read how the operator does', async () => {
  const { operator } = world.service.database;
  const { rows } = await operator.query<{ id: string }>(
    `INSERT INTO connections (organization_id, name, region, marketplaces, client_id, secrets, key_id, look_back_weeks, look_back_months)
     SELECT id, 'acme', 'eu', '{DE}', 'id', '', '', 0, 0 FROM organizations WHERE name = $1 RETURNING id`,
    [team.organization],
  );
  await operator.query(
    `INSERT INTO downloads (connection_id, marketplace, frequency, year, number, end_date, state, reason, wanted_since)
     VALUES ($1, 'DE', 'weekly', 2026, 40, '2026-10-03', 'failed', 'forbidden', now())`,
    [rows[0]?.id],
  );
  await using viewer = await world.open('/periods', { key: keys.viewer });
  await viewer.page.getByText('npx keyrank connection retry --marketplace DE').waitFor();
  await expect.poll(() => viewer.page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
  await viewer.page.goto(`${world.service.url}/connections`);
  await viewer.page.getByText('Connections are for owners, admins and operators.').waitFor();
  await inspectAtEverySize(viewer);

  await using admin = await world.open('/periods', { key: keys.admin });
  const { page } = admin;
  await page.getByRole('button', { name: 'Retry now DE, W40, 27 Sep – 3 Oct 2026' }).first().click();
  await page.getByText('DE, W40, 27 Sep – 3 Oct 2026 is tried again now.').waitFor();
  await expect.poll(() => page.getByText('DE, W40, 27 Sep – 3 Oct 2026: failed.').count()).toBe(0);
  await inspectAtEverySize(admin);
  expect([viewer.problems, admin.problems]).toEqual([[], []]);

  // An operator who is a viewer looks after it all the same.
  await setOperator(operator, { email: team.emails.viewer, isOperator: true });
  const key = await makeKeyOf(world.service, { organization: team.organization, email: team.emails.viewer });
  await using watched = await world.open('/connections', { key });
  await watched.page.getByRole('heading', { name: 'acme', exact: true }).waitFor();
});
