import { type Coverage, type FaultFact, isMeasuring } from '@svc/contracts/judged/fault';
import type { JudgedMeasure } from '@svc/contracts/judged/measures';
import type { Cause, Thresholds } from '@svc/contracts/verdict';
import { confidenceOf } from './confidence.ts';
import { coverageOf } from './coverage.ts';
import { faultsOf, type Judged, mayComeOfNearer, tellsItself } from './fault-of.ts';
import type { Found } from './found.ts';
import { assessIsp, assessLocal, assessWifi, type LayerState } from './layers.ts';
import { assessNetwork } from './network-layer.ts';
import { isMeasured, type Readings } from './readings.ts';
import { speakOf } from './spoken.ts';

export interface Verdict {
  cause: Cause;
  /** What is wrong within the cause; with `none` what is off though nothing is slow. */
  fault: FaultFact | null;
  /** What else is wrong, with something else. */
  also: FaultFact | null;
  /** The measure that decided; null for `none`. */
  decided: JudgedMeasure | null;
  /** 0 to 1. */
  confidence: number;
  coverage: Coverage;
  /** All four, in the order walked: also those behind the blamed one, so that a page can draw them. */
  layers: readonly LayerState[];
  readings: Readings;
}

/** A slow session is the far network's only if the way there could be seen, or if what went wrong says where; else nobody can say where it is slow. */
const canLocalize = (readings: Readings, found: Found | undefined): boolean =>
  (isMeasured(readings.path) && readings.path.visible) || (found !== undefined && tellsItself(found));

const assessAll = ({ readings, thresholds, spoken }: Judged): LayerState[] => [
  assessWifi(readings, thresholds),
  assessLocal(readings, thresholds),
  assessIsp(readings, thresholds),
  assessNetwork(readings, thresholds, spoken?.session),
];

/**
 * One spike blames nobody, but one that hurts what lies behind it is none: where a layer is impaired, those in front of it count by
 * their newest reading too. Else a radio that just became weak would be called a lossy gateway for minutes.
 */
function withNewest(layers: LayerState[], judged: Judged): LayerState[] {
  const { readings, thresholds } = judged;
  const at = layers.findIndex((state) => state.decided !== null);
  if (at < 1 || !readings.newest) return layers;
  // What tells by itself where it is hurts for its own reason.
  const [found] = faultsOf(layers[at], judged);
  if (found && !mayComeOfNearer(found)) return layers;
  const now = { ...readings, ...readings.newest };
  const newest = [assessWifi(now, thresholds), assessLocal(now, thresholds)];
  return layers.map((state, index) => (index < at && newest[index]?.decided ? (newest[index] ?? state) : state));
}

/**
 * Walks outward from the device and blames the closest impaired layer (docs/contract/verdicts.md), then names the fault within it.
 * Pure. Returns undefined where not one layer could be judged: that is "not measured", which is not "healthy". Right after a
 * start, a sleep or a change of network it says so: cause `none`, and what is still to come.
 */
export function attribute(readings: Readings, thresholds: Thresholds): Verdict | undefined {
  const judged: Judged = { readings, thresholds, spoken: speakOf(readings, thresholds) };
  const layers = withNewest(assessAll(judged), judged);
  const coverage = coverageOf(layers);
  if (coverage.measured.length === 0 && !isMeasuring(coverage)) return undefined;
  const blamed = layers.find((state) => state.decided !== null);
  const [found, second] = faultsOf(blamed, judged);
  const isLost = blamed?.layer === 'network' && !canLocalize(readings, found);
  const cause: Cause = !blamed ? 'none' : isLost ? 'unknown' : blamed.layer;
  return {
    cause,
    fault: found?.fault ?? null,
    also: second?.fault ?? null,
    decided: blamed?.decided ?? null,
    confidence: confidenceOf({ cause, layers, readings, coverage, found }),
    coverage,
    layers,
    readings,
  };
}
