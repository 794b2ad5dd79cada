-- Synthetic tests (docs/contract/tests.md): what is tested, secrets that tests send, windows of maintenance, thresholds.
CREATE TABLE synthetic_tests (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  -- Rises by one with each change; a run names the one that it was made by.
  version integer NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  type text NOT NULL CHECK (type IN ('http', 'https', 'dns', 'icmp', 'tcp', 'udp', 'browser')),
  enabled boolean NOT NULL,
  -- The whole of it as contracts' TestSpec has it; name, type and enabled stand in it too.
  spec jsonb NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  -- Since when it runs or is paused, as it is now.
  enabled_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX synthetic_tests_name ON synthetic_tests (tenant_id, lower(name));

-- When a test was paused: times of a strip in which nothing was to run. An open one ends when it is resumed.
CREATE TABLE synthetic_test_pauses (
  tenant_id text NOT NULL,
  test_id uuid NOT NULL,
  from_at timestamptz(3) NOT NULL,
  to_at timestamptz(3),
  PRIMARY KEY (tenant_id, test_id, from_at),
  FOREIGN KEY (tenant_id, test_id) REFERENCES synthetic_tests (tenant_id, id) ON DELETE CASCADE
);

-- Values that tests send and nobody reads: sealed, each bound to the hosts that it may be sent to.
CREATE TABLE synthetic_test_credentials (
  tenant_id text NOT NULL REFERENCES tenants (id),
  name text NOT NULL CHECK (name ~ '^[A-Za-z0-9_.-]{1,64}$'),
  hosts text[] NOT NULL,
  sealed bytea NOT NULL,
  updated_by text NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, name)
);

-- Measuring goes on in a window, and signals are held back.
CREATE TABLE maintenance_windows (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  -- As contracts' MaintenanceSpec has it: for what, and when.
  spec jsonb NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  -- Of a window that happens once: it is kept a while after its end, and then it goes.
  ends_at timestamptz(3),
  PRIMARY KEY (tenant_id, id)
);

CREATE TABLE synthetic_test_settings (
  tenant_id text NOT NULL REFERENCES tenants (id),
  version integer NOT NULL,
  settings jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id)
);

ALTER TABLE synthetic_tests ENABLE ROW LEVEL SECURITY;
ALTER TABLE synthetic_tests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON synthetic_tests
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE synthetic_test_pauses ENABLE ROW LEVEL SECURITY;
ALTER TABLE synthetic_test_pauses FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON synthetic_test_pauses
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE synthetic_test_credentials ENABLE ROW LEVEL SECURITY;
ALTER TABLE synthetic_test_credentials FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON synthetic_test_credentials
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE maintenance_windows ENABLE ROW LEVEL SECURITY;
ALTER TABLE maintenance_windows FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON maintenance_windows
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE synthetic_test_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE synthetic_test_settings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON synthetic_test_settings
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON synthetic_tests, synthetic_test_pauses, synthetic_test_credentials, maintenance_windows,
  synthetic_test_settings TO svc_app;
