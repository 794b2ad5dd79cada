import { CAUSES, type Cause } from '../verdict.ts';

/** What other devices of the same place have in common with this one, as the control plane tells it where policy allows. No names. */
export interface SharedTold {
  cause: Cause;
  /** Devices beside this one. */
  others: number;
  /** When half of them were so, Unix milliseconds; null where nobody knows. */
  sinceMs: number | null;
}

/** Fewer others than these could be told apart by whoever knows who sits there. */
export const MIN_OTHERS = 3;

/** Text of the message's field: `{}` where nothing is shared. */
export const encodeShared = (shared: SharedTold | null): string => JSON.stringify(shared ?? {});

function toObject(text: string): Partial<Record<keyof SharedTold, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<Record<keyof SharedTold, unknown>>;
  } catch {
    return {};
  }
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

/** A device's clock may be wrong by so much; what is later yet is no beginning, and beyond 8.64e15 not even a date. */
const MAX_AHEAD_MS = 86_400_000;

/** What such a text says; null where it says nothing, or nothing that is known here. */
export function decodeShared(text: string, nowMs: number = Date.now()): SharedTold | null {
  const { cause, others, sinceMs } = toObject(text);
  const known = CAUSES.find((one) => one === cause);
  if (known === undefined || !isCount(others) || others < MIN_OTHERS) return null;
  return { cause: known, others, sinceMs: isCount(sinceMs) && sinceMs <= nowMs + MAX_AHEAD_MS ? sinceMs : null };
}
