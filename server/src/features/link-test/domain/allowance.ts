import type { TenantId } from '#kernel';

const HOUR_MS = 3_600_000;
/** Devices counted at once; beyond them the oldest are forgotten, which only gives them their hour again. */
const MAX_DEVICES = 100_000;

export interface AllowanceBounds {
  /** Of one device and method. */
  readonly perHour: number;
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

/** `hour`: this device has had its tests; `busy`: too many are running. Else it holds a place until `done`. */
export type Allowed = { readonly done: () => void } | { readonly refused: 'hour' | 'busy'; readonly retryAfterSeconds: number };

/** Who may load the line now. A line that one device fills is the server's as well. */
export function createAllowance(bounds: AllowanceBounds, nowMs: () => number) {
  const opened = new Map<string, number[]>();
  const openOfTenant = new Map<TenantId, number>();
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
        return { refused: 'hour', retryAfterSeconds: Math.ceil((first + HOUR_MS - now) / 1000) };
      const ofTenant = openOfTenant.get(tenant) ?? 0;
      if (ofTenant >= bounds.openOfTenant || open >= bounds.open) return { refused: 'busy', retryAfterSeconds: 30 };
      times.push(now);
      openOfTenant.set(tenant, ofTenant + 1);
      open += 1;
      let held = true;
      return {
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
