-- Changes that other systems tell of, the webhooks by which they do, and what people say of a change and an incident.

-- Directory table, kept by a trigger: a delivery's tenant is what its credential says. Secrets are sealed with the envelope key.
CREATE TABLE change_webhook_directory (
  id text PRIMARY KEY,
  tenant_id text NOT NULL,
  provider text NOT NULL,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_until timestamptz(3)
);

REVOKE ALL ON change_webhook_directory FROM PUBLIC;
REVOKE ALL ON change_webhook_directory FROM svc_app;

-- The next number of a tenant's changes. Whoever stores changes of a tenant holds its row.
CREATE TABLE change_counters (
  tenant_id text PRIMARY KEY REFERENCES tenants (id),
  last_number bigint NOT NULL DEFAULT 0
);

CREATE TABLE change_webhooks (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id text NOT NULL CHECK (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  provider text NOT NULL CHECK (provider IN ('generic', 'forge_a', 'forge_b')),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- Of SVC_CHANGE_WEBHOOKS: its secret stands there and nowhere else.
  configured boolean NOT NULL DEFAULT false,
  secret bytea,
  previous_secret bytea,
  previous_until timestamptz(3),
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  rotated_at timestamptz(3),
  last_delivery_at timestamptz(3),
  deliveries bigint NOT NULL DEFAULT 0,
  events_stored bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, id),
  CHECK (configured OR secret IS NOT NULL)
) WITH (fillfactor = 70);

-- Verified deliveries: a repeated one changes nothing.
CREATE TABLE change_deliveries (
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  delivery_id text NOT NULL,
  received_at timestamptz(3) NOT NULL,
  event text NOT NULL,
  outcome text NOT NULL,
  events integer NOT NULL,
  dropped jsonb NOT NULL,
  PRIMARY KEY (tenant_id, webhook_id, delivery_id),
  FOREIGN KEY (tenant_id, webhook_id) REFERENCES change_webhooks (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX change_deliveries_received ON change_deliveries (tenant_id, webhook_id, received_at);

-- Deliveries that were not verified, by reason: how many, and nothing of what they held.
CREATE TABLE change_refusals (
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  day date NOT NULL,
  reason text NOT NULL,
  count bigint NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, webhook_id, day, reason),
  FOREIGN KEY (tenant_id, webhook_id) REFERENCES change_webhooks (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

-- The webhook's table: where a change happens that names no target. The first row that fits.
CREATE TABLE change_target_rules (
  tenant_id text NOT NULL,
  webhook_id text NOT NULL,
  position integer NOT NULL,
  repository text NOT NULL,
  environment text NOT NULL,
  path text NOT NULL,
  target text,
  prefix text,
  PRIMARY KEY (tenant_id, webhook_id, position),
  FOREIGN KEY (tenant_id, webhook_id) REFERENCES change_webhooks (tenant_id, id) ON DELETE CASCADE
);

-- A change outlives its webhook. `key` names it within that.
CREATE TABLE changes (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  number bigint NOT NULL,
  webhook_id text NOT NULL,
  key text NOT NULL,
  source text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('deploy', 'config', 'route', 'iac', 'commit', 'release', 'other')),
  title text NOT NULL,
  summary text NOT NULL,
  -- In the spelling of incidents' targets.
  target text,
  -- What the target is recognised by: a name, or an address without its port.
  anchor text,
  -- The target where it is an address, and the prefix: in the order of addresses, so that containment is a range (docs/contract/changes.md).
  address inet,
  network inet,
  target_from text CHECK (target_from IN ('change', 'table')),
  actor text,
  ref text,
  url text,
  attributes jsonb NOT NULL,
  repository text,
  environment text,
  paths text[] NOT NULL DEFAULT '{}',
  occurred_at timestamptz(3) NOT NULL,
  -- When it was made known, and when it began where that is another moment.
  told_at timestamptz(3) NOT NULL,
  began_at timestamptz(3),
  finished_at timestamptz(3),
  state text,
  state_at timestamptz(3),
  received_at timestamptz(3) NOT NULL,
  -- Lower case; what a search looks at.
  search text NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, webhook_id, key),
  UNIQUE (tenant_id, number)
);
CREATE INDEX changes_time ON changes (tenant_id, occurred_at, number);
CREATE INDEX changes_anchor ON changes (tenant_id, anchor, occurred_at) WHERE anchor IS NOT NULL;
CREATE INDEX changes_address ON changes (tenant_id, address) WHERE address IS NOT NULL;
CREATE INDEX changes_network ON changes (tenant_id, network) WHERE network IS NOT NULL;
CREATE INDEX changes_untargeted ON changes (tenant_id, webhook_id, occurred_at) WHERE anchor IS NULL AND network IS NULL;
CREATE INDEX changes_received ON changes (tenant_id, received_at);

-- What people say of a change and an incident.
CREATE TABLE change_verdicts (
  tenant_id text NOT NULL,
  incident_id uuid NOT NULL,
  change_id uuid NOT NULL,
  verdict text NOT NULL CHECK (verdict IN ('cause', 'ruled_out')),
  -- An account's or a token's id.
  set_by text NOT NULL,
  set_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, incident_id, change_id),
  FOREIGN KEY (tenant_id, change_id) REFERENCES changes (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX change_verdicts_change ON change_verdicts (tenant_id, change_id);

ALTER TABLE change_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE change_counters FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON change_counters
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE change_webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE change_webhooks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON change_webhooks
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE change_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE change_deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON change_deliveries
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE change_refusals ENABLE ROW LEVEL SECURITY;
ALTER TABLE change_refusals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON change_refusals
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE change_target_rules ENABLE ROW LEVEL SECURITY;
ALTER TABLE change_target_rules FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON change_target_rules
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE changes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON changes
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE change_verdicts ENABLE ROW LEVEL SECURITY;
ALTER TABLE change_verdicts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON change_verdicts
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON change_counters, change_webhooks, change_deliveries, change_refusals, change_target_rules, changes,
  change_verdicts TO svc_app;

-- Tells every replica, at commit, that it reads the credentials again. A trigger, so that no way of ending one can forget it.
CREATE FUNCTION change_copy_webhook() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM change_webhook_directory d WHERE d.id = OLD.id AND d.tenant_id = OLD.tenant_id;
  ELSIF NEW.secret IS NOT NULL THEN
    INSERT INTO change_webhook_directory (id, tenant_id, provider, secret, previous_secret, previous_until)
      VALUES (NEW.id, NEW.tenant_id, NEW.provider, NEW.secret, NEW.previous_secret, NEW.previous_until)
      ON CONFLICT (id) DO UPDATE SET secret = excluded.secret, previous_secret = excluded.previous_secret,
        previous_until = excluded.previous_until WHERE change_webhook_directory.tenant_id = excluded.tenant_id;
  END IF;
  PERFORM pg_notify('svc_change_webhooks', '');
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION change_copy_webhook() FROM PUBLIC;
CREATE TRIGGER change_copy_webhook AFTER INSERT OR DELETE OR UPDATE OF secret, previous_secret, previous_until ON change_webhooks
  FOR EACH ROW EXECUTE FUNCTION change_copy_webhook();

CREATE FUNCTION directory_change_webhooks()
RETURNS TABLE (id text, tenant_id text, provider text, secret bytea, previous_secret bytea, previous_until timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT d.id, d.tenant_id, d.provider, d.secret, d.previous_secret, d.previous_until FROM change_webhook_directory d ORDER BY d.id
$$;
REVOKE ALL ON FUNCTION directory_change_webhooks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_change_webhooks() TO svc_app;
