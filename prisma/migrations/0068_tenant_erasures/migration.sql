-- Tenants that were erased or are being erased (docs/adr/0017): the name stays, so that nothing that is still on its way brings one back.
CREATE TABLE tenant_erasures (
  tenant_id text PRIMARY KEY,
  actor_kind text NOT NULL,
  -- An opaque id.
  actor_id text NOT NULL,
  requested_at timestamptz(3) NOT NULL,
  -- When every table was found empty; until then a server works on it.
  finished_at timestamptz(3),
  -- Rows that went, by table.
  erased jsonb NOT NULL DEFAULT '{}'
);
REVOKE ALL ON tenant_erasures FROM PUBLIC;
REVOKE ALL ON tenant_erasures FROM svc_app;

-- Begins to erase the transaction's tenant: whoever has access to it loses it with this very transaction.
CREATE FUNCTION directory_begin_erasure(p_actor_kind text, p_actor_id text, p_now timestamptz) RETURNS TABLE (is_new boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  tenant CONSTANT text := current_setting('app.tenant_id');
  is_first boolean;
BEGIN
  INSERT INTO tenant_erasures (tenant_id, actor_kind, actor_id, requested_at) VALUES (tenant, p_actor_kind, p_actor_id, p_now)
    ON CONFLICT DO NOTHING;
  is_first := FOUND;
  DELETE FROM sessions s WHERE s.tenant_id = tenant;
  DELETE FROM credential_keys k WHERE k.tenant_id = tenant;
  DELETE FROM otlp_token_directory d WHERE d.tenant_id = tenant;
  DELETE FROM enrol_token_directory d WHERE d.tenant_id = tenant;
  PERFORM pg_notify('svc_tenant_erasures', '');
  PERFORM pg_notify('svc_otlp_tokens', '');
  RETURN QUERY SELECT is_first;
END
$$;

CREATE FUNCTION directory_list_erasures() RETURNS SETOF tenant_erasures
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM tenant_erasures ORDER BY tenant_id
$$;

-- Adds rows that went, by table, to what went before.
CREATE FUNCTION directory_note_erased(p_tenant text, p_erased jsonb, p_finished_at timestamptz) RETURNS SETOF tenant_erasures
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF p_finished_at IS NOT NULL THEN
    DELETE FROM tenants t WHERE t.id = p_tenant AND EXISTS (SELECT 1 FROM tenant_erasures e WHERE e.tenant_id = p_tenant);
  END IF;
  RETURN QUERY UPDATE tenant_erasures e SET finished_at = coalesce(e.finished_at, p_finished_at), erased = (
      SELECT coalesce(jsonb_object_agg(name, rows), '{}') FROM (
        SELECT name, sum(value::bigint) AS rows FROM (
          SELECT * FROM jsonb_each_text(e.erased) AS before (name, value) UNION ALL SELECT * FROM jsonb_each_text(p_erased) AS more (name, value)
        ) AS counted GROUP BY name) AS summed)
    WHERE e.tenant_id = p_tenant RETURNING e.*;
END
$$;

-- People whom no tenant knows any more go with the last one that did.
CREATE FUNCTION directory_erase_strangers(p_ids text[]) RETURNS TABLE (id text)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH strangers AS (
    SELECT a.id FROM accounts a WHERE a.id = ANY (p_ids) AND NOT EXISTS (SELECT 1 FROM account_tenants t WHERE t.account_id = a.id)
      FOR UPDATE
  ), no_sessions AS (DELETE FROM sessions s USING strangers g WHERE s.account_id = g.id),
     no_joins AS (DELETE FROM joins_elsewhere j USING strangers g WHERE j.account_id = g.id)
  DELETE FROM accounts a USING strangers g WHERE a.id = g.id RETURNING a.id
$$;

-- The id of an erased tenant is not used again.
CREATE OR REPLACE FUNCTION directory_create_tenant(p_id text, p_name text, p_is_demo boolean) RETURNS TABLE (created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM tenant_erasures e WHERE e.tenant_id = p_id) THEN
    RETURN QUERY SELECT false;
    RETURN;
  END IF;
  INSERT INTO tenants (id, name, is_demo) VALUES (p_id, p_name, p_is_demo) ON CONFLICT (id) DO NOTHING;
  RETURN QUERY SELECT FOUND;
END $$;

-- Periodic work leaves a tenant alone from the moment that its erasure begins.
CREATE OR REPLACE FUNCTION directory_list_tenants() RETURNS SETOF tenants
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM tenants t WHERE NOT EXISTS (SELECT 1 FROM tenant_erasures e WHERE e.tenant_id = t.id) ORDER BY t.id
$$;

CREATE OR REPLACE FUNCTION directory_find_tenant(p_id text) RETURNS SETOF tenants
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM tenants t WHERE t.id = p_id AND NOT EXISTS (SELECT 1 FROM tenant_erasures e WHERE e.tenant_id = t.id)
$$;

REVOKE ALL ON FUNCTION directory_begin_erasure(text, text, timestamptz), directory_list_erasures(),
  directory_note_erased(text, jsonb, timestamptz), directory_erase_strangers(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_begin_erasure(text, text, timestamptz), directory_list_erasures(),
  directory_note_erased(text, jsonb, timestamptz), directory_erase_strangers(text[]) TO svc_app;
