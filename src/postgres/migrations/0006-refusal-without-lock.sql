-- A search that finds another decision of its organization under way no longer waits for it when the hour is full already:
-- a full hour can be seen without the lock. So a flood over the limit neither queues nor writes, on however many servers.
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
