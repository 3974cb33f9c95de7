-- Named lists of keywords and products. They belong to the organization: every member reads and changes them.

CREATE TABLE lists (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- The order in which lists were made.
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  name text NOT NULL,
  -- Equal for names that differ in case or spaces alone.
  name_key text NOT NULL,
  notes text NOT NULL,
  -- The rule of keywords that are tracked without one of their own; null without one.
  priority_rule jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, id),
  UNIQUE (organization_id, name_key)
);

CREATE TABLE list_items (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- The order in which items were added.
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  organization_id uuid NOT NULL,
  list_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('keyword', 'product')),
  -- The term as it was written, or the ASIN.
  value text NOT NULL,
  -- SHA-256 of the normalised term, as in tracked_keywords, or of the ASIN.
  value_hash bytea NOT NULL CHECK (octet_length(value_hash) = 32),
  tags text[] NOT NULL,
  notes text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (list_id, kind, value_hash),
  -- An item belongs to the organization of its list.
  FOREIGN KEY (organization_id, list_id) REFERENCES lists (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX list_items_order ON list_items (list_id, position);
-- Which lists have a keyword.
CREATE INDEX list_items_value ON list_items (organization_id, kind, value_hash);

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['lists', 'list_items'] LOOP
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

GRANT UPDATE (name, name_key, notes, priority_rule, updated_at) ON lists TO keyrank_service;
GRANT UPDATE (tags, notes, updated_at) ON list_items TO keyrank_service;
