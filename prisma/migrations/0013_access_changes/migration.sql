-- Tells every replica, at commit, whose access may have become less: it asks again for what that account or token has open. A trigger,
-- so that no way of revoking can forget it, the command line and a replica of the release before included.
CREATE FUNCTION identity_tell_access() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_notify('svc_access_changed', to_jsonb(OLD) ->> TG_ARGV[0]);
  RETURN NULL;
END
$$;
CREATE TRIGGER identity_tell_access AFTER DELETE OR UPDATE OF tenant_id ON sessions
  FOR EACH ROW EXECUTE FUNCTION identity_tell_access('account_id');
CREATE TRIGGER identity_tell_access AFTER DELETE OR UPDATE OF roles, group_roles ON members
  FOR EACH ROW EXECUTE FUNCTION identity_tell_access('account_id');
CREATE TRIGGER identity_tell_access AFTER DELETE OR UPDATE OF roles, expires_at, revoked_at ON api_tokens
  FOR EACH ROW EXECUTE FUNCTION identity_tell_access('id');
