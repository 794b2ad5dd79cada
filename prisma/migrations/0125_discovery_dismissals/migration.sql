-- Hosts that somebody does not want to have proposed again.
CREATE TABLE discovery_dismissals (
  tenant_id text NOT NULL REFERENCES tenants (id),
  host text NOT NULL,
  dismissed_by text NOT NULL,
  dismissed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, host)
);

ALTER TABLE discovery_dismissals ENABLE ROW LEVEL SECURITY;
ALTER TABLE discovery_dismissals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON discovery_dismissals
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON discovery_dismissals TO svc_app;
