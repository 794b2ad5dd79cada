/** Twice what is usual on a network is slow there, whatever the policy's threshold says of other networks. */
const USUAL_FACTOR = 2;

/** From when on a delay is slow: the policy's threshold, or twice the usual where this network is slower than that by nature. */
export const delayLimit = (threshold: number, usualMs: number | undefined): number =>
  usualMs === undefined ? threshold : Math.max(threshold, Math.round(usualMs * USUAL_FACTOR));

/** Without a usual value: what nobody calls quick. Milliseconds. */
const PHASE_LIMITS = { dns: 500, connect: 1000, tls: 1000, ttfb: 1000 } as const;
export type Phase = keyof typeof PHASE_LIMITS;
export const PHASES: readonly Phase[] = ['dns', 'connect', 'tls', 'ttfb'];

/** A person waits no longer because it is so every day: the usual raises what counts as a slow session to this at most. */
const LONGEST_USUAL_FACTOR = 2;

export const sessionLimitOf = (threshold: number, usualMs: number | undefined): number =>
  Math.min(delayLimit(threshold, usualMs), threshold * LONGEST_USUAL_FACTOR);

/** From when on a phase of a session is slow: three times the usual and 200 ms more than it. */
export const phaseLimit = (phase: Phase, usualMs: number | undefined): number =>
  usualMs === undefined ? PHASE_LIMITS[phase] : Math.min(LONGEST_PHASE_MS, Math.round(Math.max(usualMs * 3, usualMs + 200)));

/** No phase is quick that takes longer, be it so every day. */
const LONGEST_PHASE_MS = 1000;

/** Airtime: from here on a channel is crowded, ratios. */
export const BUSY_LIMIT = 0.75;
export const RETRY_LIMIT = 0.3;

/** A hop behind the ISP's edge that adds this much is a long way; without a usual value that is only told where a session is slow. */
export const BEYOND_DELAY_MS = 80;
