-- Where in the chain a device was renamed, beside what it was called before: the name that it had when an entry was written is then one look
-- into an index, however often the device was renamed. Null for every other change. The place is known at commit only, so the trigger that
-- gives it writes it here too.
ALTER TABLE audit_values ADD COLUMN rename_seq bigint;

CREATE OR REPLACE FUNCTION audit_chain_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
  IF NEW.action = 'agent.rename' THEN
    UPDATE audit_values SET rename_seq = head.seq + 1 WHERE tenant_id = NEW.tenant_id AND entry_id = NEW.id;
  END IF;
  RETURN NULL;
END
$$;
