import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OrganizationId, Tenant, UserId } from '../../src/domain/account.ts';
import type { Role } from '../../src/domain/role.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { inTenant } from '../../src/postgres/pool.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';

/** Tables that hold no tenant's rows. A new table must be added here, or carry forced row-level security. */
const SHARED_TABLES = [
  'connection_rates',
  'connections',
  'dictionary_deltas',
  'downloads',
  'import_parts',
  'imports',
  'kept_revisions',
  'late_periods',
  'link_secrets',
  'publications',
  'rank_periods',
  'rank_statistics',
  'schema_migrations',
  'snapshot_files',
  'write_probe',
];

/** What members of an organization keep together. */
const SHARED = ['lists', 'list_items', 'saved_searches', 'chart_notes', 'shares'];

let database: TestDatabase;
let ada: Tenant;
let bob: Tenant;
let eve: Tenant;

beforeAll(async () => {
  database = await makeDatabase();
  ada = await member('Acme', 'ada@acme.example');
  bob = await member('Acme', 'bob@acme.example');
  eve = await member('Evil', 'eve@evil.example');
  for (const tenant of [ada, bob, eve]) await leaveTraces(tenant);
});
afterAll(() => database[Symbol.asyncDispose]());

describe('row-level security', () => {
  it('is enabled and forced on every tenant table', async () => {
    const { rows } = await database.owner.query(
      `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS forced FROM pg_class
       WHERE relnamespace = 'keyrank'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(11);
    expect(rows.filter(({ forced }) => !forced).map(({ name }) => name)).toEqual(SHARED_TABLES);
  });

  it('binds the roles that work on them', async () => {
    const { rows } = await database.owner.query(
      `SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname IN ('keyrank_service', 'keyrank_operator')
       ORDER BY rolname`,
    );
    expect(rows).toEqual([
      { rolname: 'keyrank_operator', rolsuper: false, rolbypassrls: false },
      { rolname: 'keyrank_service', rolsuper: false, rolbypassrls: false },
    ]);
    expect((await database.service.query('SELECT current_user AS me')).rows).toEqual([{ me: 'keyrank_service' }]);
  });

  it.each([
    'organizations',
    'users',
    'memberships',
    'subscriptions',
    'api_keys',
    'rate_windows',
    'rate_log',
    'search_history',
    'usage_counts',
    'tracked_keywords',
    'tracked_products',
    'digests',
    'idempotency_keys',
    'notices',
    'notification_settings',
    'lists',
    'list_items',
    'saved_searches',
    'chart_notes',
    'shares',
    'plans',
    'usage_days',
    'passwords',
    'identities',
    'sessions',
    'sign_in_links',
    'invitations',
    'audit_log',
  ])('shows the service nothing of %s outside a tenant', async (table) => {
    expect((await database.service.query(`SELECT * FROM ${table}`)).rows).toEqual([]);
    expect((await database.operator.query(`SELECT * FROM ${table}`)).rows.length).toBeGreaterThan(0);
  });

  it('shows a tenant its own organization, and of the history only its own', async () => {
    const seen = await inTenant(database.service, ada, async (transaction) => ({
      history: (await transaction.query('SELECT user_id FROM search_history')).rows,
      usage: (await transaction.query('SELECT organization_id FROM usage_counts')).rows,
      keys: (await transaction.query('SELECT DISTINCT organization_id FROM api_keys')).rows,
    }));
    expect(seen).toEqual({
      history: [{ user_id: ada.userId }],
      usage: [{ organization_id: ada.organizationId }],
      keys: [{ organization_id: ada.organizationId }],
    });
  });

  it('shows a tenant the numbers of its own plan, and no other plan', async () => {
    const seen = await inTenant(database.service, ada, (transaction) => transaction.query('SELECT name FROM plans'));
    expect(seen.rows).toEqual([{ name: 'pro' }]);
  });

  it("shows a tenant its own keywords, digests and keys, and its organization's webhooks", async () => {
    const seen = await inTenant(database.service, ada, async (transaction) => ({
      keywords: (await transaction.query('SELECT user_id FROM tracked_keywords')).rows,
      products: (await transaction.query('SELECT user_id FROM tracked_products')).rows,
      digests: (await transaction.query('SELECT user_id FROM digests')).rows,
      keys: (await transaction.query('SELECT user_id FROM idempotency_keys')).rows,
      notices: (await transaction.query('SELECT user_id FROM notices')).rows,
      settings: (await transaction.query('SELECT user_id FROM notification_settings')).rows,
      channels: (await transaction.query(`SELECT user_id FROM webhooks WHERE kind <> 'webhook'`)).rows,
      messages: (await transaction.query(`SELECT DISTINCT webhook_id FROM webhook_deliveries WHERE event = 'notice'`))
        .rows.length,
      shared: (
        await transaction.query(
          `SELECT DISTINCT organization_id FROM (${SHARED.map((table) => `SELECT organization_id FROM ${table}`).join(' UNION ALL ')})`,
        )
      ).rows,
      agents: (await transaction.query('SELECT a.user_id FROM agents a JOIN agent_clients c ON c.id = a.client_id'))
        .rows,
      webhooks: (await transaction.query('SELECT DISTINCT organization_id FROM webhooks')).rows,
      deliveries: (await transaction.query('SELECT DISTINCT organization_id FROM webhook_deliveries')).rows,
    }));
    expect(seen).toEqual({
      keywords: [{ user_id: ada.userId }],
      products: [{ user_id: ada.userId }],
      digests: [{ user_id: ada.userId }],
      keys: [{ user_id: ada.userId }],
      notices: [{ user_id: ada.userId }],
      settings: [{ user_id: ada.userId }],
      channels: [{ user_id: ada.userId }],
      messages: 1,
      shared: [{ organization_id: ada.organizationId }],
      agents: [{ user_id: ada.userId }],
      webhooks: [{ organization_id: ada.organizationId }],
      deliveries: [{ organization_id: ada.organizationId }],
    });
  });

  it('shows a person their own sessions, password and identities, and admins the invitations and the audit log', async () => {
    const SEEN = ['sessions', 'passwords', 'identities', 'sign_in_links', 'invitations', 'audit_log'];
    const seenBy = (tenant: Tenant, role: Role) =>
      inTenant(database.service, { ...tenant, role }, async (transaction) => {
        const owners: Record<string, unknown[]> = {};
        for (const table of SEEN) {
          const owner = ['invitations', 'audit_log'].includes(table) ? 'organization_id' : 'user_id';
          const { rows } = await transaction.query(`SELECT DISTINCT ${owner} AS owner FROM ${table}`);
          owners[table] = rows.map((row) => row.owner);
        }
        return owners;
      });
    const own = Object.fromEntries(SEEN.slice(0, 4).map((table) => [table, [ada.userId]]));
    expect(await seenBy(ada, 'owner')).toEqual({
      ...own,
      invitations: [ada.organizationId],
      audit_log: [ada.organizationId],
    });
    expect(await seenBy(ada, 'member')).toEqual({ ...own, invitations: [], audit_log: [] });
  });

  it('shows a tenant its colleagues and no other user, and all organizations of their own', async () => {
    const seen = await inTenant(database.service, ada, async (transaction) => ({
      users: (await transaction.query('SELECT id FROM users')).rows.map(({ id }) => id).sort(),
      organizations: (await transaction.query('SELECT id FROM organizations')).rows,
    }));
    expect(seen).toEqual({ users: [ada.userId, bob.userId].sort(), organizations: [{ id: ada.organizationId }] });
  });

  it('lets nobody become a member without an invitation, nor change members without the role', async () => {
    const join = inTenant(database.service, { ...eve, role: 'owner' }, (transaction) =>
      transaction.query(`INSERT INTO memberships (organization_id, user_id, role) VALUES ($1, $2, 'owner')`, [
        ada.organizationId,
        eve.userId,
      ]),
    );
    await expect(join).rejects.toThrow('row-level security');
    const promote = (role: Role) =>
      inTenant(database.service, { ...bob, role }, async (transaction) => {
        const changed = await transaction.query(`UPDATE memberships SET role = role`);
        const removed = await transaction.query('DELETE FROM memberships WHERE user_id <> $1', [bob.userId]);
        return [changed.rowCount, removed.rowCount];
      });
    expect(await promote('member')).toEqual([0, 0]);
    const act = inTenant(database.service, { ...eve, role: 'owner' }, (transaction) =>
      transaction.query(`INSERT INTO audit_log (actor, action, organization_id, user_id) VALUES ('x', 'x', $1, $2)`, [
        ada.organizationId,
        eve.userId,
      ]),
    );
    await expect(act).rejects.toThrow('row-level security');
  });

  it('lets a tenant touch no keyword, digest, key or webhook of others', async () => {
    for (const tenant of [bob, eve]) {
      const touched = await inTenant(database.service, tenant, async (transaction) => [
        (await transaction.query('UPDATE tracked_keywords SET notes = $$x$$ WHERE user_id = $1', [ada.userId]))
          .rowCount,
        (await transaction.query('DELETE FROM tracked_keywords WHERE user_id = $1', [ada.userId])).rowCount,
        (await transaction.query('DELETE FROM tracked_products WHERE user_id = $1', [ada.userId])).rowCount,
        (await transaction.query('UPDATE digests SET read_at = now() WHERE user_id = $1', [ada.userId])).rowCount,
        (await transaction.query('DELETE FROM idempotency_keys WHERE user_id = $1', [ada.userId])).rowCount,
        (await transaction.query('DELETE FROM webhooks WHERE organization_id <> $1', [tenant.organizationId])).rowCount,
      ]);
      expect(touched).toEqual([0, 0, 0, 0, 0, 0]);
    }
  });

  it('lets a tenant delete and change nothing of others', async () => {
    const touched = await inTenant(database.service, eve, async (transaction) => [
      (await transaction.query('DELETE FROM search_history WHERE user_id <> $1', [eve.userId])).rowCount,
      (await transaction.query('DELETE FROM rate_log WHERE organization_id <> $1', [eve.organizationId])).rowCount,
      (await transaction.query('UPDATE usage_counts SET count = 0 WHERE organization_id <> $1', [eve.organizationId]))
        .rowCount,
      (
        await transaction.query('UPDATE api_keys SET last_used_at = now() WHERE organization_id <> $1', [
          eve.organizationId,
        ])
      ).rowCount,
    ]);
    expect(touched).toEqual([0, 0, 0, 0]);
  });

  it('lets a member change what the organization shares, and nobody else', async () => {
    for (const table of SHARED) {
      const deletedBy = (tenant: Tenant) =>
        inTenant(database.service, tenant, async (transaction) => {
          await transaction.query('SAVEPOINT before');
          const { rowCount } = await transaction.query(`DELETE FROM ${table} WHERE organization_id = $1`, [
            ada.organizationId,
          ]);
          await transaction.query('ROLLBACK TO before');
          return rowCount;
        });
      expect([await deletedBy(bob), await deletedBy(eve)], table).toEqual([2, 0]);
    }
    const { rows } = await database.owner.query<{ id: string }>('SELECT id FROM lists WHERE organization_id = $1', [
      ada.organizationId,
    ]);
    const insert = `INSERT INTO list_items (organization_id, list_id, kind, value, value_hash, tags, notes)
      VALUES ($1, $2, 'keyword', 'x', sha256('x'), '{}', '')`;
    const smuggle = inTenant(database.service, eve, (transaction) =>
      transaction.query(insert, [eve.organizationId, rows[0]?.id]),
    );
    await expect(smuggle).rejects.toThrow('foreign key');
  });

  it('lets a tenant write nothing in the name of another organization', async () => {
    const write = inTenant(database.service, eve, (transaction) =>
      transaction.query('INSERT INTO rate_log (organization_id, admitted_at) VALUES ($1, now())', [ada.organizationId]),
    );
    await expect(write).rejects.toThrow('row-level security');
  });

  it.each([
    'UPDATE subscriptions SET plan = $$studio$$',
    'UPDATE plans SET searches_per_hour = 1',
    'INSERT INTO plans (name, searches_per_hour) VALUES ($$mine$$, 1)',
    'DELETE FROM plans',
    'INSERT INTO organizations (name) VALUES ($$x$$)',
    'UPDATE audit_log SET actor = $$x$$',
    'DELETE FROM audit_log',
    'UPDATE users SET is_operator = true',
    'UPDATE sessions SET hash = hash',
    'INSERT INTO api_keys (organization_id) VALUES (NULL)',
    'UPDATE api_keys SET disabled_at = NULL',
    'SELECT secret FROM webhooks',
    'UPDATE webhooks SET url = $$x$$',
    'SELECT payload FROM webhook_deliveries',
    'UPDATE webhook_deliveries SET status = $$failed$$',
    'DELETE FROM digests',
    'UPDATE tracked_keywords SET user_id = user_id',
    'UPDATE tracked_products SET asin = asin',
    'UPDATE lists SET organization_id = organization_id',
    'UPDATE list_items SET list_id = list_id',
    'SELECT FROM product_changes',
    'UPDATE shares SET ends_at = ends_at',
    'SELECT code_hash FROM agents',
    'INSERT INTO agents (organization_id) SELECT current_organization()',
    'SELECT * FROM agent_refresh_tokens',
    'SELECT redirect_uris FROM agent_clients',
    'SELECT * FROM link_secrets',
    'SELECT * FROM priority_hits',
    'SELECT * FROM publications',
  ])('does not grant the service: %s', async (sql) => {
    await expect(inTenant(database.service, eve, (transaction) => transaction.query(sql))).rejects.toThrow(
      'permission denied',
    );
  });

  it('leaves no tenant behind on a pooled connection', async () => {
    await inTenant(database.service, ada, (transaction) => transaction.query('SELECT 1'));
    const clients = await Promise.all(Array.from({ length: 4 }, () => database.service.connect()));
    try {
      for (const client of clients) expect((await client.query('SELECT * FROM search_history')).rows).toEqual([]);
    } finally {
      for (const client of clients) client.release();
    }
  });
});

async function member(organization: string, userEmail: string): Promise<Tenant> {
  const subscription = { plan: 'pro', status: 'active', periodEnd: null } as const;
  await createOrganization(database.operator, { name: organization, subscription }).catch(() => {});
  const { record } = await createApiKey(database.operator, { organization, userEmail, scopes: [], expiresAt: null });
  const { rows } = await database.operator.query<{ organizationId: OrganizationId; userId: UserId }>(
    'SELECT organization_id AS "organizationId", user_id AS "userId" FROM api_keys WHERE id = $1',
    [record.id],
  );
  const [tenant] = rows;
  if (!tenant) throw new Error('no such key');
  return tenant;
}

async function leaveTraces({ organizationId, userId }: Tenant): Promise<void> {
  const attempt = `jsonb_build_array(jsonb_build_object('id', gen_random_uuid(), 'user', $2::uuid, 'meter', 'search',
    'endpoint', '/', 'parameters', '{}'::jsonb))`;
  await database.service.query(`SELECT * FROM admit_searches($1, ${attempt})`, [organizationId, userId]);
  await database.operator.query(
    `WITH keyword AS (
       INSERT INTO tracked_keywords (organization_id, user_id, original_term, normalized_term, term_hash, notes,
         priority_enabled, priority_field, priority_operator, priority_value)
       VALUES ($1, $2, 'a', 'a', sha256('a'), '', false, 'latest_rank', 'lt', 1)),
     product AS (
       INSERT INTO tracked_products (organization_id, user_id, asin, notes) VALUES ($1, $2, 'B000000001', '')),
     digest AS (
       INSERT INTO digests (organization_id, user_id, marketplace, frequency, year, number, rows)
       VALUES ($1, $2, 'US', 'monthly', 2026, 1, '[]')),
     key AS (INSERT INTO idempotency_keys VALUES ($1, $2, 'key', sha256('a'))),
     webhook AS (
       INSERT INTO webhooks (organization_id, user_id, url, events, secret)
       VALUES ($1, $2, 'https://example.com', '{}', '') RETURNING id)
     SELECT id FROM webhook`,
    [organizationId, userId],
  );
  await database.operator.query(
    `WITH list AS (
       INSERT INTO lists (organization_id, name, name_key, notes) VALUES ($1, $2, $2, '') RETURNING id),
     item AS (
       INSERT INTO list_items (organization_id, list_id, kind, value, value_hash, tags, notes)
       SELECT $1, id, 'keyword', 'a', sha256('a'), '{}', '' FROM list),
     search AS (
       INSERT INTO saved_searches (organization_id, name, name_key, address) VALUES ($1, $2, $2, '/'))
     INSERT INTO chart_notes (organization_id, date, note) VALUES ($1, '2026-01-01', $2)`,
    [organizationId, userId],
  );
  await database.operator.query(
    `WITH password AS (
       INSERT INTO passwords (user_id, hash, salt, cost, block_size, parallelization)
       VALUES ($2, sha256('a'), substr(sha256('a'), 1, 16), 2, 1, 1)),
     identity AS (INSERT INTO identities (issuer, subject, user_id) VALUES ('https://login.example.com', $2::text, $2)),
     session AS (
       INSERT INTO sessions (organization_id, user_id, hash, method, expires_at, user_agent, address)
       VALUES ($1, $2, sha256($2::text::bytea), 'link', now() + interval '1 day', '', '')),
     link AS (
       INSERT INTO sign_in_links (user_id, hash, is_mailed, expires_at)
       VALUES ($2, sha256($2::text::bytea), true, now() + interval '1 day')),
     invitation AS (
       INSERT INTO invitations (organization_id, email, role, hash, invited_by, expires_at)
       VALUES ($1, $2::text || '@example.com', 'viewer', sha256($2::text::bytea), $2, now() + interval '1 day'))
     INSERT INTO audit_log (actor, action, organization_id, user_id) VALUES ('somebody', 'key.create', $1, $2)`,
    [organizationId, userId],
  );
  await database.operator.query(
    `WITH share AS (
       INSERT INTO shares (organization_id, user_id, hash, kind, title, targets, ends_at)
       VALUES ($1, $2::uuid, sha256($2::uuid::text::bytea), 'search', '', '{}', now() + interval '1 day')),
     client AS (INSERT INTO agent_clients (name, redirect_uris) VALUES ('x', '{}') RETURNING id),
     agent AS (
       INSERT INTO agents (organization_id, user_id, client_id, scopes, resource, code_hash, code_challenge, redirect_uri, code_expires_at)
       SELECT $1, $2::uuid, id, '{}', '', sha256($2::uuid::text::bytea), '', '', now() FROM client RETURNING id)
     INSERT INTO agent_refresh_tokens (hash, agent_id, expires_at) SELECT sha256(id::text::bytea), id, now() FROM agent`,
    [organizationId, userId],
  );
  await database.operator.query(
    `INSERT INTO product_changes (tracked_product_id, organization_id, marketplace, frequency, year, number)
     SELECT id, organization_id, 'US', 'monthly', 2026, 1 FROM tracked_products
     WHERE organization_id = $1 AND user_id = $2`,
    [organizationId, userId],
  );
  await database.operator.query(
    `WITH channel AS (
       INSERT INTO webhooks (organization_id, user_id, url, events, secret, kind)
       VALUES ($1, $2, 'https://example.com', '{}', '', 'slack') RETURNING id),
     message AS (
       INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
       SELECT $1, id, 'notice', 'a', '{}' FROM channel),
     notice AS (INSERT INTO notices VALUES ($1, $2, 'a', '{}'))
     INSERT INTO notification_settings (organization_id, user_id) VALUES ($1, $2)`,
    [organizationId, userId],
  );
  await database.operator.query(
    `INSERT INTO webhook_deliveries (organization_id, webhook_id, event, event_key, payload)
     SELECT organization_id, id, 'period.published', 'a', '{}' FROM webhooks WHERE organization_id = $1 AND user_id = $2 AND kind = 'webhook'`,
    [organizationId, userId],
  );
}
