// Codes and tokens of agents, each kept as its hash alone. Whoever comes with one is nobody's tenant yet, so that this works as an
// operator does, on rows that are found by a secret and by nothing else.
import { randomBytes } from 'node:crypto';
import type { OrganizationId, Scope, UserId } from '../domain/account.ts';
import {
  ACCESS_TOKEN_SECONDS,
  type Agent,
  type AgentClient,
  type Agents,
  type AgentTokens,
  CODE_SECONDS,
  MAX_AGENTS,
  REFRESH_TOKEN_DAYS,
} from '../domain/agent.ts';
import { apiKeyPrefix, generateApiKey } from '../domain/api-key.ts';
import { untilServersHeard } from './account-changes.ts';
import { recordAct } from './audit-log.ts';
import { changeInTenant, inTenant, inTransaction, type Pool, type Queryable } from './pool.ts';
import { hashSecret } from './secret-hash.ts';

/** Programs that registered and were never let in. */
const MAX_UNUSED_CLIENTS = 1000;
/** Time that a person has to let a program in, however many others register. */
const KEPT_UNUSED_MINUTES = 10;
const SWEPT_AT_ONCE = 200;
const UNUSED_CLIENT = 'NOT EXISTS (SELECT FROM agents a WHERE a.client_id = agent_clients.id)';
const CLIENT_COLUMNS = 'id, name, redirect_uris AS "redirectUris"';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface AgentRow {
  readonly id: string;
  readonly organization_id: OrganizationId;
  readonly user_id: UserId;
  readonly client_id: string;
  readonly scopes: readonly Scope[];
  readonly resource: string;
  readonly code_challenge: string;
  readonly redirect_uri: string;
  readonly is_used: boolean;
  readonly is_over: boolean;
}

const AGENT_COLUMNS =
  'a.id, a.organization_id, a.user_id, a.client_id, a.scopes, a.resource, a.code_challenge, a.redirect_uri';

export function openAgents({ pool, jobPool }: { readonly pool: Pool; readonly jobPool: Pool }): Agents {
  return {
    register: (client) => register(jobPool, client),
    findClient: async (id) => {
      if (!UUID.test(id)) return undefined;
      const { rows } = await jobPool.query<AgentClient>(`SELECT ${CLIENT_COLUMNS} FROM agent_clients WHERE id = $1`, [
        id,
      ]);
      return rows[0];
    },
    allow: (tenant, consent) =>
      inTransaction(jobPool, async (transaction) => {
        const code = randomBytes(32).toString('base64url');
        const { organizationId, userId } = tenant;
        await transaction.query(
          `INSERT INTO agents (organization_id, user_id, client_id, scopes, resource, code_hash, code_challenge, redirect_uri,
             code_expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9 * interval '1 second')`,
          [
            ...[organizationId, userId, consent.clientId, consent.scopes, consent.resource],
            ...[hashSecret(code), consent.codeChallenge, consent.redirectUri, CODE_SECONDS],
          ],
        );
        await transaction.query(
          `DELETE FROM agents WHERE id IN (SELECT id FROM agents WHERE organization_id = $1 AND user_id = $2
             ORDER BY created_at DESC, id OFFSET $3)`,
          [organizationId, userId, MAX_AGENTS],
        );
        const { rows } = await transaction.query<{ name: string }>('SELECT name FROM agent_clients WHERE id = $1', [
          consent.clientId,
        ]);
        const details = { program: rows[0]?.name ?? '', scopes: consent.scopes };
        await recordAct(transaction, { tenant, action: 'agent.allow', details });
        return code;
      }),
    exchangeCode: ({ code, clientId, redirectUri, codeChallenge, resource }) =>
      inTransaction(jobPool, async (transaction) => {
        const { rows } = await transaction.query<AgentRow>(
          `SELECT ${AGENT_COLUMNS}, a.code_used_at IS NOT NULL AS is_used, a.code_expires_at <= now() AS is_over
           FROM agents a WHERE a.code_hash = $1 FOR UPDATE`,
          [hashSecret(code)],
        );
        const [agent] = rows;
        if (!agent || agent.is_used) return await endAgent(transaction, agent);
        const isMeant =
          agent.client_id === clientId &&
          agent.redirect_uri === redirectUri &&
          agent.code_challenge === codeChallenge &&
          (resource === undefined || resource === agent.resource);
        if (agent.is_over || !isMeant) return undefined;
        await transaction.query('UPDATE agents SET code_used_at = now() WHERE id = $1', [agent.id]);
        return await issueTokens(transaction, agent);
      }),
    refresh: ({ refreshToken, clientId, resource }) =>
      inTransaction(jobPool, async (transaction) => {
        const hash = hashSecret(refreshToken);
        const { rows } = await transaction.query<AgentRow>(
          `SELECT ${AGENT_COLUMNS}, r.used_at IS NOT NULL AS is_used, r.expires_at <= now() AS is_over
           FROM agent_refresh_tokens r JOIN agents a ON a.id = r.agent_id WHERE r.hash = $1 FOR UPDATE`,
          [hash],
        );
        const [agent] = rows;
        if (!agent || agent.is_used) return await endAgent(transaction, agent);
        if (agent.is_over || agent.client_id !== clientId) return undefined;
        if (resource !== undefined && resource !== agent.resource) return undefined;
        await transaction.query('UPDATE agent_refresh_tokens SET used_at = now() WHERE hash = $1', [hash]);
        return await issueTokens(transaction, agent);
      }),
    revoke: async ({ token, clientId }) => {
      if (!UUID.test(clientId)) return;
      await jobPool.query(
        `DELETE FROM agents a WHERE a.client_id = $2 AND (
           EXISTS (SELECT FROM agent_refresh_tokens r WHERE r.agent_id = a.id AND r.hash = $1)
           OR EXISTS (SELECT FROM api_keys k WHERE k.agent_id = a.id AND k.hash = $1))`,
        [hashSecret(token), clientId],
      );
    },
    list: async (tenant) => {
      const { rows } = await inTenant(pool, tenant, (transaction) =>
        transaction.query<Agent>(
          `SELECT a.id, c.name, a.scopes, a.created_at AS "createdAt",
             (SELECT max(k.last_used_at) FROM api_keys k WHERE k.agent_id = a.id) AS "lastUsedAt"
           FROM agents a JOIN agent_clients c ON c.id = a.client_id
           WHERE a.organization_id = $1 AND a.user_id = $2 AND a.code_used_at IS NOT NULL ORDER BY a.created_at, a.id`,
          [tenant.organizationId, tenant.userId],
        ),
      );
      return rows;
    },
    delete: async (tenant, id) => {
      const isEnded = await changeInTenant(pool, tenant, async (transaction) => {
        const { rows } = await transaction.query<{ name: string }>(
          `SELECT c.name FROM agents a JOIN agent_clients c ON c.id = a.client_id
           WHERE a.organization_id = $1 AND a.user_id = $2 AND a.id = $3`,
          [tenant.organizationId, tenant.userId, id],
        );
        const { rowCount } = await transaction.query(
          'DELETE FROM agents WHERE organization_id = $1 AND user_id = $2 AND id = $3',
          [tenant.organizationId, tenant.userId, id],
        );
        if (rowCount !== 1) return false;
        await recordAct(transaction, { tenant, action: 'agent.end', details: { program: rows[0]?.name ?? '' } });
        return true;
      });
      if (isEnded) await untilServersHeard(jobPool);
      return isEnded;
    },
  };
}

