-- Agents that people let in by OAuth: programs that registered by themselves, what a person allowed them, and their tokens. Access tokens
-- are API keys of an hour, so that whatever holds for keys holds for them.
CREATE TABLE agent_clients (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  redirect_uris text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX agent_clients_age ON agent_clients (created_at);

CREATE TABLE agents (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  client_id uuid NOT NULL REFERENCES agent_clients ON DELETE CASCADE,
  scopes text[] NOT NULL,
  resource text NOT NULL,
  -- The code that the program was sent with, once; until it is used there are no tokens.
  code_hash bytea NOT NULL UNIQUE CHECK (octet_length(code_hash) = 32),
  code_challenge text NOT NULL,
  redirect_uri text NOT NULL,
  code_expires_at timestamptz NOT NULL,
  code_used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX agents_member ON agents (organization_id, user_id, created_at);
CREATE INDEX agents_client ON agents (client_id);
CREATE INDEX agents_unused ON agents (code_expires_at) WHERE code_used_at IS NULL;

-- Each is used once. Those that were are kept: whoever comes with one again has stolen it, or was stolen from.
CREATE TABLE agent_refresh_tokens (
  hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  agent_id uuid NOT NULL REFERENCES agents ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  used_at timestamptz
);
CREATE INDEX agent_refresh_tokens_agent ON agent_refresh_tokens (agent_id);
CREATE INDEX agent_refresh_tokens_end ON agent_refresh_tokens (expires_at);

ALTER TABLE api_keys ADD COLUMN agent_id uuid REFERENCES agents ON DELETE CASCADE;
CREATE INDEX api_keys_agent ON api_keys (agent_id) WHERE agent_id IS NOT NULL;

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['agent_clients', 'agents', 'agent_refresh_tokens'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY operator ON %I TO keyrank_operator USING (true) WITH CHECK (true)', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO keyrank_operator', table_name);
  END LOOP;
END $$;

-- What a member sees: the agents of their own.
CREATE POLICY member ON agents TO keyrank_service
  USING (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()))
  WITH CHECK (false);
GRANT SELECT (id, organization_id, user_id, client_id, scopes, code_used_at, created_at), DELETE ON agents TO keyrank_service;
CREATE POLICY member ON agent_clients FOR SELECT TO keyrank_service
  USING (id IN (SELECT a.client_id FROM agents a));
GRANT SELECT (id, name) ON agent_clients TO keyrank_service;
