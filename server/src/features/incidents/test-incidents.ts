import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import { ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import { pino } from 'pino';
import { createCallerFactory } from '#api';
import { type AuditEntry, parseTenantId, type TenantId } from '#kernel';
import { createTenant } from '#relational';
import { createTestDatabase, type TestDatabase } from '#test-database';
import type { IncidentsDeps } from './context.ts';
import { createIncidents, createSignals } from './index.ts';
import { keepIncidents } from './keeper.ts';

export const MINUTE_MS = 60_000;

/** The slice on a database of its own, with a clock that the test moves. */
export async function createTestIncidents(more: Partial<IncidentsDeps> = {}) {
  const database: TestDatabase = await createTestDatabase();
  const trail: AuditEntry[] = [];
  // A whole second: times are kept to the millisecond.
  let nowMs = Date.UTC(2026, 5, 2, 12, 0, 0);
  const deps: IncidentsDeps = {
    relational: database.relational,
    appendAudit: async (_sql, entry) => void trail.push(entry),
    nameActors: async (_tenant, ids) => new Map(ids.filter((id) => id !== 'gone').map((id) => [id, `Name of ${id}`])),
    listPeople: async () => ['ana', 'ben', 'mara'].map((person) => ({ id: person, name: `Name of ${person}` })),
    clock: { now: () => nowMs },
    log: pino({ level: 'silent' }),
    ...more,
  };
  const slice = createIncidents(deps);
  let tenants = 0;
  return {
    database,
    deps,
    slice,
    trail,
    now: () => nowMs,
    pass: (minutes: number) => {
      nowMs += minutes * MINUTE_MS;
    },
    /** A tenant of its own for each test. */
    async newTenant(): Promise<TenantId> {
      tenants += 1;
      const id = parseTenantId(`tenant-${tenants}`);
      await createTenant(database.relational, { id, name: id });
      return id;
    },
    keep: (tenant: TenantId) => keepIncidents(deps, tenant),
    as(tenant: TenantId, role: Role = 'operator', id = 'ann') {
      const principal = { kind: 'account' as const, id, tenant, permissions: new Set(ROLE_PERMISSIONS[role]) };
      const context = { requestId: 'r', ctx: { requestId: 'r', principal } };
      return {
        incidents: createCallerFactory(slice.procedures)(context),
        signals: createCallerFactory(createSignals(deps).procedures)(context),
      };
    },
    /** A test that fails now; what differs is given. */
    failing: (given: Partial<RaisedSignal> = {}): RaisedSignal => {
      const key = given.dedup_key ?? 'test/1';
      return {
        ...{ plane: 'tests', kind: 'test.failing', severity: 'warning', title: 'Shop home fails', summary: 'TLS handshake' },
        ...{ target: 'https://shop.example/', attributes: { 'test.id': key }, dedup_key: key },
        ...{ occurred_at: new Date(nowMs).toISOString(), ...given },
      };
    },
  };
}

export type TestIncidents = Awaited<ReturnType<typeof createTestIncidents>>;
