import type { Cause, Thresholds } from '@svc/contracts/verdict';
import { confidenceOf } from './confidence.ts';
import { assessIsp, assessLocal, assessNetwork, assessWifi, type Fault, type LayerState } from './layers.ts';
import { isMeasured, type Readings } from './readings.ts';

export interface Verdict {
  cause: Cause;
  /** What is wrong with the blamed layer; for `unknown` the slow session; null for `none`. */
  fault: Fault | null;
  /** 0 to 1. */
  confidence: number;
  /** All four, in the order walked: also those behind the blamed one, so that a page can draw them. */
  layers: readonly LayerState[];
  readings: Readings;
}

/** A slow session is the far network's only if the way there could be seen; else nobody can say where it is slow. */
const canLocalize = (readings: Readings): boolean => isMeasured(readings.path) && readings.path.visible;

/**
 * Walks outward from the device and blames the closest impaired layer (docs/contract/verdicts.md).
 * Pure. Returns undefined where not one layer could be judged: that is "not measured", which is not "healthy".
 */
export function attribute(readings: Readings, thresholds: Thresholds): Verdict | undefined {
  const layers = [
    assessWifi(readings, thresholds),
    assessLocal(readings, thresholds),
    assessIsp(readings, thresholds),
    assessNetwork(readings, thresholds),
  ];
  if (layers.every((state) => state.score === null)) return undefined;
  const blamed = layers.find((state) => state.fault !== null);
  const cause: Cause = !blamed ? 'none' : blamed.layer === 'network' && !canLocalize(readings) ? 'unknown' : blamed.layer;
  return { cause, fault: blamed?.fault ?? null, confidence: confidenceOf(cause, layers, readings), layers, readings };
}
