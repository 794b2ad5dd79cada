import type { RaisedSignal } from '@svc/contracts/incidents/signal';
import type { ProviderKind } from '@svc/contracts/notify/kinds';
import { ROLE_PERMISSIONS } from '@svc/contracts/permissions';
import { pino } from 'pino';
import { createCallerFactory } from '../../server/src/api/index.ts';
import { createSealer } from '../../server/src/crypto/index.ts';
import { createIncidents } from '../../server/src/features/incidents/index.ts';
import { createNotify } from '../../server/src/features/notify/index.ts';
import type { Provider, TenantId } from '../../server/src/kernel/index.ts';
import type { Relational } from '../../server/src/relational/index.ts';

/** Incidents and those who tell of them, as the server has them, on any database and with any providers. */

const log = pino({ level: 'silent' });

interface Given {
  relational: Relational;
  /** Of the sealed credentials: the same in all processes. */
  key: Buffer;
  providers: Partial<Record<ProviderKind, Provider>>;
  now: () => number;
  leaseMs?: number;
}

export function createWorld({ relational, key, providers, now, leaseMs }: Given) {
  const clock = { now };
  const common = { relational, appendAudit: async () => {}, nameActors: async () => new Map<string, string>(), clock, log };
  const incidents = createIncidents({
    ...common,
    listPeople: async () => [],
    observers: [(sql, transitions) => notify.noteTransitions(sql, transitions)],
  });
  const notify = createNotify({
    ...common,
    ...{ sealer: createSealer(key), ensureTenant: async () => {}, readIncidents: incidents.readTold },
    // No rule: every connector is told of everything, at once.
    readDecider:
      async () =>
      (_incident, { connectors, atMs }) =>
        new Map(connectors.map((id) => [id, { dueMs: atMs }])),
    ...{ actFromOutside: incidents.actFromOutside, providers, configured: [], publicUrl: 'https://svc.example' },
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  const contextOf = (tenant: TenantId) => {
    const principal = { kind: 'account' as const, id: 'ann', tenant, permissions: new Set(ROLE_PERMISSIONS.admin) };
    return { requestId: 'bench', ctx: { requestId: 'bench', principal } };
  };
  return {
    ...{ incidents, notify },
    asAdmin: (tenant: TenantId) => ({
      incidents: createCallerFactory(incidents.procedures)(contextOf(tenant)),
      notify: createCallerFactory(notify.procedures)(contextOf(tenant)),
    }),
    /** A test that fails: one incident a number. `again` is another test of the same target, which joins it. */
    failing: (number: number, again = 0): RaisedSignal => ({
      ...{ plane: 'tests', kind: 'test.failing', severity: 'warning', title: `Shop ${number} fails`, summary: 'TLS handshake' },
      ...{ target: `https://shop${number}.example/`, attributes: { 'test.id': `${number}/${again}` } },
      ...{ dedup_key: `test/${number}/${again}`, occurred_at: new Date(now()).toISOString() },
    }),
  };
}

export type World = ReturnType<typeof createWorld>;
