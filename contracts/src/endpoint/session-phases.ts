/** Where a session spends its time, in the order in which it is drawn; `other` is what no measured phase accounts for. */
export const SESSION_PHASES = ['dns', 'connect', 'tls', 'ttfb', 'other'] as const;
export type SessionPhaseName = (typeof SESSION_PHASES)[number];

/** Milliseconds as a session result has them; null for a phase that was not reached or is no part of the session. */
export interface SessionTimes {
  dns_ms: number | null;
  connect_ms: number | null;
  tls_ms: number | null;
  ttfb_ms: number | null;
  /** From the start to the last byte, or to the failure; null where it was not measured. */
  total_ms: number | null;
}

export interface SessionPhase {
  phase: SessionPhaseName;
  ms: number;
}

const MEASURED = ['dns', 'connect', 'tls', 'ttfb'] as const;

const usable = (ms: number | null): ms is number => ms !== null && Number.isFinite(ms) && ms >= 0;

/**
 * A session taken apart into phases that sum to its total, milliseconds. What the measured ones leave is `other`: the body, the time
 * between phases, or the phase in which the session failed. Should they exceed the total, by another clock, the last ones are cut.
 * Without a total they are given as they are, without `other`. A phase that took no time is left out.
 */
export function phasesOf(times: SessionTimes): SessionPhase[] {
  let left = usable(times.total_ms) ? times.total_ms : Number.POSITIVE_INFINITY;
  const phases: SessionPhase[] = [];
  for (const phase of MEASURED) {
    const value = times[`${phase}_ms`];
    const ms = usable(value) ? Math.min(value, left) : 0;
    left -= ms;
    if (ms > 0) phases.push({ phase, ms });
  }
  if (Number.isFinite(left) && left > 0) phases.push({ phase: 'other', ms: left });
  return phases;
}

/** What no measured phase of a session accounts for, milliseconds; null where its total was not measured. */
export const otherOf = (times: SessionTimes): number | null =>
  usable(times.total_ms) ? (phasesOf(times).find(({ phase }) => phase === 'other')?.ms ?? 0) : null;

/** Fewer earlier sessions that succeeded than this make no usual time. */
export const LEAST_USUAL_SESSIONS = 5;
/** The usual time of a session is that of so many days before the window that is shown. */
export const USUAL_DAYS = 7;
