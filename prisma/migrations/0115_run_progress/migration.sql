-- How far runs on demand are, for replicas that did not begin them. A row is there for ten minutes.
CREATE TABLE synthetic_run_progress (
  tenant_id text NOT NULL REFERENCES tenants (id),
  run_id uuid NOT NULL,
  started_at timestamptz(3) NOT NULL,
  -- By the replica that runs it; one that is silent is gone.
  told_at timestamptz(3) NOT NULL,
  -- As contracts' RunProgress has it.
  progress jsonb NOT NULL,
  PRIMARY KEY (tenant_id, run_id)
);

ALTER TABLE synthetic_run_progress ENABLE ROW LEVEL SECURITY;
ALTER TABLE synthetic_run_progress FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON synthetic_run_progress
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON synthetic_run_progress TO svc_app;
