-- What was used on each day, beside what was used in each month: every addition to a month is one to the day it is made on.
CREATE TABLE usage_days (
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  day date NOT NULL,
  meter text NOT NULL,
  count bigint NOT NULL CHECK (count >= 0),
  PRIMARY KEY (organization_id, day, meter)
);
ALTER TABLE usage_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_days FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON usage_days TO keyrank_operator USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON usage_days TO keyrank_operator;
CREATE POLICY organization ON usage_days TO keyrank_service
  USING (organization_id = (SELECT current_organization()))
  WITH CHECK (organization_id = (SELECT current_organization()));
GRANT SELECT, INSERT, UPDATE ON usage_days TO keyrank_service;

CREATE FUNCTION count_usage_day() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_before bigint := CASE WHEN TG_OP = 'UPDATE' THEN OLD.count ELSE 0 END;
BEGIN
  IF NEW.count > v_before THEN
    INSERT INTO usage_days AS d (organization_id, day, meter, count)
      VALUES (NEW.organization_id, (rate_clock() AT TIME ZONE 'UTC')::date, NEW.meter, NEW.count - v_before)
      ON CONFLICT (organization_id, day, meter) DO UPDATE SET count = d.count + excluded.count;
  END IF;
  RETURN NULL;
END $$;
-- A restore brings the days themselves.
CREATE TRIGGER count_day AFTER INSERT OR UPDATE OF count ON usage_counts FOR EACH ROW
  WHEN (coalesce(current_setting('keyrank.is_restoring', true), '') = '') EXECUTE FUNCTION count_usage_day();

-- A message to try a webhook out with.
GRANT INSERT (organization_id, webhook_id, event, event_key, payload) ON webhook_deliveries TO keyrank_service;
