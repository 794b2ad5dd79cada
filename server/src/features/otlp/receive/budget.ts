import { Refusal } from './refusal.ts';

/** Requests that no answer was given to yet may hold so many bytes, and one tenant's half of it. */
const TOTAL_BYTES = 128 * 1024 * 1024;
/** However small they are: each costs an object and a place on the bus. */
const TENANT_REQUESTS = 4096;

export interface Held {
  /** Takes more; a Refusal when there is no room. */
  grow(bytes: number): void;
  /** Gives all of it back; once. */
  release(): void;
}

/**
 * Memory for requests between their headers and their answer. A tenant that floods fills its own half and is told to come again
 * (`busy`); the others' half stays free.
 */
export function createBudget(maxBytes: number) {
  // Four of the largest requests of one tenant fit, whatever their size is set to.
  const total = Math.max(TOTAL_BYTES, 8 * maxBytes);
  const share = total / 2;
  let used = 0;
  const tenants = new Map<string, { bytes: number; requests: number }>();

  return {
    hold(tenant: string): Held {
      const own = tenants.get(tenant) ?? { bytes: 0, requests: 0 };
      if (own.requests >= TENANT_REQUESTS)
        throw new Refusal('busy', 'Too many requests of this tenant are under way.', { retryAfterSeconds: 1 });
      own.requests += 1;
      tenants.set(tenant, own);
      let held = 0;
      return {
        grow(bytes) {
          if (own.bytes + bytes > share)
            throw new Refusal('busy', 'Too many bytes of this tenant are under way.', { retryAfterSeconds: 1 });
          if (used + bytes > total)
            throw new Refusal('unavailable', 'The receiver has no room for more right now.', { retryAfterSeconds: 1 });
          held += bytes;
          own.bytes += bytes;
          used += bytes;
        },
        release() {
          if (held < 0) return;
          own.bytes -= held;
          used -= held;
          own.requests -= 1;
          if (own.requests === 0) tenants.delete(tenant);
          held = -1;
        },
      };
    },
    usedBytes: () => used,
  };
}

export type Budget = ReturnType<typeof createBudget>;
