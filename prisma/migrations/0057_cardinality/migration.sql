-- How much of a bounded kind a tenant brought in a day (UTC), and what was beyond the bound (docs/limits.md, "Cardinality").
CREATE TABLE cardinality_days (
  tenant_id text NOT NULL REFERENCES tenants (id),
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('metric_series', 'targets', 'service_map')),
  -- As it was when the row was written last.
  bound bigint NOT NULL,
  admitted bigint NOT NULL DEFAULT 0,
  -- Kept under a common name, and not kept.
  folded bigint NOT NULL DEFAULT 0,
  left_out bigint NOT NULL DEFAULT 0,
  -- When something was beyond the bound; null for a day that stayed below.
  first_at timestamptz(3),
  last_at timestamptz(3),
  -- Names of what is beyond the bound most.
  detail jsonb,
  PRIMARY KEY (tenant_id, day, kind)
) WITH (fillfactor = 70);

ALTER TABLE cardinality_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE cardinality_days FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON cardinality_days
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON cardinality_days TO svc_app;
