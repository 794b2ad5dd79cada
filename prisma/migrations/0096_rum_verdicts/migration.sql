-- Real users: hosts that beacons came of, what is judged of each, and how it came about (docs/contract/rum.md).
CREATE TABLE rum_hosts (
  tenant_id text NOT NULL REFERENCES tenants (id),
  app text NOT NULL,
  host text NOT NULL,
  -- Of beacons, as they were received.
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, app, host)
) WITH (fillfactor = 70);

CREATE TABLE rum_verdicts (
  tenant_id text NOT NULL REFERENCES tenants (id),
  app text NOT NULL,
  host text NOT NULL,
  verdict text NOT NULL,
  sufficient boolean NOT NULL,
  since timestamptz(3) NOT NULL,
  judged_at timestamptz(3) NOT NULL,
  -- Both halves as contracts' UsersHalf and TestsHalf have them.
  users jsonb NOT NULL,
  tests jsonb NOT NULL,
  -- Of the open episode: what it signalled and when, with the words it did so in, and how many judgements in a row had too few views.
  episode jsonb,
  PRIMARY KEY (tenant_id, app, host)
) WITH (fillfactor = 70);

-- Stretches of one verdict, as each was entered.
CREATE TABLE rum_verdict_spans (
  tenant_id text NOT NULL REFERENCES tenants (id),
  app text NOT NULL,
  host text NOT NULL,
  from_at timestamptz(3) NOT NULL,
  verdict text NOT NULL,
  sufficient boolean NOT NULL,
  users jsonb NOT NULL,
  tests jsonb NOT NULL,
  signalled boolean NOT NULL,
  PRIMARY KEY (tenant_id, app, host, from_at)
);
CREATE INDEX rum_verdict_spans_at ON rum_verdict_spans (tenant_id, from_at);

ALTER TABLE rum_hosts ENABLE ROW LEVEL SECURITY;
ALTER TABLE rum_hosts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON rum_hosts
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE rum_verdicts ENABLE ROW LEVEL SECURITY;
ALTER TABLE rum_verdicts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON rum_verdicts
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE rum_verdict_spans ENABLE ROW LEVEL SECURITY;
ALTER TABLE rum_verdict_spans FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON rum_verdict_spans
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON rum_hosts, rum_verdicts, rum_verdict_spans TO svc_app;
