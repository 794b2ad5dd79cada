import type { SURFACES } from '@svc/contracts/rum/apps';
import type { RumCounters, RumRejects } from '@svc/contracts/rum/views';
import type { TenantId } from '#kernel';

export interface KnownApp {
  id: string;
  name: string;
  hosts: readonly string[];
  /** What came of a former app of this name is older. */
  created_at: Date;
}

/** What this slice asks of who knows apps and counts beacons. */
export interface RumAppsThread {
  apps(tenant: TenantId): Promise<KnownApp[]>;
  surface(): { surface: (typeof SURFACES)[number]; sentence: string };
  counters(tenant: TenantId): Promise<RumCounters>;
  rejects(tenant: TenantId, from: Date): Promise<RumRejects>;
}
