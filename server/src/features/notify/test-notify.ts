import { randomBytes } from 'node:crypto';
import type { Severity } from '@svc/contracts/incidents/signal';
import type { ProviderKind } from '@svc/contracts/notify/kinds';
import { ROLE_PERMISSIONS, type Role } from '@svc/contracts/permissions';
import { pino } from 'pino';
import { uuidv7 } from 'uuidv7';
import { createCallerFactory } from '#api';
import { createSealer } from '#crypto';
import { type AuditEntry, parseTenantId, type TenantId } from '#kernel';
import { createTenant, type Relational, type TenantSql } from '#relational';
import { createTestDatabase } from '#test-database';
import { createConnections } from './connectors/connections.ts';
import type { IncidentNow, NotifyDeps, OutsideAct } from './context.ts';
import { createNotify } from './index.ts';
import { claimMessages } from './outbox/claim.ts';
import type { Recorded } from './outbox/record.ts';
import { doJob } from './outbox/worker.ts';
import type { TestProvider } from './test-provider.ts';

const READ = `SELECT id, number::float8 AS number, status, severity, title, target, prefix, site, planes, started_at AS "startedAt",
  opened_at AS "openedAt", resolved_at AS "resolvedAt", recovered_at AS "recoveredAt", '' AS cause, signal_count AS "signalCount",
  open_signal_count AS "openSignalCount" FROM incidents`;

const readIncidents = async (sql: TenantSql, ids: readonly string[]): Promise<IncidentNow[]> =>
  (await sql.query<IncidentNow>(`${READ} WHERE id = ANY ($1::uuid[])`, [ids])).rows;

const TOLD = `SELECT c.name, o.verb, o.state FROM notify_outbox o JOIN notify_connectors c ON c.id = o.connector_id WHERE o.incident_id = $1
  ORDER BY o.seq`;
const OPEN = `INSERT INTO incidents (tenant_id, id, number, status, severity, title, target, started_at, opened_at, last_seen_at, signal_count,
    open_signal_count, planes) VALUES ($1, $2, $3, 'open', $4, 'Shop home fails', 'shop.example', $5, $5, $5, 1, 1, '{tests}')`;
const TURN = "SELECT pg_advisory_xact_lock(hashtextextended('incidents/' || current_setting('app.tenant_id'), 0))";

interface Change {
  id: string;
  kind: string;
  set: Record<string, unknown>;
  actor?: string | undefined;
  detail?: string;
}

type Slice = Pick<ReturnType<typeof createNotify>, 'noteTransitions'>;

/** Incidents as their own slice would keep them: a change and what is told of it are one transaction, and writers take turns. */
function createIncidentsBeside({ relational, now, slice }: { relational: Relational; now: () => number; slice: () => Slice }) {
  let numbers = 0;
  const change = (tenant: TenantId, { id, kind, set, actor = 'system', detail = '' }: Change) =>
    relational.withSystemSql(tenant, async (sql) => {
      await sql.query(TURN);
      const columns = Object.keys(set).map((name, at) => `${name} = $${at + 2}`);
      if (columns.length > 0)
        await sql.query(`UPDATE incidents SET ${columns.join(', ')} WHERE id = $1`, [id, ...Object.values(set)]);
      await slice().noteTransitions(sql, [{ kind, incident: { id }, actor, detail }]);
    });
  return {
    change,
    async open(tenant: TenantId, severity: Severity = 'warning'): Promise<string> {
      const id = uuidv7();
      numbers += 1;
      const values = [tenant, id, numbers, severity, new Date(now())];
      await relational.withSystemSql(tenant, async (sql) => {
        await sql.query(OPEN, values);
        await slice().noteTransitions(sql, [{ kind: 'opened', incident: { id }, actor: 'system', detail: 'Shop home fails' }]);
      });
      return id;
    },
    resolve: (tenant: TenantId, id: string, actor?: string) =>
      change(tenant, { id, kind: 'resolved', set: { status: 'resolved', resolved_at: new Date(now()) }, actor }),
    reopen: (tenant: TenantId, id: string) =>
      change(tenant, { id, kind: 'reopened', set: { status: 'open', resolved_at: null, open_signal_count: 1 } }),
    async actFromOutside(tenant: TenantId, { incident, what, actor, detail }: OutsideAct): Promise<boolean> {
      const before = await relational.withSystemSql(tenant, (sql) => readIncidents(sql, [incident]));
      const status = before[0]?.status;
      if (status === undefined || status === 'resolved' || (what === 'acknowledge' && status === 'acknowledged')) return false;
      const set = what === 'resolve' ? { status: 'resolved', resolved_at: new Date(now()) } : { status: 'acknowledged' };
      await change(tenant, { id: incident, kind: what === 'resolve' ? 'resolved' : 'acknowledged', set, actor, detail });
      return true;
    },
  };
}

