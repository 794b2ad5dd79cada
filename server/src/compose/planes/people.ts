import { join } from 'node:path';
import { type Slice, systemClock } from '#kernel';
import { toIdentityConfig } from '../../config.ts';
import { createAudit } from '../../features/audit/index.ts';
import { createGovernance } from '../../features/governance/index.ts';
import { createIdentity } from '../../features/identity/index.ts';
import { createLifecycle } from '../../features/lifecycle/index.ts';
import { nameTokens } from '../../features/otlp-tokens/index.ts';
import { createSavedViews } from '../../features/saved-views/index.ts';
import { createSignIn } from '../../features/sign-in/index.ts';
import type { Platform } from '../platform.ts';
import type { Audit, Fleet, Identity, SelfMetrics } from '../threads.ts';

interface AuditThreads {
  fleet: Pick<Fleet, 'nameObjects'>;
  identity: Pick<Identity, 'nameActors'>;
}

/** The trail; names of devices, senders and people are asked of their owners when it is read. */
export const composeAudit = ({ config, stores, log }: Platform, slices: AuditThreads) =>
  createAudit({
    relational: stores.relational,
    sealer: stores.sealer,
    clock: systemClock,
    nameActors: async (tenant, ids) => {
      const senders = await stores.relational.withTenantSql(tenant, (sql) => nameTokens(sql, ids));
      const objects = await slices.fleet.nameObjects(tenant, ids);
      return new Map([...objects, ...senders, ...(await slices.identity.nameActors(tenant, ids))]);
    },
    retentionDays: config.audit.retentionDays,
    dataDir: stores.dataDir.path,
    log,
  });

export const composeIdentity = ({ config, stores, log }: Platform, { audit }: { audit: Pick<Audit, 'appendAudit'> }) =>
  createIdentity({
    relational: stores.relational,
    appendAudit: audit.appendAudit,
    sealer: stores.sealer,
    clock: systemClock,
    config: toIdentityConfig(config),
    buildTag: config.buildTag,
    log,
  });

export const composeSignIn = ({ config, stores, log }: Platform, { identity }: { identity: Pick<Identity, 'signIn'> }) =>
  createSignIn({
    relational: stores.relational,
    clock: systemClock,
    config: toIdentityConfig(config),
    people: identity.signIn,
    log,
  });

export const composeSavedViews = ({ stores }: Platform, { audit }: { audit: Pick<Audit, 'appendAudit'> }) =>
  createSavedViews({ relational: stores.relational, appendAudit: audit.appendAudit, clock: systemClock });

export const composeGovernance = ({ stores, log }: Platform, { audit }: { audit: Pick<Audit, 'appendAudit'> }) =>
  createGovernance({ relational: stores.relational, appendAudit: audit.appendAudit, clock: systemClock, log });

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
