import type { Cause } from '@svc/contracts/verdict';
import type { LayerState } from './layers.ts';
import { isMeasured, type Loss, type Readings } from './readings.ts';
import { SCORE_AT_THRESHOLD } from './scores.ts';

/** Below this many probes a loss or a mean says little. */
const FEW_PROBES = 20;
const round2 = (value: number): number => Math.round(value * 100) / 100;

/** A cable has no Wi-Fi to doubt, and a target nobody chose is no gap in the measurement. */
const isGap = (state: LayerState): boolean =>
  state.score === null && state.unavailable !== 'wired' && state.unavailable !== 'no_target';

function samplesOf(cause: Cause, readings: Readings): Loss | undefined {
  if (cause === 'local' && isMeasured(readings.gateway)) return readings.gateway.loss;
  if (cause === 'isp' && isMeasured(readings.path)) return readings.path.isp?.loss;
  return undefined;
}

/**
 * How sure the verdict is, 0 to 1: the further beyond its threshold the blamed layer, the surer; each nearer layer that could
 * not be judged, and few probes, take from it. For `none` it is the share of layers that were seen; `unknown` is never sure.
 */
export function confidenceOf(cause: Cause, layers: readonly LayerState[], readings: Readings): number {
  if (cause === 'unknown') return 0.3;
  if (cause === 'none') {
    const seen = layers.filter((state) => state.score !== null).length;
    const expected = layers.filter((state) => state.score !== null || state.unavailable !== 'wired').length;
    return round2(0.5 + 0.5 * (seen / expected));
  }
  const at = layers.findIndex((state) => state.layer === cause);
  const score = layers[at]?.score ?? 0;
  const beyond = (SCORE_AT_THRESHOLD - score) / SCORE_AT_THRESHOLD;
  const gaps = layers.slice(0, at).filter(isGap).length;
  const samples = samplesOf(cause, readings);
  const few = samples !== undefined && samples.sent < FEW_PROBES ? 0.85 : 1;
  return round2((0.65 + 0.35 * beyond) * 0.85 ** gaps * few);
}
