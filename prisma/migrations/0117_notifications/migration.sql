-- Who is told of incidents: connectors, rules, one link an incident and connector, and the outbox of what is to be said.

CREATE TABLE notify_connectors (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id text NOT NULL CHECK (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  provider text NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- Of SVC_NOTIFY_CONNECTORS: its address and credential stand there and nowhere else.
  configured boolean NOT NULL DEFAULT false,
  -- Address, credential and settings, sealed; null: of the configuration, or deleted.
  secret bytea,
  -- Counts changes of it: what an older one came to does not speak for the newer.
  secret_version integer NOT NULL DEFAULT 1,
  -- Of the settings, those that may be shown.
  shown jsonb NOT NULL,
  -- What its provider can do with it, and how much it takes.
  abilities jsonb NOT NULL,
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'broken')),
  state_reason text NOT NULL DEFAULT '',
  state_by text,
  state_at timestamptz(3),
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  rotated_at timestamptz(3),
  -- What it told of stays to be read for a while.
  deleted_at timestamptz(3),
  last_success_at timestamptz(3),
  last_answer text NOT NULL DEFAULT '',
  last_answer_at timestamptz(3),
  -- In a row, and since when; nothing is sent before `blocked_until`.
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz(3),
  blocked_until timestamptz(3),
  -- Of the bucket that keeps to the provider's rate, on all replicas together.
  tokens double precision,
  tokens_at timestamptz(3),
  PRIMARY KEY (tenant_id, id),
  CHECK (configured OR secret IS NOT NULL OR deleted_at IS NOT NULL)
) WITH (fillfactor = 70);

-- Which incidents go where. Without any, every connector is told of every incident.
CREATE TABLE notify_rules (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  enabled boolean NOT NULL DEFAULT true,
  -- Least severity, planes, targets, sites, schedule, delay, quiet hours, connectors.
  body jsonb NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, id)
);

-- One an incident and connector: at most one object there is open.
CREATE TABLE notify_links (
  tenant_id text NOT NULL,
  incident_id uuid NOT NULL,
  connector_id text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'open', 'resolved', 'dropped', 'gone')),
  -- Of the object: a re-opened incident may need another one.
  generation integer NOT NULL DEFAULT 1,
  reference jsonb,
  former jsonb,
  -- Of the last message of it, so that each has a place.
  last_seq integer NOT NULL DEFAULT 0,
  acknowledged_at timestamptz(3),
  -- The provider's word for who did it, where it was done there.
  acknowledged_by text,
  opened_at timestamptz(3),
  reopened_at timestamptz(3),
  resolved_at timestamptz(3),
  -- It was resolved there first: nothing was said to it.
  is_origin boolean NOT NULL DEFAULT false,
  updated_at timestamptz(3),
  looked_at timestamptz(3),
  -- The provider's own counter or clock of the newest news of the object.
  news_order double precision,
  note text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, incident_id, connector_id),
  FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id) ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, connector_id) REFERENCES notify_connectors (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX notify_links_connector ON notify_links (tenant_id, connector_id, looked_at) WHERE state = 'open';

-- Every object that was ever opened, so that a delivery about an older one is understood.
CREATE TABLE notify_references (
  tenant_id text NOT NULL,
  incident_id uuid NOT NULL,
  connector_id text NOT NULL,
  generation integer NOT NULL,
  reference_id text NOT NULL,
  label text,
  url text,
  opened_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, incident_id, connector_id, generation),
  FOREIGN KEY (tenant_id, incident_id, connector_id) REFERENCES notify_links (tenant_id, incident_id, connector_id) ON DELETE CASCADE
);
CREATE INDEX notify_references_found ON notify_references (tenant_id, reference_id);

-- What is to be said, written in the transaction that changes the incident.
CREATE TABLE notify_outbox (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  incident_id uuid NOT NULL,
  connector_id text NOT NULL,
  seq integer NOT NULL,
  verb text NOT NULL CHECK (verb IN ('open', 'update', 'acknowledge', 'resolve', 'reopen')),
  -- What became of the incident, and by whom: an account's or a token's id, `system`, `connector/<id>`.
  cause text NOT NULL,
  actor text NOT NULL,
  detail text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'confirming', 'accepted', 'sent', 'confirmed', 'dead', 'held_back', 'dropped', 'given_up')),
  -- Why it was not sent.
  why text NOT NULL DEFAULT '',
  -- It waits for a rule's delay or for the end of quiet hours: an incident that recovers meanwhile is not told of.
  is_delayed boolean NOT NULL DEFAULT false,
  attempts integer NOT NULL DEFAULT 0,
  -- Sent again although it may have been taken.
  repeats integer NOT NULL DEFAULT 0,
  -- Whether the attempt before may have been taken, and when that was.
  in_doubt boolean NOT NULL DEFAULT false,
  tried_at timestamptz(3),
  due_at timestamptz(3) NOT NULL,
  -- When it is given up.
  expires_at timestamptz(3) NOT NULL,
  lease_id uuid,
  lease_until timestamptz(3),
  -- By which the provider can be asked what became of it.
  request text,
  said text NOT NULL DEFAULT '',
  created_at timestamptz(3) NOT NULL,
  done_at timestamptz(3),
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, incident_id, connector_id, seq),
  FOREIGN KEY (tenant_id, incident_id, connector_id) REFERENCES notify_links (tenant_id, incident_id, connector_id) ON DELETE CASCADE
) WITH (fillfactor = 70);
CREATE INDEX notify_outbox_due ON notify_outbox (tenant_id, connector_id, due_at) WHERE state IN ('waiting', 'confirming');
CREATE INDEX notify_outbox_recent ON notify_outbox (tenant_id, created_at, id);
CREATE INDEX notify_outbox_dead ON notify_outbox (tenant_id, id) WHERE state = 'dead';

ALTER TABLE notify_connectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE notify_connectors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON notify_connectors
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE notify_rules ENABLE ROW LEVEL SECURITY;
ALTER TABLE notify_rules FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON notify_rules
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE notify_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE notify_links FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON notify_links
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE notify_references ENABLE ROW LEVEL SECURITY;
ALTER TABLE notify_references FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON notify_references
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE notify_outbox ENABLE ROW LEVEL SECURITY;
ALTER TABLE notify_outbox FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON notify_outbox
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON notify_connectors, notify_rules, notify_links, notify_references, notify_outbox TO svc_app;

-- Tells every replica, at commit, whose outbox has something new: it is sent without waiting for the next look.
CREATE FUNCTION notify_tell_outbox() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('svc_notify_outbox', NEW.tenant_id);
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION notify_tell_outbox() FROM PUBLIC;
CREATE TRIGGER notify_tell_outbox AFTER INSERT ON notify_outbox
  FOR EACH ROW WHEN (NEW.state = 'waiting') EXECUTE FUNCTION notify_tell_outbox();
