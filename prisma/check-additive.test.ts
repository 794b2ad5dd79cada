import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findBreaches } from './check-additive.ts';

const rulesOf = async (sql: string): Promise<string[]> => (await findBreaches(sql)).map(({ rule }) => rule);

const DEFINER = `CREATE FUNCTION f(p text) RETURNS int LANGUAGE sql SECURITY DEFINER`;
const REVOKED = 'REVOKE ALL ON FUNCTION f(text) FROM PUBLIC';

test.each([
  ['drop', 'DROP TABLE a'],
  ['drop', 'DROP TABLE IF EXISTS a CASCADE'],
  ['drop', 'DROP INDEX i'],
  ['drop', 'DROP INDEX CONCURRENTLY i'],
  ['drop', 'DROP FUNCTION f()'],
  ['drop', 'DROP TRIGGER t ON a'],
  ['drop', 'DROP SCHEMA s CASCADE'],
  ['drop', 'DROP VIEW v'],
  ['drop-column', 'ALTER TABLE a DROP COLUMN b'],
  ['drop-column', 'CREATE TABLE n (x int); ALTER TABLE n DROP COLUMN x'],
  ['drop-policy', 'DROP POLICY p ON a'],
  ['drop-constraint', 'ALTER TABLE a DROP CONSTRAINT k'],
  ['drop-default', 'ALTER TABLE a ALTER COLUMN b DROP DEFAULT'],
  ['drop-not-null', 'ALTER TABLE a ALTER COLUMN b DROP NOT NULL'],
  ['rename', 'ALTER TABLE a RENAME TO z'],
  ['rename', 'ALTER TABLE a RENAME COLUMN b TO c'],
  ['rename', 'ALTER TABLE a RENAME CONSTRAINT b TO c'],
  ['rename', 'ALTER INDEX i RENAME TO j'],
  ['rename', 'ALTER FUNCTION f() RENAME TO g'],
  ['rename', "ALTER TYPE e RENAME VALUE 'x' TO 'y'"],
  ['type-change', 'ALTER TABLE a ALTER COLUMN b TYPE bigint USING b::bigint'],
  ['not-null-without-default', 'ALTER TABLE a ADD COLUMN b int NOT NULL'],
  ['default-rewrites-table', 'ALTER TABLE a ADD COLUMN b uuid NOT NULL DEFAULT gen_random_uuid()'],
  ['default-rewrites-table', 'ALTER TABLE a ADD COLUMN b int GENERATED ALWAYS AS (c + 1) STORED'],
  ['default-rewrites-table', 'ALTER TABLE a ADD COLUMN b int GENERATED ALWAYS AS IDENTITY'],
  ['set-not-null', 'ALTER TABLE a ALTER COLUMN b SET NOT NULL'],
  ['set-not-null', 'ALTER TABLE a ADD CONSTRAINT n NOT NULL b'],
  ['set-schema', 'ALTER TABLE a SET SCHEMA other'],
  ['owner-change', 'ALTER TABLE a OWNER TO svc_app'],
  ['owner-change', 'ALTER FUNCTION f() OWNER TO svc_app'],
  ['truncate', 'TRUNCATE a'],
  ['data-change', 'DELETE FROM a'],
  ['data-change', 'UPDATE a SET b = 1'],
  ['data-change', 'MERGE INTO a USING b ON a.id = b.id WHEN MATCHED THEN DELETE'],
  ['data-change', 'INSERT INTO a VALUES (1)'],
  ['data-change', 'CREATE TABLE n (x int); WITH d AS (DELETE FROM a RETURNING b) INSERT INTO n SELECT b FROM d'],
  ['rls-off', 'ALTER TABLE a DISABLE ROW LEVEL SECURITY'],
  ['rls-off', 'ALTER TABLE a NO FORCE ROW LEVEL SECURITY'],
  ['policy-on-existing', 'CREATE POLICY p ON a USING (true)'],
  ['policy-change', 'ALTER POLICY p ON a USING (true)'],
  ['opaque', "DO $$ BEGIN EXECUTE 'DROP TABLE a'; END $$"],
  ['opaque', 'SELECT drop_everything()'],
  ['opaque', 'CALL drop_everything()'],
  ['unique-on-existing', 'ALTER TABLE a ADD CONSTRAINT u UNIQUE (b)'],
  ['unique-on-existing', 'ALTER TABLE a ADD COLUMN b int UNIQUE'],
  ['unique-on-existing', 'ALTER TABLE a ADD PRIMARY KEY (b)'],
  ['unique-on-existing', 'CREATE UNIQUE INDEX i ON a (b)'],
  ['unique-on-existing', 'CREATE UNIQUE INDEX CONCURRENTLY i ON a (b)'],
  ['index-not-concurrent', 'CREATE INDEX i ON a (b)'],
  ['index-not-alone', 'CREATE INDEX CONCURRENTLY i ON a (b); CREATE TABLE n (x int)'],
  ['constraint-validates', 'ALTER TABLE a ADD CONSTRAINT f FOREIGN KEY (x) REFERENCES b (id)'],
  ['constraint-validates', 'ALTER TABLE a ADD CONSTRAINT c CHECK (x > 0)'],
  ['constraint-validates', 'ALTER TABLE a ADD COLUMN x int CHECK (x > 0)'],
  ['constraint-validates', 'ALTER TABLE a ADD COLUMN x int REFERENCES b (id)'],
  ['role-change', 'GRANT svc_owner TO svc_app'],
  ['role-change', 'CREATE ROLE r'],
  ['role-change', 'ALTER ROLE svc_app BYPASSRLS'],
  ['role-change', 'ALTER ROLE svc_app SET row_security = off'],
  ['role-change', 'DROP ROLE svc_app'],
  ['grant', 'GRANT ALL ON a TO svc_app'],
  ['grant', 'GRANT TRUNCATE ON a TO svc_app'],
  ['grant', 'GRANT SELECT ON a TO PUBLIC'],
  ['grant', 'GRANT SELECT ON a TO svc_app WITH GRANT OPTION'],
  ['grant', 'GRANT SELECT ON ALL TABLES IN SCHEMA public TO svc_app'],
  ['revoke', 'REVOKE SELECT ON a FROM svc_app'],
  ['definer-search-path', `${DEFINER} AS 'SELECT 1'; ${REVOKED}`],
  ['definer-search-path', `${DEFINER} SET search_path = pg_temp, public AS 'SELECT 1'; ${REVOKED}`],
  ['definer-search-path', `${DEFINER} SET search_path FROM CURRENT AS 'SELECT 1'; ${REVOKED}`],
  ['definer-open', `${DEFINER} SET search_path = public, pg_temp AS 'SELECT 1'`],
  ['function-language', "CREATE FUNCTION f() RETURNS int LANGUAGE c AS 'lib', 'sym'"],
  ['inherits-existing', 'CREATE TABLE n PARTITION OF a FOR VALUES IN (1)'],
  ['if-not-exists', 'CREATE TABLE IF NOT EXISTS a (x int)'],
  ['setting', 'SET row_security = off'],
  ['setting', "SET search_path = ''"],
  ['transaction', 'COMMIT'],
  ['not-allowed', 'CREATE EXTENSION dblink'],
  ['not-allowed', 'CREATE TABLE n AS SELECT 1'],
  ['not-allowed', 'CREATE VIEW v AS SELECT 1'],
  ['not-allowed', 'CREATE RULE r AS ON INSERT TO a DO INSTEAD NOTHING'],
  ['not-allowed', 'ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO svc_app'],
  ['not-allowed', 'ALTER DATABASE svc SET row_security = off'],
  ['not-allowed', "COPY a FROM '/etc/passwd'"],
  ['not-allowed', 'LOCK TABLE a'],
  ['alter-table', 'ALTER TABLE a DISABLE TRIGGER ALL'],
  ['alter-table', 'ALTER TABLE a SET UNLOGGED'],
  ['alter-table', 'ALTER TABLE a DETACH PARTITION b'],
  ['syntax', 'ALTER TABL a'],
])('%s is refused: %s', async (rule, sql) => {
  expect(await rulesOf(sql)).toEqual([rule]);
});

