/**
 * The end of what is kept: a tenant, or a person or device in it, is erased in all slices alike (docs/stores/erasure.md).
 * In: `lifecycle.*`, `svc tenant erase`. Out: the bus without erased tenants; no slice comes before it but self-metrics.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Bus } from '#bus';
import { type Ctx, EVERY_ROLE, type HasRole, type Slice, type TenantId } from '#kernel';
import { releaseLease, takeLease } from '#relational';
import { createLifecycleProcedures } from './api.ts';
import { eraseSubject, type NamedSubject, type SubjectDeps } from './erase-subject.ts';
import { type EraseDeps, eraseTenant } from './erase-tenant.ts';
import { beginErasure, ERASURES_CHANNEL, findErasure, listErasures } from './erasures.ts';
import { guardBus } from './guard-bus.ts';

export interface LifecycleDeps extends EraseDeps, SubjectDeps {
  bus: Bus;
  log: FastifyBaseLogger;
}

const LOOK_EVERY_MS = 60_000;
/** What a replica that heard late, or a message that was set aside, brought after the end is found by then. */
const SWEPT_MS = 7 * 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;
const LEASE_MS = 15 * 60_000;

/** Erases what waits for it, one process at a time; `look` now and again each minute. */
function createWorker(deps: LifecycleDeps) {
  const { relational, clock, log } = deps;
  const lease = { name: 'tenant-erasures', holder: randomUUID(), ttlMs: LEASE_MS };
  const sweptAt = new Map<TenantId, number>();
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;

  async function work(): Promise<void> {
    const now = clock.now();
    const due = (await listErasures(relational)).filter(
      ({ tenant_id: tenant, finished_at: end }) =>
        !end || (now - end.getTime() < SWEPT_MS && now - (sweptAt.get(tenant) ?? end.getTime()) >= SWEEP_EVERY_MS),
    );
    for (const row of due) {
      if (isClosed || !(await takeLease(relational, lease))) return;
      sweptAt.set(row.tenant_id, now);
      const isDone = await eraseTenant(deps, row);
      log.info({ tenant: row.tenant_id, isDone }, 'a tenant was erased');
    }
    if (due.length > 0) await releaseLease(relational, lease);
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

export function createLifecycle(deps: LifecycleDeps) {
  const { relational, log } = deps;
  const worker = createWorker(deps);
  let erased: ReadonlySet<TenantId> = new Set();
  let stopListening = async (): Promise<void> => {};
  let timer: NodeJS.Timeout | undefined;

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
      eraseSubject: (ctx, subject) => eraseSubject(deps, ctx, subject),
      now: deps.clock.now,
    }),
    /** Erases a tenant whose erasure was begun, in this call instead of the worker's next look. */
    async eraseNow(tenant: TenantId): Promise<void> {
      await readErased();
      const row = await findErasure(relational, tenant);
      if (row) await eraseTenant(deps, { ...row, tenant_id: tenant });
    },
    eraseSubject: (ctx: Ctx, subject: NamedSubject) => eraseSubject(deps, ctx, subject),
    async start(hasRole: HasRole): Promise<void> {
      const follow = async (): Promise<void> => {
        await readErasedSoon();
        if (hasRole('evaluate')) worker.look();
      };
      stopListening = await relational.listen(ERASURES_CHANNEL, () => void follow());
      await readErased();
      timer = setInterval(() => void follow(), LOOK_EVERY_MS).unref();
      if (hasRole('evaluate')) worker.look();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await stopListening();
      await worker.close();
    },
  } satisfies Slice & Record<string, unknown>;
}
