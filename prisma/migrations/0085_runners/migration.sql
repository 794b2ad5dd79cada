-- Runners of synthetic tests: who may enrol, which there are, and what is asked of one that another replica holds.

-- Directory table: read before a tenant is known.
CREATE TABLE runner_token_directory (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  tenant_id text NOT NULL,
  token_id uuid NOT NULL
);
CREATE INDEX runner_token_directory_token ON runner_token_directory (token_id);

-- Directory table: the runner inside of the control plane, one whatever the tenant; told by the replica that runs it.
CREATE TABLE built_in_runner (
  id integer PRIMARY KEY CHECK (id = 1),
  state jsonb NOT NULL,
  connected_at timestamptz(3) NOT NULL,
  contact_at timestamptz(3) NOT NULL
);

REVOKE ALL ON runner_token_directory, built_in_runner FROM PUBLIC;
REVOKE ALL ON runner_token_directory, built_in_runner FROM svc_app;

CREATE FUNCTION directory_find_runner_token(p_hash bytea) RETURNS TABLE (tenant_id text, token_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT d.tenant_id, d.token_id FROM runner_token_directory d WHERE d.token_hash = p_hash
$$;

-- Called inside the transaction that makes the token; the tenant is the transaction's own, never an argument.
CREATE FUNCTION directory_add_runner_token(p_hash bytea, p_id uuid) RETURNS TABLE (added boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO runner_token_directory (token_hash, tenant_id, token_id) VALUES (p_hash, current_setting('app.tenant_id'), p_id);
  RETURN QUERY SELECT true;
END $$;

CREATE FUNCTION directory_remove_runner_token(p_id uuid) RETURNS TABLE (removed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM runner_token_directory d WHERE d.tenant_id = current_setting('app.tenant_id') AND d.token_id = p_id;
  RETURN QUERY SELECT FOUND;
END $$;

CREATE FUNCTION directory_note_built_in_runner(p_state jsonb, p_connected_at timestamptz, p_contact_at timestamptz)
RETURNS TABLE (noted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO built_in_runner AS r (id, state, connected_at, contact_at) VALUES (1, p_state, p_connected_at, p_contact_at)
    ON CONFLICT (id) DO UPDATE SET state = excluded.state, connected_at = excluded.connected_at, contact_at = excluded.contact_at;
  RETURN QUERY SELECT true;
END $$;

CREATE FUNCTION directory_built_in_runner() RETURNS TABLE (state jsonb, connected_at timestamptz, contact_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.state, r.connected_at, r.contact_at FROM built_in_runner r WHERE r.id = 1
$$;

REVOKE ALL ON FUNCTION directory_find_runner_token(bytea), directory_add_runner_token(bytea, uuid),
  directory_remove_runner_token(uuid), directory_note_built_in_runner(jsonb, timestamptz, timestamptz),
  directory_built_in_runner() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_find_runner_token(bytea), directory_add_runner_token(bytea, uuid),
  directory_remove_runner_token(uuid), directory_note_built_in_runner(jsonb, timestamptz, timestamptz),
  directory_built_in_runner() TO svc_app;

CREATE TABLE runner_tokens (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  name text,
  labels jsonb NOT NULL DEFAULT '{}',
  site text,
  uses integer NOT NULL CHECK (uses > 0),
  used integer NOT NULL DEFAULT 0 CHECK (used >= 0),
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL,
  created_by text NOT NULL,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  PRIMARY KEY (tenant_id, id)
);

CREATE TABLE runners (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  -- SHA-256 of the SubjectPublicKeyInfo; the same key keeps its id.
  key_hash bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  public_key bytea NOT NULL,
  name text NOT NULL,
  labels jsonb NOT NULL DEFAULT '{}',
  site text,
  version text,
  protocol integer NOT NULL,
  lacks jsonb NOT NULL DEFAULT '{}',
  token_id uuid,
  enrolled_at timestamptz(3) NOT NULL,
  cert_not_after timestamptz(3) NOT NULL,
  connected_at timestamptz(3),
  contact_at timestamptz(3),
  cpu_ratio double precision,
  rss_bytes bigint,
  spool_results integer NOT NULL DEFAULT 0,
  spool_dropped bigint NOT NULL DEFAULT 0,
  clock_skew_ms bigint NOT NULL DEFAULT 0,
  upgrade_required boolean NOT NULL DEFAULT false,
  revoked_at timestamptz(3),
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, key_hash)
) WITH (fillfactor = 70);

-- A renewal request is taken once; entries older than the clock window are dropped as new ones come.
CREATE TABLE runner_renewals (
  tenant_id text NOT NULL,
  runner_id uuid NOT NULL,
  nonce text NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, runner_id, nonce),
  FOREIGN KEY (tenant_id, runner_id) REFERENCES runners (tenant_id, id) ON DELETE CASCADE
);

-- Runs on demand of a runner whose stream another replica holds; they go within minutes.
CREATE TABLE runner_requests (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  runner_id uuid NOT NULL,
  test jsonb NOT NULL,
  progress jsonb NOT NULL DEFAULT '[]',
  report jsonb,
  error text,
  asked_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, id),
  FOREIGN KEY (tenant_id, runner_id) REFERENCES runners (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX runner_requests_runner ON runner_requests (tenant_id, runner_id);

ALTER TABLE runner_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE runner_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON runner_tokens
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE runners ENABLE ROW LEVEL SECURITY;
ALTER TABLE runners FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON runners
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE runner_renewals ENABLE ROW LEVEL SECURITY;
ALTER TABLE runner_renewals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON runner_renewals
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE runner_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE runner_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON runner_requests
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON runner_tokens, runners, runner_renewals, runner_requests TO svc_app;
