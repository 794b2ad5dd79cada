-- An account proves itself before it joins a tenant, and only its own tenant can reset its password. Both are decided here, under a lock
-- on the account: joining takes it shared, a new password takes it alone, so that one is wholly before or after the other.
ALTER TABLE accounts ADD COLUMN password_changed_at timestamptz(3);

-- Sessions that a new password ended, so that the sign-in page can say why. Kept until the session would have ended anyway.
CREATE TABLE ended_sessions (
  id_hash bytea PRIMARY KEY,
  ended_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX ended_sessions_expires ON ended_sessions (expires_at);
REVOKE ALL ON ended_sessions FROM PUBLIC;
REVOKE ALL ON ended_sessions FROM svc_app;

-- Locks the account against a new password until the transaction ends. No row when the password is not the proven one any more
-- (p_password_hash), or was replaced after the sign-in began (p_since).
CREATE FUNCTION directory_hold_account(p_id text, p_password_hash text, p_since timestamptz) RETURNS TABLE (id text)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT a.id FROM accounts a WHERE a.id = p_id AND (p_password_hash IS NULL OR a.password_hash = p_password_hash)
    AND (p_since IS NULL OR a.password_changed_at IS NULL OR a.password_changed_at <= p_since) FOR SHARE
$$;

-- Sets the password of a built-in account and ends its sessions; gives its tenants. No row, and nothing done, for an account that is in
-- any tenant but the transaction's own, unless p_any_tenant: that is for links which the operator of the server made.
CREATE FUNCTION directory_replace_password(p_id text, p_password_hash text, p_any_tenant boolean, p_now timestamptz)
RETURNS TABLE (tenant_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  own CONSTANT text := current_setting('app.tenant_id');
BEGIN
  PERFORM 1 FROM accounts WHERE id = p_id AND issuer = 'builtin' FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  -- A statement of its own sees what was committed while this one waited for the lock.
  IF NOT p_any_tenant AND (SELECT array_agg(a.tenant_id) FROM account_tenants a WHERE a.account_id = p_id) IS DISTINCT FROM ARRAY[own] THEN
    RETURN;
  END IF;
  UPDATE accounts SET password_hash = p_password_hash, password_changed_at = p_now WHERE id = p_id;
  WITH gone AS (DELETE FROM sessions s WHERE s.account_id = p_id RETURNING s.id_hash, s.expires_at)
    INSERT INTO ended_sessions (id_hash, ended_at, expires_at) SELECT g.id_hash, p_now, g.expires_at FROM gone g;
  RETURN QUERY SELECT own UNION SELECT a.tenant_id FROM account_tenants a WHERE a.account_id = p_id ORDER BY 1;
END
$$;

-- When a new password ended this session; no row for any other.
CREATE FUNCTION directory_find_ended_session(p_id_hash bytea, p_now timestamptz) RETURNS TABLE (ended_at timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT e.ended_at FROM ended_sessions e WHERE e.id_hash = p_id_hash AND e.expires_at > p_now
$$;

-- The release before asks for this while both run: it sets no password of an account that another tenant has too.
CREATE OR REPLACE FUNCTION directory_set_password(p_id text, p_password_hash text) RETURNS TABLE (id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM directory_replace_password(p_id, p_password_hash, false, clock_timestamp())) THEN
    RAISE EXCEPTION 'the account is not in this tenant alone';
  END IF;
  RETURN QUERY SELECT p_id;
END
$$;

CREATE OR REPLACE FUNCTION directory_purge_identity(p_now timestamptz) RETURNS TABLE (purged bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH gone_artifacts AS (DELETE FROM oidc_artifacts WHERE expires_at <= p_now RETURNING 1),
       gone_sessions AS (DELETE FROM sessions WHERE expires_at <= p_now RETURNING 1),
       gone_ended AS (DELETE FROM ended_sessions WHERE expires_at <= p_now RETURNING 1)
  SELECT (SELECT count(*) FROM gone_artifacts) + (SELECT count(*) FROM gone_sessions) + (SELECT count(*) FROM gone_ended)
$$;

REVOKE ALL ON FUNCTION
  directory_hold_account(text, text, timestamptz),
  directory_replace_password(text, text, boolean, timestamptz),
  directory_find_ended_session(bytea, timestamptz)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  directory_hold_account(text, text, timestamptz),
  directory_replace_password(text, text, boolean, timestamptz),
  directory_find_ended_session(bytea, timestamptz)
TO svc_app;
