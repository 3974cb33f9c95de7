-- Work that cannot be done is set aside after its last attempt, and webhooks can be paused.

-- A publication that was set aside is not tried again by itself; it stays for the operator to see.
ALTER TABLE publications
  ADD COLUMN set_aside_at timestamptz,
  -- What went wrong at the last attempt; empty when its server died.
  ADD COLUMN error text;

ALTER TABLE webhooks
  ADD COLUMN paused_at timestamptz,
  ADD COLUMN paused_reason text CHECK (paused_reason IN ('operator', 'no_key')),
  ADD CHECK ((paused_at IS NULL) = (paused_reason IS NULL));
GRANT SELECT (paused_at, paused_reason) ON webhooks TO keyrank_service;

-- Why nothing is sent to a webhook, NULL when messages are sent: it was paused, or whoever registered it has no key left that
-- would be let in. Every statement that queues, claims or shows asks here. p_reason is the webhook's paused_reason.
CREATE FUNCTION webhook_pause(p_reason text, p_organization uuid, p_user uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT coalesce(p_reason, CASE WHEN NOT EXISTS (
    SELECT FROM api_keys k WHERE k.organization_id = p_organization AND k.user_id = p_user
      AND k.disabled_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())) THEN 'no_key' END)
$$;
