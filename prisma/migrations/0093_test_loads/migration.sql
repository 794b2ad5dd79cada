-- What a test takes of the bounds of its tenant, so that nobody reads all of them to add one; and since when its rhythm is what it is. Null, or of
-- another version than the test: not known yet, and found with the next change of the tenant's tests.
ALTER TABLE synthetic_tests ADD COLUMN load_version integer;
-- The host that it talks to, in one spelling.
ALTER TABLE synthetic_tests ADD COLUMN load_host text;
ALTER TABLE synthetic_tests ADD COLUMN load_bytes integer;
-- Runs a second while it is enabled; of each runner where it runs on as many as there are.
ALTER TABLE synthetic_tests ADD COLUMN load_rate double precision;
ALTER TABLE synthetic_tests ADD COLUMN load_each_runner boolean;
-- When interval or choice of runners became what they are; null: with the test.
ALTER TABLE synthetic_tests ADD COLUMN scheduled_at timestamptz(3);
