import type { FastifyBaseLogger } from 'fastify';
import { type Clock, isTenantId, type TenantId } from '#kernel';
import { listTenants, type Relational } from '#relational';
import { findHeadFault } from './domain/known-head.ts';
import type { KnownHeads } from './heads-file.ts';
import { readStanding } from './store.ts';

/** After an entry was written its tenant is looked at for so long: the entry gets its place when its transaction commits. */
const WATCHED_MS = 5000;
const SWEEP_EVERY_MS = 60_000;
/** Tenants looked at in one go: those that changed, and some of the others in turn. */
const MAX_CHANGED = 50;
const MAX_SWEPT = 20;
const WARN_EVERY_MS = 3_600_000;

export interface FollowDeps {
  relational: Relational;
  clock: Clock;
  log: FastifyBaseLogger;
}

/** Brings what is remembered of the chains up to date; a chain that is not the remembered one is never followed, and logged once an hour. */
export function createHeadFollower({ relational, clock, log }: FollowDeps) {
  const watched = new Map<TenantId, number>();
  const warned = new Map<TenantId, number>();
  const toSweep: TenantId[] = [];
  let sweptAtMs = 0;

  /** True where there was something new. */
  async function look(heads: KnownHeads, tenant: TenantId): Promise<boolean> {
    const known = heads.get(tenant);
    const standing = await relational.withSystemSql(tenant, (sql) => readStanding(sql, tenant, known?.seq ?? 0n));
    const fault = known && findHeadFault(known, standing);
    if (fault) {
      if (clock.now() - (warned.get(tenant) ?? Number.NEGATIVE_INFINITY) < WARN_EVERY_MS) return false;
      warned.set(tenant, clock.now());
      log.error({ tenant, reason: fault }, 'the audit trail is not the one that this server remembers: run svc verify-audit');
      return false;
    }
    if (standing.head.seq === (known?.seq ?? 0n)) return false;
    heads.set(tenant, { ...standing.head, atMs: clock.now() });
    return true;
  }

  return {
    /** The chain grows: it is looked at next time, and until its transaction must have committed. */
    watch(tenant: TenantId): void {
      watched.delete(tenant);
      watched.set(tenant, clock.now() + WATCHED_MS);
    },
    /** Changes `heads`; true where anything is new. */
    async lookAround(heads: KnownHeads): Promise<boolean> {
      let isNew = false;
      for (const [tenant, untilMs] of [...watched].slice(0, MAX_CHANGED)) {
        // To the end of the line, so that none waits behind fifty busy ones.
        watched.delete(tenant);
        if (untilMs > clock.now()) watched.set(tenant, untilMs);
        isNew = (await look(heads, tenant)) || isNew;
      }
      if (toSweep.length === 0 && clock.now() - sweptAtMs >= SWEEP_EVERY_MS) {
        sweptAtMs = clock.now();
        toSweep.push(...(await listTenants(relational)).map(({ id }) => id).filter(isTenantId));
      }
      for (const tenant of toSweep.splice(0, MAX_SWEPT)) isNew = (await look(heads, tenant)) || isNew;
      return isNew;
    },
  };
}
