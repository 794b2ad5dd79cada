/** The time as a given function, so that domain code has no clock and tests can jump. */
export interface Clock {
  /** Unix time, milliseconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
