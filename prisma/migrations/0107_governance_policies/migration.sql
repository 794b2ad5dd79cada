-- What a tenant's provider decided about its data; no row means the defaults. The tenant reads it, the provider writes it.
CREATE TABLE governance_policies (
  tenant_id text PRIMARY KEY REFERENCES tenants (id),
  -- Categories of data with another class than the usual one.
  classification jsonb NOT NULL DEFAULT '{}',
  redact_from text NOT NULL DEFAULT 'pii' CHECK (redact_from IN ('public', 'internal', 'confidential', 'pii', 'restricted')),
  redact_export boolean NOT NULL DEFAULT false,
  updated_at timestamptz(3) NOT NULL
);
ALTER TABLE governance_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE governance_policies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON governance_policies
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON governance_policies TO svc_app;
