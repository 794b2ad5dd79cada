import { AppError, type TenantId } from '#kernel';

/** A page of the console asks up to eight at once: some people may open one together. */
const MAX_WAITING = 64;

/**
 * Keeps one tenant's questions to the column store from taking the place of another's: a tenant has at most so many at once, and 64 more
 * that wait in their order. Hold it for one question each; a question asked inside another could wait for itself.
 */
export interface TenantReaders {
  /** `rate_limited`, to be tried again in a second, when too many of this tenant wait. */
  use<T>(tenant: TenantId, work: () => Promise<T>): Promise<T>;
}

interface Line {
  running: number;
  waiting: (() => void)[];
}

export function createTenantReaders(maxAtOnce: number): TenantReaders {
  const lines = new Map<TenantId, Line>();

  return {
    async use(tenant, work) {
      const line = lines.get(tenant) ?? { running: 0, waiting: [] };
      lines.set(tenant, line);
      if (line.running < maxAtOnce) line.running++;
      else if (line.waiting.length >= MAX_WAITING)
        throw new AppError('rate_limited', 'Too many questions at once: some of this tenant still wait for their answer.', {
          retryAfterSeconds: 1,
        });
      // Whoever ends hands its place on, so `running` stays as it is.
      else await new Promise<void>((resolve) => line.waiting.push(resolve));
      try {
        return await work();
      } finally {
        const next = line.waiting.shift();
        if (next) next();
        else if (--line.running === 0) lines.delete(tenant);
      }
    },
  };
}
