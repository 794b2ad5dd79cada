import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import Fastify from 'fastify';
import { pino } from 'pino';
import { createCallerFactory } from '#api';
import { createMemoryBus } from '#bus';
import { createSealer } from '#crypto';
import { type Anchored, AppError, type AuditEntry, anchorsOf, parseTenantId, type TenantId } from '#kernel';
import { createTenant, type Relational, type TenantSql } from '#relational';
import { createTestDatabase } from '#test-database';
import type { ChangesDeps } from './context.ts';
import { createChanges } from './index.ts';

const log = pino({ level: 'silent' });
const CONFIGURED = parseTenantId('configured');

const tenantOf = async (sql: TenantSql): Promise<string> =>
  (await sql.query<{ tenant: string }>("SELECT current_setting('app.tenant_id') AS tenant")).rows[0]?.tenant ?? '';

/** Incidents as their own slice describes them. */
function createIncidentsBeside() {
  const known = new Map<string, { tenant: TenantId; startedAt: Date; about: readonly Partial<Anchored>[] }>();
  return {
    add(incident: { tenant: TenantId; startedAt: Date; about: readonly Partial<Anchored>[] }): string {
      const id = `01890000-0000-7000-8000-${String(known.size).padStart(12, '0')}`;
      known.set(id, incident);
      return id;
    },
    describe: async (sql: TenantSql, id: string) => {
      const incident = known.get(id);
      if (!incident || incident.tenant !== (await tenantOf(sql))) throw new AppError('not_found', 'There is no such incident.');
      return {
        id,
        startedAt: incident.startedAt,
        anchors: incident.about.flatMap((one) => anchorsOf({ attributes: {}, ...one })),
      };
    },
  };
}

/** The slice with its routes, on a database and a bus of its own, with a clock that the test moves. */
export async function createTestChanges(
  more: Partial<ChangesDeps> = {},
  wrap: (relational: Relational) => Relational = (one) => one,
) {
  const database = await createTestDatabase();
  const trail: (AuditEntry & { tenant?: string })[] = [];
  const incidents = createIncidentsBeside();
  const judged: string[] = [];
  let nowMs = Date.UTC(2026, 5, 2, 12, 0, 0);
  const bus = createMemoryBus({ log, pause: async () => await sleep(5) });
  await createTenant(database.relational, { id: CONFIGURED, name: CONFIGURED });
  const deps: ChangesDeps = {
    relational: wrap(database.relational),
    bus,
    sealer: createSealer(randomBytes(32)),
    appendAudit: async (sql, entry) => void trail.push({ ...entry, tenant: await tenantOf(sql) }),
    ensureTenant: async () => {},
    nameActors: async (_tenant, ids) => new Map(ids.map((id) => [id, `Name of ${id}`])),
    describeIncident: incidents.describe,
    noteJudged: async (_sql, incident) => void judged.push(incident),
    configured: [{ id: 'of-config', tenant: CONFIGURED, provider: 'generic', secret: 'secret:with:colons' }],
    windowMs: 24 * 3_600_000,
    publicUrl: 'https://svc.example',
    clock: { now: () => nowMs },
    log,
    ...more,
  };
  const slice = createChanges(deps);
  const app = Fastify();
  slice.routes(app);
  await slice.start(() => true);
  let tenants = 0;

  const send = async (path: string, body: string | Buffer, headers: Record<string, string>) => {
    const answer = await app.inject({ method: 'POST', url: `/ingest/changes/${path}`, payload: body, headers });
    return { status: answer.statusCode, body: answer.json<Record<string, unknown>>(), headers: answer.headers };
  };

  return {
    ...{ database, deps, slice, trail, judged, app, bus, send, configured: CONFIGURED },
    now: () => nowMs,
    pass: (minutes: number): void => {
      nowMs += minutes * 60_000;
    },
    /** A tenant of its own for each test. */
    async newTenant(): Promise<TenantId> {
      tenants += 1;
      const id = parseTenantId(`tenant-${tenants}`);
      await createTenant(database.relational, { id, name: id });
      return id;
    },
    addIncident: (tenant: TenantId, about: readonly Partial<Anchored>[], startedAt = new Date(nowMs)): string =>
      incidents.add({ tenant, about, startedAt }),
    as(tenant: TenantId, role: Role = 'admin', id = 'ann') {
      const principal = { kind: 'account' as const, id, tenant, permissions: new Set(ROLE_PERMISSIONS[role]) };
      return createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
    },
    /** Signs a body for a webhook of `generic` and sends it. */
    async tell(webhook: { id: string; secret: string }, body: unknown) {
      const text = JSON.stringify(body);
      const signature = createHmac('sha256', webhook.secret).update(text).digest('hex');
      return await send(`generic/${webhook.id}`, text, {
        'content-type': 'application/json',
        'x-svc-signature': `sha256=${signature}`,
      });
    },
    /** Resolves once everything on the bus is stored. */
    async settled(): Promise<void> {
      while ((await slice.waiting()) > 0) await sleep(5);
    },
    async close(): Promise<void> {
      await slice.close();
      await app.close();
      await bus.close();
      await database.close();
    },
  };
}
export type TestChanges = Awaited<ReturnType<typeof createTestChanges>>;
