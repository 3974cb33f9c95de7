-- Products that users watch, and what they were told about them.

CREATE TABLE tracked_products (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- The order in which products were added.
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  asin text NOT NULL,
  notes text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, user_id, asin),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX tracked_products_active ON tracked_products (organization_id, user_id) WHERE is_active;

-- A product's changes in a period are told once, however often the period is revised.
CREATE TABLE product_changes (
  tracked_product_id uuid NOT NULL REFERENCES tracked_products ON DELETE CASCADE,
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  marketplace text NOT NULL,
  frequency text NOT NULL,
  year integer NOT NULL,
  number integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tracked_product_id, marketplace, frequency, year, number)
);

-- What was true when the digest was made, one entry per product.
ALTER TABLE digests ADD COLUMN products jsonb NOT NULL DEFAULT '[]';

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['tracked_products', 'product_changes'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY operator ON %I TO keyrank_operator USING (true) WITH CHECK (true)', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO keyrank_operator', table_name);
  END LOOP;
END $$;

CREATE POLICY member ON tracked_products TO keyrank_service
  USING (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()))
  WITH CHECK (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()));

GRANT SELECT, INSERT, DELETE ON tracked_products TO keyrank_service;
GRANT UPDATE (notes, is_active, updated_at) ON tracked_products TO keyrank_service;
