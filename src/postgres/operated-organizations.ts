// Organizations as operators see and change them over the API. What the command line says to an operator goes to the caller as it is.
import { randomBytes } from 'node:crypto';
import type { Caller } from '../domain/account.ts';
import { OperatorError, RequestError } from '../domain/error.ts';
import type { OrganizationRecord, Organizations } from '../domain/organization.ts';
import { INVITATION_MS } from '../domain/sign-in.ts';
import { recordAct } from './audit-log.ts';
import { changeSubscription, createOrganization, listOrganizations, type Organization } from './organizations.ts';
import { inTransaction, type Pool } from './pool.ts';
import { hashSecret } from './secret-hash.ts';

const TOKEN_BYTES = 32;

export function openOrganizations(operator: Pool): Organizations {
  const withMembers = async (organizations: readonly Organization[]): Promise<readonly OrganizationRecord[]> => {
    const { rows } = await operator.query<{ id: string; members: number }>(
      'SELECT organization_id AS id, count(*) AS members FROM memberships GROUP BY organization_id',
    );
    const counts = new Map(rows.map(({ id, members }) => [id, members]));
    return organizations.map((each) => ({ ...each, members: counts.get(each.id) ?? 0 }));
  };
  const one = async (organization: Organization): Promise<OrganizationRecord> => {
    const [record] = await withMembers([organization]);
    if (!record) throw new Error('an organization got lost');
    return record;
  };
  return {
    list: async () => await withMembers(await listOrganizations(operator)),
    create: (caller, { name, plan, owner }) =>
      asRequest(async () => {
        const subscription = { plan, status: 'active', periodEnd: null } as const;
        const organization = await createOrganization(operator, { name, subscription });
        const token = randomBytes(TOKEN_BYTES).toString('base64url');
        await inTransaction(operator, async (transaction) => {
          await transaction.query(
            `INSERT INTO invitations (organization_id, email, role, hash, expires_at)
             VALUES ($1, $2, 'owner', $3, now() + $4 * interval '1 millisecond')`,
            [organization.id, owner, hashSecret(token), INVITATION_MS],
          );
          const tenant = { organizationId: organization.id, userId: caller.userId };
          await recordAct(transaction, { tenant, action: 'organization.invite-owner', details: { email: owner } });
        });
        return { organization: await one(organization), token };
      }),
    change: async (caller, id, change) => {
      const found = (await listOrganizations(operator)).find((each) => each.id === id.toLowerCase());
      if (!found) return undefined;
      const changed = await asRequest(() => changeSubscription(operator, { name: found.name, change }));
      await inTransaction(operator, async (transaction) => {
        const tenant: Pick<Caller, 'organizationId' | 'userId'> = { organizationId: found.id, userId: caller.userId };
        await recordAct(transaction, { tenant, action: 'organization.change', details: { ...change } });
      });
      return await one(changed);
    },
  };
}

async function asRequest<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new RequestError('CONFLICT', error.message, error.hint);
  }
}
