import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createTokenRegistry } from './registry.ts';
import { mintToken } from './store.ts';

const BOUND = 1000;
const actor = { kind: 'account' as const, id: 'somebody' };
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(async () => {
  await database.close();
});

async function addTenant(id: string): Promise<TenantId> {
  await createTenant(database.relational, { id, name: id });
  return parseTenantId(id);
}

const mint = async (tenant: TenantId) =>
  await mintToken({ relational: database.relational, appendAudit: async () => {}, clock: { now: Date.now } }, tenant, {
    name: 'one',
    expiresAt: undefined,
    actor,
  });

async function addTokens(tenant: TenantId, count: number, ends: string): Promise<void> {
  await database.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(
      `INSERT INTO otlp_tokens (tenant_id, id, name, token_hash, created_by, created_at, expires_at, revoked_at)
       SELECT current_setting('app.tenant_id'), gen_random_uuid(), 'x', sha256(gen_random_uuid()::text::bytea), 'x', now(), ${ends}
       FROM generate_series(1, $1)`,
      [count],
    );
  });
}

const countRows = async (tenant: TenantId): Promise<number> =>
  await database.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM otlp_tokens');
    return rows[0]?.n ?? 0;
  });

it('counts no expired token towards the bound of live ones', async () => {
  const tenant = await addTenant('expires');
  await addTokens(tenant, BOUND, "now() - interval '1 hour', NULL");
  await expect(mint(tenant)).resolves.toMatchObject({ token: expect.any(String) });
  await addTokens(tenant, BOUND - 1, 'NULL, NULL');
  await expect(mint(tenant)).rejects.toMatchObject({ code: 'conflict' });
});

it('keeps a bounded number of ended tokens, which every process holds in memory', async () => {
  const tenant = await addTenant('loops');
  await addTokens(tenant, BOUND + 300, 'NULL, now()');
  await mint(tenant);
  expect(await countRows(tenant)).toBe(BOUND + 1);
});

it('starts with a configured token of a tenant that is gone, and does not count it', async () => {
  const [here, gone] = [await addTenant('here'), parseTenantId('gone')];
  const registry = createTokenRegistry({
    relational: database.relational,
    configured: [gone, here].map((tenant) => ({ token: `token-of-${tenant}`.padEnd(40, 'x'), tenant })),
    // As identity does for the id of a tenant that was erased.
    ensureTenant: async () => {},
    clock: { now: Date.now },
    log: pino({ level: 'silent' }),
  });
  await registry.start();
  const configured = registry.table().entries.filter(({ tenant }) => tenant === here || tenant === gone);
  expect(configured.map(({ tenant }) => tenant)).toEqual([here]);
  await registry.close();
});
