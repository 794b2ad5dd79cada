-- Real users (docs/contract/rum.md): apps that send beacons, their keys, and what was taken and refused of them.

-- Directory tables, kept by triggers: a beacon's tenant is what its key says. A key of SVC_RUM_APPS may move to another tenant.
CREATE TABLE rum_key_directory (
  key text NOT NULL,
  tenant_id text NOT NULL,
  app_id uuid NOT NULL,
  configured boolean NOT NULL,
  retires_at timestamptz(3),
  PRIMARY KEY (key, tenant_id)
);
CREATE TABLE rum_app_directory (
  tenant_id text NOT NULL,
  app_id uuid NOT NULL,
  name text NOT NULL,
  hosts text[] NOT NULL,
  rate_per_min integer,
  PRIMARY KEY (tenant_id, app_id)
);
-- Beacons with a key that nobody has or ever had, by UTC day: they are of no tenant.
CREATE TABLE rum_unknown_keys (
  day date PRIMARY KEY,
  count bigint NOT NULL,
  last_at timestamptz(3) NOT NULL
);
REVOKE ALL ON rum_key_directory, rum_app_directory, rum_unknown_keys FROM PUBLIC;
REVOKE ALL ON rum_key_directory, rum_app_directory, rum_unknown_keys FROM svc_app;

CREATE TABLE rum_apps (
  tenant_id text NOT NULL REFERENCES tenants (id),
  id uuid NOT NULL,
  name text NOT NULL CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,62}$'),
  -- Hosts that may send, each a name or `*.` before one; empty: any.
  hosts text[] NOT NULL,
  -- Null: what the installation has; 0: no bound.
  rate_per_min integer CHECK (rate_per_min >= 0),
  -- Of SVC_RUM_APPS.
  configured boolean NOT NULL DEFAULT false,
  created_by text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, id),
  UNIQUE (tenant_id, name)
);

-- Keys are public. One that is retired outlives its app for a while, so that what still comes with it is counted for who had it.
CREATE TABLE rum_keys (
  tenant_id text NOT NULL REFERENCES tenants (id),
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 128),
  app_id uuid NOT NULL,
  -- Of SVC_RUM_APPS: accepted only while it stands there too.
  configured boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL,
  -- From then on it is refused.
  retires_at timestamptz(3),
  PRIMARY KEY (tenant_id, key)
);
CREATE INDEX rum_keys_app ON rum_keys (tenant_id, app_id);

-- What came since the counting began: `accepted`, `script`, or a reason of a refusal. `app` is '' where no app is known.
CREATE TABLE rum_counters (
  tenant_id text NOT NULL REFERENCES tenants (id),
  app text NOT NULL,
  word text NOT NULL,
  count bigint NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, app, word)
) WITH (fillfactor = 70);

-- The same by UTC day, refusals with the field at which they were: never what was in it.
CREATE TABLE rum_days (
  tenant_id text NOT NULL REFERENCES tenants (id),
  day date NOT NULL,
  app text NOT NULL,
  word text NOT NULL,
  field text NOT NULL,
  count bigint NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant_id, day, app, word, field)
) WITH (fillfactor = 70);

ALTER TABLE rum_apps ENABLE ROW LEVEL SECURITY;
ALTER TABLE rum_apps FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON rum_apps
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE rum_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE rum_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON rum_keys
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE rum_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE rum_counters FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON rum_counters
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
ALTER TABLE rum_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE rum_days FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON rum_days
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));
GRANT SELECT, INSERT, UPDATE, DELETE ON rum_apps, rum_keys, rum_counters, rum_days TO svc_app;

-- Tell every replica, at commit, that it reads the keys again.
CREATE FUNCTION rum_copy_key() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM rum_key_directory d WHERE d.key = OLD.key AND d.tenant_id = OLD.tenant_id;
  ELSE
    INSERT INTO rum_key_directory (key, tenant_id, app_id, configured, retires_at)
      VALUES (NEW.key, NEW.tenant_id, NEW.app_id, NEW.configured, NEW.retires_at)
      ON CONFLICT (key, tenant_id) DO UPDATE
      SET app_id = excluded.app_id, configured = excluded.configured, retires_at = excluded.retires_at;
  END IF;
  PERFORM pg_notify('svc_rum_keys', '');
  RETURN NULL;
END
$$;
CREATE FUNCTION rum_copy_app() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM rum_app_directory d WHERE d.tenant_id = OLD.tenant_id AND d.app_id = OLD.id;
  ELSE
    INSERT INTO rum_app_directory (tenant_id, app_id, name, hosts, rate_per_min)
      VALUES (NEW.tenant_id, NEW.id, NEW.name, NEW.hosts, NEW.rate_per_min)
      ON CONFLICT (tenant_id, app_id) DO UPDATE
      SET name = excluded.name, hosts = excluded.hosts, rate_per_min = excluded.rate_per_min;
  END IF;
  PERFORM pg_notify('svc_rum_keys', '');
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION rum_copy_key() FROM PUBLIC;
REVOKE ALL ON FUNCTION rum_copy_app() FROM PUBLIC;
CREATE TRIGGER rum_copy_key AFTER INSERT OR DELETE OR UPDATE ON rum_keys FOR EACH ROW EXECUTE FUNCTION rum_copy_key();
CREATE TRIGGER rum_copy_app AFTER INSERT OR DELETE OR UPDATE ON rum_apps FOR EACH ROW EXECUTE FUNCTION rum_copy_app();

-- Every key there is, retired ones too, but for those of tenants that are erased; of an app that is gone there is no name.
CREATE FUNCTION directory_rum_keys()
RETURNS TABLE (key text, tenant_id text, app_id uuid, configured boolean, retires_at timestamptz, name text, hosts text[], rate_per_min integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT k.key, k.tenant_id, k.app_id, k.configured, k.retires_at, a.name, a.hosts, a.rate_per_min
  FROM rum_key_directory k LEFT JOIN rum_app_directory a ON a.tenant_id = k.tenant_id AND a.app_id = k.app_id
  WHERE NOT EXISTS (SELECT 1 FROM tenant_erasures e WHERE e.tenant_id = k.tenant_id)
  ORDER BY k.key, k.tenant_id
$$;
CREATE FUNCTION directory_add_rum_unknown(p_at timestamptz, p_count bigint) RETURNS TABLE (counted boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  INSERT INTO rum_unknown_keys AS u (day, count, last_at) VALUES ((p_at AT TIME ZONE 'UTC')::date, p_count, p_at)
    ON CONFLICT (day) DO UPDATE SET count = u.count + excluded.count, last_at = greatest(u.last_at, excluded.last_at);
  DELETE FROM rum_unknown_keys WHERE day < (p_at AT TIME ZONE 'UTC')::date - 31;
  SELECT true
$$;
CREATE FUNCTION directory_rum_unknown(p_from date) RETURNS TABLE (count bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT coalesce(sum(u.count), 0)::bigint FROM rum_unknown_keys u WHERE u.day >= p_from
$$;
REVOKE ALL ON FUNCTION directory_rum_keys() FROM PUBLIC;
REVOKE ALL ON FUNCTION directory_add_rum_unknown(timestamptz, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION directory_rum_unknown(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_rum_keys() TO svc_app;
GRANT EXECUTE ON FUNCTION directory_add_rum_unknown(timestamptz, bigint) TO svc_app;
GRANT EXECUTE ON FUNCTION directory_rum_unknown(date) TO svc_app;
