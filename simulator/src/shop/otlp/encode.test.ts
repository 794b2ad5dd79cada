import { describe, expect, it } from 'vitest';
import { instanceOf } from '../services.ts';
import type { InstanceMetrics, Span } from '../signals.ts';
import { encodeLogs, encodeMetrics, encodeSpans } from './encode.ts';
import { decode } from './test-decode.ts';

const instance = instanceOf('web', 0);
const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
const traceId = Buffer.from('0af7651916cd43dd8448eb211c80319c', 'hex');
const spanId = Buffer.from('b7ad6b7169203331', 'hex');
const span: Span = {
  instance,
  traceId,
  spanId,
  parentId: spanId,
  weight: 4,
  name: 'GET /é',
  kind: 2,
  startMs: AT,
  endMs: AT + 1.5,
  attributes: { text: 'x'.repeat(300), yes: true, whole: 7, below: -2, part: 1.5, list: ['a', 'b'] },
  fault: 'it broke',
  events: [{ atMs: AT + 1, name: 'exception', attributes: { 'exception.type': 'E' } }],
  links: [{ traceId, spanId, attributes: { a: 'b' } }],
};

// biome-ignore lint/suspicious/noExplicitAny: the shape is what the test asserts.
const read = (message: string, bytes: Buffer): any => decode(message, bytes);

describe('the encoder', () => {
  it.each([
    [1, ''],
    [2, 'ot=th:8'],
    [8, 'ot=th:e'],
    [64, 'ot=th:fc'],
  ])('tells a weight of %i by its threshold', (weight, traceState) => {
    const { resourceSpans } = read('ExportTraceServiceRequest', encodeSpans([{ ...span, weight }]));
    expect(resourceSpans[0].scopeSpans[0].spans[0].traceState ?? '').toBe(traceState);
  });

  it('writes a span with every kind of attribute, its event, link, status and sampling threshold', () => {
    const { resourceSpans } = read('ExportTraceServiceRequest', encodeSpans([span]));
    const [one] = resourceSpans[0].scopeSpans[0].spans;
    expect(one).toMatchObject({
      traceId: traceId.toString('hex'),
      spanId: 'b7ad6b7169203331',
      traceState: 'ot=th:c',
      name: 'GET /é',
    });
    expect([one.startTimeUnixNano, one.endTimeUnixNano]).toEqual([BigInt(AT) * 1_000_000n, BigInt(AT) * 1_000_000n + 1_500_000n]);
    expect(one.attributes).toEqual([
      { key: 'text', value: { stringValue: 'x'.repeat(300) } },
      { key: 'yes', value: { boolValue: true } },
      { key: 'whole', value: { intValue: 7n } },
      { key: 'below', value: { intValue: -2n } },
      { key: 'part', value: { doubleValue: 1.5 } },
      { key: 'list', value: { arrayValue: { values: [{ stringValue: 'a' }, { stringValue: 'b' }] } } },
    ]);
    expect(one.events[0]).toMatchObject({
      name: 'exception',
      attributes: [{ key: 'exception.type', value: { stringValue: 'E' } }],
    });
    expect(one.links[0]).toMatchObject({ traceId: one.traceId, attributes: [{ key: 'a', value: { stringValue: 'b' } }] });
    expect(one.status).toEqual({ message: 'it broke', code: 2 });
    expect(resourceSpans[0].resource.attributes).toContainEqual({ key: 'service.name', value: { stringValue: 'web' } });
  });

  it('puts one resource around all of an instance, and more than a first buffer holds into one request', () => {
    const many = Array.from({ length: 2000 }, (_, i) => ({ ...span, instance: instanceOf('web', i % 2) }));
    const { resourceSpans } = read('ExportTraceServiceRequest', encodeSpans(many));
    expect(resourceSpans.map((one: { scopeSpans: { spans: unknown[] }[] }) => one.scopeSpans[0]?.spans.length)).toEqual([
      1000, 1000,
    ]);
  });

  it('writes a log record with the ids of its span', () => {
    const record = { instance, atMs: AT, severity: 'WARN' as const, body: 'careful', attributes: { a: 1 }, span };
    const [one] = read('ExportLogsServiceRequest', encodeLogs([record])).resourceLogs[0].scopeLogs[0].logRecords;
    expect(one).toMatchObject({
      severityNumber: 13,
      severityText: 'WARN',
      body: { stringValue: 'careful' },
      spanId: 'b7ad6b7169203331',
    });
  });

  it('writes gauges, sums, and both kinds of histogram with exemplars', () => {
    const point = { attributes: { a: 'b' }, startMs: AT - 1000, atMs: AT };
    const exemplars = [{ atMs: AT, value: 0.3, traceId, spanId }];
    const summed = { ...point, count: 3, sum: 1.5, min: 0.1, max: 0.9, exemplars };
    const named = { unit: 's', description: 'd' };
    const all: InstanceMetrics = {
      instance,
      metrics: [
        { ...named, name: 'gauge', type: 'gauge', points: [{ ...point, value: 1.25 }] },
        { ...named, name: 'sum', type: 'sum', monotonic: true, points: [{ ...point, value: 5 }] },
        { ...named, name: 'classic', type: 'histogram', bounds: [0.2, 0.5], points: [{ ...summed, counts: [1, 2, 0] }] },
        {
          ...named,
          name: 'exp',
          type: 'exponential',
          points: [{ ...summed, scale: 3, zeroCount: 0, offset: -14, counts: [2, 1] }],
        },
        { ...named, name: 'none', type: 'gauge', points: [] },
      ],
    };
    const { metrics } = read('ExportMetricsServiceRequest', encodeMetrics([all])).resourceMetrics[0].scopeMetrics[0];
    expect(metrics.map(({ name }: { name: string }) => name)).toEqual(['gauge', 'sum', 'classic', 'exp']);
    expect(metrics[0].gauge.dataPoints[0].asDouble).toBe(1.25);
    expect(metrics[1].sum).toMatchObject({ aggregationTemporality: 2, isMonotonic: true });
    expect(metrics[2].histogram.dataPoints[0]).toMatchObject({
      count: 3n,
      bucketCounts: [1n, 2n, 0n],
      explicitBounds: [0.2, 0.5],
    });
    expect(metrics[2].histogram.dataPoints[0].exemplars[0]).toMatchObject({ asDouble: 0.3, traceId: traceId.toString('hex') });
    expect(metrics[3].exponentialHistogram.dataPoints[0]).toMatchObject({
      scale: 3,
      positive: { offset: -14, bucketCounts: [2, 1] },
    });
  });
});
