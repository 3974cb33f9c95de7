import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addWebhook, deleteWebhook, listWebhooks } from '../../src/postgres/webhooks.ts';
import { makeDatabase, type TestDatabase } from '../support/database.ts';
import { makeMember, makeWebhook } from '../support/members.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await makeDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());
beforeEach(() => database.owner.query('DELETE FROM organizations; DELETE FROM users'));

describe('webhooks', () => {
  it('are registered with a secret of 32 bytes that is shown once and kept for signing', async () => {
    const tenant = await makeMember(database);
    const given = { url: 'https://hooks.example.com/a', events: ['period.published'] } as const;
    const { webhook, secret } = await addWebhook(database.service, tenant, given);
    expect(webhook).toEqual({
      ...given,
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      createdAt: expect.any(Date),
      isOwn: true,
      pausedReason: null,
    });
    expect(await listWebhooks(database.service, tenant)).toEqual([webhook]);
    const { rows } = await database.owner.query('SELECT user_id, organization_id, secret FROM webhooks');
    expect(rows).toEqual([
      { user_id: tenant.userId, organization_id: tenant.organizationId, secret: expect.any(Buffer) },
    ]);
    expect(rows[0]?.secret).toHaveLength(32);
    expect(secret).toBe(`whsec_${rows[0]?.secret.toString('base64')}`);
  });

  it('are listed for every member of the organization, oldest first', async () => {
    const ada = await makeMember(database);
    const bob = await makeMember(database, { colleague: ada });
    const elsewhere = await makeMember(database);
    const ids = [await makeWebhook(database, ada), await makeWebhook(database, bob), await makeWebhook(database, ada)];
    await database.owner.query(`UPDATE webhooks SET created_at = '2020-01-01' WHERE id = $1`, [ids[2]]);
    await makeWebhook(database, elsewhere);
    const ofAda = [
      { id: ids[2], isOwn: true },
      { id: ids[0], isOwn: true },
      { id: ids[1], isOwn: false },
    ];
    expect(await listWebhooks(database.service, ada)).toMatchObject(ofAda);
    // Row-level security is not all that stands between tenants.
    expect(await listWebhooks(database.operator, ada)).toMatchObject(ofAda);
    expect(await listWebhooks(database.service, bob)).toMatchObject(
      ofAda.map(({ id, isOwn }) => ({ id, isOwn: !isOwn })),
    );
  });

  it('say why they are paused', async () => {
    const tenant = await makeMember(database);
    const id = await makeWebhook(database, tenant);
    const reasons = async () => (await listWebhooks(database.operator, tenant)).map(({ pausedReason }) => pausedReason);
    await database.owner.query('UPDATE api_keys SET disabled_at = now()');
    expect(await reasons()).toEqual(['no_key']);
    await database.owner.query(`UPDATE webhooks SET paused_at = now(), paused_reason = 'operator' WHERE id = $1`, [id]);
    expect(await reasons()).toEqual(['operator']);
  });

  it('are at most 20 for an organization, however many are registered at once', async () => {
    const tenant = await makeMember(database);
    await makeWebhook(database, await makeMember(database));
    for (let i = 0; i < 18; i += 1) await makeWebhook(database, tenant);
    const outcomes = await Promise.allSettled(Array.from({ length: 4 }, () => makeWebhook(database, tenant)));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: {
        code: 'CONFLICT',
        message: 'The organization has 20 webhooks, and no more are allowed.',
        hint: 'Delete one first: DELETE /v1/webhooks/{id}.',
      },
    });
    expect(await listWebhooks(database.service, tenant)).toHaveLength(20);
  });

  it('of one organization are counted under a lock of its own', async () => {
    const [tenant, other] = [await makeMember(database), await makeMember(database)];
    const client = await database.owner.connect();
    try {
      await client.query('BEGIN');
      const lock = `webhooks ${tenant.organizationId}`;
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lock]);
      await makeWebhook(database, other);
      let isAdded = false;
      const added = makeWebhook(database, tenant).then(() => {
        isAdded = true;
      });
      await database.owner.query('SELECT pg_sleep(0.05)');
      expect(isAdded).toBe(false);
      await client.query('COMMIT');
      await added;
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('are deleted by a member, one at a time, and by nobody else', async () => {
    const [tenant, elsewhere] = [await makeMember(database), await makeMember(database)];
    const [id, kept] = [await makeWebhook(database, tenant), await makeWebhook(database, tenant)];
    for (const pool of [database.service, database.operator]) {
      expect(await deleteWebhook(pool, elsewhere, id)).toBe(false);
    }
    expect(await deleteWebhook(database.service, tenant, randomUUID())).toBe(false);
    expect(await deleteWebhook(database.service, tenant, id)).toBe(true);
    expect(await listWebhooks(database.service, tenant)).toMatchObject([{ id: kept }]);
  });
});
