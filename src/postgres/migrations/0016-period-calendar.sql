-- Why a download waits, as a code: who may see the calendar of periods sees neither what Amazon said nor whose account it was.

ALTER TABLE downloads ADD COLUMN reason text;
ALTER TABLE connections ADD COLUMN reason text;
GRANT SELECT (connection_id, marketplace, frequency, year, number, state, due_at, reason) ON downloads TO keyrank_service;
GRANT SELECT (id, disabled_at, held_until, reason) ON connections TO keyrank_service;
