-- Where organizations want to be told of events, and the queue of what is still to be sent.

CREATE TABLE webhooks (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL,
  -- Who registered it: alerts about a user's own keywords go to that user's webhooks only.
  user_id uuid NOT NULL,
  url text NOT NULL,
  events text[] NOT NULL,
  -- Messages are signed with it, so it cannot be kept as a hash. The role that answers requests may write it, not read it.
  secret bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX webhooks_organization ON webhooks (organization_id, created_at, id);

CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  organization_id uuid NOT NULL REFERENCES organizations ON DELETE CASCADE,
  webhook_id uuid NOT NULL REFERENCES webhooks ON DELETE CASCADE,
  event text NOT NULL,
  -- What happened, in one line: the same event is never queued twice for a webhook.
  event_key text NOT NULL,
  payload text NOT NULL,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts integer NOT NULL DEFAULT 0,
  -- While an attempt is under way, the moment at which it is given up for lost.
  next_attempt_at timestamptz NOT NULL DEFAULT now(),
  last_attempt_at timestamptz,
  response_status integer,
  error text,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (webhook_id, event_key)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_queue ON webhook_deliveries (webhook_id, next_attempt_at) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, created_at DESC, id);

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['webhooks', 'webhook_deliveries'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY operator ON %I TO keyrank_operator USING (true) WITH CHECK (true)', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO keyrank_operator', table_name);
    EXECUTE format('CREATE POLICY organization ON %I TO keyrank_service
      USING (organization_id = (SELECT current_organization()))
      WITH CHECK (organization_id = (SELECT current_organization()))', table_name);
  END LOOP;
END $$;

GRANT SELECT (id, organization_id, user_id, url, events, created_at), INSERT, DELETE ON webhooks TO keyrank_service;
-- The log of deliveries names events and outcomes; what was sent stays between the service and the receiver.
GRANT SELECT (id, organization_id, webhook_id, event, status, attempts, next_attempt_at, last_attempt_at, response_status,
  error, created_at) ON webhook_deliveries TO keyrank_service;
