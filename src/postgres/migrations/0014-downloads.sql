-- Accounts at Amazon from which reports are fetched, and every period that is, was or will be fetched. They belong to the operator:
-- the role that answers requests sees nothing of them.

CREATE TABLE connections (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE,
  region text NOT NULL CHECK (region IN ('na', 'eu', 'fe')),
  marketplaces text[] NOT NULL,
  client_id text NOT NULL,
  -- Sealed with AES-256-GCM by the key of this id, which is not in the database.
  secrets bytea NOT NULL,
  key_id text NOT NULL,
  look_back_weeks integer NOT NULL,
  look_back_months integer NOT NULL,
  since date,
  created_at timestamptz NOT NULL DEFAULT now(),
  disabled_at timestamptz,
  -- Nothing is asked for until then, and why.
  held_until timestamptz,
  fault text
);

-- How often each operation may be asked for, for one account over all servers. Generic cell rate algorithm: free_at is when all
-- requests so far would be paid off, one every interval.
CREATE TABLE connection_rates (
  connection_id uuid NOT NULL REFERENCES connections ON DELETE CASCADE,
  operation text NOT NULL,
  interval_ms bigint NOT NULL CHECK (interval_ms > 0),
  burst integer NOT NULL CHECK (burst >= 1),
  free_at timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (connection_id, operation)
);

CREATE TABLE downloads (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  connection_id uuid NOT NULL REFERENCES connections ON DELETE CASCADE,
  marketplace text NOT NULL CHECK (marketplace ~ '^[A-Z]{2}$'),
  frequency text NOT NULL CHECK (frequency IN ('monthly', 'weekly')),
  year integer NOT NULL CHECK (year BETWEEN 1000 AND 9999),
  number integer NOT NULL CHECK (number BETWEEN 1 AND 53),
  end_date date NOT NULL,
  state text NOT NULL DEFAULT 'wanted'
    CHECK (state IN ('wanted', 'requested', 'ready', 'downloaded', 'imported', 'failed')),
  is_listed boolean NOT NULL DEFAULT false,
  wanted_since timestamptz NOT NULL,
  report_id text,
  document_id text,
  polls integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  spoiled integer NOT NULL DEFAULT 0,
  fatals integer NOT NULL DEFAULT 0,
  lost integer NOT NULL DEFAULT 0,
  -- When the next step may be taken; empty when none is taken by itself.
  due_at timestamptz,
  -- Who takes a step at the moment, and until when nobody else does.
  lease uuid,
  leased_until timestamptz,
  message text NOT NULL DEFAULT '',
  -- The revision that was published from it.
  revision integer,
  imported_at timestamptz,
  UNIQUE (connection_id, marketplace, frequency, year, number)
);
CREATE INDEX downloads_due ON downloads (due_at) WHERE due_at IS NOT NULL;

-- Periods that were later than usual. Everyone was told in the transaction that wrote the row, and is not told again.
CREATE TABLE late_periods (
  marketplace text NOT NULL,
  frequency text NOT NULL,
  year integer NOT NULL,
  number integer NOT NULL,
  noticed_at timestamptz NOT NULL,
  PRIMARY KEY (marketplace, frequency, year, number)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON connections, connection_rates, downloads, late_periods TO keyrank_operator;

-- A member is told that a period is late, and later of the period itself.
ALTER TABLE digests ADD COLUMN kind text NOT NULL DEFAULT 'period' CHECK (kind IN ('period', 'late'));
ALTER TABLE digests DROP CONSTRAINT digests_organization_id_user_id_marketplace_frequency_year__key;
ALTER TABLE digests ADD UNIQUE (organization_id, user_id, marketplace, frequency, year, number, kind);
