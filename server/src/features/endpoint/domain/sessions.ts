import type { CanonicalResult } from '@svc/contracts/results/canonical-result';
import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';

/** The newest session to one target. */
export interface SessionReading {
  at: number;
  /** Total, or how long it took to fail; null where it was not measured. */
  ms: number | null;
  failed: boolean;
  /** Where it failed; absent where it did not, or the device did not say. */
  phase?: string;
  why: string | null;
  /** The control plane's own session is shown but never judged. */
  judged: boolean;
}

export type Sessions = Record<string, SessionReading>;

/** The slowest session that succeeded, and apart from it those that failed. */
export interface WorstSession {
  target: string | null;
  ms: number | null;
  why: string | null;
  failed: number;
  of: number;
  /** Of the newest failure. */
  failedTarget: string | null;
  failedPhase: string | null;
}

/** Session targets of an agent at most (docs/contract/tenants-and-agents.md), and the control plane. */
const MAX_TARGETS = 33;
/** A target that was not measured for this long beside the others is not theirs any more. */
const STALE_MS = 30 * 60_000;
const FORGET_MS = 86_400_000;
const PHASE_LENGTH = 32;

/** Takes a session result in; false when a newer one to the same target is known. Targets beyond the bound drop the oldest. */
export function foldSession(sessions: Sessions, result: CanonicalResult, at: number): boolean {
  const target = targetOf(result);
  const known = sessions[target];
  if (known && known.at >= at) return false;
  const total = result.metrics['total.ms'] ?? (result.success === false ? result.duration_ms : undefined);
  const why =
    result.attributes['unavailable.total.ms'] ??
    Object.entries(result.attributes).find(([key]) => key.startsWith('unavailable.'))?.[1];
  const phase = result.attributes[ATTRIBUTES.errorPhase]?.slice(0, PHASE_LENGTH);
  const failed = result.success === false;
  sessions[target] = {
    at,
    ms: total ?? null,
    failed,
    ...(failed && phase !== undefined ? { phase } : {}),
    why: total === undefined && !result.present ? (why ?? null) : null,
    judged: target !== '' && result.attributes[ATTRIBUTES.sessionRole] !== 'control_plane',
  };
  const entries = Object.entries(sessions).sort(([, a], [, b]) => b.at - a.at);
  for (const [name, { at: oldAt }] of entries.slice(1)) if (at - oldAt > FORGET_MS) delete sessions[name];
  for (const [name] of entries.slice(MAX_TARGETS)) delete sessions[name];
  return true;
}

/** The session that a person waits for longest now. One that failed has no time to wait for: it is counted, with the phase it failed in. */
export function worstSession(sessions: Sessions): WorstSession {
  const judged = Object.entries(sessions).filter(([, session]) => session.judged);
  const newest = Math.max(...judged.map(([, session]) => session.at));
  const current = judged.filter(([, session]) => newest - session.at <= STALE_MS).sort(([, a], [, b]) => b.at - a.at);
  const failures = current.filter(([, session]) => session.failed);
  const [failedTarget = null, failure] = failures[0] ?? [];
  const counts = { failed: failures.length, of: current.length, failedTarget, failedPhase: failure?.phase ?? null };
  const slow = current.filter(([, session]) => !session.failed).sort(([, a], [, b]) => (b.ms ?? -1) - (a.ms ?? -1));
  const [target, session] = slow[0] ?? [];
  if (target === undefined || !session) return { target: null, ms: null, why: failure ? null : 'no_target', ...counts };
  if (session.ms === null) return { target: null, ms: null, why: session.why, ...counts };
  return { target, ms: session.ms, why: null, ...counts };
}
