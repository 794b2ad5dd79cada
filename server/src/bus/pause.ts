const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/** How failed tries are put off: resolves after `ms`, or at once when aborted. Contract suites give a quicker one. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** The real one. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** The pause before try number `failures` + 1: 100 ms doubling to 10 s. */
export const backoffMs = (failures: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20));
