-- Accounts, keys, the rate log and what callers leave behind. Every tenant table carries organization_id, and row-level
-- security is enabled and forced on all of them, so that a forgotten WHERE clause shows nothing instead of everything.
--
-- Two roles work on these tables; neither can bypass row-level security:
--   keyrank_service   answers requests; sees the rows of the organization (and user) named by the transaction's settings
--   keyrank_operator  the command line and background jobs; sees all organizations

DO $$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['keyrank_service', 'keyrank_operator'] LOOP
    BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role_name) THEN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOBYPASSRLS', role_name);
      END IF;
    EXCEPTION WHEN duplicate_object THEN
      NULL; -- Roles belong to the whole server: another database's migration was faster.
    END;
    IF NOT pg_has_role(current_user, role_name, 'MEMBER') THEN
      EXECUTE format('GRANT %I TO CURRENT_USER', role_name);
    END IF;
  END LOOP;
END $$;

GRANT USAGE ON SCHEMA keyrank TO keyrank_service, keyrank_operator;

CREATE TABLE organizations (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX organizations_name ON organizations (lower(name));

-- A user may belong to several organizations.
CREATE TABLE users (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  email text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE memberships (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  user_id uuid NOT NULL REFERENCES users ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX memberships_user ON memberships (user_id);

CREATE TABLE subscriptions (
  organization_id uuid PRIMARY KEY REFERENCES organizations ON DELETE CASCADE,
  plan text NOT NULL CHECK (plan IN ('pro', 'studio')),
  status text NOT NULL CHECK (status IN ('active', 'inactive')),
  period_end timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  prefix text NOT NULL,
  scopes text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  disabled_at timestamptz,
  last_used_at timestamptz,
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX api_keys_member ON api_keys (organization_id, user_id);

-- One row per organization, locked while a search is admitted.
CREATE TABLE rate_windows (
  organization_id uuid PRIMARY KEY REFERENCES organizations ON DELETE CASCADE
);

-- One row per admitted search of the last hour; older rows are removed as new ones come.
CREATE TABLE rate_log (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  admitted_at timestamptz NOT NULL
);
CREATE INDEX rate_log_window ON rate_log (organization_id, admitted_at);

CREATE TABLE search_history (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  searched_at timestamptz NOT NULL,
  endpoint text NOT NULL,
  parameters jsonb NOT NULL,
  result_count bigint,
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX search_history_newest ON search_history (organization_id, user_id, searched_at DESC, id);

CREATE TABLE usage_counts (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  month date NOT NULL,
  meter text NOT NULL CHECK (meter IN ('search', 'exports', 'asin', 'alerts')),
  count bigint NOT NULL CHECK (count >= 0),
  PRIMARY KEY (organization_id, month, meter)
);

-- What operators did. organization_id has no foreign key: the record outlives the organization.
CREATE TABLE audit_log (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  occurred_at timestamptz NOT NULL DEFAULT now(),
  actor text NOT NULL,
  action text NOT NULL,
  organization_id uuid,
  details jsonb NOT NULL DEFAULT '{}'
);
CREATE INDEX audit_log_organization ON audit_log (organization_id, occurred_at);

-- The tenant of the running transaction, set by the service; NULL, and so no row at all, when it was not set.
CREATE FUNCTION current_organization() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT nullif(current_setting('keyrank.organization_id', true), '')::uuid $$;
CREATE FUNCTION current_member() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT nullif(current_setting('keyrank.user_id', true), '')::uuid $$;

-- The clock of the rate limit. Not now(), which stands still from the start of the transaction: it must be read after
-- the row lock was won.
CREATE FUNCTION rate_clock() RETURNS timestamptz LANGUAGE sql VOLATILE AS
  $$ SELECT clock_timestamp() $$;

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['organizations', 'users', 'memberships', 'subscriptions', 'api_keys',
    'rate_windows', 'rate_log', 'search_history', 'usage_counts', 'audit_log'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY operator ON %I TO keyrank_operator USING (true) WITH CHECK (true)', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO keyrank_operator', table_name);
  END LOOP;
  FOREACH table_name IN ARRAY ARRAY['memberships', 'subscriptions', 'rate_windows', 'rate_log', 'usage_counts'] LOOP
    EXECUTE format('CREATE POLICY organization ON %I TO keyrank_service
      USING (organization_id = (SELECT current_organization()))
      WITH CHECK (organization_id = (SELECT current_organization()))', table_name);
  END LOOP;
END $$;

CREATE POLICY organization ON organizations TO keyrank_service
  USING (id = (SELECT current_organization()));
CREATE POLICY organization ON users TO keyrank_service
  USING (id = (SELECT current_member()));
CREATE POLICY member ON search_history TO keyrank_service
  USING (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()));
-- Searches of several members may be admitted at once.
CREATE POLICY admission ON search_history FOR INSERT TO keyrank_service
  WITH CHECK (organization_id = (SELECT current_organization()));
-- Before a key is known there is no tenant: a row can be seen by whoever presents its hash.
CREATE POLICY organization ON api_keys TO keyrank_service
  USING (organization_id = (SELECT current_organization())
    OR hash = decode(current_setting('keyrank.key_hash', true), 'hex'));

GRANT SELECT ON organizations, users, memberships, subscriptions, api_keys TO keyrank_service;
GRANT UPDATE (last_used_at) ON api_keys TO keyrank_service;
GRANT SELECT, UPDATE ON rate_windows TO keyrank_service;
GRANT SELECT, INSERT, DELETE ON rate_log TO keyrank_service;
GRANT SELECT, INSERT, DELETE ON search_history TO keyrank_service;
GRANT UPDATE (result_count) ON search_history TO keyrank_service;
GRANT SELECT, INSERT, UPDATE ON usage_counts TO keyrank_service;

-- Servers keep keys and subscriptions in memory; they hear of every change that matters to access.
CREATE FUNCTION notify_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('keyrank_accounts', coalesce(NEW.organization_id, OLD.organization_id)::text);
  RETURN NULL;
END $$;
CREATE TRIGGER notify AFTER INSERT OR DELETE OR UPDATE OF hash, scopes, expires_at, disabled_at
  ON api_keys FOR EACH ROW EXECUTE FUNCTION notify_accounts();
CREATE TRIGGER notify AFTER INSERT OR DELETE OR UPDATE
  ON subscriptions FOR EACH ROW EXECUTE FUNCTION notify_accounts();

-- The key with this hash and the subscription of its organization, in one round trip.
CREATE FUNCTION find_account(p_hash bytea)
RETURNS TABLE (key_id uuid, organization_id uuid, user_id uuid, scopes text[], expires_at timestamptz,
  disabled_at timestamptz, plan text, status text, period_end timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  k api_keys;
BEGIN
  PERFORM set_config('keyrank.key_hash', encode(p_hash, 'hex'), true);
  SELECT * INTO k FROM api_keys WHERE api_keys.hash = p_hash;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM set_config('keyrank.organization_id', k.organization_id::text, true);
  RETURN QUERY SELECT k.id, k.organization_id, k.user_id, k.scopes, k.expires_at, k.disabled_at, s.plan, s.status,
      s.period_end
    FROM (SELECT) AS always LEFT JOIN subscriptions s ON s.organization_id = k.organization_id;
END $$;

-- How full the hour before p_now is, and when the next slot frees: when the oldest counted search turns one hour old,
-- or, with more counted than the limit allows (after a downgrade), when enough have. Rounded up to the millisecond,
-- the precision of the service's clock type: a promise of a free slot must not come early.
CREATE FUNCTION rate_state(p_organization uuid, p_limit integer, p_now timestamptz)
RETURNS TABLE (counted integer, resets_at timestamptz)
LANGUAGE sql STABLE AS $$
  WITH entries AS MATERIALIZED (
    SELECT admitted_at, row_number() OVER (ORDER BY admitted_at) AS position, count(*) OVER () AS total
    FROM rate_log WHERE organization_id = p_organization AND admitted_at > p_now - interval '1 hour'
  )
  SELECT coalesce(max(total), 0)::integer,
    date_trunc('milliseconds', interval '999 microseconds'
      + coalesce(min(admitted_at) FILTER (WHERE position > total - p_limit) + interval '1 hour', p_now))
  FROM entries
$$;

-- Reads the limit without spending from it.
CREATE FUNCTION read_rate_limit(p_organization uuid, p_limits jsonb)
RETURNS TABLE (rate_limit integer, counted integer, resets_at timestamptz, decided_at timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := rate_clock();
BEGIN
  PERFORM set_config('keyrank.organization_id', p_organization::text, true);
  RETURN QUERY SELECT (p_limits ->> s.plan)::integer, r.counted, r.resets_at, v_now
    FROM subscriptions s, rate_state(p_organization, (p_limits ->> s.plan)::integer, v_now) r
    WHERE s.organization_id = p_organization AND s.status = 'active' AND (s.period_end IS NULL OR s.period_end > v_now);
END $$;

-- Admits as many of the attempted searches as the hour has room for, in their order: locks the organization's window,
-- reads the clock, counts, and writes the rate log, the meters and the history together. An attempt is
-- {id, user, meter, endpoint, parameters}. No row comes back when the subscription is not active.
CREATE FUNCTION admit_searches(p_organization uuid, p_limits jsonb, p_attempts jsonb)
RETURNS TABLE (admitted boolean, rate_limit integer, counted integer, resets_at timestamptz, decided_at timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz;
  v_limit integer;
  v_before integer;
  v_room integer;
  v_resets_at timestamptz;
BEGIN
  PERFORM set_config('keyrank.organization_id', p_organization::text, true);
  PERFORM FROM rate_windows w WHERE w.organization_id = p_organization FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'organization % has no rate window to lock', p_organization; END IF;
  v_now := rate_clock();

  SELECT (p_limits ->> s.plan)::integer INTO v_limit FROM subscriptions s
    WHERE s.organization_id = p_organization AND s.status = 'active' AND (s.period_end IS NULL OR s.period_end > v_now);
  IF NOT FOUND THEN RETURN; END IF;

  SELECT r.counted INTO v_before FROM rate_state(p_organization, v_limit, v_now) r;
  v_room := greatest(0, v_limit - v_before);
  IF v_room > 0 THEN
    DELETE FROM rate_log l WHERE l.organization_id = p_organization AND l.admitted_at <= v_now - interval '1 hour';
    INSERT INTO rate_log (organization_id, admitted_at)
      SELECT p_organization, v_now FROM generate_series(1, least(v_room, jsonb_array_length(p_attempts)));
    INSERT INTO usage_counts AS u (organization_id, month, meter, count)
      SELECT p_organization, date_trunc('month', v_now AT TIME ZONE 'UTC'), a.value ->> 'meter', count(*)
      FROM jsonb_array_elements(p_attempts) WITH ORDINALITY AS a (value, position)
      WHERE a.position <= v_room GROUP BY a.value ->> 'meter'
      ON CONFLICT ON CONSTRAINT usage_counts_pkey DO UPDATE SET count = u.count + excluded.count;
    INSERT INTO search_history (id, organization_id, user_id, searched_at, endpoint, parameters)
      SELECT (a.value ->> 'id')::uuid, p_organization, (a.value ->> 'user')::uuid, v_now, a.value ->> 'endpoint',
        a.value -> 'parameters'
      FROM jsonb_array_elements(p_attempts) WITH ORDINALITY AS a (value, position) WHERE a.position <= v_room;
  END IF;
  -- The same for all of them: with room left it is the oldest search that frees the next slot, and without it was so too.
  SELECT r.resets_at INTO v_resets_at FROM rate_state(p_organization, v_limit, v_now) r;
  RETURN QUERY SELECT a.position <= v_room, v_limit, v_before + least(a.position, v_room)::integer, v_resets_at, v_now
    FROM jsonb_array_elements(p_attempts) WITH ORDINALITY AS a (value, position) ORDER BY a.position;
END $$;

-- Writes the result counts of answered searches, [{organization, user, id, count}], of any tenants. They are for reading
-- only, so the disk need not be waited for.
CREATE FUNCTION record_result_counts(p_results jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  r jsonb;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  FOR r IN SELECT value FROM jsonb_array_elements(p_results) LOOP
    PERFORM set_config('keyrank.organization_id', r ->> 'organization', true);
    PERFORM set_config('keyrank.user_id', r ->> 'user', true);
    UPDATE search_history h SET result_count = (r ->> 'count')::bigint WHERE h.id = (r ->> 'id')::uuid;
  END LOOP;
END $$;
