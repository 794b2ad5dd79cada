import type { Cause } from '@svc/contracts/verdict';

export interface Verdict {
  /** Unix milliseconds. */
  at: number;
  cause: Cause;
}

export interface Span {
  fromMs: number;
  toMs: number;
  cause: Cause;
}

/** A device that gave no verdict for this long had no verdict (docs/contract/tenants-and-agents.md: no contact is ten minutes of silence). */
export const SILENCE_MS = 10 * 60_000;
/** How long the last verdict before a silence counts: one round of attribution. */
const ROUND_MS = 60_000;

/** Verdicts (oldest first) as spans of one cause each; silence ends a span one round after its last verdict. */
export function spansOf(verdicts: readonly Verdict[], toMs: number): Span[] {
  const spans: Span[] = [];
  verdicts.forEach(({ at, cause }, i) => {
    const next = verdicts[i + 1]?.at ?? toMs;
    const endMs = next - at < SILENCE_MS ? next : Math.min(at + ROUND_MS, toMs);
    const last = spans.at(-1);
    if (last && last.cause === cause && last.toMs === at) last.toMs = endMs;
    else spans.push({ fromMs: at, toMs: endMs, cause });
  });
  return spans;
}
