-- The audit trail: one hash chain a tenant.
--
-- A caller inserts (id, body) anywhere in its transaction. A deferred trigger gives the entry its place in the chain at commit, so the
-- row lock on the chain's head is always the last lock a transaction takes (no deadlock, whatever the caller locked before) and is held
-- only for the commit itself. hash = SHA-256(prev_hash || seq as 8 bytes big endian || body as UTF-8); body is canonical JSON.

CREATE TABLE audit_entries (
  tenant_id text NOT NULL DEFAULT current_setting('app.tenant_id'),
  id uuid NOT NULL,
  body text NOT NULL,
  -- Read out of the body by the database, so that no column can say other than what is hashed.
  at_ms bigint GENERATED ALWAYS AS (((body::jsonb) ->> 'at_ms')::bigint) STORED,
  actor_kind text GENERATED ALWAYS AS ((body::jsonb) #>> '{actor,kind}') STORED,
  actor_id text GENERATED ALWAYS AS ((body::jsonb) #>> '{actor,id}') STORED,
  action text GENERATED ALWAYS AS ((body::jsonb) ->> 'action') STORED,
  seq bigint,
  prev_hash bytea,
  hash bytea,
  PRIMARY KEY (tenant_id, id),
  CONSTRAINT audit_entries_bounded CHECK (octet_length(body) <= 16384),
  CONSTRAINT audit_entries_own_body CHECK (((body::jsonb) ->> 'tenant_id') = tenant_id AND ((body::jsonb) ->> 'id') = id::text)
);

CREATE UNIQUE INDEX audit_entries_seq ON audit_entries (tenant_id, seq);
CREATE INDEX audit_entries_at ON audit_entries (tenant_id, at_ms);
CREATE INDEX audit_entries_actor ON audit_entries (tenant_id, actor_id, seq);
CREATE INDEX audit_entries_action ON audit_entries (tenant_id, action text_pattern_ops, seq);

CREATE TABLE audit_heads (
  tenant_id text NOT NULL,
  seq bigint NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (tenant_id)
);

ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_entries
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_heads FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON audit_heads
  USING (tenant_id = current_setting('app.tenant_id')) WITH CHECK (tenant_id = current_setting('app.tenant_id'));

-- The serving role adds entries and reads them. It cannot change or remove one, nor choose a place in the chain.
GRANT SELECT ON audit_entries, audit_heads TO svc_app;
GRANT INSERT (tenant_id, id, body) ON audit_entries TO svc_app;

CREATE FUNCTION audit_chain_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  head audit_heads%ROWTYPE;
  entry_hash bytea;
BEGIN
  INSERT INTO audit_heads (tenant_id, seq, hash) VALUES (NEW.tenant_id, 0, sha256(convert_to(NEW.tenant_id, 'UTF8')))
    ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT head FROM audit_heads WHERE tenant_id = NEW.tenant_id FOR UPDATE;
  entry_hash := sha256(head.hash || int8send(head.seq + 1) || convert_to(NEW.body, 'UTF8'));
  UPDATE audit_entries SET seq = head.seq + 1, prev_hash = head.hash, hash = entry_hash
    WHERE tenant_id = NEW.tenant_id AND id = NEW.id;
  UPDATE audit_heads SET seq = head.seq + 1, hash = entry_hash WHERE tenant_id = NEW.tenant_id;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION audit_chain_entry() FROM PUBLIC;

CREATE CONSTRAINT TRIGGER audit_chain_entry AFTER INSERT ON audit_entries
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION audit_chain_entry();
