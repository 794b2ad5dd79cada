/**
 * The end of what is kept: a tenant, or a person or device in it, is erased in all slices alike (docs/stores/erasure.md), and its export
 * before that (docs/operate.md). In: `lifecycle.*`, `svc tenant erase`, `svc tenant export`. Out: the bus without erased tenants; no slice comes before it but self-metrics.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import { type Ctx, createTenantTurns, EVERY_ROLE, type HasRole, type Slice, type TenantId } from '#kernel';
import { releaseLease, takeLease } from '#relational';
import { createLifecycleProcedures } from './api.ts';
import { eraseSubject, type NamedSubject, type SubjectDeps } from './erase-subject.ts';
import { type EraseDeps, eraseTenant } from './erase-tenant.ts';
import { beginErasure, ERASURES_CHANNEL, findErasure, listErasures } from './erasures.ts';
import { openExportSocket } from './export/export-socket.ts';
import { exportAllRows } from './export/export-tenant.ts';
import { guardBus } from './guard-bus.ts';

export interface LifecycleDeps extends EraseDeps, SubjectDeps {
  bus: Bus;
  log: FastifyBaseLogger;
  /** Where commands beside this server read the rows of a tenant. */
  exportSocket: string;
}

const LOOK_EVERY_MS = 60_000;
/** What a replica that heard late, or a message that was set aside, brought after the end is found by then. */
const SWEPT_MS = 7 * 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
/** Renewed while somebody works: whoever is killed keeps the next one away for no longer. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;

/**
 * Each goes through all tables of both stores and rewrites what it finds: one after the other, or a tenant that asks for hundreds leaves the
 * others no writer and no reader.
 */
const TURNS = {
  total: 1,
  alone: 1,
  maxWaiting: 4,
  refusal: 'Several people or devices of this tenant are being erased. Try again when they are.',
} as const;

type DueErasure = Awaited<ReturnType<typeof listErasures>>[number];

/** Erases what waits for it, one process at a time; `look` now and again each minute. */
function createWorker(deps: LifecycleDeps) {
  const { relational, clock, log } = deps;
  const lease = { name: 'tenant-erasures', holder: randomUUID(), ttlMs: LEASE_MS };
  const sweptAt = new Map<TenantId, number>();
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;

  /** One that fails keeps no other one waiting: it is tried again with the next look. */
  async function eraseAll(due: readonly DueErasure[]): Promise<void> {
    for (const row of due) {
      if (isClosed) return;
      sweptAt.set(row.tenant_id, clock.now());
      const { tenant_id: tenant } = row;
      try {
        log.info({ tenant, isDone: await eraseTenant(deps, row) }, 'a tenant was erased');
      } catch (error) {
        log.error({ err: error, tenant }, 'erasing a tenant did not end; tried again in a minute');
      }
    }
  }

  async function work(): Promise<void> {
    const now = clock.now();
    const due = (await listErasures(relational)).filter(
      ({ tenant_id: tenant, finished_at: end }) =>
        !end || (now - end.getTime() < SWEPT_MS && now - (sweptAt.get(tenant) ?? end.getTime()) >= SWEEP_EVERY_MS),
    );
    if (due.length === 0 || isClosed || !(await takeLease(relational, lease))) return;
    const renewing = setInterval(() => void takeLease(relational, lease).catch(() => undefined), RENEW_MS);
    try {
      await eraseAll(due);
    } finally {
      clearInterval(renewing);
      await releaseLease(relational, lease);
    }
  }

  const look = (): void => {
    if (isClosed) return;
    running = running
      .then(work)
      .catch((error: unknown) => log.error({ err: error }, 'erasing did not end; tried again in a minute'));
  };
  return {
    look,
    async close(): Promise<void> {
      isClosed = true;
      await running;
    },
  };
}

/** A server whose data directory has no room for a socket (its path is too long) serves all the same; an export then needs it stopped. */
const openSocket = async ({ exportSocket, slices, log }: LifecycleDeps): Promise<{ close(): Promise<void> } | undefined> =>
  await openExportSocket({ socket: exportSocket, exportRows: (tenant) => exportAllRows(slices(), tenant), log }).catch(
    (error: unknown) => void log.warn({ err: error }, 'tenants cannot be exported while this server runs'),
  );

export function createLifecycle(deps: LifecycleDeps) {
  const { relational, log } = deps;
  const worker = createWorker(deps);
  const turns = createTenantTurns(TURNS);
  const eraseOne = (ctx: Ctx, subject: NamedSubject) => turns.use(ctx.principal.tenant, () => eraseSubject(deps, ctx, subject));
  let erased: ReadonlySet<TenantId> = new Set();
  let stopListening = async (): Promise<void> => {};
  let timer: NodeJS.Timeout | undefined;
  let socket: Awaited<ReturnType<typeof openSocket>>;

  const readErased = async (): Promise<void> => {
    erased = new Set((await listErasures(relational)).map((row) => row.tenant_id));
  };
  const readErasedSoon = async (): Promise<void> =>
    await readErased().catch((error: unknown) => log.warn({ err: error }, 'erased tenants could not be read; again in a minute'));

  return {
    name: 'lifecycle',
    roles: EVERY_ROLE,
    // The names of erased tenants outlive them, or what still comes of one would make it anew.
    data: {
      owns: { relational: ['tenant_erasures'] },
      async *exportRows() {},
      eraseTenant: async () => ({}),
      eraseSubject: async () => ({}),
    },
    /** The bus for consumers and for what comes from outside, without erased tenants. */
    bus: guardBus(deps.bus, (tenant) => erased.has(tenant)),
    procedures: createLifecycleProcedures({
      async eraseTenant(tenant, actor) {
        const begun = await beginErasure(deps, tenant, actor);
        await readErased();
        return begun;
      },
      eraseSubject: eraseOne,
      now: deps.clock.now,
    }),
    /** Erases a tenant whose erasure was begun, in this call instead of the worker's next look. */
    async eraseNow(tenant: TenantId): Promise<void> {
      await readErased();
      const row = await findErasure(relational, tenant);
      if (row) await eraseTenant(deps, { ...row, tenant_id: tenant });
    },
    eraseSubject: eraseOne,
    async start(hasRole: HasRole): Promise<void> {
      const follow = async (): Promise<void> => {
        await readErasedSoon();
        if (hasRole('evaluate')) worker.look();
      };
      stopListening = await relational.listen(ERASURES_CHANNEL, () => void follow());
      await readErased();
      timer = setInterval(() => void follow(), LOOK_EVERY_MS).unref();
      socket = await openSocket(deps);
      if (hasRole('evaluate')) worker.look();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await socket?.close();
      await stopListening();
      await worker.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
