-- Messages of the bus on which their consumer always fails, kept until they are retried, dropped or past the retention of their signal.

CREATE TABLE bus_quarantine (
  -- No reference to tenants: what names a tenant that is not there must not hold up the others.
  tenant_id text NOT NULL,
  -- Version 7: in the order in which they were set aside.
  id uuid NOT NULL,
  topic text NOT NULL,
  consumer_group text NOT NULL,
  bus_partition integer NOT NULL,
  bus_offset bigint NOT NULL,
  -- SHA-256 of headers and value: tells a message from one at the same place of a bus that was made anew.
  digest bytea NOT NULL CHECK (octet_length(digest) = 32),
  reason text NOT NULL,
  error text NOT NULL CHECK (length(error) <= 1000),
  -- Of the value, before it was sealed.
  bytes integer NOT NULL,
  set_aside_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  -- When somebody asked for it to be published once more; a server does it soon after.
  retry_at timestamptz(3),
  -- Headers and value, sealed: they may hold personal data.
  sealed bytea NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, topic, consumer_group, bus_partition, bus_offset, digest)
);

-- What went to make room, by day.
CREATE TABLE bus_quarantine_dropped (
  tenant_id text NOT NULL,
  day date NOT NULL,
  messages bigint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (tenant_id, day)
) WITH (fillfactor = 70);

ALTER TABLE bus_quarantine ENABLE ROW LEVEL SECURITY;
ALTER TABLE bus_quarantine FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON bus_quarantine
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE bus_quarantine_dropped ENABLE ROW LEVEL SECURITY;
ALTER TABLE bus_quarantine_dropped FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON bus_quarantine_dropped
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

GRANT SELECT, INSERT, UPDATE, DELETE ON bus_quarantine, bus_quarantine_dropped TO svc_app;
