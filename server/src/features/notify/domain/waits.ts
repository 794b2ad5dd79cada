const FIRST_MS = 5000;
const MOST_MS = 30 * 60_000;
const HOUR_MS = 3_600_000;
const CONNECTOR_FIRST_MS = 1000;
const CONNECTOR_MOST_MS = 60_000;
const JITTER = 0.2;

const jittered = (ms: number, random: () => number): number => Math.round(ms * (1 + JITTER * random()));

/** Until a message is tried again, after so many tries: longer each time, as long as the provider asks, an hour at most, and never all at once. */
export function messageWait(attempts: number, afterMs: number | null, random: () => number = Math.random): number {
  const own = Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(20, Math.max(0, attempts - 1)));
  return jittered(Math.min(HOUR_MS, Math.max(own, afterMs ?? 0)), random);
}

/** Until a connector that failed so often in a row is asked again, whatever waits for it: one message finds out for all. */
export function connectorWait(failures: number, afterMs: number | null, random: () => number = Math.random): number {
  const own = Math.min(CONNECTOR_MOST_MS, CONNECTOR_FIRST_MS * 2 ** Math.min(20, Math.max(0, failures - 1)));
  return jittered(Math.min(HOUR_MS, Math.max(own, afterMs ?? 0)), random);
}

const CONFIRM_MOST_MS = 300_000;

/** Until the provider is asked again what became of a request, so long after it was asked last; undefined: it will not tell any more. */
export function confirmWait(sinceMs: number, afterMs: number | null): number | undefined {
  const own = Math.max(1000, 2 * sinceMs);
  return own > CONFIRM_MOST_MS ? undefined : Math.min(HOUR_MS, Math.max(own, afterMs ?? 0));
}
