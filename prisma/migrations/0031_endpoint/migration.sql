-- Endpoint view: one row an agent with what people sort and filter by. Only the primary key is indexed: every page is one scan of
-- a tenant's rows, and updates that change no indexed column stay within their page (fillfactor).
CREATE TABLE endpoint_summary (
  tenant_id text NOT NULL,
  agent_id uuid NOT NULL,
  -- Copies that fleet writes.
  name text,
  owner text,
  site text,
  os text,
  os_version text,
  agent_version text,
  -- The version's numbers padded with zeros, so that text order is version order.
  agent_version_sort text,
  ring text NOT NULL,
  state text NOT NULL,
  paused_until timestamptz(3),
  simulated boolean NOT NULL DEFAULT false,
  enrolled_at timestamptz(3) NOT NULL,
  last_contact_at timestamptz(3),
  clock_skew_ms integer NOT NULL DEFAULT 0,
  -- The newest reading of each signal; `_why` holds the code of a field that was not measured, `_at` the device's time of the reading.
  connection text NOT NULL DEFAULT 'unknown',
  wifi_at timestamptz(3),
  wifi_rssi_dbm double precision,
  wifi_rssi_why text,
  wifi_signal_percent double precision,
  wifi_signal_why text,
  gateway_at timestamptz(3),
  gateway_address text,
  gateway_rtt_ms double precision,
  gateway_rtt_why text,
  gateway_loss_ratio double precision,
  gateway_loss_why text,
  isp_at timestamptz(3),
  isp_rtt_ms double precision,
  isp_rtt_why text,
  isp_loss_ratio double precision,
  isp_loss_why text,
  session_at timestamptz(3),
  worst_session_ms double precision,
  worst_session_why text,
  worst_session_target text,
  cause_at timestamptz(3),
  cause text,
  summary text,
  confidence double precision,
  verdict_since timestamptz(3),
  -- Lower-case text that the search looks into.
  search text NOT NULL GENERATED ALWAYS AS (
    lower(coalesce(name, '') || E'\n' || coalesce(owner, '') || E'\n' || coalesce(site, '') || E'\n'
      || coalesce(gateway_address, '') || E'\n' || agent_id::text)
  ) STORED,
  PRIMARY KEY (tenant_id, agent_id)
) WITH (fillfactor = 70);

-- The newest session to each target of an agent, at most 32: {"<target>": {"at": ms, "ms": number, "failed": boolean, ...}}.
CREATE TABLE endpoint_sessions (
  tenant_id text NOT NULL,
  agent_id uuid NOT NULL,
  targets jsonb NOT NULL,
  PRIMARY KEY (tenant_id, agent_id),
  FOREIGN KEY (tenant_id, agent_id) REFERENCES endpoint_summary (tenant_id, agent_id) ON DELETE CASCADE
) WITH (fillfactor = 70);

ALTER TABLE endpoint_summary ENABLE ROW LEVEL SECURITY;
ALTER TABLE endpoint_summary FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON endpoint_summary
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

ALTER TABLE endpoint_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE endpoint_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON endpoint_sessions
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

GRANT SELECT, INSERT, UPDATE, DELETE ON endpoint_summary, endpoint_sessions TO svc_app;

-- Directory table: consumers belong to the service, not to a tenant.
CREATE TABLE consumer_heartbeats (
  name text PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 100),
  beat_at timestamptz(3) NOT NULL
);

REVOKE ALL ON consumer_heartbeats FROM PUBLIC;
REVOKE ALL ON consumer_heartbeats FROM svc_app;

CREATE FUNCTION directory_beat_consumer(p_name text) RETURNS TABLE (beaten boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  INSERT INTO consumer_heartbeats (name, beat_at) VALUES (p_name, clock_timestamp())
  ON CONFLICT (name) DO UPDATE SET beat_at = excluded.beat_at;
  RETURN QUERY SELECT true;
END $$;

-- Milliseconds since the last beat by the database's clock; no row for a consumer that never ran.
CREATE FUNCTION directory_consumer_age(p_name text) RETURNS TABLE (age_ms double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT extract(epoch FROM clock_timestamp() - h.beat_at)::double precision * 1000 FROM consumer_heartbeats h WHERE h.name = p_name
$$;

REVOKE ALL ON FUNCTION directory_beat_consumer(text), directory_consumer_age(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION directory_beat_consumer(text), directory_consumer_age(text) TO svc_app;
