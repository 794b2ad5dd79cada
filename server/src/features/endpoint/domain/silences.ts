import type { StripHour } from '@svc/contracts/endpoint/view';
import type { Cause } from '@svc/contracts/verdict';

/** Unix milliseconds, from (inclusive) to (exclusive). */
interface Span {
  fromMs: number;
  toMs: number;
}

/** A state that an agent told of itself, from when on. */
export interface StateChange {
  atMs: number;
  state: string;
  pausedUntilMs: number | null;
}

/** A stretch in which a person wanted nothing measured. */
export interface Silence extends Span {
  verdict: 'paused' | 'declined';
}

export interface VerdictStretch extends Span {
  verdict: StripHour;
}

/** Silences within a window out of an agent's changes of state, oldest first; the last one lasts until its end or the window's. */
export function findSilences(changes: readonly StateChange[], window: Span): Silence[] {
  return changes.flatMap(({ atMs, state, pausedUntilMs }, index): Silence[] => {
    if (state !== 'paused' && state !== 'declined') return [];
    const next = changes[index + 1]?.atMs ?? window.toMs;
    const fromMs = Math.max(atMs, window.fromMs);
    const toMs = Math.min(next, state === 'paused' ? (pausedUntilMs ?? next) : next, window.toMs);
    return fromMs < toMs ? [{ fromMs, toMs, verdict: state }] : [];
  });
}

/** What is left of a stretch once others (oldest first) are taken out of it. */
function subtract<T extends Span>(stretch: T, others: readonly Span[]): T[] {
  const left: T[] = [];
  let fromMs = stretch.fromMs;
  for (const other of others) {
    if (other.toMs <= fromMs) continue;
    if (other.fromMs >= stretch.toMs) break;
    if (other.fromMs > fromMs) left.push({ ...stretch, fromMs, toMs: other.fromMs });
    fromMs = Math.max(fromMs, other.toMs);
  }
  if (fromMs < stretch.toMs) left.push({ ...stretch, fromMs });
  return left;
}

/** Verdicts with silences where nothing was measured, oldest first: a measurement always outweighs a state. */
export function fillSilences(measured: readonly (Span & { cause: Cause })[], silences: readonly Silence[]): VerdictStretch[] {
  const verdicts = measured.map(({ fromMs, toMs, cause }): VerdictStretch => ({ fromMs, toMs, verdict: cause }));
  const quiet = silences.flatMap((silence): VerdictStretch[] => subtract(silence, measured));
  return [...verdicts, ...quiet].sort((a, b) => a.fromMs - b.fromMs);
}

/** One hour without a verdict: the silence that held for half of it, as far as it has passed, else not measured. */
function nameHour(hour: Span, silences: readonly Silence[], nowMs: number): StripHour {
  const passed = Math.min(hour.toMs, nowMs) - hour.fromMs;
  const held = { paused: 0, declined: 0 };
  for (const { fromMs, toMs, verdict } of silences)
    held[verdict] += Math.max(0, Math.min(toMs, hour.toMs, nowMs) - Math.max(fromMs, hour.fromMs));
  const longest = held.declined > held.paused ? 'declined' : 'paused';
  return passed > 0 && held[longest] >= passed / 2 ? longest : 'not_measured';
}

/** The hours of a strip by name, oldest first. */
export function nameHours(
  causes: readonly (Cause | null)[],
  silences: readonly Silence[],
  { fromMs, stepMs, nowMs }: { fromMs: number; stepMs: number; nowMs: number },
): StripHour[] {
  return causes.map((cause, index) => {
    const start = fromMs + index * stepMs;
    return cause ?? nameHour({ fromMs: start, toMs: start + stepMs }, silences, nowMs);
  });
}
