-- Plans are rows. The three that ship cannot be changed; beside them operators make their own.
CREATE TABLE plans (
  name text PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9-]{0,39}$'),
  searches_per_hour integer NOT NULL CHECK (searches_per_hour BETWEEN 1 AND 100000),
  -- How many of the newest published periods it shows; NULL for all.
  months integer CHECK (months BETWEEN 1 AND 10000),
  weeks integer CHECK (weeks BETWEEN 1 AND 10000),
  is_built_in boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO plans (name, searches_per_hour, months, weeks, is_built_in) VALUES
  ('pro', 100, 24, 6, true),
  ('studio', 500, NULL, 6, true),
  ('owner', 10000, NULL, NULL, true);

-- A plan cannot go while an organization has it, nor an organization get one that goes.
ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_plan_check;
ALTER TABLE subscriptions ADD FOREIGN KEY (plan) REFERENCES plans (name);
CREATE INDEX subscriptions_plan ON subscriptions (plan);

ALTER TABLE plans ENABLE ROW LEVEL SECURITY;
ALTER TABLE plans FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON plans TO keyrank_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON plans TO keyrank_operator;
-- A tenant sees its own plan.
CREATE POLICY organization ON plans FOR SELECT TO keyrank_service USING (name =
  (SELECT s.plan FROM subscriptions s WHERE s.organization_id = (SELECT current_organization())));
GRANT SELECT ON plans TO keyrank_service;

-- Servers keep the plan with each account.
CREATE FUNCTION notify_plans() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('keyrank_accounts', NEW.name);
  RETURN NULL;
END $$;
CREATE TRIGGER notify AFTER UPDATE ON plans FOR EACH ROW EXECUTE FUNCTION notify_plans();

-- As before, with the numbers of the plan.
DROP FUNCTION find_account(bytea);
CREATE FUNCTION find_account(p_hash bytea)
RETURNS TABLE (key_id uuid, organization_id uuid, user_id uuid, scopes text[], expires_at timestamptz,
  disabled_at timestamptz, plan text, status text, period_end timestamptz, searches_per_hour integer, months integer,
  weeks integer)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  k api_keys;
BEGIN
  PERFORM set_config('keyrank.key_hash', encode(p_hash, 'hex'), true);
  SELECT * INTO k FROM api_keys WHERE api_keys.hash = p_hash;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM set_config('keyrank.organization_id', k.organization_id::text, true);
  RETURN QUERY SELECT k.id, k.organization_id, k.user_id, k.scopes, k.expires_at, k.disabled_at, s.plan, s.status,
      s.period_end, p.searches_per_hour, p.months, p.weeks
    FROM (SELECT) AS always
    LEFT JOIN (subscriptions s JOIN plans p ON p.name = s.plan) ON s.organization_id = k.organization_id;
END $$;

-- Searches per hour of an organization, by its plan as it is at this moment; NULL without an active subscription.
CREATE FUNCTION active_limit(p_organization uuid, p_now timestamptz) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT p.searches_per_hour FROM subscriptions s JOIN plans p ON p.name = s.plan
    WHERE s.organization_id = p_organization AND s.status = 'active' AND (s.period_end IS NULL OR s.period_end > p_now)
$$;

-- As before in what it says. With thousands of searches in the hour it matters that they are counted in one pass, and sorted only
-- where there are more than the limit.
CREATE OR REPLACE FUNCTION rate_state(p_organization uuid, p_limit integer, p_now timestamptz)
RETURNS TABLE (counted integer, resets_at timestamptz)
LANGUAGE sql STABLE AS $$
  WITH dated AS NOT MATERIALIZED (
    SELECT CASE WHEN l.admitted_at > p_now + interval '1 minute' THEN p_now ELSE l.admitted_at END AS admitted_at
    FROM rate_log l WHERE l.organization_id = p_organization AND l.admitted_at > p_now - interval '1 hour'
  )
  SELECT hour.total, date_trunc('milliseconds', interval '999 microseconds' + coalesce(interval '1 hour' +
      CASE WHEN hour.total <= p_limit THEN hour.oldest
        ELSE (SELECT d.admitted_at FROM dated d ORDER BY d.admitted_at OFFSET hour.total - p_limit LIMIT 1) END, p_now))
  FROM (SELECT count(*)::integer AS total, min(admitted_at) AS oldest FROM dated) hour
