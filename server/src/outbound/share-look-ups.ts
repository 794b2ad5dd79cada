import { AppError, createTenantTurns, type TenantId } from '#kernel';
import type { LookUp } from './find-addresses.ts';
import { OutboundError } from './request.ts';

/**
 * The system looks for a name on a thread of the process until it gives up itself, which takes it many seconds where nobody answers; the disk and
 * the column store need the other threads (UV_THREADPOOL_SIZE in config.ts). So few are looked for at once, and whoever asks for names that nobody
 * answers waits for themselves.
 */
const REFUSAL = 'Too many names are looked for at once.';
const TURNS = { total: 12, alone: 3, beside: 1, maxWaiting: 200, refusal: REFUSAL };
/** Of all those together whose names were not answered lately: a thread that one holds is none that others wait for. */
const SLOW_TURNS = { total: 4, alone: 1, maxWaiting: 200, refusal: REFUSAL };
/** A look-up that takes longer holds its thread. */
const SLOW_MS = 2000;
/** Since the last one that did. */
const REMEMBERED_MS = 60_000;
/** Whose names were not answered; the oldest are forgotten. */
const MOST_REMEMBERED = 10_000;

/** Shares whose look-ups hold their threads, now or within the last minute. */
function createSlowShares() {
  const until = new Map<string, number>();
  const mark = (share: string, ms: number): void => {
    until.delete(share);
    until.set(share, performance.now() + ms);
    if (until.size > MOST_REMEMBERED) until.delete(until.keys().next().value ?? '');
  };
  return {
    has: (share: string): boolean => (until.get(share) ?? 0) > performance.now(),
    /** Whether it is slow is known while it runs. */
    async watch<T>(share: string, work: () => Promise<T>): Promise<T> {
      let isSlow = false;
      const timer = setTimeout(() => {
        isSlow = true;
        mark(share, Number.POSITIVE_INFINITY);
      }, SLOW_MS);
      timer.unref();
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        if (isSlow) mark(share, REMEMBERED_MS);
      }
    },
  };
}

/** Of calls that no tenant asks for. */
const OWN = 'the installation';

/** A look-up in the turn of a share; one that waits leaves its line with the signal. */
export type SharedLookUp = (
  host: string,
  of: { share?: string | undefined; signal?: AbortSignal | undefined },
) => ReturnType<LookUp>;

export function shareLookUps(lookUp: LookUp): SharedLookUp {
  const turns = createTenantTurns(TURNS);
  const slowTurns = createTenantTurns(SLOW_TURNS);
  const slow = createSlowShares();
  const running = new Map<string, ReturnType<LookUp>>();
  /** Whoever asks for the same name meanwhile gets the same answer, and needs no thread. */
  const begin = (host: string): ReturnType<LookUp> => {
    const known = running.get(host);
    if (known) return known;
    const begun = lookUp(host).finally(() => running.delete(host));
    running.set(host, begun);
    return begun;
  };
  return async (host, { share = OWN, signal }) => {
    try {
      const known = running.get(host);
      if (known) return await known;
      const own = slow.has(share) ? slowTurns : turns;
      return await own.use(share as TenantId, () => slow.watch(share, () => begin(host)), signal);
    } catch (error) {
      if (error instanceof AppError) throw new OutboundError('timeout', `${host} is not looked up yet: other names wait.`, error);
      throw error;
    }
  };
}
