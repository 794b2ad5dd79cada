-- A lease tells its holder a number that only grows from one holder to the next: what a former holder still writes is refused by it.
CREATE SEQUENCE lease_fences;
ALTER TABLE leases ADD COLUMN fence bigint NOT NULL DEFAULT 0;

-- Takes or renews a lease: the fence of p_holder, or no row while another has it. The database's clock decides. An end that lies further
-- ahead than any lease of this length can end was written before that clock went back, and keeps nobody out.
CREATE FUNCTION directory_take_fenced_lease(p_name text, p_holder text, p_ttl_ms integer) RETURNS TABLE (fence bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  ttl CONSTANT interval := make_interval(secs => p_ttl_ms / 1000.0);
BEGIN
  RETURN QUERY INSERT INTO leases AS l (name, holder, expires_at, fence)
  VALUES (p_name, p_holder, clock_timestamp() + ttl, nextval('lease_fences'))
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at,
    fence = CASE WHEN l.holder = excluded.holder AND l.fence > 0 THEN l.fence ELSE excluded.fence END
  WHERE l.holder = excluded.holder OR l.expires_at <= clock_timestamp() OR l.expires_at > clock_timestamp() + 2 * ttl
  RETURNING l.fence;
END $$;

-- Whether the lease still has this fence, and keeps it until the transaction ends: whoever wants it next waits for that.
CREATE FUNCTION directory_hold_fence(p_name text, p_fence bigint) RETURNS TABLE (held boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT l.fence = p_fence FROM leases l WHERE l.name = p_name FOR SHARE
$$;

REVOKE ALL ON FUNCTION directory_take_fenced_lease(text, text, integer), directory_hold_fence(text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_take_fenced_lease(text, text, integer), directory_hold_fence(text, bigint) TO svc_app;
