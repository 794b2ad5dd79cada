import type { Attributes, Value } from '../attributes.ts';
import type { Instance } from '../services.ts';
import {
  type Exemplar,
  type ExponentialPoint,
  type HistogramPoint,
  type InstanceMetrics,
  type Metric,
  type NumberPoint,
  SEVERITY,
  type SentLog,
  type SentSpan,
} from '../signals.ts';
import { WireWriter } from './wire-writer.ts';

const SCHEMA = 'https://opentelemetry.io/schemas/1.37.0';
const CUMULATIVE = 2;
const SAMPLED = 1;
/** The low 56 bits of the trace id are random. */
const RANDOM_ID = 2;
/** Trace state of a weight: `th` is the share of 2^56 that is dropped, in hexadecimal without its last zeros. */
const traceStateOf = (weight: number): string =>
  weight === 1 ? '' : `ot=th:${(2 ** 56 - 2 ** 56 / weight).toString(16).replace(/0+$/, '')}`;

const w = new WireWriter();
const toNs = (ms: number): bigint => BigInt(Math.round(ms * 1000)) * 1000n;

function writeValue(value: Value): void {
  if (typeof value === 'string') w.text(1, value);
  else if (typeof value === 'boolean') w.varint(2, value ? 1 : 0);
  else if (typeof value === 'number') {
    if (Number.isInteger(value)) w.int64(3, value);
    else w.double(4, value);
  } else
    w.message(5, () => {
      for (const one of value) w.message(1, () => writeValue(one));
    });
}

function writeAttributes(field: number, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes))
    w.message(field, () => {
      w.text(1, key);
      w.message(2, () => writeValue(value));
    });
}

function groupByInstance<T extends { instance: Instance }>(records: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const record of records) {
    const group = groups.get(record.instance.key);
    if (group) group.push(record);
    else groups.set(record.instance.key, [record]);
  }
  return groups;
}

/** ResourceSpans, ResourceLogs and ResourceMetrics have the same shape. */
function writeResource({ resource, scope }: Instance, writeRecords: () => void): void {
  w.message(1, () => {
    w.message(1, () => writeAttributes(1, resource));
    w.message(2, () => {
      w.message(1, () => w.text(1, scope));
      writeRecords();
    });
    w.text(3, SCHEMA);
  });
}

function writeSpan(span: SentSpan): void {
  w.bytes(1, span.traceId);
  w.bytes(2, span.spanId);
  const state = traceStateOf(span.weight);
  if (state !== '') w.text(3, state);
  if (span.parentId) w.bytes(4, span.parentId);
  w.text(5, span.name);
  w.varint(6, span.kind);
  w.fixed64(7, toNs(span.startMs));
  w.fixed64(8, toNs(span.endMs));
  writeAttributes(9, span.attributes);
  for (const { atMs, name, attributes } of span.events)
    w.message(11, () => {
      w.fixed64(1, toNs(atMs));
      w.text(2, name);
      writeAttributes(3, attributes);
    });
  for (const { traceId, spanId, attributes } of span.links)
    w.message(13, () => {
      w.bytes(1, traceId);
      w.bytes(2, spanId);
      writeAttributes(4, attributes);
    });
  const { fault } = span;
  if (fault !== undefined)
    w.message(15, () => {
      if (fault !== '') w.text(2, fault);
      w.varint(3, 2);
    });
  w.fixed32(16, SAMPLED | RANDOM_ID);
}

/** An ExportTraceServiceRequest. */
export function encodeSpans(spans: readonly SentSpan[]): Buffer {
  for (const group of groupByInstance(spans).values())
    writeResource((group[0] as SentSpan).instance, () => {
      for (const span of group) w.message(2, () => writeSpan(span));
    });
  return w.take();
}

/** An ExportLogsServiceRequest. */
export function encodeLogs(records: readonly SentLog[]): Buffer {
  for (const group of groupByInstance(records).values())
    writeResource((group[0] as SentLog).instance, () => {
      for (const { atMs, severity, body, attributes, span } of group)
        w.message(2, () => {
          w.fixed64(1, toNs(atMs));
          w.varint(2, SEVERITY[severity]);
          w.text(3, severity);
          w.message(5, () => w.text(1, body));
          writeAttributes(6, attributes);
          if (span) {
            w.fixed32(8, SAMPLED);
            w.bytes(9, span.traceId);
            w.bytes(10, span.spanId);
          }
          w.fixed64(11, toNs(atMs + 0.2));
        });
    });
  return w.take();
}

const writeExemplars = (field: number, exemplars: readonly Exemplar[]): void => {
  for (const { atMs, value, traceId, spanId } of exemplars)
    w.message(field, () => {
      w.fixed64(2, toNs(atMs));
      w.double(3, value);
      w.bytes(4, spanId);
      w.bytes(5, traceId);
    });
};

function writeNumber({ attributes, startMs, atMs, value }: NumberPoint): void {
  w.fixed64(2, toNs(startMs));
  w.fixed64(3, toNs(atMs));
  w.double(4, value);
  writeAttributes(7, attributes);
}

function writeHistogram(point: HistogramPoint, bounds: readonly number[]): void {
  w.fixed64(2, toNs(point.startMs));
  w.fixed64(3, toNs(point.atMs));
  w.fixed64(4, BigInt(point.count));
  w.double(5, point.sum);
  w.packedFixed64(6, point.counts);
  w.packedDoubles(7, bounds);
  writeExemplars(8, point.exemplars);
  writeAttributes(9, point.attributes);
  w.double(11, point.min);
  w.double(12, point.max);
}

function writeExponential(point: ExponentialPoint): void {
  writeAttributes(1, point.attributes);
  w.fixed64(2, toNs(point.startMs));
  w.fixed64(3, toNs(point.atMs));
  w.fixed64(4, BigInt(point.count));
  w.double(5, point.sum);
  w.zigzag(6, point.scale);
  w.fixed64(7, BigInt(point.zeroCount));
  w.message(8, () => {
    w.zigzag(1, point.offset);
    w.packedVarints(2, point.counts);
  });
  writeExemplars(11, point.exemplars);
  w.double(12, point.min);
  w.double(13, point.max);
}

const isEmpty = ({ points }: Metric): boolean => points.length === 0;

function writeMetric(metric: Metric): void {
  w.text(1, metric.name);
  w.text(2, metric.description);
  w.text(3, metric.unit);
  const { type } = metric;
  w.message({ gauge: 5, sum: 7, histogram: 9, exponential: 10 }[type], () => {
    if (type === 'gauge' || type === 'sum') for (const point of metric.points) w.message(1, () => writeNumber(point));
    else if (type === 'histogram') for (const point of metric.points) w.message(1, () => writeHistogram(point, metric.bounds));
    else for (const point of metric.points) w.message(1, () => writeExponential(point));
    if (type !== 'gauge') w.varint(2, CUMULATIVE);
    if (type === 'sum') w.varint(3, metric.monotonic ? 1 : 0);
  });
}

/** An ExportMetricsServiceRequest. */
export function encodeMetrics(all: readonly InstanceMetrics[]): Buffer {
  for (const { instance, metrics } of all)
    writeResource(instance, () => {
      for (const metric of metrics) if (!isEmpty(metric)) w.message(2, () => writeMetric(metric));
    });
  return w.take();
}
