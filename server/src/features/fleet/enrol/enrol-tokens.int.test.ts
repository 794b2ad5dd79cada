import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TenantId } from '#kernel';
import { makeDeviceKey } from '../test-devices.ts';
import { type FleetStack, postJson, startFleetStack } from '../test-stack.ts';
import { purgeTokens } from './purge-tokens.ts';

const BOUND = 10_000;
const DAY_MS = 86_400_000;
let stack: FleetStack;

beforeAll(async () => {
  stack = await startFleetStack();
});
afterAll(async () => {
  await stack.close();
});

/** Rows as `count` calls of the API leave them, in the state that `columns` give. */
async function addTokens(tenant: TenantId, count: number, columns: string): Promise<void> {
  await stack.database.relational.withTenantSql(tenant, async (sql) => {
    await sql.query(
      `WITH made AS (INSERT INTO enrol_tokens (tenant_id, id, uses, created_by, used, last_used_at, revoked_at, expires_at)
         SELECT current_setting('app.tenant_id'), gen_random_uuid(), 1, 'mallory', ${columns} FROM generate_series(1, $1) RETURNING id)
       SELECT directory_add_enrol_token(sha256(id::text::bytea), id) FROM made`,
      [count],
    );
  });
}

const countRows = async (tenant: TenantId): Promise<number> =>
  await stack.database.relational.withTenantSql(tenant, async (sql) => {
    const { rows } = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM enrol_tokens');
    return rows[0]?.n ?? 0;
  });

const countDirectory = async (tenant: TenantId): Promise<number> => {
  const owner = new pg.Client({ connectionString: stack.database.ownerUrl });
  await owner.connect();
  try {
    const text = 'SELECT count(*)::int AS n FROM enrol_token_directory WHERE tenant_id = $1';
    return (await owner.query<{ n: number }>(text, [tenant])).rows[0]?.n ?? 0;
  } finally {
    await owner.end();
  }
};

const REVOKED = "0, NULL, now(), now() + interval '1 day'";
const LIVING = "0, NULL, NULL, now() + interval '1 day'";

it('counts only living tokens towards the bound, so that minting and revoking without end blocks nothing', async () => {
  const tenant = await stack.addTenant('revokes');
  await addTokens(tenant, BOUND, REVOKED);
  await addTokens(tenant, 20, "1, now(), NULL, now() + interval '1 day'");
  await addTokens(tenant, 20, "0, NULL, NULL, now() - interval '1 day'");
  const { kept } = await stack.mintToken(tenant);
  expect(kept.state).toBe('valid');
  // What was beyond the bound of dead ones made room, in the directory too.
  expect(await countRows(tenant)).toBe(BOUND + 1);
  expect(await countDirectory(tenant)).toBe(BOUND + 1);
});

it('refuses a token beyond the bound of living ones, and a start goes on without one', async () => {
  const tenant = await stack.addTenant('hoards');
  await addTokens(tenant, BOUND, LIVING);
  await expect(stack.mintToken(tenant)).rejects.toMatchObject({ code: 'conflict' });
  const atStart = await stack.fleet.mintAtStart(tenant);
  expect(atStart).toEqual({ notes: [expect.stringMatching(/no enrol token to show.*at most 10000 valid.*Revoke/)] });
});

it('purges dead tokens after 30 days, and the agents that enrolled with one go on', async () => {
  const tenant = await stack.addTenant('purges');
  const { token, kept } = await stack.mintToken(tenant);
  const device = await makeDeviceKey();
  const body = { token, csr: device.csr, protocol: 1, agent_version: '0.1.0' };
  const enrolled = await postJson(stack.http, '/agent/v1/enroll', body);
  await addTokens(tenant, 3, REVOKED);
  await addTokens(tenant, 2, LIVING);
  const purgeAt = async (days: number) =>
    await stack.database.relational.withTenantSql(tenant, (sql) => purgeTokens(sql, Date.now() + days * DAY_MS));
  expect(await purgeAt(29)).toBe(0);
  expect(await purgeAt(30.5)).toBe(4);
  expect(await countRows(tenant)).toBe(2);
  expect(await countDirectory(tenant)).toBe(2);
  expect(stack.audit.some(({ entry }) => entry.action === 'enrol_token.create' && entry.object?.id === kept.id)).toBe(true);
  // Its token is gone: it is asked for a new one, and keeps its id with that.
  expect(await postJson(stack.http, '/agent/v1/enroll', body)).toMatchObject({ status: 401 });
  const { token: other } = await stack.mintToken(tenant);
  const again = await postJson(stack.http, '/agent/v1/enroll', { ...body, token: other });
  expect(again.body.agent_id).toBe(enrolled.body.agent_id);
});
