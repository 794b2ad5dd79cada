-- What a change of a device replaced and with what. Beside the trail, because names and addresses have to go with an erasure, and an entry
-- cannot. The entry holds sha256(salt || values): while the row is here it proves the values, without the salt it tells nothing about them.
CREATE TABLE audit_values (
  tenant_id text NOT NULL DEFAULT current_setting('app.tenant_id'),
  entry_id uuid NOT NULL,
  agent_id uuid NOT NULL,
  salt bytea NOT NULL CHECK (octet_length(salt) = 32),
  before text CHECK (length(before) <= 1000),
  after text CHECK (length(after) <= 1000),
  PRIMARY KEY (tenant_id, entry_id),
  FOREIGN KEY (tenant_id, entry_id) REFERENCES audit_entries (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX audit_values_agent ON audit_values (tenant_id, agent_id);

ALTER TABLE audit_values ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_values FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_values
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, DELETE ON audit_values TO svc_app;
