-- What is known of each test on each runner: folded from its runs, so that a list of ten thousand tests reads one row each.
CREATE TABLE synthetic_test_heads (
  tenant_id text NOT NULL,
  test_id uuid NOT NULL,
  runner_id text NOT NULL,
  last_at timestamptz(3) NOT NULL,
  last_ok boolean NOT NULL,
  last_fault text NOT NULL,
  -- Latched: so many failing runs in a row, until as many good ones.
  failing boolean NOT NULL,
  since timestamptz(3),
  -- When the failing run came that made it count.
  latched_at timestamptz(3),
  -- The newest run as it is shown.
  last jsonb NOT NULL,
  -- The newest runs that count, the latest first: id, Unix milliseconds, whether it passed. A run that is there already changes nothing.
  recent jsonb NOT NULL,
  certificate jsonb,
  certificate_at timestamptz(3),
  certificate_changed_at timestamptz(3),
  -- Of the certificate; read for all tests at once.
  expires_at timestamptz(3),
  PRIMARY KEY (tenant_id, test_id, runner_id),
  FOREIGN KEY (tenant_id, test_id) REFERENCES synthetic_tests (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 60);

-- Which runs have evidence, which lies beside the database; kept for 30 days.
CREATE TABLE synthetic_test_evidence (
  tenant_id text NOT NULL REFERENCES tenants (id),
  result_id uuid NOT NULL,
  test_id uuid NOT NULL,
  runner_id text NOT NULL,
  started_at timestamptz(3) NOT NULL,
  bytes integer NOT NULL,
  -- Media type of the screenshot; empty without one.
  screenshot text NOT NULL,
  kept_until timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, result_id)
);
CREATE INDEX synthetic_test_evidence_until ON synthetic_test_evidence (tenant_id, kept_until);
CREATE INDEX synthetic_test_evidence_test ON synthetic_test_evidence (tenant_id, test_id);

ALTER TABLE synthetic_test_heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE synthetic_test_heads FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON synthetic_test_heads
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE synthetic_test_evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE synthetic_test_evidence FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON synthetic_test_evidence
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON synthetic_test_heads, synthetic_test_evidence TO svc_app;
