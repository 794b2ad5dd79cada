import { AppError, type Clock, siteOf } from '#kernel';
import { createStartBudget } from './domain/start-budget.ts';

/** Steps by which sign-ins begin, of all addresses together (docs/limits.md). Each address's own budget comes before. */
export interface Starts {
  /** AppError `rate_limited` with the seconds to wait. */
  count(address: string): void;
  /** Somebody signed in from there. */
  know(address: string): void;
}

export function createStarts({ clock, stepsPerMinute }: { clock: Clock; stepsPerMinute?: number | undefined }): Starts {
  const budget = createStartBudget({ nowMs: () => clock.now(), most: stepsPerMinute });
  return {
    count(address) {
      const waitMs = budget.take(siteOf(address));
      if (waitMs <= 0) return;
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      throw new AppError('rate_limited', 'Too many people are signing in. Wait a minute and try again.', { retryAfterSeconds });
    },
    know: (address) => budget.know(siteOf(address)),
  };
}
