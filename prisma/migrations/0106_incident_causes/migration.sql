-- Explanations of incidents, each made of the evidence of its time; a new one only where it says something else.
CREATE TABLE incident_causes (
  tenant_id text NOT NULL,
  incident_id uuid NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  made_at timestamptz(3) NOT NULL,
  body jsonb NOT NULL,
  PRIMARY KEY (tenant_id, incident_id, version),
  FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id) ON DELETE CASCADE
);

-- Incidents that something became of since they were explained last; written in the transaction that changes them.
CREATE TABLE incident_cause_requests (
  tenant_id text NOT NULL,
  incident_id uuid NOT NULL,
  requested_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, incident_id),
  FOREIGN KEY (tenant_id, incident_id) REFERENCES incidents (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX incident_cause_requests_oldest ON incident_cause_requests (tenant_id, requested_at);

ALTER TABLE incident_causes ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_causes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON incident_causes
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE incident_cause_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE incident_cause_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON incident_cause_requests
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON incident_causes, incident_cause_requests TO svc_app;
