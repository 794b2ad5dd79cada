/** Longer than this without a tick, and the machine was asleep. */
const SLEPT_MS = 20_000;

/** Tells whether the machine slept since the last question. Compares the clock that goes on while asleep with the one that stops: a difference is a sleep, never a changed date. */
export function createSleepWatch(steady: () => number): () => boolean {
  let awakeMs = performance.now();
  let steadyMs = steady();
  return () => {
    const sleptMs = steady() - steadyMs - (performance.now() - awakeMs);
    awakeMs = performance.now();
    steadyMs = steady();
    return sleptMs > SLEPT_MS;
  };
}