test.each([
  'CREATE TABLE n (tenant_id text NOT NULL, id uuid NOT NULL, PRIMARY KEY (tenant_id, id)); CREATE UNIQUE INDEX ON n (id); ALTER TABLE n ADD COLUMN y int NOT NULL',
  'ALTER TABLE a ADD COLUMN b int',
  "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT ''",
  "ALTER TABLE a ADD COLUMN b jsonb NOT NULL DEFAULT '{}'::jsonb",
  'ALTER TABLE a ADD COLUMN b timestamptz NOT NULL DEFAULT now()',
  'ALTER TABLE a ALTER COLUMN b SET DEFAULT 5',
  'CREATE INDEX CONCURRENTLY i ON a (b)',
  'ALTER TABLE a ADD CONSTRAINT f FOREIGN KEY (t, x) REFERENCES b (t, id) NOT VALID',
  'ALTER TABLE a ADD CONSTRAINT c CHECK (x > 0) NOT VALID',
  'ALTER TABLE a VALIDATE CONSTRAINT c',
  "ALTER TYPE e ADD VALUE 'x'",
  'CREATE TABLE n (x int); CREATE POLICY p ON n USING (true); ALTER TABLE n ENABLE ROW LEVEL SECURITY; ALTER TABLE n FORCE ROW LEVEL SECURITY',
  'GRANT SELECT, INSERT (a, b) ON t TO svc_app',
  `${DEFINER} SET search_path = public, pg_temp AS 'DELETE FROM a RETURNING 1'; ${REVOKED}; GRANT EXECUTE ON FUNCTION f(text) TO svc_app`,
  'CREATE CONSTRAINT TRIGGER x AFTER INSERT ON a DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION f()',
  "CREATE TABLE n (x int); INSERT INTO n VALUES (1); COMMENT ON TABLE n IS 'DROP TABLE a'",
  "SET LOCAL lock_timeout = '2s'",
  '/* DROP TABLE a */ -- nothing',
])('%s is allowed', async (sql) => {
  expect(await findBreaches(sql)).toEqual([]);
});

test('a breach is reported with the line of its statement', async () => {
  expect(await findBreaches('CREATE TABLE n (\n  x int\n);\n\nDROP TABLE a;\n')).toMatchObject([{ rule: 'drop', line: 5 }]);
});

const migrations = join(import.meta.dirname, 'migrations');
const names = readdirSync(migrations).filter((name) => existsSync(join(migrations, name, 'migration.sql')));

test.each(names)('migration %s is additive', async (name) => {
  expect(await findBreaches(readFileSync(join(migrations, name, 'migration.sql'), 'utf8'))).toEqual([]);
});
