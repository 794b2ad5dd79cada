-- Takes one attempt back, where another one came in the same millisecond too: that one still counts.
CREATE OR REPLACE FUNCTION directory_forgive_attempt(p_key_hash bytea, p_at timestamptz) RETURNS TABLE (forgiven boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sign_in_attempts a
  SET attempts = a.attempts[:array_position(a.attempts, p_at::timestamptz(3)) - 1]
    || a.attempts[array_position(a.attempts, p_at::timestamptz(3)) + 1:]
  WHERE a.key_hash = p_key_hash AND p_at::timestamptz(3) = ANY (a.attempts) RETURNING true
$$;
