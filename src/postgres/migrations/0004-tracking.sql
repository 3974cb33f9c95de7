-- Keywords that users watch, what they were told about them, and the queue of publications that still have to be told.

CREATE TABLE tracked_keywords (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  -- The order in which keywords were added.
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  original_term text NOT NULL,
  normalized_term text NOT NULL,
  -- SHA-256 of the normalised term: a term may be longer than an index entry.
  term_hash bytea NOT NULL CHECK (octet_length(term_hash) = 32),
  notes text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  priority_enabled boolean NOT NULL,
  priority_field text NOT NULL,
  priority_operator text NOT NULL,
  priority_value double precision NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, user_id, term_hash),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX tracked_keywords_active ON tracked_keywords (organization_id, user_id) WHERE is_active;

-- One for each member and published period. The rows are what was true when it was made.
CREATE TABLE digests (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  marketplace text NOT NULL,
  frequency text NOT NULL,
  year integer NOT NULL,
  number integer NOT NULL,
  rows jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  read_at timestamptz,
  UNIQUE (organization_id, user_id, marketplace, frequency, year, number),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX digests_newest ON digests (organization_id, user_id, created_at DESC, id);

-- A keyword alerts once for a period, however often the period is revised.
CREATE TABLE priority_hits (
  tracked_keyword_id uuid NOT NULL REFERENCES tracked_keywords ON DELETE CASCADE,
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  marketplace text NOT NULL,
  frequency text NOT NULL,
  year integer NOT NULL,
  number integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tracked_keyword_id, marketplace, frequency, year, number)
);

-- Answers of requests that may be repeated; kept for a day.
CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  key text NOT NULL,
  -- SHA-256 of the request.
  fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
  -- Empty only inside the transaction that is at work.
  answer text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id, key),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- What was published and has not been told to everyone yet. Rows come with the transaction that publishes, and go with
-- the one that has finished telling. They belong to no tenant.
CREATE TABLE publications (
  id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  marketplace text NOT NULL,
  source text NOT NULL,
  frequency text NOT NULL,
  year integer NOT NULL,
  number integer NOT NULL,
  revision integer NOT NULL,
  start_date date NOT NULL,
  end_date date NOT NULL,
  keywords bigint NOT NULL,
  published_at timestamptz NOT NULL,
  -- A server that has not loaded this version yet cannot tell of it.
  manifest_version bigint NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT now()
);

GRANT SELECT, INSERT, UPDATE, DELETE ON publications TO keyrank_operator;

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['tracked_keywords', 'digests', 'priority_hits', 'idempotency_keys'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY operator ON %I TO keyrank_operator USING (true) WITH CHECK (true)', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO keyrank_operator', table_name);
  END LOOP;
  FOREACH table_name IN ARRAY ARRAY['tracked_keywords', 'digests', 'idempotency_keys'] LOOP
    EXECUTE format('CREATE POLICY member ON %I TO keyrank_service
      USING (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()))
      WITH CHECK (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()))',
      table_name);
  END LOOP;
END $$;

GRANT SELECT, INSERT, DELETE ON tracked_keywords TO keyrank_service;
GRANT UPDATE (notes, is_active, priority_enabled, priority_field, priority_operator, priority_value, updated_at)
  ON tracked_keywords TO keyrank_service;
GRANT SELECT ON digests TO keyrank_service;
GRANT UPDATE (read_at) ON digests TO keyrank_service;
GRANT SELECT, INSERT, DELETE ON idempotency_keys TO keyrank_service;
GRANT UPDATE (answer) ON idempotency_keys TO keyrank_service;