$$;

-- Servers of the version before call these for the minutes of an upgrade.
CREATE OR REPLACE FUNCTION read_rate_limit(p_organization uuid, p_limits jsonb)
RETURNS TABLE (rate_limit integer, counted integer, resets_at timestamptz, decided_at timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY SELECT * FROM read_rate_limit(p_organization);
END $$;
CREATE OR REPLACE FUNCTION admit_searches(p_organization uuid, p_limits jsonb, p_attempts jsonb)
RETURNS TABLE (admitted boolean, rate_limit integer, counted integer, resets_at timestamptz, decided_at timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY SELECT * FROM admit_searches(p_organization, p_attempts);
END $$;

-- As before, with the limit of the plan in place of one that the server names.
CREATE FUNCTION read_rate_limit(p_organization uuid)
RETURNS TABLE (rate_limit integer, counted integer, resets_at timestamptz, decided_at timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := rate_clock();
BEGIN
  PERFORM set_config('keyrank.organization_id', p_organization::text, true);
  UPDATE rate_log l SET admitted_at = v_now
    WHERE l.organization_id = p_organization AND l.admitted_at > v_now + interval '1 minute';
  RETURN QUERY SELECT l.rate_limit, r.counted, r.resets_at, v_now
    FROM (SELECT active_limit(p_organization, v_now) AS rate_limit) l, rate_state(p_organization, l.rate_limit, v_now) r
    WHERE l.rate_limit IS NOT NULL;
END $$;

CREATE FUNCTION admit_searches(p_organization uuid, p_attempts jsonb)
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
  PERFORM FROM rate_windows w WHERE w.organization_id = p_organization FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    -- The clock is read within the statement, and so behind its snapshot: whatever is counted was there at that moment.
    SELECT c.now, l.rate_limit, r.counted, r.resets_at INTO v_now, v_limit, v_before, v_resets_at
      FROM (SELECT rate_clock() AS now OFFSET 0) c
      CROSS JOIN LATERAL (SELECT active_limit(p_organization, c.now) AS rate_limit) l
      CROSS JOIN LATERAL rate_state(p_organization, l.rate_limit, c.now) r;
    IF v_before >= v_limit THEN
      RETURN QUERY SELECT false, v_limit, v_before, v_resets_at, v_now FROM jsonb_array_elements(p_attempts);
      RETURN;
    END IF;
    PERFORM FROM rate_windows w WHERE w.organization_id = p_organization FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'organization % has no rate window to lock', p_organization; END IF;
  END IF;
  v_now := rate_clock();
  -- Read under the lock: whatever is dated later was admitted by a clock that was ahead.
  UPDATE rate_log l SET admitted_at = v_now WHERE l.organization_id = p_organization AND l.admitted_at > v_now;

  v_limit := active_limit(p_organization, v_now);
  IF v_limit IS NULL THEN RETURN; END IF;

  SELECT r.counted, r.resets_at INTO v_before, v_resets_at FROM rate_state(p_organization, v_limit, v_now) r;
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
    -- Only the first search of an hour changes when the next slot frees.
    IF v_before = 0 THEN SELECT r.resets_at INTO v_resets_at FROM rate_state(p_organization, v_limit, v_now) r; END IF;
  END IF;
  -- The same for all of them: with room left it is the oldest search that frees the next slot, and without it was so too.
  RETURN QUERY SELECT a.position <= v_room, v_limit, v_before + least(a.position, v_room)::integer, v_resets_at, v_now
    FROM jsonb_array_elements(p_attempts) WITH ORDINALITY AS a (value, position) ORDER BY a.position;
END $$;
