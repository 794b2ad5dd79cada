-- Retention of the audit trail: the oldest entries of a tenant's chain go, and a signed checkpoint tells where the rest begins.

-- Directory table: the key that signs checkpoints belongs to the service; sealed with the envelope key.
CREATE TABLE audit_keys (
  id integer PRIMARY KEY CHECK (id = 1),
  sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

REVOKE ALL ON audit_keys FROM PUBLIC;
REVOKE ALL ON audit_keys FROM svc_app;

CREATE FUNCTION directory_audit_key() RETURNS TABLE (sealed bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.sealed FROM audit_keys k WHERE k.id = 1
$$;

-- The first replica's key wins; every caller gets the one that is kept.
CREATE FUNCTION directory_keep_audit_key(p_sealed bytea) RETURNS TABLE (sealed bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO audit_keys AS k (id, sealed) VALUES (1, p_sealed) ON CONFLICT (id) DO NOTHING;
  RETURN QUERY SELECT k.sealed FROM audit_keys k WHERE k.id = 1;
END $$;

CREATE TABLE audit_checkpoints (
  tenant_id text NOT NULL,
  -- Place and hash of the last entry that went.
  seq bigint NOT NULL CHECK (seq > 0),
  hash bytea NOT NULL CHECK (octet_length(hash) = 32),
  -- Entries that went with this checkpoint.
  entries bigint NOT NULL CHECK (entries > 0),
  at_ms bigint NOT NULL,
  signature bytea NOT NULL,
  -- The database's clock, not signed: it bounds how often entries go.
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, seq)
);

ALTER TABLE audit_checkpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_checkpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_checkpoints
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

GRANT SELECT ON audit_checkpoints TO svc_app;

-- Removes the transaction's tenant's entries up to p_seq and keeps the checkpoint. The serving role has no other way to remove one, and
-- this one holds whatever the caller's clock says: nothing younger than 90 days by the database's clock, a week of the trail at a time,
-- once in 20 hours. Entries dated in the future were written under a clock gone wrong and hold nothing up.
CREATE FUNCTION audit_remove_prefix(p_seq bigint, p_hash bytea, p_at_ms bigint, p_signature bytea) RETURNS TABLE (removed bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  tenant CONSTANT text := current_setting('app.tenant_id');
  now_ms CONSTANT bigint := (extract(epoch FROM clock_timestamp()) * 1000)::bigint;
  day_ms CONSTANT bigint := 86400000;
  base audit_checkpoints%ROWTYPE;
  base_seq bigint;
  first_ms bigint;
  gone bigint;
BEGIN
  IF abs(now_ms - p_at_ms) > 300000 THEN
    RAISE EXCEPTION 'audit retention: the clocks of server and database are more than five minutes apart';
  END IF;
  SELECT c.* INTO base FROM audit_checkpoints c WHERE c.tenant_id = tenant ORDER BY c.seq DESC LIMIT 1;
  base_seq := coalesce(base.seq, 0);
  IF abs(extract(epoch FROM clock_timestamp() - base.created_at)) < 72000 THEN
    RAISE EXCEPTION 'audit retention: entries went less than 20 hours ago';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM audit_entries e WHERE e.tenant_id = tenant AND e.seq = p_seq AND e.hash = p_hash
      AND e.at_ms < now_ms - 90 * day_ms) THEN
    RAISE EXCEPTION 'audit retention: entry % is not there, has another hash or is younger than 90 days', p_seq;
  END IF;
  SELECT e.at_ms INTO first_ms FROM audit_entries e
    WHERE e.tenant_id = tenant AND e.seq > base_seq AND e.at_ms <= now_ms ORDER BY e.seq LIMIT 1;
  IF EXISTS (SELECT 1 FROM audit_entries e WHERE e.tenant_id = tenant AND e.seq > base_seq AND e.seq <= p_seq AND e.at_ms <= now_ms
      AND (e.at_ms > now_ms - 90 * day_ms OR e.at_ms > first_ms + 7 * day_ms)) THEN
    RAISE EXCEPTION 'audit retention: an entry up to % is younger than 90 days or more than a week past the first', p_seq;
  END IF;
  DELETE FROM audit_entries e WHERE e.tenant_id = tenant AND e.seq > base_seq AND e.seq <= p_seq;
  GET DIAGNOSTICS gone = ROW_COUNT;
  IF gone <> p_seq - base_seq THEN
    RAISE EXCEPTION 'audit retention: % entries stood where % belong', gone, p_seq - base_seq;
  END IF;
  INSERT INTO audit_checkpoints (tenant_id, seq, hash, entries, at_ms, signature)
    VALUES (tenant, p_seq, p_hash, gone, p_at_ms, p_signature);
  RETURN QUERY SELECT gone;
END $$;

REVOKE ALL ON FUNCTION directory_audit_key(), directory_keep_audit_key(bytea), audit_remove_prefix(bigint, bytea, bigint, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_audit_key(), directory_keep_audit_key(bytea), audit_remove_prefix(bigint, bytea, bigint, bytea) TO svc_app;
