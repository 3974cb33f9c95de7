-- Revisions of periods that were replaced or withdrawn. They can be published again for as long as they stand here, and their
-- segments stay with them.
CREATE TABLE kept_revisions (
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
  ended_at timestamptz NOT NULL,
  reason text NOT NULL CHECK (reason IN ('replaced', 'withdrawn')),
  PRIMARY KEY (marketplace, source, frequency, year, number, revision)
);

GRANT SELECT ON kept_revisions TO keyrank_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON kept_revisions TO keyrank_operator;
