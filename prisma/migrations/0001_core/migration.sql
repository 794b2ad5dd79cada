-- Directory tables: read before a tenant is known. No grant to svc_app; it reaches them by directory_* functions only.
CREATE TABLE tenants (
  id text PRIMARY KEY CHECK (id ~ '^[a-z0-9-]{1,63}$'),
  name text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  is_demo boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

CREATE TABLE leases (
  name text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 200),
  holder text NOT NULL,
  expires_at timestamptz(3) NOT NULL
);

REVOKE ALL ON tenants, leases FROM PUBLIC;
REVOKE ALL ON tenants, leases FROM svc_app;

-- True when the tenant is new; an existing one is left as it is.
CREATE FUNCTION directory_create_tenant(p_id text, p_name text, p_is_demo boolean) RETURNS TABLE (created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO tenants (id, name, is_demo) VALUES (p_id, p_name, p_is_demo) ON CONFLICT (id) DO NOTHING;
  RETURN QUERY SELECT FOUND;
END $$;

CREATE FUNCTION directory_list_tenants() RETURNS SETOF tenants
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM tenants ORDER BY id
$$;

CREATE FUNCTION directory_find_tenant(p_id text) RETURNS SETOF tenants
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT * FROM tenants WHERE id = p_id
$$;

-- Takes or renews a lease: true when p_holder has it until now + p_ttl_ms. The database's clock decides, so replicas need not agree.
CREATE FUNCTION directory_take_lease(p_name text, p_holder text, p_ttl_ms integer) RETURNS TABLE (taken boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO leases AS l (name, holder, expires_at)
  VALUES (p_name, p_holder, clock_timestamp() + make_interval(secs => p_ttl_ms / 1000.0))
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
  WHERE l.holder = excluded.holder OR l.expires_at <= clock_timestamp();
  RETURN QUERY SELECT FOUND;
END $$;

CREATE FUNCTION directory_release_lease(p_name text, p_holder text) RETURNS TABLE (released boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM leases WHERE name = p_name AND holder = p_holder;
  RETURN QUERY SELECT FOUND;
END $$;

-- What `svc serve` compares with its own migrations before it opens its listeners.
CREATE FUNCTION directory_applied_migrations() RETURNS TABLE (migration_name text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.migration_name::text FROM _prisma_migrations m
  WHERE m.finished_at IS NOT NULL AND m.rolled_back_at IS NULL ORDER BY 1
$$;

REVOKE ALL ON FUNCTION directory_create_tenant(text, text, boolean), directory_list_tenants(), directory_find_tenant(text),
  directory_take_lease(text, text, integer), directory_release_lease(text, text), directory_applied_migrations() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_create_tenant(text, text, boolean), directory_list_tenants(), directory_find_tenant(text),
  directory_take_lease(text, text, integer), directory_release_lease(text, text), directory_applied_migrations() TO svc_app;
