-- Nobody gets into a tenant whose erasure has begun: neither by a session that is opened or moved, nor by a new credential.
CREATE FUNCTION leave_out_erased_tenant() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM tenant_erasures e WHERE e.tenant_id = NEW.tenant_id) THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION leave_out_erased_tenant() FROM PUBLIC;

CREATE TRIGGER leave_out_erased_tenant BEFORE INSERT OR UPDATE OF tenant_id ON sessions
  FOR EACH ROW EXECUTE FUNCTION leave_out_erased_tenant();
CREATE TRIGGER leave_out_erased_tenant BEFORE INSERT ON credential_keys
  FOR EACH ROW EXECUTE FUNCTION leave_out_erased_tenant();
CREATE TRIGGER leave_out_erased_tenant BEFORE INSERT ON otlp_token_directory
  FOR EACH ROW EXECUTE FUNCTION leave_out_erased_tenant();
CREATE TRIGGER leave_out_erased_tenant BEFORE INSERT ON enrol_token_directory
  FOR EACH ROW EXECUTE FUNCTION leave_out_erased_tenant();

CREATE OR REPLACE FUNCTION directory_tenants_of_account(p_account_id text) RETURNS TABLE (id text, name text, is_demo boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.id, t.name, t.is_demo FROM account_tenants a JOIN tenants t ON t.id = a.tenant_id
    WHERE a.account_id = p_account_id AND NOT EXISTS (SELECT 1 FROM tenant_erasures e WHERE e.tenant_id = t.id) ORDER BY t.id
$$;
