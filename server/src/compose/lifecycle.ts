import { join } from 'node:path';
import { type Slice, systemClock } from '#kernel';
import { createLifecycle } from '../features/lifecycle/index.ts';
import type { Platform } from './platform.ts';
import type { Audit, Fleet, Identity, SelfMetrics } from './threads.ts';

interface LifecycleThreads {
  selfMetrics: Pick<SelfMetrics, 'timedBus'>;
  audit: Pick<Audit, 'appendAudit'>;
  identity: Pick<Identity, 'findPeople' | 'keepAnAdmin'>;
  fleet: Pick<Fleet, 'findDevicesOf'>;
}

export const exportSocketOf = (dataDir: string): string => join(dataDir, 'run', 'export.sock');

/** Erasing goes through all slices; their data and who is who are asked for when somebody is erased. */
export const composeLifecycle = ({ stores, log }: Platform, slices: LifecycleThreads) =>
  createLifecycle({
    relational: stores.relational,
    bus: slices.selfMetrics.timedBus,
    slices: () => Object.values(slices as unknown as Record<string, Slice>),
    appendAudit: (sql, entry) => slices.audit.appendAudit(sql, entry),
    findPeople: (tenant, email) => slices.identity.findPeople(tenant, email),
    findDevicesOf: (tenant, of) => slices.fleet.findDevicesOf(tenant, of),
    keepAnAdmin: (tenant, accounts) => slices.identity.keepAnAdmin(tenant, accounts),
    clock: systemClock,
    log,
    exportSocket: exportSocketOf(stores.dataDir.path),
  });
