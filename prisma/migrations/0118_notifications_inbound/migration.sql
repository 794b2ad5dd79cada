-- What providers tell us: the webhooks by which they do, their deliveries, and those that were refused.

-- Directory table, kept by a trigger: a delivery's tenant is what its credential says. Secrets are sealed with the envelope key.
CREATE TABLE notify_inbound_directory (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  provider text NOT NULL,
  connector_id text,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_until timestamptz(3)
);

REVOKE ALL ON notify_inbound_directory FROM PUBLIC;
REVOKE ALL ON notify_inbound_directory FROM svc_app;

CREATE TABLE notify_inbound_webhooks (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id text NOT NULL CHECK (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  provider text NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- Of SVC_NOTIFY_INBOUND: its secret stands there and nowhere else.
  configured boolean NOT NULL DEFAULT false,
  -- The connector whose provider calls; null: any of the tenant's of that provider.
  connector_id text,
  secret bytea,
  previous_secret bytea,
  previous_until timestamptz(3),
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  rotated_at timestamptz(3),
  last_delivery_at timestamptz(3),
  deliveries bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, id),
  CHECK (configured OR secret IS NOT NULL)
) WITH (fillfactor = 70);

-- Verified deliveries, without their bodies: what they said of which object, and what came of it.
CREATE TABLE notify_inbound_deliveries (
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  id uuid NOT NULL,
  -- Of the sender, where it has one: a repeated one changes nothing.
  delivery_id text,
  received_at timestamptz(3) NOT NULL,
  event text NOT NULL,
  -- What of it is to be done.
  news jsonb NOT NULL,
  -- An id of theirs behind which our keys have to be asked for.
  needs_names text,
  attempts integer NOT NULL DEFAULT 0,
  outcome text NOT NULL,
  reason text NOT NULL DEFAULT '',
  incident_id uuid,
  done_at timestamptz(3),
  PRIMARY KEY (tenant_id, webhook_id, id),
  UNIQUE (tenant_id, webhook_id, delivery_id),
  FOREIGN KEY (tenant_id, webhook_id) REFERENCES notify_inbound_webhooks (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX notify_inbound_waiting ON notify_inbound_deliveries (tenant_id, received_at) WHERE outcome = 'waiting';
CREATE INDEX notify_inbound_received ON notify_inbound_deliveries (tenant_id, webhook_id, received_at);

-- Deliveries that were not verified, by reason: how many, and nothing of what they held.
CREATE TABLE notify_inbound_refusals (
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  day date NOT NULL,
  reason text NOT NULL,
  count bigint NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, webhook_id, day, reason),
  FOREIGN KEY (tenant_id, webhook_id) REFERENCES notify_inbound_webhooks (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

ALTER TABLE notify_inbound_webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE notify_inbound_webhooks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON notify_inbound_webhooks
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE notify_inbound_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE notify_inbound_deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON notify_inbound_deliveries
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE notify_inbound_refusals ENABLE ROW LEVEL SECURITY;
ALTER TABLE notify_inbound_refusals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON notify_inbound_refusals
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON notify_inbound_webhooks, notify_inbound_deliveries, notify_inbound_refusals TO svc_app;

-- Tells every replica, at commit, that it reads the credentials again. A trigger, so that no way of ending one can forget it.
CREATE FUNCTION notify_inbound_copy_webhook() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM notify_inbound_directory d WHERE d.id = OLD.id AND d.tenant_id = OLD.tenant_id;
  ELSIF NEW.secret IS NOT NULL THEN
    INSERT INTO notify_inbound_directory (id, tenant_id, provider, connector_id, secret, previous_secret, previous_until)
      VALUES (NEW.id, NEW.tenant_id, NEW.provider, NEW.connector_id, NEW.secret, NEW.previous_secret, NEW.previous_until)
      ON CONFLICT (id) DO UPDATE SET secret = excluded.secret, previous_secret = excluded.previous_secret,
        previous_until = excluded.previous_until, connector_id = excluded.connector_id
        WHERE notify_inbound_directory.tenant_id = excluded.tenant_id;
  END IF;
  PERFORM pg_notify('svc_notify_inbound', '');
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION notify_inbound_copy_webhook() FROM PUBLIC;
CREATE TRIGGER notify_inbound_copy_webhook AFTER INSERT OR DELETE OR UPDATE OF secret, previous_secret, previous_until, connector_id
  ON notify_inbound_webhooks FOR EACH ROW EXECUTE FUNCTION notify_inbound_copy_webhook();

CREATE FUNCTION directory_notify_inbound()
RETURNS TABLE (id text, tenant_id text, provider text, connector_id text, secret bytea, previous_secret bytea, previous_until timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT d.id, d.tenant_id, d.provider, d.connector_id, d.secret, d.previous_secret, d.previous_until FROM notify_inbound_directory d ORDER BY d.id
$$;
REVOKE ALL ON FUNCTION directory_notify_inbound() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_notify_inbound() TO svc_app;
