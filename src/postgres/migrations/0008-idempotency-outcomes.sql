-- A repeated request is answered from the keywords it was about, not from a copy of the whole answer, which could be a thousand
-- times as large. Rows of before keep their answer for the day that they have left.
ALTER TABLE idempotency_keys
  ADD COLUMN keyword_ids uuid[] NOT NULL DEFAULT '{}',
  -- For each of them, whether the request added it.
  ADD COLUMN are_new boolean[] NOT NULL DEFAULT '{}';
GRANT UPDATE (keyword_ids, are_new) ON idempotency_keys TO keyrank_service;
