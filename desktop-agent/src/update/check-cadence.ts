import { createBackOff } from '../publish/back-off.ts';

const FIRST_MS = 60_000;
const EVERY_MS = 4 * 3_600_000;

export interface CheckCadenceDeps {
  check(): Promise<unknown>;
  onError(error: unknown): void;
  /** 0 to 1; injected for tests. */
  random?: () => number;
}

export interface CheckCadence {
  start(): void;
  stop(): void;
}

/** Checks one to two minutes after the start, then every three to four hours; after failures first soon, then as seldom. */
export function createCheckCadence({ check, onError, random = Math.random }: CheckCadenceDeps): CheckCadence {
  const backOff = createBackOff({ firstMs: FIRST_MS, maxMs: EVERY_MS, slowMs: EVERY_MS, random });
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const later = (delayMs: number): void => {
    if (isOver) return;
    timer = setTimeout(() => void run(), delayMs);
    timer.unref();
  };
  const run = async (): Promise<void> => {
    try {
      await check();
      backOff.succeeded();
      later(EVERY_MS * (1 - random() / 4));
    } catch (error) {
      onError(error);
      later(backOff.delayMs({ kind: 'network', message: '' }));
    }
  };
  return {
    start: () => later(FIRST_MS * (1 + random())),
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
