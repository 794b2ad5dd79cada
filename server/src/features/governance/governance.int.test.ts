import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type AuditEntry, parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import { createGovernance } from './index.ts';
import { setConsent } from './policies.ts';

const ACME = parseTenantId('acme');
const OTHER = parseTenantId('other');
const log = pino({ level: 'silent' });
const clock = { now: Date.now };

let database: TestDatabase;
let trail: AuditEntry[] = [];
/** Two replicas: what one is told, the other hears of the database alone. */
let replicas: ReturnType<typeof createGovernance>[] = [];

const open = () =>
  createGovernance({ relational: database.relational, appendAudit: async (_, entry) => void trail.push(entry), clock, log });

beforeAll(async () => {
  database = await createTestDatabase();
  for (const id of [ACME, OTHER]) await createTenant(database.relational, { id, name: id });
  replicas = [open(), open()];
  for (const one of replicas) await one.start(() => true);
});
afterAll(async () => {
  for (const one of replicas) await one.close();
  await database?.close();
});
beforeEach(async () => {
  for (const tenant of [ACME, OTHER]) await consent(tenant, false);
  trail = [];
});

const consent = (tenant: TenantId, allowed: boolean) =>
  setConsent({ relational: database.relational, appendAudit: async (_, entry) => void trail.push(entry), clock }, tenant, {
    allowed,
    actor: { kind: 'system', id: 'svc' },
  });
const [mayLeave, mayLeaveThere] = [0, 1].map((at) => (tenant: TenantId) => replicas[at]?.mayLeave(tenant));

test('nothing leaves without a row, with one for its own tenant alone, and both acts are in the trail once', async () => {
  expect(await mayLeave?.(ACME)).toBe(false);
  expect(await consent(ACME, true)).toBe(true);
  expect(await consent(ACME, true)).toBe(false);
  expect([await mayLeave?.(ACME), await mayLeaveThere?.(ACME), await mayLeave?.(OTHER)]).toEqual([true, true, false]);
  expect(await consent(ACME, false)).toBe(true);
  expect(await mayLeave?.(ACME)).toBe(false);
  expect(trail.map(({ action, detail }) => [action, detail])).toEqual([
    ['governance.set', { ai_remote_egress: true }],
    ['governance.set', { ai_remote_egress: false }],
  ]);
});

test('a withdrawal ends what runs for that tenant on every replica, and nothing of another one', async () => {
  await consent(ACME, true);
  await consent(OTHER, true);
  const ended = Promise.withResolvers<void>();
  const signals: AbortSignal[] = [];
  const running = replicas.flatMap((one) =>
    [ACME, OTHER].map((tenant) =>
      one.whileConsented(tenant, async (signal) => {
        signals.push(signal);
        await ended.promise;
      }),
    ),
  );
  await vi.waitFor(() => expect(signals).toHaveLength(4));
  await consent(ACME, false);
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, true, false]), 10_000);
  ended.resolve();
  await Promise.all(running);
});

test('what cannot be read is denied', async () => {
  await consent(ACME, true);
  const away = createGovernance({
    relational: {
      ...database.relational,
      withTenantSql: async () => {
        throw new Error('the database is away');
      },
    },
    ...{ appendAudit: async () => {}, clock, log },
  });
  expect(await away.mayLeave(ACME)).toBe(false);
});

test('the row goes with its tenant', async () => {
  await consent(ACME, true);
  expect(await replicas[0]?.data.eraseTenant(ACME)).toEqual({ governance_policies: 1 });
  expect(await mayLeave?.(ACME)).toBe(false);
});
