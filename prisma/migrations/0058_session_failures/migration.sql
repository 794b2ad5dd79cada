-- A session that failed is no fast one: worst_session_ms is of those that succeeded, the others are counted. Of the newest session to each
-- judged target; target and phase are of the newest that failed. Null until the next session of a device.
ALTER TABLE endpoint_summary ADD COLUMN sessions_failed integer, ADD COLUMN sessions_judged integer,
  ADD COLUMN failed_session_target text, ADD COLUMN failed_session_phase text;