/** What is due is sent, until nothing is. */
function createSender(deps: NotifyDeps) {
  const connections = createConnections(deps);
  const recorded: Recorded[] = [];
  const onRecorded = (_: TenantId, words: readonly Recorded[]): void => void recorded.push(...words);
  return {
    ...{ connections, recorded },
    async send(tenant: TenantId): Promise<void> {
      for (let rounds = 0; rounds < 50; rounds += 1) {
        const { jobs } = await claimMessages(deps, tenant);
        if (jobs.length === 0) return;
        await Promise.all(jobs.map((job) => doJob({ deps, connections, onRecorded }, tenant, job)));
      }
    },
  };
}

/** The slice on a database of its own with providers of the test, and a clock that the test moves. */
export async function createTestNotify(given: readonly TestProvider[], more: Partial<NotifyDeps> = {}) {
  const database = await createTestDatabase();
  const { relational } = database;
  const trail: AuditEntry[] = [];
  let nowMs = Date.UTC(2026, 5, 2, 12);
  let tenants = 0;
  let delayMs = 0;
  const incidents = createIncidentsBeside({ relational, now: () => nowMs, slice: () => slice });
  const deps: NotifyDeps = {
    ...{ relational, sealer: createSealer(randomBytes(32)), readIncidents, actFromOutside: incidents.actFromOutside },
    appendAudit: async (_sql, entry) => void trail.push(entry),
    nameActors: async (_tenant, ids) => new Map(ids.map((id) => [id, `Name of ${id}`])),
    ensureTenant: async (tenant) => void (await createTenant(relational, { id: tenant, name: tenant })),
    readDecider:
      async () =>
      (_incident, { connectors, atMs }) =>
        new Map(connectors.map((id) => [id, { dueMs: atMs + delayMs }])),
    providers: Object.fromEntries(given.map(({ provider }) => [provider.kind, provider])),
    ...{ configured: [], publicUrl: 'https://svc.example', leaseMs: 60_000 },
    ...{ clock: { now: () => nowMs }, log: pino({ level: 'silent' }), ...more },
  };
  const slice = createNotify(deps);
  const as = (tenant: TenantId, role: Role = 'admin') => {
    const principal = { kind: 'account' as const, id: 'ann', tenant, permissions: new Set(ROLE_PERMISSIONS[role]) };
    return createCallerFactory(slice.procedures)({ requestId: 'r', ctx: { requestId: 'r', principal } });
  };
  return {
    ...{ database, deps, slice, trail, as, ...incidents, ...createSender(deps) },
    pass: (ms: number) => {
      nowMs += ms;
    },
    /** What the rules hold back from now on. */
    delay: (ms: number) => {
      delayMs = ms;
    },
    async newTenant(): Promise<TenantId> {
      tenants += 1;
      const id = parseTenantId(`tenant-${tenants}`);
      await createTenant(relational, { id, name: id });
      return id;
    },
    async connect(tenant: TenantId, provider: ProviderKind, name: string = provider): Promise<string> {
      const values = { credential: 'first', url: 'https://x.example' };
      return (await as(tenant).connectors.create({ provider, name, values })).id;
    },
    /** Of an incident: verb and state of each message, by connector. */
    async told(tenant: TenantId, incident: string): Promise<Record<string, string[]>> {
      const { rows } = await relational.withSystemSql(tenant, (sql) =>
        sql.query<{ name: string; verb: string; state: string }>(TOLD, [incident]),
      );
      const told: Record<string, string[]> = {};
      for (const { name, verb, state } of rows) told[name] = [...(told[name] ?? []), `${verb} ${state}`];
      return told;
    },
  };
}

export type TestNotify = Awaited<ReturnType<typeof createTestNotify>>;
