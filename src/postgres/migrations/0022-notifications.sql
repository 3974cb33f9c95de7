-- Where members are told: mail and chats are kept beside webhooks and sent from the same queue, but belong to one member each.

ALTER TABLE webhooks
  ADD COLUMN kind text NOT NULL DEFAULT 'webhook' CHECK (kind IN ('webhook', 'email', 'slack', 'teams', 'discord')),
  -- It was registered with a key; when none of the user is left, it may be in wrong hands. What a person set up by signing in stays.
  ADD COLUMN needs_key boolean NOT NULL DEFAULT true,
  -- Of channels: a message for each publication, or one for all of a week.
  ADD COLUMN frequency text NOT NULL DEFAULT 'at_once' CHECK (frequency IN ('at_once', 'weekly')),
  DROP CONSTRAINT webhooks_paused_reason_check,
  ADD CONSTRAINT webhooks_paused_reason_check CHECK (paused_reason IN ('operator', 'no_key', 'owner', 'unsubscribed'));
-- Mail goes to the address of the member, so there is one at most.
CREATE UNIQUE INDEX webhooks_email ON webhooks (organization_id, user_id) WHERE kind = 'email';

-- Whatever other policies let in, a channel is its member's own.
CREATE POLICY own_channel ON webhooks AS RESTRICTIVE TO keyrank_service
  USING (kind = 'webhook' OR user_id = (SELECT current_member()))
  WITH CHECK (kind = 'webhook' OR user_id = (SELECT current_member()));
-- A webhook that an operator paused is not resumed by a request.
CREATE POLICY channels_alone ON webhooks AS RESTRICTIVE FOR UPDATE TO keyrank_service USING (kind <> 'webhook');
CREATE POLICY own_channel ON webhook_deliveries AS RESTRICTIVE TO keyrank_service
  USING (EXISTS (SELECT FROM webhooks w WHERE w.id = webhook_id))
  WITH CHECK (EXISTS (SELECT FROM webhooks w WHERE w.id = webhook_id));
GRANT SELECT (kind, frequency, needs_key), UPDATE (events, frequency, paused_at, paused_reason) ON webhooks TO keyrank_service;
-- A test message.
GRANT INSERT (organization_id, webhook_id, event, event_key, payload) ON webhook_deliveries TO keyrank_service;

-- Whoever is told by mail is told once, however many organizations they belong to: user and event, of mail alone.
ALTER TABLE webhook_deliveries ADD COLUMN recipient_key text UNIQUE;

-- Why nothing is sent to a webhook or a channel.
CREATE FUNCTION channel_pause(p_needs_key boolean, p_reason text, p_organization uuid, p_user uuid) RETURNS text
LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_needs_key THEN webhook_pause(p_reason, p_organization, p_user) ELSE p_reason END
$$;

-- What there is to tell a member: one row for each event, kept for as long as a weekly summary may need it.
CREATE TABLE notices (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  event_key text NOT NULL,
  section jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id, event_key),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);
CREATE INDEX notices_event ON notices (event_key, user_id);
CREATE INDEX notices_age ON notices (created_at);

-- What a member chose beside channels.
CREATE TABLE notification_settings (
  organization_id uuid NOT NULL,
  user_id uuid NOT NULL,
  -- The rule of tracked keywords that have none of their own and stand in no list with one.
  default_rule jsonb,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id),
  FOREIGN KEY (organization_id, user_id) REFERENCES memberships ON DELETE CASCADE
);

DO $$
DECLARE
  table_name text;
BEGIN
  FOREACH table_name IN ARRAY ARRAY['notices', 'notification_settings'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY operator ON %I TO keyrank_operator USING (true) WITH CHECK (true)', table_name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO keyrank_operator', table_name);
    EXECUTE format('CREATE POLICY member ON %I TO keyrank_service
      USING (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()))
      WITH CHECK (organization_id = (SELECT current_organization()) AND user_id = (SELECT current_member()))',
      table_name);
  END LOOP;
END $$;

GRANT SELECT ON notices TO keyrank_service;
GRANT SELECT, INSERT ON notification_settings TO keyrank_service;
GRANT UPDATE (default_rule, updated_at) ON notification_settings TO keyrank_service;
