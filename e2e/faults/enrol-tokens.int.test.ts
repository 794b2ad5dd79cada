import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cleanUp, type Installation, newInstallation, startServer, stopServer } from './server-process.ts';

/** Somebody who may mint enrol tokens of the first tenant against the next start of the server. */
let installation: Installation;
beforeAll(async () => {
  installation = await newInstallation();
});
afterAll(async () => {
  await cleanUp(installation);
});

async function hoard(count: number): Promise<void> {
  const { postgres } = JSON.parse(readFileSync(join(installation.dataDir, 'run', 'server.json'), 'utf8'));
  const login = { port: postgres.port, user: 'svc_app', password: postgres.appPassword };
  const client = new pg.Client({ host: '127.0.0.1', database: 'svc', ...login });
  await client.connect();
  await client.query("SELECT set_config('app.tenant_id', 'default', false)");
  await client.query(
    `INSERT INTO enrol_tokens (tenant_id, id, uses, created_by, expires_at)
     SELECT 'default', gen_random_uuid(), 1, 'mallory', now() + interval '366 days' FROM generate_series(1, $1)`,
    [count],
  );
  await client.end();
}

test('ten thousand valid enrol tokens keep no server from starting; it says why it has none to show', async () => {
  const first = await startServer(installation);
  expect(first.enrollToken).toMatch(/^svc_enr_/);
  await hoard(10_000);
  expect(await stopServer(first)).toBe(0);
  const second = await startServer(installation);
  expect(second.enrollToken).toBeUndefined();
  expect(second.notes.join('\n')).toMatch(/no enrol token to show\. A tenant has at most 10000 valid enrol tokens\. Revoke/);
  expect(await stopServer(second)).toBe(0);
  expect(second.output()).not.toContain('PostgreSQL ended');
}, 180_000);
