import { SCOPES, type Subscription, type Tenant } from '../../src/domain/account.ts';
import type { WebhookEvent } from '../../src/domain/webhook.ts';
import { createApiKey } from '../../src/postgres/api-keys.ts';
import { createOrganization } from '../../src/postgres/organizations.ts';
import { addWebhook } from '../../src/postgres/webhooks.ts';
import type { TestDatabase } from './database.ts';

let count = 0;

/** A user with a key: in an organization of their own, with a subscription, or in that of a colleague. */
export async function makeMember(
  { operator, owner }: Pick<TestDatabase, 'operator' | 'owner'>,
  { colleague, ...subscription }: Partial<Subscription> & { readonly colleague?: Tenant } = {},
): Promise<Tenant> {
  count += 1;
  const email = `member${count}@example.com`;
  const organization = colleague ? await nameOf(owner, colleague) : `Organization of ${email}`;
  if (!colleague) {
    const active = { plan: 'pro', status: 'active', periodEnd: null, ...subscription } as const;
    await createOrganization(operator, { name: organization, subscription: active });
  }
  await createApiKey(operator, { organization, userEmail: email, scopes: SCOPES, expiresAt: null });
  const { rows } = await owner.query<Tenant>(
    `SELECT organization_id AS "organizationId", user_id AS "userId"
     FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1`,
    [email],
  );
  const [tenant] = rows;
  if (!tenant) throw new Error(`${email} is nobody's member`);
  return tenant;
}

/** A webhook of a member, for all events that are named. */
export async function makeWebhook(
  { service }: Pick<TestDatabase, 'service'>,
  tenant: Tenant,
  events: readonly WebhookEvent[] = ['period.published'],
): Promise<string> {
  return (await addWebhook(service, tenant, { url: 'https://hooks.example.com/', events })).webhook.id;
}

async function nameOf(owner: TestDatabase['owner'], { organizationId }: Tenant): Promise<string> {
  const { rows } = await owner.query<{ name: string }>('SELECT name FROM organizations WHERE id = $1', [
    organizationId,
  ]);
  return rows[0]?.name ?? '';
}
