/** Callers that wait for more messages of one partition. */
export interface Waiters {
  /** Resolves at the next wake, or when aborted. */
  wait(signal: AbortSignal): Promise<void>;
  wakeAll(): void;
}

export function createWaiters(): Waiters {
  const waiting = new Set<() => void>();
  return {
    wait(signal) {
      if (signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener('abort', wake, { once: true });
      });
    },
    wakeAll() {
      for (const wake of [...waiting]) wake();
    },
  };
}
