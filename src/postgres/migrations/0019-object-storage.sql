-- Published files may lie in an object storage, of which the data directory of each machine is a cache.

-- s3://bucket/prefix; null: the data directory alone.
ALTER TABLE rank_statistics ADD COLUMN storage text;

-- Files of a snapshot that were taken over from an earlier one are stored once, under the name they were first put there with.
ALTER TABLE snapshot_files ADD COLUMN object text;
