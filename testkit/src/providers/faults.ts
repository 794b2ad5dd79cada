/** What can go wrong between a caller and a provider; each kind leaves the caller with another question. */
export type Fault =
  /** Refused before anything was done. */
  | { kind: 'answer'; status: number; headers?: Record<string, string>; body?: unknown }
  /** Done, and yet this is the answer: a gateway that gave up waiting. */
  | { kind: 'done_then'; status: number; body?: unknown }
  /** Done, and never answered. */
  | { kind: 'hang' }
  /** Done, and answered late. */
  | { kind: 'slow'; ms: number }
  /** Done; the answer comes a byte at a time and does not end. */
  | { kind: 'drip' }
  /** Done; the provider ends its half of the connection without an answer. */
  | { kind: 'half_closed' }
  /** Done; the connection breaks before the answer. */
  | { kind: 'cut' }
  /** The connection breaks before anything was done. */
  | { kind: 'drop' }
  /** 200 with a page for people: an instance that sleeps, a proxy that wants a login. */
  | { kind: 'html' }
  /** 200 with JSON of another shape. */
  | { kind: 'wrong_json' }
  /** An answer of 10 MiB. */
  | { kind: 'large' }
  | { kind: 'redirect'; to: string };

export interface Faults {
  /** These come next, one a call, before any that the plan makes. */
  next(...faults: readonly (Fault | undefined)[]): void;
  /** For every call that no other fault waits for. */
  plan(choose: ((call: { method: string; path: string }) => Fault | undefined) | undefined): void;
  take(call: { method: string; path: string }): Fault | undefined;
}

export function createFaults(): Faults {
  const waiting: (Fault | undefined)[] = [];
  let choose: ((call: { method: string; path: string }) => Fault | undefined) | undefined;
  return {
    next: (...faults) => void waiting.push(...faults),
    plan: (given) => {
      choose = given;
    },
    take: (call) => (waiting.length > 0 ? waiting.shift() : choose?.(call)),
  };
}

/** Numbers from 0 to 1 that a seed decides (mulberry32), so that a run of chaos can be run again. */
export function createChance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A share of all calls fails, each in one of these ways. */
export function failShare(share: number, faults: readonly Fault[], chance: () => number): () => Fault | undefined {
  return () => (chance() < share ? faults[Math.floor(chance() * faults.length)] : undefined);
}
