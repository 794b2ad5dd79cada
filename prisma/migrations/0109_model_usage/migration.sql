-- What a tenant's questions to a model took of its share of a day (UTC): reserved before, settled behind.
CREATE TABLE model_usage (
  tenant_id text NOT NULL REFERENCES tenants (id),
  day date NOT NULL,
  calls integer NOT NULL DEFAULT 0,
  tokens bigint NOT NULL DEFAULT 0,
  busy_ms bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, day)
);
ALTER TABLE model_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON model_usage
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON model_usage TO svc_app;
