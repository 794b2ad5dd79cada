-- What state an agent told of itself and from when on, so that a strip can tell a pause from a device that was off. One row a change.
CREATE TABLE endpoint_states (
  tenant_id text NOT NULL,
  agent_id uuid NOT NULL,
  at timestamptz(3) NOT NULL,
  state text NOT NULL,
  paused_until timestamptz(3),
  PRIMARY KEY (tenant_id, agent_id, at),
  FOREIGN KEY (tenant_id, agent_id) REFERENCES endpoint_summary (tenant_id, agent_id) ON DELETE CASCADE
);

ALTER TABLE endpoint_states ENABLE ROW LEVEL SECURITY;
ALTER TABLE endpoint_states FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON endpoint_states
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

GRANT SELECT, INSERT, UPDATE, DELETE ON endpoint_states TO svc_app;
