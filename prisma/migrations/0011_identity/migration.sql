-- People, what they may do, and the credentials that prove who they are.
--
-- Under row-level security: members, api_tokens, access_links. Directory tables (read before a tenant is known, reached by
-- directory_* functions only): accounts, account_tenants, sessions, credential_keys, oidc_artifacts, identity_keys.
-- Secrets rest as SHA-256 hashes; what must be read again rests sealed under the envelope key.

CREATE TABLE accounts (
  id text PRIMARY KEY,
  -- 'builtin' for the identity provider in the box, so that a change of SVC_PUBLIC_URL keeps its people.
  issuer text NOT NULL,
  subject text NOT NULL,
  email text NOT NULL DEFAULT '',
  email_verified boolean NOT NULL DEFAULT false,
  name text NOT NULL DEFAULT '',
  password_hash text,
  created_at timestamptz(3) NOT NULL,
  CONSTRAINT accounts_subject UNIQUE (issuer, subject)
);
CREATE UNIQUE INDEX accounts_builtin_email ON accounts (lower(email)) WHERE issuer = 'builtin';

-- Copy of members' keys, kept by a trigger: in which tenants an account is, before one of them is chosen.
CREATE TABLE account_tenants (
  account_id text NOT NULL,
  tenant_id text NOT NULL,
  PRIMARY KEY (account_id, tenant_id)
);

CREATE TABLE sessions (
  id_hash bytea PRIMARY KEY,
  id text NOT NULL UNIQUE,
  account_id text NOT NULL,
  tenant_id text NOT NULL,
  -- For its owner to recognise it, for example "Firefox on Linux".
  client text NOT NULL,
  id_token_sealed bytea,
  created_at timestamptz(3) NOT NULL,
  last_seen_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expires ON sessions (expires_at);

-- From the hash of a presented secret to the tenant's row that it belongs to.
CREATE TABLE credential_keys (
  hash bytea PRIMARY KEY,
  kind text NOT NULL,
  tenant_id text NOT NULL,
  ref_id uuid NOT NULL
);

-- What the built-in issuer and the relying party keep between two requests of one sign-in.
CREATE TABLE oidc_artifacts (
  model text NOT NULL,
  id_hash bytea NOT NULL,
  sealed bytea NOT NULL,
  grant_hash bytea,
  uid_hash bytea,
  consumed_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (model, id_hash)
);
CREATE INDEX oidc_artifacts_grant ON oidc_artifacts (grant_hash);
CREATE INDEX oidc_artifacts_uid ON oidc_artifacts (model, uid_hash);
CREATE INDEX oidc_artifacts_expires ON oidc_artifacts (expires_at);

CREATE TABLE identity_keys (
  name text PRIMARY KEY,
  sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL
);

REVOKE ALL ON accounts, account_tenants, sessions, credential_keys, oidc_artifacts, identity_keys FROM PUBLIC;
REVOKE ALL ON accounts, account_tenants, sessions, credential_keys, oidc_artifacts, identity_keys FROM svc_app;

CREATE TABLE members (
  tenant_id text NOT NULL REFERENCES tenants (id),
  account_id text NOT NULL REFERENCES accounts (id),
  -- Granted here.
  roles text[] NOT NULL DEFAULT '{}',
  -- Granted by the groups the identity provider named at the last sign-in.
  group_roles text[] NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, account_id)
);

CREATE TABLE api_tokens (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  roles text[] NOT NULL,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  PRIMARY KEY (tenant_id, id)
);

-- Claim links (first administrator) and invitations: single use.
CREATE TABLE access_links (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('claim', 'invite')),
  roles text[] NOT NULL,
  email text NOT NULL DEFAULT '',
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  used_at timestamptz(3),
  used_by text,
  revoked_at timestamptz(3),
  PRIMARY KEY (tenant_id, id)
);

ALTER TABLE members ENABLE ROW LEVEL SECURITY;
ALTER TABLE members FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON members
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE api_tokens ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_tokens FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON api_tokens
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE access_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE access_links FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON access_links
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

