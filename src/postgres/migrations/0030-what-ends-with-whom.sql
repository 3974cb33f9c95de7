-- What ends with whom, and from where somebody signs in: invitations end with the right to make them, shares of agents with the agent,
-- sessions when nobody uses them; and nobody is kept out of their own account by others who try its password.

-- From where somebody came into an account, as a hash of both: the limit for an account as tried from everywhere is not for them.
CREATE TABLE sign_in_places (
  subject bytea PRIMARY KEY CHECK (octet_length(subject) = 32),
  seen_at timestamptz NOT NULL
);
CREATE INDEX sign_in_places_time ON sign_in_places (seen_at);
ALTER TABLE sign_in_places ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_in_places FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON sign_in_places TO keyrank_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_places TO keyrank_operator;
-- Hashes and times; whoever signs in is nobody's tenant yet.
CREATE POLICY places ON sign_in_places TO keyrank_service USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_places TO keyrank_service;

-- Whoever is removed, or may invite no more, has not left a way in for somebody else.
CREATE FUNCTION withdraw_invitations() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM invitations WHERE organization_id = OLD.organization_id AND invited_by = OLD.user_id;
  ELSIF NEW.role <> 'owner' THEN
    DELETE FROM invitations WHERE organization_id = NEW.organization_id AND invited_by = NEW.user_id
      AND (NEW.role <> 'admin' OR role = 'owner');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER withdraw_invitations AFTER DELETE OR UPDATE OF role
  ON memberships FOR EACH ROW EXECUTE FUNCTION withdraw_invitations();

-- The token with which an agent makes a share lasts an hour. The share lasts as long as the agent.
ALTER TABLE shares ADD COLUMN agent_id uuid REFERENCES agents ON DELETE CASCADE;
CREATE INDEX shares_agent ON shares (agent_id) WHERE agent_id IS NOT NULL;
CREATE FUNCTION share_of_agent() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_agent uuid;
BEGIN
  SELECT k.agent_id INTO v_agent FROM api_keys k WHERE k.id = NEW.key_id;
  IF v_agent IS NOT NULL THEN
    NEW.agent_id := v_agent;
    NEW.key_id := NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER share_of_agent BEFORE INSERT ON shares FOR EACH ROW WHEN (NEW.key_id IS NOT NULL)
  EXECUTE FUNCTION share_of_agent();

-- As before; but tokens of agents come and go by the hour, and a webhook is not paused for that.
CREATE OR REPLACE FUNCTION webhook_pause(p_reason text, p_organization uuid, p_user uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(p_reason, (SELECT CASE WHEN NOT bool_or(k.disabled_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))
    THEN 'no_key' END FROM api_keys k WHERE k.organization_id = p_organization AND k.user_id = p_user AND k.agent_id IS NULL))
$$;

-- As before; but a session that nobody used for 14 days (SESSION_IDLE_MS) is over, whether or not it was swept.
CREATE OR REPLACE FUNCTION find_account(p_hash bytea)
RETURNS TABLE (key_id uuid, session_id uuid, organization_id uuid, user_id uuid, role text, is_operator boolean, scopes text[],
  expires_at timestamptz, disabled_at timestamptz, plan text, status text, period_end timestamptz, searches_per_hour integer,
  months integer, weeks integer)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  k record;
BEGIN
  PERFORM set_config('keyrank.key_hash', encode(p_hash, 'hex'), true);
  SELECT a.id AS key_id, NULL::uuid AS session_id, a.organization_id, a.user_id, a.scopes, a.expires_at, a.disabled_at
    INTO k FROM api_keys a WHERE a.hash = p_hash;
  IF NOT FOUND THEN
    PERFORM set_config('keyrank.secret_hash', encode(p_hash, 'hex'), true);
    SELECT NULL::uuid AS key_id, s.id AS session_id, s.organization_id, s.user_id, NULL::text[] AS scopes, s.expires_at,
      NULL::timestamptz AS disabled_at INTO k FROM sessions s
      WHERE s.hash = p_hash AND s.last_seen_at > now() - interval '14 days';
    IF NOT FOUND THEN RETURN; END IF;
  END IF;
  PERFORM set_config('keyrank.organization_id', k.organization_id::text, true);
  PERFORM set_config('keyrank.user_id', k.user_id::text, true);
  RETURN QUERY SELECT k.key_id, k.session_id, k.organization_id, k.user_id, m.role, u.is_operator, k.scopes, k.expires_at,
      k.disabled_at, s.plan, s.status, s.period_end, p.searches_per_hour, p.months, p.weeks
    FROM memberships m JOIN users u ON u.id = m.user_id
    LEFT JOIN (subscriptions s JOIN plans p ON p.name = s.plan) ON s.organization_id = k.organization_id
    WHERE m.organization_id = k.organization_id AND m.user_id = k.user_id;
END $$;
