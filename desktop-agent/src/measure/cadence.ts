/** One task that comes again and again, never twice at once. Timers run on the monotonic clock: a jump of the date moves nothing. */
export interface Cadence {
  start(delayMs: number): void;
  /** Nothing more is begun; resolves when the present turn is over. */
  stop(): Promise<void>;
}

export interface CadenceDeps {
  /** Asked before every turn, so that a changed policy is followed. */
  intervalMs(): number;
  /** One turn; a failure is told and the next turn comes as if nothing had been. */
  run(): Promise<void>;
  onError(error: unknown): void;
  /** 0 to 1. */
  random?: () => number;
}

/** Five percent either way, so that devices do not measure in step. */
const JITTER = 0.05;

export function createCadence({ intervalMs, run, onError, random = Math.random }: CadenceDeps): Cadence {
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  let stopped = false;
  const begin = (): void => {
    const beganMs = performance.now();
    turn = run()
      .catch(onError)
      .finally(() => {
        const spentMs = performance.now() - beganMs;
        const waitMs = intervalMs() * (1 - JITTER + 2 * JITTER * random());
        if (!stopped) timer = setTimeout(begin, Math.max(0, waitMs - spentMs));
      });
  };
  return {
    start(delayMs) {
      if (!stopped) timer = setTimeout(begin, delayMs);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await turn;
    },
  };
}
