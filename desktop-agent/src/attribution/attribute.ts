import type { Coverage, FaultFact } from '@svc/contracts/judged/fault';
import type { JudgedMeasure } from '@svc/contracts/judged/measures';
import type { Cause, Thresholds } from '@svc/contracts/verdict';
import { confidenceOf } from './confidence.ts';
import { coverageOf } from './coverage.ts';
import { faultOf } from './fault-of.ts';
import type { Found } from './found.ts';
import { assessIsp, assessLocal, assessWifi, type LayerState } from './layers.ts';
import { assessNetwork } from './network-layer.ts';
import { isMeasured, type Readings } from './readings.ts';

export interface Verdict {
  cause: Cause;
  /** What is wrong within the cause; with `none` what is off though nothing is slow. */
  fault: FaultFact | null;
  /** The measure that decided; null for `none`. */
  decided: JudgedMeasure | null;
  /** 0 to 1. */
  confidence: number;
  coverage: Coverage;
  /** All four, in the order walked: also those behind the blamed one, so that a page can draw them. */
  layers: readonly LayerState[];
  readings: Readings;
}

/** Faults that tell by themselves where they are: somebody at the far end, or the network's own servers, answered. */
const SELF_LOCATED: readonly FaultFact['kind'][] = [
  'certificate',
  'service_error',
  'proxy',
  'captive_portal',
  'dns_slow',
  'dns_failing',
  'dns_lying',
];

/** A slow session is the far network's only if the way there could be seen, or if what went wrong says where; else nobody can say where it is slow. */
const canLocalize = (readings: Readings, found: Found | undefined): boolean =>
  (isMeasured(readings.path) && readings.path.visible) ||
  (found !== undefined && SELF_LOCATED.includes(found.fault.kind) && found.sureness >= 0.6);

const assessAll = (readings: Readings, thresholds: Thresholds): LayerState[] => [
  assessWifi(readings, thresholds),
  assessLocal(readings, thresholds),
  assessIsp(readings, thresholds),
  assessNetwork(readings, thresholds),
];

/**
 * One spike blames nobody, but one that hurts what lies behind it is none: where a layer is impaired, those in front of it count by
 * their newest reading too. Else a radio that just became weak would be called a lossy gateway for minutes.
 */
function withNewest(layers: LayerState[], readings: Readings, thresholds: Thresholds): LayerState[] {
  const at = layers.findIndex((state) => state.decided !== null);
  if (at < 1 || !readings.newest) return layers;
  // What tells by itself where it is hurts for its own reason.
  const found = faultOf(layers[at], readings, thresholds);
  if (found && SELF_LOCATED.includes(found.fault.kind)) return layers;
  const now = { ...readings, ...readings.newest };
  const newest = [assessWifi(now, thresholds), assessLocal(now, thresholds)];
  return layers.map((state, index) => (index < at && newest[index]?.decided ? (newest[index] ?? state) : state));
}

/**
 * Walks outward from the device and blames the closest impaired layer (docs/contract/verdicts.md), then names the fault within it.
 * Pure. Returns undefined where not one layer could be judged: that is "not measured", which is not "healthy".
 */
export function attribute(readings: Readings, thresholds: Thresholds): Verdict | undefined {
  const layers = withNewest(assessAll(readings, thresholds), readings, thresholds);
  if (layers.every((state) => state.score === null)) return undefined;
  const blamed = layers.find((state) => state.decided !== null);
  const found = faultOf(blamed, readings, thresholds);
  const isLost = blamed?.layer === 'network' && !canLocalize(readings, found);
  const cause: Cause = !blamed ? 'none' : isLost ? 'unknown' : blamed.layer;
  const coverage = coverageOf(layers);
  return {
    cause,
    fault: found?.fault ?? null,
    decided: blamed?.decided ?? null,
    confidence: confidenceOf({ cause, layers, readings, coverage, found }),
    coverage,
    layers,
    readings,
  };
}
