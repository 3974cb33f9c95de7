-- A clock of the database that jumps ahead and back leaves dates behind that have not come yet. What is dated in the future
-- happened, but nobody knows when; it is taken to have happened now. So a search dated a month ahead counts for one hour more and
-- not for a month, and never for less than its true hour.

GRANT UPDATE (admitted_at) ON rate_log TO keyrank_service;

-- As before, with what lies far ahead taken for now. (What lies less than a minute ahead may be younger than p_now.)
CREATE OR REPLACE FUNCTION rate_state(p_organization uuid, p_limit integer, p_now timestamptz)
RETURNS TABLE (counted integer, resets_at timestamptz)
LANGUAGE sql STABLE AS $$
  WITH dated AS (
    SELECT CASE WHEN l.admitted_at > p_now + interval '1 minute' THEN p_now ELSE l.admitted_at END AS admitted_at
    FROM rate_log l WHERE l.organization_id = p_organization AND l.admitted_at > p_now - interval '1 hour'
  ), entries AS MATERIALIZED (
    SELECT admitted_at, row_number() OVER (ORDER BY admitted_at) AS position, count(*) OVER () AS total FROM dated
  )
  SELECT coalesce(max(total), 0)::integer,
    date_trunc('milliseconds', interval '999 microseconds'
      + coalesce(min(admitted_at) FILTER (WHERE position > total - p_limit) + interval '1 hour', p_now))
  FROM entries
$$;

-- Whoever only looks starts the hour too, or it would begin anew with every look.
CREATE OR REPLACE FUNCTION read_rate_limit(p_organization uuid, p_limits jsonb)
RETURNS TABLE (rate_limit integer, counted integer, resets_at timestamptz, decided_at timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := rate_clock();
BEGIN
  PERFORM set_config('keyrank.organization_id', p_organization::text, true);
  UPDATE rate_log l SET admitted_at = v_now
    WHERE l.organization_id = p_organization AND l.admitted_at > v_now + interval '1 minute';
  RETURN QUERY SELECT (p_limits ->> s.plan)::integer, r.counted, r.resets_at, v_now
    FROM subscriptions s, rate_state(p_organization, (p_limits ->> s.plan)::integer, v_now) r
    WHERE s.organization_id = p_organization AND s.status = 'active' AND (s.period_end IS NULL OR s.period_end > v_now);
END $$;

CREATE OR REPLACE FUNCTION admit_searches(p_organization uuid, p_limits jsonb, p_attempts jsonb)
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
      JOIN subscriptions s ON s.organization_id = p_organization AND s.status = 'active'
        AND (s.period_end IS NULL OR s.period_end > c.now)
      CROSS JOIN LATERAL (SELECT (p_limits ->> s.plan)::integer AS rate_limit) l
      CROSS JOIN LATERAL rate_state(p_organization, l.rate_limit, c.now) r;
    IF FOUND AND v_before >= v_limit THEN
      RETURN QUERY SELECT false, v_limit, v_before, v_resets_at, v_now FROM jsonb_array_elements(p_attempts);
      RETURN;
    END IF;
    PERFORM FROM rate_windows w WHERE w.organization_id = p_organization FOR UPDATE;
    IF NOT FOUND THEN RAISE EXCEPTION 'organization % has no rate window to lock', p_organization; END IF;
  END IF;
  v_now := rate_clock();
  -- Read under the lock: whatever is dated later was admitted by a clock that was ahead.
  UPDATE rate_log l SET admitted_at = v_now WHERE l.organization_id = p_organization AND l.admitted_at > v_now;

  SELECT (p_limits ->> s.plan)::integer INTO v_limit FROM subscriptions s
    WHERE s.organization_id = p_organization AND s.status = 'active' AND (s.period_end IS NULL OR s.period_end > v_now);
  IF NOT FOUND THEN RETURN; END IF;

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

-- The same for places of running exports: none ends later than a lease begun now.
CREATE OR REPLACE FUNCTION begin_export(p_organization uuid, p_lease uuid, p_places integer, p_lease_time interval)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('keyrank.organization_id', p_organization::text, true);
  PERFORM FROM rate_windows w WHERE w.organization_id = p_organization FOR UPDATE;
  DELETE FROM export_leases l WHERE l.organization_id = p_organization AND l.expires_at <= clock_timestamp();
  UPDATE export_leases l SET expires_at = clock_timestamp() + p_lease_time
    WHERE l.organization_id = p_organization AND l.expires_at > clock_timestamp() + p_lease_time;
  IF (SELECT count(*) FROM export_leases l WHERE l.organization_id = p_organization) >= p_places THEN
    RETURN false;
  END IF;
  INSERT INTO export_leases (id, organization_id, expires_at)
    VALUES (p_lease, p_organization, clock_timestamp() + p_lease_time);
  INSERT INTO usage_counts AS u (organization_id, month, meter, count)
    VALUES (p_organization, date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC'), 'exports', 1)
    ON CONFLICT ON CONSTRAINT usage_counts_pkey DO UPDATE SET count = u.count + 1;
  RETURN true;
END $$;

-- What no request looks at is mended by a job: news and messages that would wait for the date to come, and answers that would be
-- kept until then. Each bound is beyond anything that the service itself writes.
CREATE FUNCTION mend_future_dates() RETURNS void LANGUAGE sql VOLATILE AS $$
  UPDATE publications SET next_attempt_at = now() WHERE next_attempt_at > now() + interval '1 hour';
  UPDATE webhook_deliveries SET next_attempt_at = now()
    WHERE status = 'pending' AND next_attempt_at > now() + interval '2 days';
  UPDATE idempotency_keys SET created_at = now() WHERE created_at > now() + interval '1 minute';
$$;
