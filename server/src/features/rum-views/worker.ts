import type { TenantId } from '#kernel';
import { type Fence, type LeasedWork, startLeasedWork, startTenantRounds, visitTenants } from '#relational';
import { rollUpHours } from '#telemetry';
import type { RumViewsDeps } from './context.ts';
import { VIEWS_KEPT_MS } from './domain/read-view.ts';
import { type EvaluateDeps, judgeTenant } from './evaluate.ts';
import { forgetHosts } from './host-store.ts';
import type { Known } from './known.ts';
import { rollUpDays, VIEW_HOURS } from './view-days.ts';

/** Judged each minute, on the one process that has the lease. */
const EACH_MINUTE = { everyMs: 60_000 };
const ROUNDS = { name: 'rum-views', everyMs: 10 * 60_000, firstMs: 50_000 } as const;

export const startVerdicts = (deps: EvaluateDeps, pace: { everyMs: number; ttlMs?: number } = EACH_MINUTE): LeasedWork =>
  startLeasedWork(deps.relational, {
    ...pace,
    name: 'rum-verdicts',
    log: deps.log,
    work: async (fence: Fence) =>
      await visitTenants(deps, fence, async (tenant: TenantId) => await judgeTenant(deps, tenant, fence)),
  });

/** Hours and days of views that are over are computed; hosts that are long gone are forgotten. */
export const startRounds = ({ relational, telemetry, clock, log }: RumViewsDeps, known: Known) =>
  startTenantRounds(relational, {
    ...ROUNDS,
    log,
    visit: async (tenant, system) => {
      await rollUpHours(telemetry.store, tenant, { ...VIEW_HOURS, nowMs: clock.now() });
      await rollUpDays(telemetry.store, tenant, clock.now());
      const before = new Date(clock.now() - VIEWS_KEPT_MS);
      if (await system.withTenantSql(tenant, (sql) => forgetHosts(sql, before))) known.drop(tenant);
    },
  });
