import { type Coverage, isCovered } from '@svc/contracts/judged/fault';
import type { Cause } from '@svc/contracts/verdict';
import type { Found } from './found.ts';
import type { LayerState } from './layers.ts';
import { isMeasured, type Loss, type Readings } from './readings.ts';
import { SCORE_AT_THRESHOLD } from './scores.ts';

/** Below this many probes a loss or a mean says little. */
const FEW_PROBES = 20;
/** So sure at most where something that a verdict stands on was not seen. */
export const UNSURE_AT_MOST = 0.7;
const round2 = (value: number): number => Math.round(value * 100) / 100;

/** A cable has no Wi-Fi to doubt, and a target nobody chose is no gap in the measurement. */
const isGap = (state: LayerState): boolean =>
  state.score === null && state.unavailable !== 'wired' && state.unavailable !== 'no_target';

function samplesOf(cause: Cause, readings: Readings): Loss | undefined {
  if (cause === 'local' && isMeasured(readings.gateway)) return readings.gateway.loss;
  if (cause === 'isp' && isMeasured(readings.path)) return readings.path.isp?.loss;
  return undefined;
}

function ofCalm(coverage: Coverage, found: Found | undefined): number {
  if (found) return round2(Math.min(UNSURE_AT_MOST, found.sureness));
  const { measured, needed } = coverage;
  if (isCovered(coverage)) return 1;
  return round2(Math.min(UNSURE_AT_MOST, 0.3 + 0.5 * (measured.length / needed.length)));
}

export interface Judgement {
  cause: Cause;
  layers: readonly LayerState[];
  readings: Readings;
  coverage: Coverage;
  found: Found | undefined;
}

/**
 * How sure the verdict is, 0 to 1: how plainly the evidence is of this fault, and how far beyond its limit the deciding measure lies;
 * each nearer layer that could not be judged, and few probes, take from it. For `none` it is what was seen of what there is to see;
 * `unknown` is never sure.
 */
export function confidenceOf({ cause, layers, readings, coverage, found }: Judgement): number {
  if (cause === 'unknown') return 0.3;
  if (cause === 'none') return ofCalm(coverage, found);
  const at = layers.findIndex((state) => state.layer === cause);
  const score = layers[at]?.score ?? 0;
  const beyond = (SCORE_AT_THRESHOLD - score) / SCORE_AT_THRESHOLD;
  const gaps = layers.slice(0, at).filter(isGap).length;
  const samples = samplesOf(cause, readings);
  const isFew = samples !== undefined && samples.sent < FEW_PROBES;
  const isFirst = cause === 'network' && readings.sessions.every(({ readings: count }) => count === 1);
  const confidence = (found?.sureness ?? 0.6) * (0.7 + 0.3 * beyond) * 0.85 ** gaps * (isFew ? 0.85 : 1);
  return round2(gaps > 0 || isFew || isFirst ? Math.min(UNSURE_AT_MOST, confidence) : confidence);
}
