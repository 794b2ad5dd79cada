/** Runs `work` when its turn comes; resolves with what it gave, rejects with what it threw. */
export type Turns = <T>(work: () => T) => Promise<T>;

/** Long enough that passes of the loop cost little beside the work, short enough that a request waits for a few of them only. */
const DEFAULT_SLICE_MS = 4;

/**
 * Lets heavy synchronous work share the event loop with requests: pieces of work wait in one queue, and each pass of the loop does
 * pieces for about `sliceMs` before sockets get their turn again. A piece is never cut, so it should itself take no longer than that.
 */
export function createTurns(sliceMs = DEFAULT_SLICE_MS): Turns {
  let queue: (() => void)[] = [];
  let at = 0;
  let isScheduled = false;

  function runSlice(): void {
    const untilMs = performance.now() + sliceMs;
    do queue[at++]?.();
    while (at < queue.length && performance.now() < untilMs);
    if (at < queue.length) {
      setImmediate(runSlice);
      return;
    }
    queue = [];
    at = 0;
    isScheduled = false;
  }

  return <T>(work: () => T) =>
    new Promise<T>((resolve, reject) => {
      queue.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(runSlice);
    });
}
