/** Those that are waited for, with one timer for all. */
export interface Patience {
  /** `late` is called once, when it was not taken back within the limit. */
  wait(late: () => void): void;
  takeBack(late: () => void): void;
  /** Nobody is told any more. */
  close(): void;
}

const SWEEPS = 15;

/** With a limit in milliseconds for each of them; they are told up to a fifteenth of it later. */
export function createPatience(limitMs: number): Patience {
  const waiting = new Map<() => void, number>();
  const sweep = setInterval(() => {
    const before = performance.now() - limitMs;
    for (const [late, since] of waiting) {
      if (since > before) break;
      waiting.delete(late);
      late();
    }
  }, limitMs / SWEEPS);
  sweep.unref();

  return {
    wait: (late) => void waiting.set(late, performance.now()),
    takeBack: (late) => void waiting.delete(late),
    close: () => clearInterval(sweep),
  };
}
