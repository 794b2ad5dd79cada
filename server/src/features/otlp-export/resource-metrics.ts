import { type HrTime, ValueType } from '@opentelemetry/api';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType, type GaugeMetricData, type ResourceMetrics } from '@opentelemetry/sdk-metrics';
import type { TenantId } from '#kernel';
import type { ExportPoint } from './domain/result-points.ts';

const hrTime = (ms: number): HrTime => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)];

/** Points of one tenant as gauges, each at its own time. The tenant is in the resource: a collector of ours refuses another one. */
export function resourceMetricsOf(tenant: TenantId, points: readonly ExportPoint[], version: string): ResourceMetrics {
  const resource: Resource = resourceFromAttributes({
    'service.name': 'svc',
    'service.version': version,
    'svc.tenant.id': tenant,
  });
  const byName = new Map<string, { -readonly [K in keyof GaugeMetricData]: GaugeMetricData[K] }>();
  for (const { name, unit, value, atMs, attributes } of points) {
    let metric = byName.get(name);
    if (!metric) {
      metric = {
        descriptor: { name, description: '', unit, valueType: ValueType.DOUBLE },
        aggregationTemporality: AggregationTemporality.CUMULATIVE,
        dataPointType: DataPointType.GAUGE,
        dataPoints: [],
      };
      byName.set(name, metric);
    }
    const time = hrTime(atMs);
    metric.dataPoints.push({ startTime: time, endTime: time, attributes, value });
  }
  return { resource, scopeMetrics: [{ scope: { name: 'svc', version }, metrics: [...byName.values()] }] };
}
