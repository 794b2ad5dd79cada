-- OTLP: who may send, what came of each token, and what was refused.

-- Directory table, kept by a trigger: a request's tenant is what its token says. A token of SVC_OTLP_TOKENS may move to another tenant.
CREATE TABLE otlp_token_directory (
  token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  tenant_id text NOT NULL,
  token_id uuid NOT NULL,
  configured boolean NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  PRIMARY KEY (token_hash, tenant_id)
);

REVOKE ALL ON otlp_token_directory FROM PUBLIC;
REVOKE ALL ON otlp_token_directory FROM svc_app;

CREATE TABLE otlp_tokens (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  -- Of SVC_OTLP_TOKENS: accepted only while it stands there too.
  configured boolean NOT NULL DEFAULT false,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, token_hash)
) WITH (fillfactor = 70);

CREATE TABLE otlp_token_days (
  tenant_id text NOT NULL,
  token_id uuid NOT NULL,
  day date NOT NULL,
  requests bigint NOT NULL,
  items bigint NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (tenant_id, token_id, day),
  FOREIGN KEY (tenant_id, token_id) REFERENCES otlp_tokens (tenant_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);

CREATE TABLE otlp_signals (
  tenant_id text NOT NULL,
  signal text NOT NULL CHECK (signal IN ('traces', 'logs', 'metrics')),
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  items bigint NOT NULL,
  PRIMARY KEY (tenant_id, signal)
) WITH (fillfactor = 70);

-- A day's refusals of one reason, with the attributes of the last resource that was to blame; never what it sent.
CREATE TABLE otlp_refusals (
  tenant_id text NOT NULL,
  day date NOT NULL,
  reason text NOT NULL,
  count bigint NOT NULL,
  last_at timestamptz(3) NOT NULL,
  message text NOT NULL,
  resource jsonb,
  PRIMARY KEY (tenant_id, day, reason)
) WITH (fillfactor = 70);

ALTER TABLE otlp_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE otlp_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON otlp_tokens
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE otlp_token_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE otlp_token_days FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON otlp_token_days
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE otlp_signals ENABLE ROW LEVEL SECURITY;
ALTER TABLE otlp_signals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON otlp_signals
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE otlp_refusals ENABLE ROW LEVEL SECURITY;
ALTER TABLE otlp_refusals FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON otlp_refusals
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

GRANT SELECT, INSERT, UPDATE, DELETE ON otlp_tokens, otlp_token_days, otlp_signals, otlp_refusals TO svc_app;

-- Tells every replica, at commit, that it reads the tokens again. A trigger, so that no way of revoking can forget it.
CREATE FUNCTION otlp_copy_token() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM otlp_token_directory d WHERE d.token_hash = OLD.token_hash AND d.tenant_id = OLD.tenant_id;
  ELSE
    INSERT INTO otlp_token_directory (token_hash, tenant_id, token_id, configured, expires_at, revoked_at)
      VALUES (NEW.token_hash, NEW.tenant_id, NEW.id, NEW.configured, NEW.expires_at, NEW.revoked_at)
      ON CONFLICT (token_hash, tenant_id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at;
  END IF;
  PERFORM pg_notify('svc_otlp_tokens', '');
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION otlp_copy_token() FROM PUBLIC;
CREATE TRIGGER otlp_copy_token AFTER INSERT OR DELETE OR UPDATE OF expires_at, revoked_at ON otlp_tokens
  FOR EACH ROW EXECUTE FUNCTION otlp_copy_token();

-- Every token that counts, and those that ended within a month, so that who still sends with one is told what became of it.
CREATE FUNCTION directory_otlp_tokens(p_now timestamptz)
RETURNS TABLE (token_hash bytea, tenant_id text, token_id uuid, configured boolean, expires_at timestamptz, revoked_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT d.token_hash, d.tenant_id, d.token_id, d.configured, d.expires_at, d.revoked_at FROM otlp_token_directory d
    WHERE (d.configured OR coalesce(d.revoked_at, d.expires_at, p_now) > p_now - interval '30 days')
    ORDER BY d.token_hash, d.tenant_id
$$;
REVOKE ALL ON FUNCTION directory_otlp_tokens(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_otlp_tokens(timestamptz) TO svc_app;
