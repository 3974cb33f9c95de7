-- Searches of many organizations are decided in one statement and one commit, where the case is plain: the window is free, the
-- subscription active and the hour has room for all of them. Every other case is left to admit_searches, one organization at a time.

-- The tenants of a decision on several, named by the service at its start as a tenant is; NULL, and so no row at all, otherwise.
CREATE FUNCTION current_organizations() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT nullif(current_setting('keyrank.organization_ids', true), '')::uuid[] $$;

-- What a decision reads and writes, and nothing else.
DO $$
DECLARE
  named CONSTANT text := 'organization_id = ANY ((SELECT current_organizations())::uuid[])';
BEGIN
  EXECUTE format('CREATE POLICY deciding_see ON rate_windows FOR SELECT TO keyrank_service USING (%s)', named);
  EXECUTE format('CREATE POLICY deciding_lock ON rate_windows FOR UPDATE TO keyrank_service USING (%s)', named);
  EXECUTE format('CREATE POLICY deciding_see ON subscriptions FOR SELECT TO keyrank_service USING (%s)', named);
  EXECUTE format('CREATE POLICY deciding_see ON plans FOR SELECT TO keyrank_service
    USING (name = ANY (ARRAY(SELECT s.plan FROM subscriptions s WHERE s.%s)))', named);
  EXECUTE format('CREATE POLICY deciding_see ON rate_log FOR SELECT TO keyrank_service USING (%s)', named);
  EXECUTE format('CREATE POLICY deciding_add ON rate_log FOR INSERT TO keyrank_service WITH CHECK (%s)', named);
  EXECUTE format('CREATE POLICY deciding_delete ON rate_log FOR DELETE TO keyrank_service USING (%s)', named);
  EXECUTE format('CREATE POLICY deciding_add ON search_history FOR INSERT TO keyrank_service WITH CHECK (%s)', named);
  EXECUTE format('CREATE POLICY deciding ON usage_counts TO keyrank_service USING (%s) WITH CHECK (%1$s)', named);
  EXECUTE format('CREATE POLICY deciding ON usage_days TO keyrank_service USING (%s) WITH CHECK (%1$s)', named);
END $$;

-- As before; but a decision on several organizations counts the days itself, all in one statement.
DROP TRIGGER count_day ON usage_counts;
CREATE TRIGGER count_day AFTER INSERT OR UPDATE OF count ON usage_counts FOR EACH ROW
  WHEN (coalesce(current_setting('keyrank.is_restoring', true), '') = ''
    AND coalesce(current_setting('keyrank.organization_ids', true), '') = '') EXECUTE FUNCTION count_usage_day();

-- Admits all attempts of those organizations for which that is plain, and answers one row for each of them: what was counted
-- before, and with the attempts when the next slot frees. What has no row was left as it was. An attempt is
-- {id, organization, user, meter, endpoint, parameters}.
--
-- Windows that another decision has locked are passed over, so that nobody waits for another organization and no two decisions
-- wait for each other. Whatever else is locked fails the whole decision, soon: it is for the caller to ask for each on its own.
-- The plans do not depend on how many rows the tables had when they were made.
CREATE FUNCTION admit_together(p_organizations uuid[], p_attempts jsonb)
RETURNS TABLE (organization_id uuid, rate_limit integer, counted_before integer, resets_at timestamptz, decided_at timestamptz)
LANGUAGE plpgsql VOLATILE
SET plan_cache_mode = force_generic_plan SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off
SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  v_free uuid[];
  v_now timestamptz;
BEGIN
  PERFORM set_config('keyrank.organization_ids', p_organizations::text, true), set_config('lock_timeout', '20', true);
  v_free := ARRAY(SELECT w.organization_id FROM rate_windows w
    WHERE w.organization_id = ANY (p_organizations) FOR UPDATE SKIP LOCKED);
  v_now := rate_clock();
  RETURN QUERY WITH attempt AS MATERIALIZED (
    SELECT a.id, a.organization, a."user", a.meter, a.endpoint, a.parameters
    FROM jsonb_to_recordset(p_attempts)
      AS a (id uuid, organization uuid, "user" uuid, meter text, endpoint text, parameters jsonb)
    WHERE a.organization = ANY (v_free)
  ), plain AS MATERIALIZED (
    SELECT o.id, p.searches_per_hour, hour.*
    FROM (SELECT organization AS id, count(*)::integer AS attempts FROM attempt GROUP BY organization) o
    JOIN subscriptions s ON s.organization_id = o.id AND s.status = 'active' AND (s.period_end IS NULL OR s.period_end > v_now)
    JOIN plans p ON p.name = s.plan
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE l.admitted_at > v_now - interval '1 hour')::integer AS counted,
        min(l.admitted_at) FILTER (WHERE l.admitted_at > v_now - interval '1 hour') AS oldest,
        min(l.admitted_at) AS first, max(l.admitted_at) AS last
      FROM rate_log l WHERE l.organization_id = o.id
    ) hour
    -- Nothing that was admitted by a clock that was ahead.
    WHERE hour.counted + o.attempts <= p.searches_per_hour AND (hour.last IS NULL OR hour.last <= v_now)
  ), admitted AS MATERIALIZED (
    SELECT a.* FROM attempt a WHERE a.organization IN (SELECT o.id FROM plain o)
  ), forgotten AS (
    DELETE FROM rate_log l USING plain o WHERE l.organization_id = o.id AND o.first <= v_now - interval '1 hour'
      AND l.admitted_at <= v_now - interval '1 hour'
  ), logged AS (
    INSERT INTO rate_log (organization_id, admitted_at) SELECT a.organization, v_now FROM admitted a
  ), counted_month AS (
    INSERT INTO usage_counts AS u (organization_id, month, meter, count)
      SELECT a.organization, date_trunc('month', v_now AT TIME ZONE 'UTC'), a.meter, count(*)
      FROM admitted a GROUP BY a.organization, a.meter
      ON CONFLICT ON CONSTRAINT usage_counts_pkey DO UPDATE SET count = u.count + excluded.count
  ), counted_day AS (
    INSERT INTO usage_days AS u (organization_id, day, meter, count)
      SELECT a.organization, (v_now AT TIME ZONE 'UTC')::date, a.meter, count(*)
      FROM admitted a GROUP BY a.organization, a.meter
      ON CONFLICT ON CONSTRAINT usage_days_pkey DO UPDATE SET count = u.count + excluded.count
  ), noted AS (
    INSERT INTO search_history (id, organization_id, user_id, searched_at, endpoint, parameters)
      SELECT a.id, a.organization, a."user", v_now, a.endpoint, a.parameters FROM admitted a
  )
  SELECT o.id, o.searches_per_hour, o.counted,
    date_trunc('milliseconds', interval '999 microseconds' + interval '1 hour' + coalesce(o.oldest, v_now)), v_now
  FROM plain o;
END $$;
