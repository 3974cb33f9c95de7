-- Report files that operators send over HTTP, and what became of them. They belong to the whole installation: the role that answers
-- requests of tenants sees nothing of them.

CREATE TABLE imports (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  file_name text NOT NULL,
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  -- How much of the file lies on disk for good. What lies behind it came with a part that broke off.
  uploaded_bytes bigint NOT NULL DEFAULT 0 CHECK (uploaded_bytes BETWEEN 0 AND size_bytes),
  sha256 text,
  fingerprint text,
  marketplace text,
  frequency text CHECK (frequency IN ('monthly', 'weekly')),
  period text,
  source text NOT NULL CHECK (source IN ('search', 'social')),
  -- In percent.
  max_rejects double precision NOT NULL,
  replaces_smaller boolean NOT NULL,
  publishes_when_clean boolean NOT NULL,
  state text NOT NULL DEFAULT 'uploading' CHECK (state IN ('uploading', 'uploaded', 'checking', 'checked', 'approved', 'importing',
    'done', 'undo_requested', 'undoing', 'undone', 'failed', 'cancelled')),
  -- The data directory in which the file lies, and the name of the machine that took it.
  place uuid NOT NULL,
  host text NOT NULL,
  created_by uuid REFERENCES users ON DELETE SET NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  progress jsonb,
  report jsonb,
  fault jsonb,
  -- Who writes a part of the file or works on the import, and until when nobody else does.
  lease uuid,
  leased_until timestamptz,
  -- How many that worked on it died.
  lost integer NOT NULL DEFAULT 0
);
CREATE INDEX imports_order ON imports (position);
CREATE INDEX imports_work ON imports (place, position)
  WHERE state IN ('uploaded', 'checking', 'approved', 'importing', 'undo_requested', 'undoing');

GRANT SELECT, INSERT, UPDATE, DELETE ON imports TO keyrank_operator;
