-- Recent sign-in attempts by hashed key (an address, an account, both together), counted over all replicas. Unlogged: it is written at
-- every attempt, and a crash of the database forgives at most the attempts of some minutes.
CREATE UNLOGGED TABLE sign_in_attempts (
  key_hash bytea PRIMARY KEY,
  -- Never more than the limit of its key.
  attempts timestamptz(3)[] NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX sign_in_attempts_expires ON sign_in_attempts (expires_at);
REVOKE ALL ON sign_in_attempts FROM PUBLIC;
REVOKE ALL ON sign_in_attempts FROM svc_app;

-- Counts an attempt unless there were p_max in the window before p_now; gives the seconds to wait, 0 when it was counted. One statement
-- decides under the row's lock, so that attempts at the same time cannot pass together.
CREATE FUNCTION directory_count_attempt(p_key_hash bytea, p_max integer, p_window_seconds integer, p_now timestamptz)
RETURNS TABLE (wait_seconds integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  span interval := make_interval(secs => p_window_seconds);
BEGIN
  INSERT INTO sign_in_attempts AS a (key_hash, attempts, expires_at) VALUES (p_key_hash, ARRAY[p_now], p_now + span)
    ON CONFLICT (key_hash) DO UPDATE
    SET attempts = array(SELECT t FROM unnest(a.attempts) t WHERE t > p_now - span ORDER BY t) || p_now, expires_at = p_now + span
    WHERE (SELECT count(*) FROM unnest(a.attempts) t WHERE t > p_now - span) < p_max;
  IF FOUND THEN
    RETURN QUERY SELECT 0;
  ELSE
    RETURN QUERY SELECT greatest(1, ceil(extract(epoch FROM min(t) + span - p_now)))::integer
      FROM sign_in_attempts a, unnest(a.attempts) t WHERE a.key_hash = p_key_hash AND t > p_now - span;
  END IF;
END
$$;

-- Takes an attempt back that turned out to be the right password.
CREATE FUNCTION directory_forgive_attempt(p_key_hash bytea, p_at timestamptz) RETURNS TABLE (forgiven boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sign_in_attempts a SET attempts = array_remove(a.attempts, p_at::timestamptz(3)) WHERE a.key_hash = p_key_hash RETURNING true
$$;

-- Removes what counts no more, and of the rest all but the newest p_max_rows. Rows in use are left to the next time: waiting for them
-- in another order than their owners would be a deadlock.
CREATE FUNCTION directory_trim_attempts(p_now timestamptz, p_max_rows integer) RETURNS TABLE (trimmed bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  WITH old AS (
    SELECT a.key_hash FROM sign_in_attempts a WHERE a.expires_at <= p_now
      OR a.key_hash IN (SELECT n.key_hash FROM sign_in_attempts n ORDER BY n.expires_at DESC, n.key_hash OFFSET p_max_rows)
      FOR UPDATE SKIP LOCKED
  ), gone AS (DELETE FROM sign_in_attempts a USING old WHERE a.key_hash = old.key_hash RETURNING 1)
  SELECT count(*) FROM gone
$$;

REVOKE ALL ON FUNCTION
  directory_count_attempt(bytea, integer, integer, timestamptz),
  directory_forgive_attempt(bytea, timestamptz),
  directory_trim_attempts(timestamptz, integer)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  directory_count_attempt(bytea, integer, integer, timestamptz),
  directory_forgive_attempt(bytea, timestamptz),
  directory_trim_attempts(timestamptz, integer)
TO svc_app;
