import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { openDeliveryQueue } from '../../src/postgres/webhook-deliveries.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

const COUNT = 20;

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
  const { owner, operator } = database;
  await createOrganization(operator, {
    name: 'Acme',
    subscription: { plan: 'pro', status: 'active', periodEnd: null },
  });
  const request = { organization: 'Acme', userEmail: 'ada@acme.example', scopes: ['search'], expiresAt: null } as const;
  await createApiKey(operator, request);
  await owner.query(
    `WITH added AS (
       INSERT INTO webhooks (organization_id, user_id, url, events, secret)
       SELECT organization_id, user_id, 'https://a.example/', ARRAY['period.published'], 'secret'
       FROM memberships, generate_series(1, $1) RETURNING id, organization_id)
     INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT organization_id, id, 'period.published', 'key', '{}' FROM added`,
    [COUNT],
  );
});
afterAll(() => database[Symbol.asyncDispose]());

it('does not bring together again what was claimed together and lost: one of it may have ended the server', async () => {
  const claimed = await openDeliveryQueue(database.operator, () => {}).claim({ limit: 100, busyWebhookIds: [] });
  expect(claimed.length).toBe(COUNT);
  const { rows } = await database.owner.query<{ pause: number }>(
    'SELECT extract(epoch FROM next_attempt_at - last_attempt_at)::float8 AS pause FROM webhook_deliveries ORDER BY 1',
  );
  const pauses = rows.map(({ pause }) => pause);
  // Not before the lease has ended, and spread by up to a fifth of it.
  expect(Math.min(...pauses)).toBeGreaterThan(29.9);
  expect(Math.max(...pauses)).toBeLessThan(36.1);
  expect(Math.max(...pauses) - Math.min(...pauses)).toBeGreaterThan(1);
});
