import { Refusal } from './refusal.ts';

/** Requests that have no answer yet may hold so many bytes, and one tenant's half of it. */
const TOTAL_BYTES = 128 * 1024 * 1024;
/** However small they are: each costs an object and a place on the bus. */
const TENANT_REQUESTS = 4096;

export interface Held {
  /** Takes more; a Refusal when there is no room. */
  grow(bytes: number): void;
  /** Gives the bytes back; the request keeps its place. */
  empty(): void;
  /** Gives all of it back; once. */
  release(): void;
}

/**
 * Memory for requests between their headers and their answer, and their number until it is taken. A tenant that floods fills its own half and is told to come again
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
      let isReleased = false;
      const empty = (): void => {
        own.bytes -= held;
        used -= held;
        held = 0;
      };
      return {
        empty,
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
          if (isReleased) return;
          isReleased = true;
          empty();
          own.requests -= 1;
          if (own.requests === 0) tenants.delete(tenant);
        },
      };
    },
    usedBytes: () => used,
  };
}

export type Budget = ReturnType<typeof createBudget>;
