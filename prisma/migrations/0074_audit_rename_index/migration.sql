CREATE INDEX CONCURRENTLY audit_values_renames ON audit_values (tenant_id, agent_id, rename_seq) WHERE rename_seq IS NOT NULL;
