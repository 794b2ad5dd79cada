import { type CanonicalResult, ENDPOINT_TYPES, type EndpointType } from '@svc/contracts/results/canonical-result';
import { findMetricKey } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import { VIEW_ATTRIBUTES } from '@svc/contracts/rum/canonical-view';
import { RUN_ATTRIBUTES } from '@svc/contracts/tests/canonical-run';
import { findProbeMetric, PROBE_SUCCESS } from '@svc/contracts/tests/probe-metrics';
import { NOT_RUN_FAULTS, type RunFault } from '@svc/contracts/tests/run-report';
import { isTestType } from '@svc/contracts/tests/test';

/** One value under the name that it has on OTLP export (docs/contract/results.md). */
export interface ExportPoint {
  name: string;
  /** UCUM; '' where nobody says. */
  unit: string;
  value: number;
  /** Unix milliseconds: when it was measured. */
  atMs: number;
  attributes: Readonly<Record<string, string>>;
}

const ENDPOINT: ReadonlySet<string> = new Set(ENDPOINT_TYPES);
const NAME = /^[a-z0-9_.]+$/;

/** Name, unit and the label of one numeric key; undefined for a key of an agent that no table has. */
function describeKey(
  type: CanonicalResult['canary_type'],
  key: string,
): Pick<ExportPoint, 'name' | 'unit' | 'attributes'> | undefined {
  const probe = isTestType(type) ? findProbeMetric(key) : undefined;
  if (probe) {
    const { metric, phase } = probe;
    return { name: metric.exportName, unit: metric.unit, attributes: phase === undefined ? {} : { 'svc.phase': phase } };
  }
  if (!ENDPOINT.has(type)) return NAME.test(key) ? { name: `svc.${type}.${key}`, unit: '', attributes: {} } : undefined;
  const found = findMetricKey(type as EndpointType, key);
  if (!found) return undefined;
  const { exportName, unit, label } = found.row;
  const attributes = label && found.labelValue !== undefined ? { [`svc.${label}`]: found.labelValue } : {};
  return { name: exportName, unit, attributes };
}

/** A run that could measure nothing neither passed nor failed. */
const isNotMeasured = (type: CanonicalResult['canary_type'], attributes: CanonicalResult['attributes']): boolean =>
  isTestType(type) && NOT_RUN_FAULTS.includes(attributes[RUN_ATTRIBUTES.fault] as RunFault);

/**
 * What a result says as gauges: each of its numbers, and `svc.probe.success` where it tells whether it succeeded. Attributes are those that
 * series have (agent, test, target and the key's own label): names of people, devices and networks never leave.
 */
export function pointsOf(result: CanonicalResult): ExportPoint[] {
  const { canary_type: type, agent_id, test_id, metrics, attributes: told, success } = result;
  // What somebody asked for counts for nothing but itself.
  if (isTestType(type) && told[RUN_ATTRIBUTES.onDemand] === 'true') return [];
  const atMs = Date.parse(result.started_at);
  const target = targetOf(result);
  const app = type === 'rum' ? result.attributes[VIEW_ATTRIBUTES.app] : undefined;
  const about: Record<string, string> = {
    ...(agent_id === '' ? {} : { 'svc.agent.id': agent_id }),
    ...(app === undefined ? {} : { 'svc.app': app }),
    ...(test_id === undefined ? {} : { 'svc.test.id': test_id }),
    ...(target === '' ? {} : { 'svc.target': target }),
  };
  const points: ExportPoint[] = [];
  for (const [key, value] of Object.entries(metrics)) {
    const described = describeKey(type, key);
    if (described && Number.isFinite(value))
      points.push({ ...described, value, atMs, attributes: { ...about, ...described.attributes } });
  }
  if (typeof success === 'boolean' && !isNotMeasured(type, told)) {
    const attributes = { ...about, 'svc.probe.type': type };
    points.push({ name: PROBE_SUCCESS.exportName, unit: PROBE_SUCCESS.unit, value: success ? 1 : 0, atMs, attributes });
  }
  return points;
}
