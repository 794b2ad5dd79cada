import { AppError } from '#kernel';

/** Runs at most `maxRunning` works at a time and lets `maxWaiting` more wait; what comes beyond is refused as `unavailable`. */
export function createBoundedWork({ maxRunning, maxWaiting }: { maxRunning: number; maxWaiting: number }) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < maxRunning) running += 1;
    else {
      if (waiting.length >= maxWaiting) {
        throw new AppError('unavailable', 'Too many people sign in right now. Try again.', { retryAfterSeconds: 5 });
      }
      // Whoever ends hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