async function register(pool: Pool, { name, redirectUris }: Omit<AgentClient, 'id'>): Promise<AgentClient | undefined> {
  // Whoever registers without end pushes out what registered before and was not let in since, and keeps nobody else out.
  await pool.query(
    `DELETE FROM agent_clients WHERE id IN (SELECT id FROM agent_clients WHERE ${UNUSED_CLIENT}
       ORDER BY created_at DESC, id OFFSET $1) AND created_at < now() - $2 * interval '1 minute'`,
    [MAX_UNUSED_CLIENTS - 1, KEPT_UNUSED_MINUTES],
  );
  const { rows: counted } = await pool.query<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT FROM agent_clients WHERE ${UNUSED_CLIENT} LIMIT $1) unused`,
    [MAX_UNUSED_CLIENTS],
  );
  if ((counted[0]?.count ?? 0) >= MAX_UNUSED_CLIENTS) return undefined;
  const { rows } = await pool.query<AgentClient>(
    `INSERT INTO agent_clients (name, redirect_uris) VALUES ($1, $2) RETURNING ${CLIENT_COLUMNS}`,
    [name, redirectUris],
  );
  return rows[0];
}

/** Its tokens go with it. Whoever came with what was used already has stolen it, or was stolen from. */
async function endAgent(transaction: Queryable, agent: AgentRow | undefined): Promise<undefined> {
  if (!agent) return;
  await transaction.query('DELETE FROM agents WHERE id = $1', [agent.id]);
  await recordAct(transaction, {
    tenant: { organizationId: agent.organization_id, userId: agent.user_id },
    action: 'agent.end',
    details: { reason: 'a code or refresh token came a second time' },
  });
}

/** An agent has one access token at a time. */
async function issueTokens(transaction: Queryable, agent: AgentRow): Promise<AgentTokens> {
  const accessToken = generateApiKey(randomBytes);
  const refreshToken = `krf_${randomBytes(32).toString('base64url')}`;
  await transaction.query('DELETE FROM api_keys WHERE agent_id = $1', [agent.id]);
  await transaction.query(
    `INSERT INTO api_keys (organization_id, user_id, hash, prefix, scopes, agent_id, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + $7 * interval '1 second')`,
    [
      ...[agent.organization_id, agent.user_id, hashSecret(accessToken), apiKeyPrefix(accessToken)],
      ...[agent.scopes, agent.id, ACCESS_TOKEN_SECONDS],
    ],
  );
  await transaction.query(
    `INSERT INTO agent_refresh_tokens (hash, agent_id, expires_at) VALUES ($1, $2, now() + $3 * interval '1 day')`,
    [hashSecret(refreshToken), agent.id, REFRESH_TOKEN_DAYS],
  );
  return { accessToken, refreshToken, scopes: agent.scopes };
}

/** Programs that nobody let in within a day, codes that nobody used, agents that have not come for new tokens. */
export async function sweepAgents(operator: Queryable): Promise<boolean> {
  const clients = await operator.query(
    `DELETE FROM agent_clients WHERE id IN (SELECT id FROM agent_clients
       WHERE created_at < now() - interval '1 day' AND ${UNUSED_CLIENT} LIMIT $1)`,
    [SWEPT_AT_ONCE],
  );
  const agents = await operator.query(
    `DELETE FROM agents WHERE id IN (SELECT a.id FROM agents a
       WHERE a.code_expires_at < now() - interval '10 minutes' AND (a.code_used_at IS NULL OR NOT EXISTS (
         SELECT FROM agent_refresh_tokens r WHERE r.agent_id = a.id AND r.expires_at > now())) LIMIT $1)`,
    [SWEPT_AT_ONCE],
  );
  await operator.query('DELETE FROM agent_refresh_tokens WHERE expires_at < now() - interval $$1 day$$');
  return clients.rowCount === SWEPT_AT_ONCE || agents.rowCount === SWEPT_AT_ONCE;
}
