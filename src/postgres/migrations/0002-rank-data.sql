-- The manifest of published rank data. The data itself lives in immutable files; a row here is what makes a file count.
-- Rank data belongs to no tenant: every organization reads the same, within its plan's window.

CREATE TABLE rank_periods (
  marketplace text NOT NULL CHECK (marketplace ~ '^[A-Z]{2}$'),
  source text NOT NULL CHECK (source IN ('search', 'social')),
  frequency text NOT NULL CHECK (frequency IN ('monthly', 'weekly')),
  year integer NOT NULL CHECK (year BETWEEN 1000 AND 9999),
  number integer NOT NULL CHECK (number BETWEEN 1 AND 53),
  revision integer NOT NULL CHECK (revision >= 1),
  start_date date NOT NULL,
  end_date date NOT NULL,
  keywords bigint NOT NULL CHECK (keywords >= 0),
  data_points bigint NOT NULL CHECK (data_points >= 0),
  published_at timestamptz NOT NULL,
  source_file text NOT NULL,
  warnings text[] NOT NULL,
  digest text NOT NULL,
  path text NOT NULL UNIQUE,
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  PRIMARY KEY (marketplace, source, frequency, year, number)
);

-- Dictionaries only grow. next_id is one more than the highest id in this delta and all before it.
CREATE TABLE dictionary_deltas (
  marketplace text NOT NULL CHECK (marketplace ~ '^[A-Z]{2}$'),
  kind text NOT NULL CHECK (kind IN ('terms', 'products', 'brands', 'categories')),
  sequence integer NOT NULL CHECK (sequence >= 1),
  next_id bigint NOT NULL CHECK (next_id >= 0),
  path text NOT NULL UNIQUE,
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
  PRIMARY KEY (marketplace, kind, sequence)
);

CREATE TABLE snapshot_files (
  marketplace text NOT NULL CHECK (marketplace ~ '^[A-Z]{2}$'),
  source text NOT NULL CHECK (source IN ('search', 'social')),
  frequency text NOT NULL CHECK (frequency IN ('monthly', 'weekly')),
  path text PRIMARY KEY,
  size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
  sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$')
);

-- One row, written in the transaction of every publication.
CREATE TABLE rank_statistics (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Names this manifest; the data directory repeats it, so that one is never swept by the manifest of another.
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  version bigint NOT NULL,
  computed_at timestamptz,
  total_data_points bigint NOT NULL
);
INSERT INTO rank_statistics (version, total_data_points) VALUES (0, 0);

GRANT SELECT ON rank_periods, dictionary_deltas, snapshot_files, rank_statistics TO keyrank_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON rank_periods, dictionary_deltas, snapshot_files TO keyrank_operator;
GRANT SELECT, UPDATE ON rank_statistics TO keyrank_operator;
