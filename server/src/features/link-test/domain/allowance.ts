import type { TenantId } from '#kernel';

const HOUR_MS = 3_600_000;
/** Devices counted at once; beyond them the oldest are forgotten, which only gives them their hour again. */
const MAX_DEVICES = 100_000;

export interface AllowanceBounds {
  /** Of one device and method. */
  readonly perHour: number;
  /** Of all devices of a tenant, of each method. */
  readonly perHourOfTenant: number;
  /** Carried for a tenant in an hour, both ways; a stream that began before ends at its own bound. */
  readonly bytesOfTenant: number;
  /** Open at once, of one tenant. */
  readonly openOfTenant: number;
  /** Open at once, of all tenants. */
  readonly open: number;
}

export interface Caller {
  readonly tenant: TenantId;
  readonly agentId: string;
  readonly method: string;
}

/** `hour`: this device has had its tests, `tenant`: all of its tenant together; `busy`: too many are running. */
export interface Refused {
  readonly refused: 'hour' | 'tenant' | 'busy';
  readonly retryAfterSeconds: number;
}

/** A place until `done`; `carried` counts what came and went. */
export interface Place {
  readonly carried: (bytes: number) => void;
  readonly done: () => void;
}

export type Allowed = Place | Refused;

/** What a tenant had since its hour began. */
interface TenantHour {
  readonly sinceMs: number;
  readonly opened: Map<string, number>;
  bytes: number;
}

const secondsUntil = (endMs: number, now: number): number => Math.max(1, Math.ceil((endMs - now) / 1000));

function createTenantHours({ perHourOfTenant, bytesOfTenant }: AllowanceBounds) {
  const hours = new Map<TenantId, TenantHour>();
  return {
    of(tenant: TenantId, now: number): TenantHour {
      const known = hours.get(tenant);
      if (known && now - known.sinceMs < HOUR_MS) return known;
      // Those of an hour ago count for nothing any more.
      for (const [key, { sinceMs }] of hours) if (now - sinceMs >= HOUR_MS) hours.delete(key);
      const hour: TenantHour = { sinceMs: now, opened: new Map(), bytes: 0 };
      hours.set(tenant, hour);
      return hour;
    },
    isSpent: ({ opened, bytes }: TenantHour, method: string): boolean =>
      bytes >= bytesOfTenant || (opened.get(method) ?? 0) >= perHourOfTenant,
  };
}

/** Who may load the line now. A line that one device fills is the server's as well. */
export function createAllowance(bounds: AllowanceBounds, nowMs: () => number) {
  const opened = new Map<string, number[]>();
  const openOfTenant = new Map<TenantId, number>();
  const tenantHours = createTenantHours(bounds);
  let open = 0;

  function recent(key: string, now: number): number[] {
    const times = (opened.get(key) ?? []).filter((atMs) => now - atMs < HOUR_MS);
    opened.delete(key);
    opened.set(key, times);
    for (const [oldest] of opened) {
      if (opened.size <= MAX_DEVICES) break;
      opened.delete(oldest);
    }
    return times;
  }

  return {
    take({ tenant, agentId, method }: Caller): Allowed {
      const now = nowMs();
      const times = recent(`${tenant}/${agentId}/${method}`, now);
      const [first] = times;
      if (first !== undefined && times.length >= bounds.perHour)
        return { refused: 'hour', retryAfterSeconds: secondsUntil(first + HOUR_MS, now) };
      const hour = tenantHours.of(tenant, now);
      if (tenantHours.isSpent(hour, method))
        return { refused: 'tenant', retryAfterSeconds: secondsUntil(hour.sinceMs + HOUR_MS, now) };
      const ofTenant = openOfTenant.get(tenant) ?? 0;
      if (ofTenant >= bounds.openOfTenant || open >= bounds.open) return { refused: 'busy', retryAfterSeconds: 30 };
      times.push(now);
      hour.opened.set(method, (hour.opened.get(method) ?? 0) + 1);
      openOfTenant.set(tenant, ofTenant + 1);
      open += 1;
      let held = true;
      return {
        carried(bytes) {
          hour.bytes += bytes;
        },
        done() {
          if (!held) return;
          held = false;
          open -= 1;
          const left = (openOfTenant.get(tenant) ?? 1) - 1;
          if (left > 0) openOfTenant.set(tenant, left);
          else openOfTenant.delete(tenant);
        },
      };
    },
  };
}
