import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '../../../relational/test-database.ts';
import { createLink } from './links.ts';

const TENANT = parseTenantId('default');
const actor = { kind: 'system' as const, id: 'svc' };
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await createTenant(database.relational, { id: TENANT, name: 'Default' });
});
afterAll(async () => {
  await database.close();
});

it('gives the operator a claim link however many invitations are open', async () => {
  const deps = {
    relational: database.relational,
    appendAudit: async () => {},
    clock: { now: Date.now },
    publicUrl: 'https://localhost:8443',
  };
  await database.relational.withTenantSql(TENANT, async (sql) => {
    await sql.query(
      `INSERT INTO access_links (tenant_id, id, kind, roles, email, created_by, created_at, expires_at)
       SELECT $1, gen_random_uuid(), 'invite', '{viewer}', '', 'mallory', now(), now() + interval '7 days' FROM generate_series(1, 500)`,
      [TENANT],
    );
  });
  const link = { roles: ['admin' as const], email: '', actor };
  await expect(createLink(deps, TENANT, { ...link, kind: 'invite' })).rejects.toMatchObject({ code: 'conflict' });
  await expect(createLink(deps, TENANT, { ...link, kind: 'claim' })).resolves.toMatchObject({ url: expect.any(String) });
});
