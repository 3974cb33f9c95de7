-- A server whose searches were refused because the database takes no writes asks here whether it does again: a row is inserted and
-- rolled back, large enough that the table needs room on the disk for it.
CREATE UNLOGGED TABLE write_probe (filler text NOT NULL);
ALTER TABLE write_probe ALTER COLUMN filler SET STORAGE EXTERNAL;
GRANT INSERT ON write_probe TO keyrank_service;
