import { hashSecret } from '../../src/postgres/secret-hash.ts';
import type { TestService } from './service.ts';

/** An agent that the owner of the key let in; test/mcp/oauth.test.ts does so as a person would. */
export async function addAgent(service: Pick<TestService, 'database'>, key: string): Promise<string> {
  const { rows } = await service.database.operator.query<{ id: string }>(
    `WITH client AS (INSERT INTO agent_clients (name, redirect_uris) VALUES ('Assistant', '{}') RETURNING id)
     INSERT INTO agents (organization_id, user_id, client_id, scopes, resource, code_hash, code_challenge, redirect_uri,
       code_expires_at, code_used_at)
     SELECT k.organization_id, k.user_id, client.id, '{search,trends}', '', sha256(gen_random_uuid()::text::bytea), '', '', now(), now()
     FROM api_keys k, client WHERE k.hash = $1 RETURNING id`,
    [hashSecret(key)],
  );
  const [row] = rows;
  if (!row) throw new Error('there is no such key');
  return row.id;
}
