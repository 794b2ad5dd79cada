/** A wall clock that jumps, and a monotonic one that does not; milliseconds. */
export interface Clocks {
  wall(): number;
  monotonic(): number;
}

export const systemClocks: Clocks = { wall: Date.now, monotonic: () => performance.now() };

/** A wall clock that goes away from the monotonic one by more than this was set, or the machine slept. */
const JUMP_MS = 2000;
/** The server's answer took some of it. */
const SERVER_JUMP_MS = 500;

/**
 * The time that plans and results are in: it goes on with the monotonic clock whatever happens to the wall clock, and is set by the server
 * where there is one. Until a server has told its time, a wall clock that was set is followed.
 */
export function createPlanClock(clocks: Clocks = systemClocks) {
  let base = clocks.wall() - clocks.monotonic();
  let isTold = false;
  const listeners = new Set<() => void>();
  const set = (next: number): void => {
    base = next;
    for (const listener of listeners) listener();
  };
  return {
    now: (): number => clocks.monotonic() + base,
    /** Called now and then; notices a wall clock that was set. */
    look(): void {
      const next = clocks.wall() - clocks.monotonic();
      if (!isTold && Math.abs(next - base) > JUMP_MS) set(next);
    },
    /** The server's clock as it is now. */
    tell(serverMs: number): void {
      const next = serverMs - clocks.monotonic();
      const isFar = Math.abs(next - base) > SERVER_JUMP_MS;
      isTold = true;
      if (isFar) set(next);
    },
    /** How far this machine's wall clock is ahead of the plan's; 0 until a server told its own. */
    skewMs: (): number => (isTold ? clocks.wall() - clocks.monotonic() - base : 0),
    onJump(listener: () => void): void {
      listeners.add(listener);
    },
  };
}

export type PlanClock = ReturnType<typeof createPlanClock>;
