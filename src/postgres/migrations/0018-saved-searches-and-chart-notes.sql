-- Searches that are kept under a name, and events that are noted on the chart. Both belong to the organization.

CREATE TABLE saved_searches (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  -- Equal for names that differ in case or spaces alone.
  name_key text NOT NULL,
  -- Path and query of the page.
  address text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, name_key)
);

CREATE TABLE chart_notes (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  date date NOT NULL,
  note text NOT NULL,
  -- The term as it was written, and the hash of its normalised form as in tracked_keywords; null for a note on every chart.
  search_term text,
  term_hash bytea CHECK (octet_length(term_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chart_notes_order ON chart_notes (organization_id, date, position);

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['saved_searches', 'chart_notes'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY operator ON %I TO keyrank_operator USING (true) WITH CHECK (true)', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO keyrank_operator', table_name);
    EXECUTE format('CREATE POLICY organization ON %I TO keyrank_service
      USING (organization_id = (SELECT current_organization()))
      WITH CHECK (organization_id = (SELECT current_organization()))', table_name);
    EXECUTE format('GRANT SELECT, INSERT, DELETE ON %I TO keyrank_service', table_name);
  END LOOP;
END $$;

GRANT UPDATE (name, name_key, address, updated_at) ON saved_searches TO keyrank_service;
GRANT UPDATE (date, note, search_term, term_hash, updated_at) ON chart_notes TO keyrank_service;