GRANT SELECT, INSERT, UPDATE, DELETE ON members, api_tokens, access_links TO svc_app;

CREATE FUNCTION identity_copy_membership() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM account_tenants WHERE account_id = OLD.account_id AND tenant_id = OLD.tenant_id;
  ELSE
    INSERT INTO account_tenants (account_id, tenant_id) VALUES (NEW.account_id, NEW.tenant_id) ON CONFLICT DO NOTHING;
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION identity_copy_membership() FROM PUBLIC;
CREATE TRIGGER identity_copy_membership AFTER INSERT OR DELETE ON members
  FOR EACH ROW EXECUTE FUNCTION identity_copy_membership();

-- Accounts ------------------------------------------------------------------------------------------------------------

-- An account of an outside issuer, made or brought up to date at each sign-in.
CREATE FUNCTION directory_upsert_account(p_id text, p_issuer text, p_subject text, p_email text, p_email_verified boolean, p_name text,
  p_now timestamptz) RETURNS TABLE (id text, created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY INSERT INTO accounts AS a (id, issuer, subject, email, email_verified, name, created_at)
    VALUES (p_id, p_issuer, p_subject, p_email, p_email_verified, p_name, p_now)
    ON CONFLICT ON CONSTRAINT accounts_subject
    DO UPDATE SET email = excluded.email, email_verified = excluded.email_verified, name = excluded.name
    RETURNING a.id, a.id = p_id;
END
$$;

-- A built-in account with a password. A second one with the same e-mail is a unique violation (accounts_builtin_email).
CREATE FUNCTION directory_create_password_account(p_id text, p_email text, p_name text, p_password_hash text, p_now timestamptz)
RETURNS TABLE (id text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO accounts (id, issuer, subject, email, email_verified, name, password_hash, created_at)
    VALUES (p_id, 'builtin', p_id, p_email, false, p_name, p_password_hash, p_now) RETURNING accounts.id
$$;

CREATE FUNCTION directory_find_password_account(p_email text)
RETURNS TABLE (id text, email text, name text, password_hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT a.id, a.email, a.name, a.password_hash FROM accounts a WHERE a.issuer = 'builtin' AND lower(a.email) = lower(p_email)
$$;

CREATE FUNCTION directory_set_password(p_id text, p_password_hash text) RETURNS TABLE (id text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE accounts SET password_hash = p_password_hash WHERE accounts.id = p_id AND issuer = 'builtin' RETURNING accounts.id
$$;

CREATE FUNCTION directory_describe_accounts(p_ids text[])
RETURNS TABLE (id text, issuer text, subject text, email text, email_verified boolean, name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT a.id, a.issuer, a.subject, a.email, a.email_verified, a.name FROM accounts a WHERE a.id = ANY (p_ids)
$$;

CREATE FUNCTION directory_tenants_of_account(p_account_id text) RETURNS TABLE (id text, name text, is_demo boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.id, t.name, t.is_demo FROM account_tenants a JOIN tenants t ON t.id = a.tenant_id WHERE a.account_id = p_account_id ORDER BY t.id
$$;

-- Sessions ------------------------------------------------------------------------------------------------------------

CREATE FUNCTION directory_open_session(p_id_hash bytea, p_id text, p_account_id text, p_tenant_id text, p_client text,
  p_id_token_sealed bytea, p_now timestamptz, p_expires_at timestamptz) RETURNS TABLE (id text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO sessions (id_hash, id, account_id, tenant_id, client, id_token_sealed, created_at, last_seen_at, expires_at)
    VALUES (p_id_hash, p_id, p_account_id, p_tenant_id, p_client, p_id_token_sealed, p_now, p_now, p_expires_at) RETURNING sessions.id
$$;

-- The live session with its member's roles, for every request: no row when unknown, revoked, over its 8 hours, idle for too long, or
-- when its account is no longer a member. Marks it as seen, at most once a minute.
CREATE FUNCTION directory_find_session(p_id_hash bytea, p_now timestamptz, p_idle_seconds integer)
RETURNS TABLE (id text, account_id text, tenant_id text, roles text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  found_session sessions%ROWTYPE;
  outer_tenant text := current_setting('app.tenant_id', true);
BEGIN
  SELECT * INTO found_session FROM sessions s WHERE s.id_hash = p_id_hash AND s.expires_at > p_now
    AND s.last_seen_at > p_now - make_interval(secs => p_idle_seconds);
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF found_session.last_seen_at < p_now - interval '1 minute' THEN
    UPDATE sessions SET last_seen_at = p_now WHERE id_hash = p_id_hash;
  END IF;
  PERFORM set_config('app.tenant_id', found_session.tenant_id, true);
  RETURN QUERY SELECT found_session.id, m.account_id, m.tenant_id, m.roles || m.group_roles FROM members m
    WHERE m.tenant_id = found_session.tenant_id AND m.account_id = found_session.account_id;
  PERFORM set_config('app.tenant_id', coalesce(outer_tenant, ''), true);
END
$$;

CREATE FUNCTION directory_close_session(p_id_hash bytea) RETURNS TABLE (id text, account_id text, tenant_id text, id_token_sealed bytea)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM sessions s WHERE s.id_hash = p_id_hash RETURNING s.id, s.account_id, s.tenant_id, s.id_token_sealed
$$;

CREATE FUNCTION directory_move_session(p_id text, p_account_id text, p_tenant_id text) RETURNS TABLE (id text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sessions s SET tenant_id = p_tenant_id WHERE s.id = p_id AND s.account_id = p_account_id
    AND EXISTS (SELECT 1 FROM account_tenants a WHERE a.account_id = p_account_id AND a.tenant_id = p_tenant_id) RETURNING s.id
$$;

CREATE FUNCTION directory_sessions_of_account(p_account_id text, p_now timestamptz, p_idle_seconds integer)
RETURNS TABLE (id text, tenant_id text, client text, created_at timestamptz, last_seen_at timestamptz, expires_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.id, s.tenant_id, s.client, s.created_at, s.last_seen_at, s.expires_at FROM sessions s
    WHERE s.account_id = p_account_id AND s.expires_at > p_now AND s.last_seen_at > p_now - make_interval(secs => p_idle_seconds)
    ORDER BY s.last_seen_at DESC LIMIT 100
$$;

-- When each of these accounts was last here, in the transaction's tenant.
CREATE FUNCTION directory_last_seen(p_account_ids text[]) RETURNS TABLE (account_id text, last_seen_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.account_id, max(s.last_seen_at) FROM sessions s
    WHERE s.account_id = ANY (p_account_ids) AND s.tenant_id = current_setting('app.tenant_id') GROUP BY s.account_id
$$;

CREATE FUNCTION directory_revoke_session(p_account_id text, p_id text) RETURNS TABLE (id text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM sessions s WHERE s.account_id = p_account_id AND s.id = p_id RETURNING s.id
$$;

-- All sessions of an account: everywhere, or of the transaction's tenant.
CREATE FUNCTION directory_revoke_sessions(p_account_id text, p_everywhere boolean) RETURNS TABLE (id text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM sessions s WHERE s.account_id = p_account_id AND (p_everywhere OR s.tenant_id = current_setting('app.tenant_id'))
    RETURNING s.id
$$;

-- Credentials by hash -------------------------------------------------------------------------------------------------

CREATE FUNCTION directory_add_credential(p_hash bytea, p_kind text, p_ref_id uuid) RETURNS TABLE (ref_id uuid)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO credential_keys (hash, kind, tenant_id, ref_id) VALUES (p_hash, p_kind, current_setting('app.tenant_id'), p_ref_id)
    RETURNING credential_keys.ref_id
$$;

-- The tenant's token with this hash while it is valid. Marks it as used, at most once a minute.
CREATE FUNCTION directory_find_api_token(p_hash bytea, p_now timestamptz) RETURNS TABLE (tenant_id text, id uuid, roles text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  key credential_keys%ROWTYPE;
  token api_tokens%ROWTYPE;
  outer_tenant text := current_setting('app.tenant_id', true);
BEGIN
  SELECT * INTO key FROM credential_keys k WHERE k.hash = p_hash AND k.kind = 'api_token';
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM set_config('app.tenant_id', key.tenant_id, true);
  SELECT * INTO token FROM api_tokens t WHERE t.tenant_id = key.tenant_id AND t.id = key.ref_id
    AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > p_now);
  IF FOUND THEN
    IF token.last_used_at IS NULL OR token.last_used_at < p_now - interval '1 minute' THEN
      UPDATE api_tokens SET last_used_at = p_now WHERE tenant_id = key.tenant_id AND id = key.ref_id;
    END IF;
    RETURN QUERY SELECT token.tenant_id, token.id, token.roles;
  END IF;
  PERFORM set_config('app.tenant_id', coalesce(outer_tenant, ''), true);
END
$$;

-- The claim or invitation with this hash, used or not.
CREATE FUNCTION directory_find_access_link(p_hash bytea)
RETURNS TABLE (tenant_id text, id uuid, kind text, email text, expires_at timestamptz, used_at timestamptz, revoked_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  key credential_keys%ROWTYPE;
  outer_tenant text := current_setting('app.tenant_id', true);
BEGIN
  SELECT * INTO key FROM credential_keys k WHERE k.hash = p_hash AND k.kind = 'access_link';
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM set_config('app.tenant_id', key.tenant_id, true);
  RETURN QUERY SELECT l.tenant_id, l.id, l.kind, l.email, l.expires_at, l.used_at, l.revoked_at FROM access_links l
    WHERE l.tenant_id = key.tenant_id AND l.id = key.ref_id;
  PERFORM set_config('app.tenant_id', coalesce(outer_tenant, ''), true);
END
$$;

-- Artifacts and keys of sign-in ---------------------------------------------------------------------------------------

CREATE FUNCTION directory_put_oidc_artifact(p_model text, p_id_hash bytea, p_sealed bytea, p_grant_hash bytea, p_uid_hash bytea,
  p_expires_at timestamptz) RETURNS TABLE (stored boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO oidc_artifacts (model, id_hash, sealed, grant_hash, uid_hash, expires_at)
    VALUES (p_model, p_id_hash, p_sealed, p_grant_hash, p_uid_hash, p_expires_at)
    ON CONFLICT (model, id_hash) DO UPDATE SET sealed = excluded.sealed, grant_hash = excluded.grant_hash,
      uid_hash = excluded.uid_hash, expires_at = excluded.expires_at
    RETURNING true
$$;

CREATE FUNCTION directory_find_oidc_artifact(p_model text, p_id_hash bytea, p_uid_hash bytea, p_now timestamptz)
RETURNS TABLE (sealed bytea, consumed_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT o.sealed, o.consumed_at FROM oidc_artifacts o
    WHERE o.model = p_model AND (o.id_hash = p_id_hash OR o.uid_hash = p_uid_hash) AND o.expires_at > p_now LIMIT 1
$$;

-- Reads and removes in one step, so that what is single use is used once.
CREATE FUNCTION directory_take_oidc_artifact(p_model text, p_id_hash bytea, p_now timestamptz) RETURNS TABLE (sealed bytea)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM oidc_artifacts o WHERE o.model = p_model AND o.id_hash = p_id_hash AND o.expires_at > p_now RETURNING o.sealed
$$;

CREATE FUNCTION directory_consume_oidc_artifact(p_model text, p_id_hash bytea, p_now timestamptz) RETURNS TABLE (consumed boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE oidc_artifacts o SET consumed_at = p_now WHERE o.model = p_model AND o.id_hash = p_id_hash RETURNING true
$$;

CREATE FUNCTION directory_drop_oidc_artifacts(p_model text, p_id_hash bytea, p_grant_hash bytea) RETURNS TABLE (dropped boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DELETE FROM oidc_artifacts o WHERE (o.model = p_model AND o.id_hash = p_id_hash) OR o.grant_hash = p_grant_hash RETURNING true
$$;

-- Stores a key unless there is one of this name; gives the one that counts.
CREATE FUNCTION directory_ensure_identity_key(p_name text, p_sealed bytea, p_now timestamptz) RETURNS TABLE (sealed bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO identity_keys (name, sealed, created_at) VALUES (p_name, p_sealed, p_now) ON CONFLICT (name) DO NOTHING;
  RETURN QUERY SELECT k.sealed FROM identity_keys k WHERE k.name = p_name;
END
$$;

-- Removes what has expired for good.
CREATE FUNCTION directory_purge_identity(p_now timestamptz) RETURNS TABLE (purged bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH gone_artifacts AS (DELETE FROM oidc_artifacts WHERE expires_at <= p_now RETURNING 1),
       gone_sessions AS (DELETE FROM sessions WHERE expires_at <= p_now RETURNING 1)
  SELECT (SELECT count(*) FROM gone_artifacts) + (SELECT count(*) FROM gone_sessions)
$$;

REVOKE ALL ON FUNCTION
  directory_upsert_account(text, text, text, text, boolean, text, timestamptz),
  directory_create_password_account(text, text, text, text, timestamptz),
  directory_find_password_account(text),
  directory_set_password(text, text),
  directory_describe_accounts(text[]),
  directory_tenants_of_account(text),
  directory_open_session(bytea, text, text, text, text, bytea, timestamptz, timestamptz),
  directory_find_session(bytea, timestamptz, integer),
  directory_close_session(bytea),
  directory_move_session(text, text, text),
  directory_sessions_of_account(text, timestamptz, integer),
  directory_last_seen(text[]),
  directory_revoke_session(text, text),
  directory_revoke_sessions(text, boolean),
  directory_add_credential(bytea, text, uuid),
  directory_find_api_token(bytea, timestamptz),
  directory_find_access_link(bytea),
  directory_put_oidc_artifact(text, bytea, bytea, bytea, bytea, timestamptz),
  directory_find_oidc_artifact(text, bytea, bytea, timestamptz),
  directory_take_oidc_artifact(text, bytea, timestamptz),
  directory_consume_oidc_artifact(text, bytea, timestamptz),
  directory_drop_oidc_artifacts(text, bytea, bytea),
  directory_ensure_identity_key(text, bytea, timestamptz),
  directory_purge_identity(timestamptz)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  directory_upsert_account(text, text, text, text, boolean, text, timestamptz),
  directory_create_password_account(text, text, text, text, timestamptz),
  directory_find_password_account(text),
  directory_set_password(text, text),
  directory_describe_accounts(text[]),
  directory_tenants_of_account(text),
  directory_open_session(bytea, text, text, text, text, bytea, timestamptz, timestamptz),
  directory_find_session(bytea, timestamptz, integer),
  directory_close_session(bytea),
  directory_move_session(text, text, text),
  directory_sessions_of_account(text, timestamptz, integer),
  directory_last_seen(text[]),
  directory_revoke_session(text, text),
  directory_revoke_sessions(text, boolean),
  directory_add_credential(bytea, text, uuid),
  directory_find_api_token(bytea, timestamptz),
  directory_find_access_link(bytea),
  directory_put_oidc_artifact(text, bytea, bytea, bytea, bytea, timestamptz),
  directory_find_oidc_artifact(text, bytea, bytea, timestamptz),
  directory_take_oidc_artifact(text, bytea, timestamptz),
  directory_consume_oidc_artifact(text, bytea, timestamptz),
  directory_drop_oidc_artifacts(text, bytea, bytea),
  directory_ensure_identity_key(text, bytea, timestamptz),
  directory_purge_identity(timestamptz)
TO svc_app;
