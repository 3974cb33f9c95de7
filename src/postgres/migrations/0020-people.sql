-- People: roles of members, operators of the whole installation, and the ways in which a person signs in. What row-level security
-- knows of a request is, as before, the organization and the user; and beside them the role, and the hash of a secret that was presented.

ALTER TABLE users
  ADD COLUMN is_operator boolean NOT NULL DEFAULT false,
  -- When it was first proven that the address is theirs: by a mailed link or a provider that vouches for it.
  ADD COLUMN email_verified_at timestamptz;

ALTER TABLE memberships
  ADD COLUMN role text NOT NULL DEFAULT 'member' CHECK (role IN ('owner', 'admin', 'member', 'viewer'));
-- The first of an organization owns it. Whoever registered a webhook goes on managing webhooks.
UPDATE memberships m SET role = 'admin'
  WHERE EXISTS (SELECT FROM webhooks w WHERE w.organization_id = m.organization_id AND w.user_id = m.user_id);
UPDATE memberships m SET role = 'owner'
  WHERE m.user_id = (SELECT f.user_id FROM memberships f WHERE f.organization_id = m.organization_id
    ORDER BY f.created_at, f.user_id LIMIT 1);

-- scrypt, with the parameters it was made with.
CREATE TABLE passwords (
  user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE,
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  salt bytea NOT NULL CHECK (octet_length(salt) = 16),
  -- N, r and p.
  cost integer NOT NULL,
  block_size integer NOT NULL,
  parallelization integer NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);

