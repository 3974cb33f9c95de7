-- Pages that are open hear of new digests, and links in mails can be signed.

-- The payload names the member. A transaction that changes many tells each member once.
CREATE FUNCTION notify_digests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('keyrank_digests', NEW.organization_id || ' ' || NEW.user_id);
  RETURN NULL;
END $$;
CREATE TRIGGER notify AFTER INSERT OR UPDATE OF read_at ON digests FOR EACH ROW EXECUTE FUNCTION notify_digests();

-- The key by which all servers sign links that need no sign-in. It belongs to no tenant, and requests never read it.
CREATE TABLE link_secrets (
  name text PRIMARY KEY,
  secret bytea NOT NULL CHECK (octet_length(secret) = 32)
);
GRANT SELECT ON link_secrets TO keyrank_operator;
INSERT INTO link_secrets VALUES ('unsubscribe', sha256((gen_random_uuid()::text || gen_random_uuid()::text)::bytea));
