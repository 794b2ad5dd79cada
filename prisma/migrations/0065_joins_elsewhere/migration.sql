-- How often an account joined one more tenant within an hour: what its other tenants read of it in their trails is bounded, or whoever
-- makes links could fill them. What was not written there is counted and told by the next entry.
CREATE TABLE joins_elsewhere (
  account_id text PRIMARY KEY,
  since timestamptz(3) NOT NULL,
  joins integer NOT NULL,
  unwritten integer NOT NULL
);
REVOKE ALL ON joins_elsewhere FROM PUBLIC;
REVOKE ALL ON joins_elsewhere FROM svc_app;

-- Counts one more; says whether it is written, and how many before it were not.
CREATE FUNCTION directory_note_join_elsewhere(p_account_id text, p_max integer, p_now timestamptz)
RETURNS TABLE (is_written boolean, unwritten integer)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  was joins_elsewhere%ROWTYPE;
  is_new_hour boolean;
BEGIN
  INSERT INTO joins_elsewhere (account_id, since, joins, unwritten) VALUES (p_account_id, p_now, 0, 0) ON CONFLICT DO NOTHING;
  SELECT * INTO was FROM joins_elsewhere WHERE account_id = p_account_id FOR UPDATE;
  is_new_hour := was.since <= p_now - interval '1 hour' OR was.since > p_now;
  IF is_new_hour THEN
    UPDATE joins_elsewhere SET since = p_now, joins = 1, unwritten = 0 WHERE account_id = p_account_id;
    RETURN QUERY SELECT true, was.unwritten;
  ELSIF was.joins < p_max THEN
    UPDATE joins_elsewhere SET joins = was.joins + 1 WHERE account_id = p_account_id;
    RETURN QUERY SELECT true, 0;
  ELSE
    UPDATE joins_elsewhere SET unwritten = was.unwritten + 1 WHERE account_id = p_account_id;
    RETURN QUERY SELECT false, 0;
  END IF;
END
$$;
REVOKE ALL ON FUNCTION directory_note_join_elsewhere(text, integer, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_note_join_elsewhere(text, integer, timestamptz) TO svc_app;
