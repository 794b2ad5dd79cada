import { PHASE_KEYS, TOTAL_KEY } from '@svc/contracts/tests/canonical-run';
import { findProbeMetric, PROBE_SUCCESS, type ProbeMetric } from '@svc/contracts/tests/probe-metrics';
import type { Phase } from '@svc/contracts/tests/run-report';
import type { RunRow } from './read-run.ts';

export interface ProbePoint {
  metric: ProbeMetric;
  phase: Phase | undefined;
  value: number;
}

/** What a run says as metrics; nothing where it was on demand or could measure nothing. */
export function probePointsOf(run: RunRow): ProbePoint[] {
  if (run.onDemand || run.notRun) return [];
  const points: ProbePoint[] = [{ metric: PROBE_SUCCESS, phase: undefined, value: run.success ? 1 : 0 }];
  const add = (key: string, value: number | undefined): void => {
    const found = value === undefined || !Number.isFinite(value) ? undefined : findProbeMetric(key);
    if (found) points.push({ ...found, value: value as number });
  };
  add(TOTAL_KEY, run.totalMs);
  for (const [phase, ms] of Object.entries(run.phases) as [Phase, number][]) add(PHASE_KEYS[phase], ms);
  for (const [key, value] of Object.entries(run.figures)) add(key, value);
  return points;
}
