-- Fleet: who may enrol, the agents' certificate authority, agents, and the measuring policy of each tenant.

-- Directory tables: read before a tenant is known.
CREATE TABLE agent_root_ca (
  id integer PRIMARY KEY CHECK (id = 1),
  cert_pem text NOT NULL,
  key_sealed text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE enrol_token_directory (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  tenant_id text NOT NULL,
  token_id uuid NOT NULL
);

REVOKE ALL ON agent_root_ca, enrol_token_directory FROM PUBLIC;
REVOKE ALL ON agent_root_ca, enrol_token_directory FROM svc_app;

CREATE FUNCTION directory_agent_root() RETURNS TABLE (cert_pem text, key_sealed text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT r.cert_pem, r.key_sealed FROM agent_root_ca r WHERE r.id = 1
$$;

-- The first replica's root wins; every caller gets the one that is kept.
CREATE FUNCTION directory_keep_agent_root(p_cert text, p_key text) RETURNS TABLE (cert_pem text, key_sealed text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO agent_root_ca AS r (id, cert_pem, key_sealed) VALUES (1, p_cert, p_key) ON CONFLICT (id) DO NOTHING;
  RETURN QUERY SELECT r.cert_pem, r.key_sealed FROM agent_root_ca r WHERE r.id = 1;
END $$;

CREATE FUNCTION directory_find_enrol_token(p_hash bytea) RETURNS TABLE (tenant_id text, token_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT d.tenant_id, d.token_id FROM enrol_token_directory d WHERE d.token_hash = p_hash
$$;

-- Called inside the transaction that makes the token; the tenant is the transaction's own, never an argument.
CREATE FUNCTION directory_add_enrol_token(p_hash bytea, p_id uuid) RETURNS TABLE (added boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO enrol_token_directory (token_hash, tenant_id, token_id) VALUES (p_hash, current_setting('app.tenant_id'), p_id);
  RETURN QUERY SELECT true;
END $$;

CREATE FUNCTION directory_remove_enrol_token(p_id uuid) RETURNS TABLE (removed boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM enrol_token_directory d WHERE d.tenant_id = current_setting('app.tenant_id') AND d.token_id = p_id;
  RETURN QUERY SELECT FOUND;
END $$;

REVOKE ALL ON FUNCTION directory_agent_root(), directory_keep_agent_root(text, text), directory_find_enrol_token(bytea),
  directory_add_enrol_token(bytea, uuid), directory_remove_enrol_token(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_agent_root(), directory_keep_agent_root(text, text), directory_find_enrol_token(bytea),
  directory_add_enrol_token(bytea, uuid), directory_remove_enrol_token(uuid) TO svc_app;

-- The tenant's intermediates; the newest signs, all that are not expired are believed. The key is sealed with the envelope key.
CREATE TABLE agent_intermediates (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  cert_pem text NOT NULL,
  key_sealed text NOT NULL,
  not_after timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, id)
);

CREATE TABLE enrol_tokens (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  label text,
  site text,
  owner_email text,
  uses integer NOT NULL CHECK (uses > 0),
  used integer NOT NULL DEFAULT 0 CHECK (used >= 0),
  expires_at timestamptz(3) NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  created_by text NOT NULL,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  PRIMARY KEY (tenant_id, id)
);

CREATE TABLE agents (
  tenant_id text NOT NULL,
  id uuid NOT NULL,
  -- SHA-256 of the SubjectPublicKeyInfo; the same key keeps its id.
  key_hash bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  public_key bytea NOT NULL,
  -- What an administrator called it; wins over what the device calls itself.
  given_name text,
  device_name text,
  owner_email text,
  site text,
  os text,
  os_version text,
  arch text,
  model text,
  ring text NOT NULL CHECK (ring IN ('canary', 'early', 'main')),
  state text NOT NULL DEFAULT 'running',
  paused_until timestamptz(3),
  protocol integer NOT NULL,
  agent_version text,
  policy_version integer NOT NULL DEFAULT 0,
  spool_results integer NOT NULL DEFAULT 0,
  spool_dropped bigint NOT NULL DEFAULT 0,
  clock_skew_ms integer NOT NULL DEFAULT 0,
  disclosure_shown_at timestamptz(3),
  simulated boolean NOT NULL DEFAULT false,
  enrol_token_id uuid,
  enrolled_at timestamptz(3) NOT NULL DEFAULT now(),
  cert_not_after timestamptz(3) NOT NULL,
  last_contact_at timestamptz(3),
  revoked_at timestamptz(3),
  retired_at timestamptz(3),
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, key_hash)
) WITH (fillfactor = 70);

-- A renewal request is taken once; entries older than the clock window are dropped as new ones come.
CREATE TABLE agent_renewals (
  tenant_id text NOT NULL,
  agent_id uuid NOT NULL,
  nonce text NOT NULL,
  seen_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant_id, agent_id, nonce),
  FOREIGN KEY (tenant_id, agent_id) REFERENCES agents (tenant_id, id) ON DELETE CASCADE
);

-- Every version that was ever in force; the highest is.
CREATE TABLE agent_policies (
  tenant_id text NOT NULL,
  version integer NOT NULL CHECK (version > 0),
  policy jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  created_by text NOT NULL,
  PRIMARY KEY (tenant_id, version)
);

ALTER TABLE agent_intermediates ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_intermediates FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON agent_intermediates
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

ALTER TABLE enrol_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE enrol_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON enrol_tokens
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

ALTER TABLE agents ENABLE ROW LEVEL SECURITY;
ALTER TABLE agents FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON agents
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

ALTER TABLE agent_renewals ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_renewals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON agent_renewals
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

ALTER TABLE agent_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_policies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON agent_policies
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

GRANT SELECT, INSERT, UPDATE, DELETE ON agent_intermediates, enrol_tokens, agents, agent_renewals, agent_policies TO svc_app;
