-- Whom an API token acts for: an account, whose membership it needs and whose roles cap its own, or 'system' for one that the operator
-- of the server made. A token that a token minted acts for the same. NULL on tokens of earlier releases: see identity_token_owner.
ALTER TABLE api_tokens ADD COLUMN acts_for text;

-- The owner of a token of the transaction's tenant. For tokens of earlier releases it is found by who made them; one minted by more than
-- 64 tokens in a row belongs to nobody.
CREATE FUNCTION identity_token_owner(p_acts_for text, p_created_by text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
DECLARE
  maker text := p_created_by;
  parent api_tokens%ROWTYPE;
BEGIN
  IF p_acts_for IS NOT NULL THEN
    RETURN p_acts_for;
  END IF;
  FOR step IN 1..64 LOOP
    IF maker !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
      RETURN 'system';
    END IF;
    SELECT * INTO parent FROM api_tokens t WHERE t.tenant_id = current_setting('app.tenant_id') AND t.id = maker::uuid;
    IF NOT FOUND THEN
      RETURN maker;
    END IF;
    IF parent.acts_for IS NOT NULL THEN
      RETURN parent.acts_for;
    END IF;
    maker := parent.created_by;
  END LOOP;
  RETURN 'nobody';
END
$$;

-- The tenant's token with this hash while it is valid and its owner is a member; owner_roles is NULL where nothing caps it. Marks it as
-- used, at most once a minute.
CREATE FUNCTION directory_authorise_api_token(p_hash bytea, p_now timestamptz)
RETURNS TABLE (tenant_id text, id uuid, roles text[], owner text, owner_roles text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  key credential_keys%ROWTYPE;
  token api_tokens%ROWTYPE;
  outer_tenant text := current_setting('app.tenant_id', true);
  token_owner text;
  held text[];
BEGIN
  SELECT * INTO key FROM credential_keys k WHERE k.hash = p_hash AND k.kind = 'api_token';
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM set_config('app.tenant_id', key.tenant_id, true);
  SELECT * INTO token FROM api_tokens t WHERE t.tenant_id = key.tenant_id AND t.id = key.ref_id
    AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > p_now);
  IF FOUND THEN
    token_owner := identity_token_owner(token.acts_for, token.created_by);
    IF token_owner <> 'system' THEN
      SELECT m.roles || m.group_roles INTO held FROM members m WHERE m.tenant_id = key.tenant_id AND m.account_id = token_owner;
    END IF;
    IF token_owner = 'system' OR held IS NOT NULL THEN
      IF token.last_used_at IS NULL OR token.last_used_at < p_now - interval '1 minute' THEN
        UPDATE api_tokens SET last_used_at = p_now WHERE tenant_id = key.tenant_id AND id = key.ref_id;
      END IF;
      RETURN QUERY SELECT token.tenant_id, token.id, token.roles, token_owner, held;
    END IF;
  END IF;
  PERFORM set_config('app.tenant_id', coalesce(outer_tenant, ''), true);
END
$$;

REVOKE ALL ON FUNCTION identity_token_owner(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION directory_authorise_api_token(bytea, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION identity_token_owner(text, text) TO svc_app;
GRANT EXECUTE ON FUNCTION directory_authorise_api_token(bytea, timestamptz) TO svc_app;
