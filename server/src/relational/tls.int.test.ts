import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRootCa, createServerLeaf } from '#crypto';
import { parseTenantId } from '#kernel';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts';
import { migrate } from './migrate.ts';
import { openRelational } from './open.ts';

const log = pino({ level: 'silent' });
let dir: string;
let postgres: EmbeddedPostgres;
const file = (name: string): string => join(dir, name);
const withQuery = (url: string, query: string): string => url.replace('sslmode=disable', query);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'svc-pg-tls-'));
  const ca = await createRootCa({ commonName: 'database authority' });
  const leaf = await createServerLeaf(ca, { hosts: ['127.0.0.1'] });
  const other = await createRootCa({ commonName: 'another authority' });
  for (const [name, content] of [
    ['ca.pem', ca.certPem],
    ['other.pem', other.certPem],
    ['server.crt', leaf.certPem],
    ['server.key', leaf.keyPem],
  ] as const)
    writeFileSync(file(name), content, { mode: 0o600 });
  const settings = { ssl: 'on', ssl_cert_file: file('server.crt'), ssl_key_file: file('server.key'), fsync: 'off' };
  postgres = await startEmbeddedPostgres({ cluster: file('cluster'), logDir: dir, log, settings });
  await migrate(withQuery(postgres.ownerUrl, `sslmode=verify-full&sslrootcert=${file('ca.pem')}`));
}, 120_000);
afterAll(async () => {
  await postgres?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test('a database outside is reached over verified TLS, through both doors', async () => {
  const appUrl = withQuery(postgres.appUrl, `sslmode=verify-full&sslrootcert=${file('ca.pem')}`);
  const relational = await openRelational({ appUrl, log, poolSize: 2 });
  const sql = 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
  const tenant = parseTenantId('a');
  expect(await relational.withTenantSql(tenant, async (client) => (await client.query(sql)).rows)).toEqual([
    { ssl: true, version: 'TLSv1.3' },
  ]);
  expect(await relational.withTenant(tenant, async (db) => await db.$queryRawUnsafe(sql))).toMatchObject([{ ssl: true }]);
  await relational.close();
});

test('a certificate of another authority is refused', async () => {
  const appUrl = withQuery(postgres.appUrl, `sslmode=verify-full&sslrootcert=${file('other.pem')}`);
  await expect(openRelational({ appUrl, log, poolSize: 2 })).rejects.toMatchObject({ code: 'unavailable' });
});
