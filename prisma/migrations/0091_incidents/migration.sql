-- Signals of all planes and the incidents that they are gathered in. Every writer of a tenant holds that tenant's advisory lock, so that what
-- is counted in incident_counters has no gap: who sees one number sees all below it.
CREATE TABLE incident_counters (
  tenant_id text PRIMARY KEY REFERENCES tenants (id),
  last_number bigint NOT NULL DEFAULT 0,
  -- Of everything that changed: the place of a signal in the feed.
  last_seq bigint NOT NULL DEFAULT 0
);

CREATE TABLE incident_settings (
  tenant_id text PRIMARY KEY REFERENCES tenants (id),
  -- 0: never.
  auto_resolve_minutes integer NOT NULL DEFAULT 15 CHECK (auto_resolve_minutes BETWEEN 0 AND 10080),
  edge_failing boolean NOT NULL DEFAULT false
);

CREATE TABLE incidents (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  number bigint NOT NULL,
  status text NOT NULL CHECK (status IN ('open', 'acknowledged', 'resolved')),
  severity text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
  -- An account's id; null: the highest of its signals'.
  severity_set_by text,
  title text NOT NULL,
  target text,
  prefix text,
  site text,
  started_at timestamptz(3) NOT NULL,
  opened_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  acknowledged_at timestamptz(3),
  acknowledged_by text,
  assigned_to text,
  resolved_at timestamptz(3),
  -- An account's id, or `system`.
  resolved_by text,
  -- Since when none of its signals fails; null while one does.
  recovered_at timestamptz(3),
  signal_count integer NOT NULL DEFAULT 0,
  open_signal_count integer NOT NULL DEFAULT 0,
  planes text[] NOT NULL DEFAULT '{}',
  -- The incident that its signals went to.
  merged_into uuid,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, number)
);
CREATE INDEX incidents_unresolved ON incidents (tenant_id, number) WHERE status <> 'resolved';
CREATE INDEX incidents_resolved ON incidents (tenant_id, resolved_at) WHERE status = 'resolved';
-- The orders in which they are listed.
CREATE INDEX incidents_last_seen ON incidents (tenant_id, last_seen_at, number);
CREATE INDEX incidents_open_first ON incidents (tenant_id, (status <> 'resolved'), number);
CREATE INDEX incidents_severity ON incidents
  (tenant_id, (CASE severity WHEN 'critical' THEN 2 WHEN 'warning' THEN 1 ELSE 0 END), number);

CREATE TABLE signals (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  -- Its place in the feed; it takes a new one when it changes.
  seq bigint NOT NULL,
  plane text NOT NULL,
  kind text NOT NULL,
  severity text NOT NULL,
  title text NOT NULL,
  summary text NOT NULL,
  target text,
  prefix text,
  site text,
  attributes jsonb NOT NULL,
  -- Of the evaluator that raised it: what it settles together.
  scope text NOT NULL,
  dedup_key text NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  recovered_at timestamptz(3),
  held_back text,
  incident_id uuid,
  joined_by text,
  -- The incident that a person took it out of.
  taken_out_of uuid,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, seq),
  FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id)
);
-- One episode of a failing at a time, whoever raises it.
CREATE UNIQUE INDEX signals_open ON signals (tenant_id, kind, dedup_key) WHERE recovered_at IS NULL;
CREATE INDEX signals_episodes ON signals (tenant_id, kind, dedup_key, occurred_at);
CREATE INDEX signals_incident ON signals (tenant_id, incident_id, occurred_at);
CREATE INDEX signals_recovered ON signals (tenant_id, recovered_at) WHERE recovered_at IS NOT NULL;

-- What a signal is recognised by (domain/anchors.ts), of incidents that one may still join.
CREATE TABLE incident_anchors (
  tenant_id text NOT NULL,
  incident_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('name', 'address', 'prefix')),
  value text NOT NULL,
  port integer NOT NULL,
  is_own boolean NOT NULL,
  site text NOT NULL,
  PRIMARY KEY (tenant_id, incident_id, kind, value, port, is_own, site),
  FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_anchors_value ON incident_anchors (tenant_id, kind, value);

-- Who did what and when.
CREATE TABLE incident_entries (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  incident_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  kind text NOT NULL,
  -- An account's or a token's id, or `system`.
  actor text NOT NULL,
  signal_id uuid,
  detail text NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_entries_incident ON incident_entries (tenant_id, incident_id, id);

-- Open incidents that a signal would have fitted too, and those that were merged.
CREATE TABLE incident_links (
  tenant_id text NOT NULL,
  incident_id uuid NOT NULL,
  other_id uuid NOT NULL,
  why text NOT NULL,
  PRIMARY KEY (tenant_id, incident_id, other_id),
  FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_links_other ON incident_links (tenant_id, other_id);

ALTER TABLE incident_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_counters FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON incident_counters
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE incident_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_settings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON incident_settings
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE incidents ENABLE ROW LEVEL SECURITY;
ALTER TABLE incidents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON incidents
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE signals ENABLE ROW LEVEL SECURITY;
ALTER TABLE signals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON signals
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE incident_anchors ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_anchors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON incident_anchors
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE incident_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON incident_entries
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE incident_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_links FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON incident_links
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON incident_counters, incident_settings, incidents, signals, incident_anchors, incident_entries,
  incident_links TO svc_app;
