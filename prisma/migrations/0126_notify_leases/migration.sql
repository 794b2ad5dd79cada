-- The few messages that are under way, among thousands that wait for a provider that was away.
CREATE INDEX CONCURRENTLY notify_outbox_leased ON notify_outbox (tenant_id, connector_id, lease_until)
  WHERE lease_until IS NOT NULL AND state IN ('waiting', 'confirming');
