-- Parts of report files that lie in the object storage: any server takes the next one, and any puts the file together.

CREATE TABLE import_parts (
  import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE,
  first_byte bigint NOT NULL CHECK (first_byte >= 0),
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  sha256 text NOT NULL,
  object text NOT NULL,
  PRIMARY KEY (import_id, first_byte)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON import_parts TO keyrank_operator;
