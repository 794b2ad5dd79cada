import { setTimeout as sleep } from 'node:timers/promises';
import type { RunReport } from '@svc/contracts/tests/run-report';
import { BUILT_IN_RUNNER } from '@svc/contracts/tests/runner';
import { createOutbox, type Outbox } from '@svc/runner/outbox';
import type { RunnerHandle } from '@svc/runner/runner-handle';
import { isTenantId, type TenantId } from '#kernel';
import { type Fence, listTenants, startLeasedWork } from '#relational';
import type { RunnersDeps } from '../context.ts';
import { createPlanDiff } from '../domain/plan-diff.ts';
import type { PlanKeeper } from '../plan/plan-keeper.ts';
import type { Publish } from '../publish.ts';
import { noteBuiltIn, TOLD_EVERY_MS } from './built-in-state.ts';

const LEASE = 'built-in-runner';
const EVERY_MS = 1000;

export interface BuiltInDeps extends Pick<RunnersDeps, 'relational' | 'openRunner' | 'version' | 'clock' | 'log'> {
  keeper: PlanKeeper;
  publish: Publish;
  /** Its state or its being there changed: plans are to be looked at again. */
  onChanged: () => void;
}

/**
 * The runner inside of the control plane: of all replicas the one that holds the lease runs the plans of all tenants. Runs on demand are made by the
 * process that was asked.
 */
export function createBuiltInRunner({ relational, openRunner, version, clock, log, keeper, publish, onChanged }: BuiltInDeps) {
  const outboxes = new Map<string, Outbox<RunReport>>();
  let opened: Promise<RunnerHandle> | undefined;
  let work: { close(): Promise<void> } | undefined;

  const outboxOf = (tenant: TenantId): Outbox<RunReport> => {
    const outbox = outboxes.get(tenant) ?? createOutbox<RunReport>({ deliver: (reports) => publish(tenant, reports) });
    outboxes.set(tenant, outbox);
    return outbox;
  };

  const open = (): Promise<RunnerHandle> => {
    const report = (owner: string, made: RunReport): void => outboxOf(owner as TenantId).add(made);
    opened ??= openRunner(report).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  const waiting = (): number => [...outboxes.values()].reduce((sum, outbox) => sum + outbox.size(), 0);

  /** Watches the plan of a tenant; the returned function takes all of it out of the runner. */
  const take = (runner: RunnerHandle, tenant: TenantId): (() => void) => {
    const diff = createPlanDiff();
    const stop = keeper.watch(tenant, BUILT_IN_RUNNER, (plan) => runner.change(tenant, diff.next(plan)));
    return () => {
      stop();
      runner.change(tenant, { put: [], remove: diff.forget() });
    };
  };

  async function hold({ signal }: Fence): Promise<void> {
    const runner = await open();
    const connectedAt = new Date(clock.now());
    const taken = new Map<TenantId, () => void>();
    const letGo = () => {
      for (const stop of taken.values()) stop();
      taken.clear();
    };
    signal.addEventListener('abort', letGo, { once: true });
    try {
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        const tenants = new Set((await listTenants(relational)).map(({ id }) => id).filter(isTenantId));
        const state = { version, lacks: runner.lacks(), ...runner.use(), waiting: waiting() };
        await noteBuiltIn(relational, { state, connectedAt, contactAt: new Date(clock.now()) });
        if (isFirst) onChanged();
        for (const tenant of tenants) if (!taken.has(tenant) && !signal.aborted) taken.set(tenant, take(runner, tenant));
        for (const [tenant, stop] of taken) {
          if (tenants.has(tenant)) continue;
          stop();
          taken.delete(tenant);
          outboxes.delete(tenant);
        }
        await sleep(TOLD_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    } finally {
      letGo();
    }
  }

  return {
    open,
    start(): void {
      work = startLeasedWork(relational, { name: LEASE, everyMs: EVERY_MS, work: hold, log });
    },
    dropped: (): number => [...outboxes.values()].reduce((sum, outbox) => sum + outbox.dropped(), 0),
    async close(): Promise<void> {
      await work?.close();
      await (await opened?.catch(() => undefined))?.close();
      await Promise.all([...outboxes.values()].map((outbox) => outbox.close()));
    },
  };
}
