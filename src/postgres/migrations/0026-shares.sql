-- Links that show one thing to whoever has them. A row goes with its maker's membership, with the key that made it and with its list,
-- and the link with the row.
CREATE TABLE shares (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  position bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- Null for somebody who was signed in.
  key_id uuid REFERENCES api_keys ON DELETE CASCADE,
  list_id uuid,
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  kind text NOT NULL CHECK (kind IN ('chart', 'search', 'list')),
  title text NOT NULL,
  -- The calls of the API that it allows.
  targets text[] NOT NULL,
  ends_at timestamptz NOT NULL,
  -- When it spent searches within the last hour; never many.
  searches timestamptz[] NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE,
  FOREIGN KEY (organization_id, list_id) REFERENCES lists (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX shares_order ON shares (organization_id, position);
CREATE INDEX shares_end ON shares (ends_at);
CREATE INDEX shares_key ON shares (key_id);
CREATE INDEX shares_list ON shares (organization_id, list_id);

ALTER TABLE shares ENABLE ROW LEVEL SECURITY;
ALTER TABLE shares FORCE ROW LEVEL SECURITY;
CREATE POLICY operator ON shares TO keyrank_operator USING (true) WITH CHECK (true);
CREATE POLICY organization ON shares TO keyrank_service
  USING (organization_id = (SELECT current_organization()))
  WITH CHECK (organization_id = (SELECT current_organization()));
-- Before it is known whose token it is there is no tenant: a row can be seen by whoever presents its hash.
CREATE POLICY presented ON shares FOR SELECT TO keyrank_service
  USING (hash = decode(nullif(current_setting('keyrank.share_hash', true), ''), 'hex'));
-- In the name of nobody else.
CREATE POLICY own ON shares AS RESTRICTIVE FOR INSERT TO keyrank_service
  WITH CHECK (user_id = (SELECT current_member()));
GRANT SELECT, INSERT, UPDATE, DELETE ON shares TO keyrank_operator;
GRANT SELECT, INSERT, DELETE ON shares TO keyrank_service;
GRANT UPDATE (searches) ON shares TO keyrank_service;

-- Servers keep the accounts behind tokens in memory. A key that is disabled ends its shares; its own trigger tells of it.
CREATE TRIGGER notify AFTER INSERT OR DELETE OR UPDATE OF hash, targets, ends_at
  ON shares FOR EACH ROW EXECUTE FUNCTION notify_accounts();

-- The share with this hash, if its key lasts, and the subscription of its organization, in one round trip.
CREATE FUNCTION find_share(p_hash bytea)
RETURNS TABLE (share_id uuid, organization_id uuid, user_id uuid, role text, targets text[], expires_at timestamptz, plan text, status text,
  period_end timestamptz, searches_per_hour integer, months integer, weeks integer)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  h shares;
BEGIN
  PERFORM set_config('keyrank.share_hash', encode(p_hash, 'hex'), true);
  SELECT * INTO h FROM shares WHERE shares.hash = p_hash;
  IF NOT FOUND THEN RETURN; END IF;
  PERFORM set_config('keyrank.organization_id', h.organization_id::text, true);
  RETURN QUERY SELECT h.id, h.organization_id, h.user_id, m.role, h.targets, least(h.ends_at, k.expires_at), s.plan, s.status, s.period_end,
      p.searches_per_hour, p.months, p.weeks
    FROM memberships m
    LEFT JOIN api_keys k ON k.id = h.key_id
    LEFT JOIN subscriptions s ON s.organization_id = h.organization_id
    LEFT JOIN plans p ON p.name = s.plan
    WHERE m.organization_id = h.organization_id AND m.user_id = h.user_id AND k.disabled_at IS NULL;
END $$;

-- Takes one search of a share's hour, and of all shares of its organization; NULL when it was taken, otherwise when one is free.
-- Shares of one organization wait for each other, so that no two take the last one.
CREATE FUNCTION take_share_search(p_share uuid, p_most integer, p_most_of_all integer) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz;
  v_share integer;
  v_all integer;
  v_share_oldest timestamptz;
  v_all_oldest timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('searches of shares ' || current_organization(), 0));
  v_now := rate_clock();
  SELECT count(*) FILTER (WHERE t.id = p_share), count(*), min(t.at) FILTER (WHERE t.id = p_share), min(t.at)
    INTO v_share, v_all, v_share_oldest, v_all_oldest
    FROM (SELECT s.id, unnest(s.searches) AS at FROM shares s WHERE s.organization_id = current_organization()) t
    WHERE t.at > v_now - interval '1 hour';
  IF v_share >= p_most THEN RETURN v_share_oldest + interval '1 hour'; END IF;
  IF v_all >= p_most_of_all THEN RETURN v_all_oldest + interval '1 hour'; END IF;
  UPDATE shares SET searches = array_append(
      ARRAY(SELECT t.at FROM unnest(searches) AS t (at) WHERE t.at > v_now - interval '1 hour'), v_now)
    WHERE id = p_share;
  RETURN NULL;
END $$;
