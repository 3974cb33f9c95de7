-- Exports that are running now. A lease that is not renewed has lost its server and counts no longer.
CREATE TABLE export_leases (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  expires_at timestamptz NOT NULL
);
CREATE INDEX export_leases_organization ON export_leases (organization_id);

ALTER TABLE export_leases ENABLE ROW LEVEL SECURITY;
ALTER TABLE export_leases FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON export_leases TO keyrank_operator USING (true) WITH CHECK (true);
CREATE POLICY organization ON export_leases TO keyrank_service
  USING (organization_id = (SELECT current_organization()))
  WITH CHECK (organization_id = (SELECT current_organization()));
GRANT SELECT, INSERT, UPDATE, DELETE ON export_leases TO keyrank_operator, keyrank_service;

-- Takes one of the organization's places for running exports and counts the export; false when all are taken.
CREATE FUNCTION begin_export(p_organization uuid, p_lease uuid, p_places integer, p_lease_time interval)
RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('keyrank.organization_id', p_organization::text, true);
  PERFORM FROM rate_windows w WHERE w.organization_id = p_organization FOR UPDATE;
  DELETE FROM export_leases l WHERE l.organization_id = p_organization AND l.expires_at <= clock_timestamp();
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
