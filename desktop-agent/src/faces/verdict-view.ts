import type { VerdictView } from '@svc/contracts/agent/ipc';
import type { Judged } from '../measure/attribution-result.ts';

/** The newest verdict as facts; null where not one layer could be judged. */
export function verdictView({ verdict, onset, flips }: Judged, atMs: number): VerdictView | null {
  if (!verdict) return null;
  return {
    atMs,
    cause: verdict.cause,
    fault: verdict.fault,
    ...(verdict.also ? { also: verdict.also } : {}),
    decided: verdict.decided,
    coverage: verdict.coverage,
    flips,
    confidence: verdict.confidence,
    sinceMs: onset?.sinceMs ?? atMs,
    layers: verdict.layers.map(({ layer, score, unavailable }) => ({ layer, score, unavailable })),
  };
}