-- Who a person is at an OpenID provider.
CREATE TABLE identities (
  issuer text NOT NULL CHECK (char_length(issuer) <= 500),
  subject text NOT NULL CHECK (char_length(subject) <= 255),
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_user ON identities (user_id);

CREATE TABLE sessions (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL,
  -- The one that is chosen; a session goes with the membership, as keys do.
  organization_id uuid NOT NULL,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  method text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  user_agent text NOT NULL CHECK (char_length(user_agent) <= 300),
  address text NOT NULL CHECK (char_length(address) <= 100),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_member ON sessions (organization_id, user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Links that sign a person in, once.
CREATE TABLE sign_in_links (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  -- Sent to the address, which its use then proves; the others were handed over by an operator.
  is_mailed boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE INDEX sign_in_links_user ON sign_in_links (user_id);
CREATE INDEX sign_in_links_expiry ON sign_in_links (expires_at);

CREATE TABLE invitations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  email text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'viewer')),
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  -- Null when an operator did, or whoever did has left.
  invited_by uuid REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX invitations_email ON invitations (organization_id, lower(email));
CREATE INDEX invitations_expiry ON invitations (expires_at);

-- Attempts to sign in, by a hash of the address of whoever tried or of the account that was tried, so that guessing is slow.
CREATE TABLE sign_in_attempts (
  subject bytea NOT NULL CHECK (octet_length(subject) = 32),
  attempted_at timestamptz NOT NULL
);
CREATE INDEX sign_in_attempts_subject ON sign_in_attempts (subject, attempted_at);
CREATE INDEX sign_in_attempts_time ON sign_in_attempts (attempted_at);

-- Who did it, where it was a user and not an operator in a shell; the record outlives the user.
ALTER TABLE audit_log
  ADD COLUMN user_id uuid,
  ADD COLUMN address text;
CREATE INDEX audit_log_newest ON audit_log (organization_id, occurred_at DESC, id);

-- The role of the member in the running transaction; empty when it was not set.
CREATE FUNCTION current_member_role() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT coalesce(current_setting('keyrank.role', true), '') $$;
-- The hash of the secret that was presented: a row is seen by whoever has it, before anything else is known.
CREATE FUNCTION presented_hash() RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT decode(nullif(current_setting('keyrank.secret_hash', true), ''), 'hex') $$;
-- The mail address with which somebody wants to sign in.
CREATE FUNCTION presented_email() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT lower(nullif(current_setting('keyrank.email', true), '')) $$;

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['passwords', 'identities', 'sessions', 'sign_in_links', 'invitations', 'sign_in_attempts'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY operator ON %I TO keyrank_operator USING (true) WITH CHECK (true)', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO keyrank_operator', table_name);
  END LOOP;
  -- A person's own, whatever the organization.
  FOREACH table_name IN ARRAY ARRAY['passwords', 'identities', 'sessions', 'sign_in_links'] LOOP
    EXECUTE format('CREATE POLICY person ON %I TO keyrank_service
      USING (user_id = (SELECT current_member())) WITH CHECK (user_id = (SELECT current_member()))', table_name);
  END LOOP;
  FOREACH table_name IN ARRAY ARRAY['sessions', 'sign_in_links', 'invitations'] LOOP
    EXECUTE format('CREATE POLICY presented ON %I FOR SELECT TO keyrank_service
      USING (hash = (SELECT presented_hash()))', table_name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON passwords TO keyrank_service;
GRANT SELECT, INSERT ON identities TO keyrank_service;
GRANT SELECT, INSERT, DELETE ON sessions, sign_in_links TO keyrank_service;
GRANT UPDATE (organization_id, last_seen_at) ON sessions TO keyrank_service;

-- Whoever the provider vouches for is looked up by its name for them.
CREATE POLICY presented ON identities FOR SELECT TO keyrank_service
  USING (issuer = current_setting('keyrank.issuer', true) AND subject = current_setting('keyrank.subject', true));

CREATE POLICY organization ON invitations TO keyrank_service
  USING (organization_id = (SELECT current_organization()) AND (SELECT current_member_role()) IN ('owner', 'admin'))
  WITH CHECK (organization_id = (SELECT current_organization()) AND (SELECT current_member_role()) IN ('owner', 'admin'));
-- A session ends by whoever has its token, also when somebody else signs in in the same browser.
CREATE POLICY ended ON sessions FOR DELETE TO keyrank_service USING (hash = (SELECT presented_hash()));
CREATE POLICY accepted ON invitations FOR DELETE TO keyrank_service USING (hash = (SELECT presented_hash()));
GRANT SELECT, INSERT, DELETE ON invitations TO keyrank_service;

-- Hashes and times; whoever signs in is nobody's tenant yet.
CREATE POLICY attempts ON sign_in_attempts TO keyrank_service USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, DELETE ON sign_in_attempts TO keyrank_service;

-- A person sees all organizations of their own, to choose from; and the members of the one that is chosen.
CREATE POLICY person ON memberships FOR SELECT TO keyrank_service USING (user_id = (SELECT current_member()));
CREATE POLICY person ON organizations FOR SELECT TO keyrank_service
  USING (id IN (SELECT m.organization_id FROM memberships m WHERE m.user_id = (SELECT current_member())));
CREATE POLICY colleague ON users FOR SELECT TO keyrank_service
  USING (id IN (SELECT m.user_id FROM memberships m WHERE m.organization_id = (SELECT current_organization())));
CREATE POLICY presented ON users FOR SELECT TO keyrank_service USING (lower(email) = (SELECT presented_email()));
-- An account comes into being when an invitation is accepted.
CREATE POLICY invited ON users FOR INSERT TO keyrank_service WITH CHECK (lower(email) = (SELECT presented_email()));
GRANT INSERT (email), UPDATE (email_verified_at) ON users TO keyrank_service;
GRANT INSERT, DELETE ON memberships TO keyrank_service;
GRANT UPDATE (role) ON memberships TO keyrank_service;

-- Whoever becomes a member does so by an invitation, whose secret was presented; others are changed and removed by admins.
CREATE POLICY invited ON memberships AS RESTRICTIVE FOR INSERT TO keyrank_service
  WITH CHECK (user_id = (SELECT current_member()) AND EXISTS (SELECT FROM invitations i
    WHERE i.hash = (SELECT presented_hash()) AND i.organization_id = memberships.organization_id AND i.role = memberships.role));
CREATE POLICY managed ON memberships AS RESTRICTIVE FOR UPDATE TO keyrank_service
  USING ((SELECT current_member_role()) IN ('owner', 'admin'));
CREATE POLICY managed_or_own ON memberships AS RESTRICTIVE FOR DELETE TO keyrank_service
  USING ((SELECT current_member_role()) IN ('owner', 'admin') OR user_id = (SELECT current_member()));

-- What people tell their keys apart by.
ALTER TABLE api_keys ADD COLUMN name text NOT NULL DEFAULT '' CHECK (char_length(name) <= 100);

-- As before; but a member who never had a key works in the browser, and their webhooks are told.
CREATE OR REPLACE FUNCTION webhook_pause(p_reason text, p_organization uuid, p_user uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(p_reason, (SELECT CASE WHEN NOT bool_or(k.disabled_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))
    THEN 'no_key' END FROM api_keys k WHERE k.organization_id = p_organization AND k.user_id = p_user))
$$;

CREATE POLICY own_act ON audit_log FOR INSERT TO keyrank_service
  WITH CHECK (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()));
CREATE POLICY admin ON audit_log FOR SELECT TO keyrank_service
  USING (organization_id = (SELECT current_organization()) AND (SELECT current_member_role()) IN ('owner', 'admin'));
GRANT SELECT, INSERT ON audit_log TO keyrank_service;

-- Servers keep accounts in memory, with the role and whether the user is an operator.
CREATE TRIGGER notify AFTER DELETE OR UPDATE OF organization_id, hash, expires_at
  ON sessions FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER notify AFTER DELETE OR UPDATE OF role
  ON memberships FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE FUNCTION notify_users() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('keyrank_accounts', NEW.id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER notify AFTER UPDATE OF is_operator ON users FOR EACH ROW EXECUTE FUNCTION notify_users();

-- As before, for sessions too: whose key or session has this hash, in what role, and the subscription of the organization.
DROP FUNCTION find_account(bytea);
CREATE FUNCTION find_account(p_hash bytea)
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
      NULL::timestamptz AS disabled_at INTO k FROM sessions s WHERE s.hash = p_hash;
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
