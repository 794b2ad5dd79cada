import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMetricBuilder } from '@svc/otlp-wire/rows';
import { encodeConforming } from '@svc/otlp-wire/test-conforming';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseTenantId, type TenantId } from '#kernel';
import type { ColumnStore, Telemetry } from '#telemetry';
import { openFreshTelemetry } from '#test-telemetry';

const NOW = Date.now();
const AT = NOW - 60_000;
const ns = (ms: number): string => String(BigInt(ms) * 1_000_000n);
const text = (key: string, value: string) => ({ key, value: { stringValue: value } });
/** With the names of the .proto files, which the conforming encoder wants. */
const encode = (request: object): Buffer =>
  encodeConforming(
    'metrics',
    JSON.parse(
      JSON.stringify(request).replaceAll(/"\w+":/g, (name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    ),
  );
const scope = { name: 'shop', version: '1', attributes: [text('scope.part', 'cart')] };
const resource = { attributes: [text('service.name', 'cart'), text('host.name', 'h1'), text('svc.tenant.id', 'acme')] };
const request = (metrics: object[], on: object = resource): Buffer =>
  encode({ resourceMetrics: [{ resource: on, scopeMetrics: [{ scope, metrics }] }] });
const point = (rest: object = {}) => ({ timeUnixNano: ns(AT), asDouble: 1.5, ...rest });
const gauge = (...dataPoints: object[]) => ({ name: 'queue.length', unit: '1', description: 'Waiting', gauge: { dataPoints } });

let telemetry: Telemetry;
let store: ColumnStore;
let folder: string;
let tenant: TenantId;
let count = 0;
let builder: ReturnType<typeof createMetricBuilder>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-metric-builder-'));
  telemetry = await openFreshTelemetry(folder);
  store = telemetry.store;
});
afterAll(async () => {
  await telemetry.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  tenant = parseTenantId(`acme-${++count}`);
  builder = createMetricBuilder({ application: 30, host: 7, flow: 3 }, { perDay: 1_000_000, readAfter: 0 });
});

const message = (bytes: Buffer, of: string = tenant) => ({
  ...{ tenant: of, bytes, at: NOW, partition: 0, offsetLow: 1, offsetHigh: 0 },
  ...{ large: false, stored: undefined },
});
async function put(...requests: Buffer[]) {
  for (const bytes of requests) builder.add(message(bytes));
  const { blocks, counts, stored } = builder.finish();
  for (const block of blocks) await store.writeEncoded(block);
  stored?.();
  return counts.get(tenant);
}
/** FINAL would take the same series of another tenant for the same row: partitions are merged each for itself. */
const rows = (table: string, columns = '*') =>
  store.read<Record<string, unknown>>(
    tenant,
    `SELECT ${columns} FROM ${table} FINAL WHERE tenant_id = {tenant:String} ORDER BY metric, fp, 1
      SETTINGS do_not_merge_across_partitions_select_final = 1`,
  );

describe('metrics on their way into the store', () => {
  test('numbers of all kinds keep their names, labels and times', async () => {
    const sum = (aggregationTemporality: number, isMonotonic: boolean) => ({
      sum: { aggregationTemporality, isMonotonic, dataPoints: [point({ asDouble: undefined, asInt: '-9007199254740993' })] },
    });
    const counts = await put(
      request([
        gauge(point({ attributes: [text('host.name', 'own'), { key: 'n', value: { intValue: '7' } }] })),
        { name: 'http.requests', unit: '{request}', ...sum(2, true) },
        { name: 'http.active', ...sum(2, false) },
        { name: 'jobs.done', ...sum(1, true) },
      ]),
    );
    expect(counts).toMatchObject({ rows: 4, leftOut: 0, truncated: 0 });
    expect(await rows('metric_series', 'metric, otel_name, unit, description, kind, service, scope, labels')).toEqual([
      expect.objectContaining({ metric: 'http_active', kind: 'updown' }),
      expect.objectContaining({ metric: 'http_requests_total', otel_name: 'http.requests', unit: '{request}', kind: 'sum' }),
      expect.objectContaining({ metric: 'jobs_done_total', kind: 'delta' }),
      {
        ...{ metric: 'queue_length_ratio', otel_name: 'queue.length', unit: '1', description: 'Waiting', kind: 'gauge' },
        ...{ service: 'cart', scope: 'shop' },
        labels: { 'host.name': 'own', n: '7', 'scope.part': 'cart', 'service.name': 'cart' },
      },
    ]);
    expect(await rows('metric_points', 'metric, toUnixTimestamp64Milli(ts) AS at, value, keep_days')).toEqual([
      { metric: 'http_active', at: AT, value: -9007199254740992, keep_days: 30 },
      { metric: 'http_requests_total', at: AT, value: -9007199254740992, keep_days: 30 },
      { metric: 'jobs_done_total', at: AT, value: -9007199254740992, keep_days: 30 },
      { metric: 'queue_length_ratio', at: AT, value: 1.5, keep_days: 30 },
    ]);
  });

  test('a series is one in whatever order its attributes come, and others are others', async () => {
    const [a, b] = [text('a', '1'), text('b', '2')];
    await put(
      request([gauge(point({ attributes: [a, b] }), point({ attributes: [b, a], timeUnixNano: ns(AT + 1000) }))]),
      request([gauge(point({ attributes: [a, b], timeUnixNano: ns(AT + 2000) }))], {
        attributes: [...resource.attributes].reverse(),
      }),
      request([gauge(point({ attributes: [text('a', '2'), text('b', '1')] }), point({ attributes: [text('a', '12')] }))]),
      request([gauge(point({ attributes: [a, b] }))], { attributes: [text('service.name', 'other')] }),
    );
    const points = await rows('metric_points', 'toString(fp) AS fp, count() OVER (PARTITION BY fp) AS n');
    expect(points.map(({ n }) => n).sort()).toEqual([1, 1, 1, 3, 3, 3]);
    expect(await rows('metric_series')).toHaveLength(4);
  });

  test('what comes again changes nothing; a series is written once, and again when its block was not stored', async () => {
    const bytes = request([gauge(point())]);
    builder.add(message(bytes));
    expect(builder.finish().blocks.map(({ table }) => table)).toEqual(['metric_series', 'metric_points']);
    builder.add(message(bytes));
    expect(builder.finish().blocks.map(({ table }) => table)).toEqual(['metric_series', 'metric_points']);
    await put(bytes, bytes);
    builder.add(message(bytes));
    expect(builder.finish().blocks.map(({ table }) => table)).toEqual(['metric_points']);
    await put(bytes);
    expect(await rows('metric_points')).toHaveLength(1);
    builder.add(message(bytes, 'somebody-else'));
    expect(builder.finish().blocks.map(({ table }) => table)).toEqual(['metric_series', 'metric_points']);
  });

  test('histograms of both kinds and summaries keep their buckets', async () => {
    const histogram = {
      ...{ timeUnixNano: ns(AT), count: '6', sum: 12.5, min: 0.5, max: 9 },
      ...{ bucketCounts: ['1', '2', '3'], explicitBounds: [1, 2.5] },
    };
    const exponential = {
      ...{ timeUnixNano: ns(AT), count: '300', sum: 1, scale: -3, zeroCount: '4', zeroThreshold: 0.25 },
      positive: { offset: -7, bucketCounts: ['1', '0', '290'] },
      negative: { offset: 2, bucketCounts: ['5'] },
    };
    const summary = {
      ...{ timeUnixNano: ns(AT), count: '10', sum: 5 },
      quantileValues: [
        { quantile: 0, value: 0.1 },
        { quantile: 0.5, value: 0.2 },
        { quantile: 1, value: 0 },
      ],
    };
    const counts = await put(
      request([
        { name: 'a.latency', unit: 's', histogram: { aggregationTemporality: 2, dataPoints: [histogram] } },
        { name: 'b.latency', exponentialHistogram: { aggregationTemporality: 1, dataPoints: [exponential] } },
        { name: 'c.latency', summary: { dataPoints: [summary] } },
      ]),
    );
    expect(counts).toMatchObject({ rows: 3, leftOut: 0 });
    const series = await rows('metric_series', 'metric, kind');
    expect(series.map(({ kind }) => kind)).toEqual(['histogram', 'delta_exp_histogram', 'summary']);
    const none = { bounds: [], counts: [], quantile_values: [], scale: 0, zero_count: 0, zero_threshold: 0 };
    const flat = { positive_offset: 0, positive_counts: [], negative_offset: 0, negative_counts: [], min: null, max: null };
    expect(await rows('metric_histograms', '* EXCEPT (tenant_id, fp, ts, keep_days)')).toEqual([
      {
        ...none,
        ...flat,
        metric: 'a_latency_seconds',
        count: 6,
        sum: 12.5,
        min: 0.5,
        max: 9,
        bounds: [1, 2.5],
        counts: [1, 2, 3],
      },
      {
        ...{ ...none, ...flat, metric: 'b_latency', count: 300, sum: 1, scale: -3, zero_count: 4, zero_threshold: 0.25 },
        ...{ positive_offset: -7, positive_counts: [1, 0, 290], negative_offset: 2, negative_counts: [5] },
      },
      { ...none, ...flat, metric: 'c_latency', count: 10, sum: 5, bounds: [0, 0.5, 1], quantile_values: [0.1, 0.2, 0] },
    ]);
  });

  test('exemplars keep their trace, value and what was filtered out', async () => {
    const exemplar = { timeUnixNano: ns(AT - 5), asDouble: 2.5, filteredAttributes: [text('user', 'u1')] };
    const ids = { traceId: Buffer.alloc(16, 1).toString('base64'), spanId: Buffer.alloc(8, 2).toString('base64') };
    await put(request([gauge(point({ exemplars: [{ ...exemplar, ...ids }, exemplar, { ...exemplar, asDouble: 'NaN' }] }))]));
    const found = await rows(
      'metric_exemplars',
      'hex(trace_id) AS trace, hex(span_id) AS span, metric, toUnixTimestamp64Milli(ts) AS at, value, attributes',
    );
    const told = { metric: 'queue_length_ratio', at: AT - 5, value: 2.5, attributes: { user: 'u1' } };
    expect(found).toEqual([
      { ...told, trace: '00'.repeat(16), span: '00'.repeat(8) },
      { ...told, trace: '01'.repeat(16), span: '02'.repeat(8) },
    ]);
    expect(await rows('metric_points', 'toUnixTimestamp64Milli(ts) AS at')).toEqual([{ at: AT }]);
  });

  test('leaves out and counts what tells nothing: no value, no number, no time, bounds in disorder', async () => {
    const histogram = (explicitBounds: number[], bucketCounts: string[]) => ({
      ...{
        name: 'h',
        histogram: {
          aggregationTemporality: 2,
          dataPoints: [{ timeUnixNano: ns(AT), count: '1', explicitBounds, bucketCounts }],
        },
      },
    });
    const counts = await put(
      request([
        gauge(point({ flags: 1 }), point({ asDouble: 'NaN' }), point({ asDouble: 'Infinity' }), point({ asDouble: undefined })),
        gauge(
          point({ timeUnixNano: '0' }),
          point({ timeUnixNano: ns(NOW + 2 * 3_600_000) }),
          point({ timeUnixNano: ns(NOW - 31 * 86_400_000) }),
        ),
        ...[histogram([2, 1], ['1', '1', '1']), histogram([1], ['1']), histogram([1, 1], ['0', '0', '1'])],
      ]),
    );
    expect(counts).toEqual({ rows: 0, truncated: 0, leftOut: 10, repeated: 0 });
    expect(await put(request([gauge(point())]))).toMatchObject({ rows: 1 });
  });

  test('bounds labels: 128 of 4 KiB, told by a mark, and still one series each', async () => {
    const many = (last: string) => [...Array.from({ length: 200 }, (_, i) => text(`k${i}`, 'v')), text('last', last)];
    const counts = await put(
      request([gauge(point({ attributes: many('a') }), point({ attributes: many('b') }))]),
      request([gauge(point({ attributes: [text('long', 'é'.repeat(4096))] }))]),
    );
    expect(counts).toMatchObject({ rows: 3, truncated: 3 });
    const series = (await rows('metric_series', 'labels')) as { labels: Record<string, string> }[];
    expect(series.map(({ labels }) => [Object.keys(labels).length <= 129, labels['svc.truncated']])).toEqual(
      new Array(3).fill([true, 'true']),
    );
    expect(series.map(({ labels }) => labels.long?.length).filter(Boolean)).toEqual([2048]);
  });

  test('hosts and flows have clocks of their own', async () => {
    const of = (name: string) => ({ ...gauge(point()), name, unit: '' });
    await put(request([of('system.cpu.load'), of('obi.network.flow.bytes'), of('systematic')]));
    expect(await rows('metric_points', 'metric, keep_days')).toEqual([
      { metric: 'obi_network_flow_bytes', keep_days: 3 },
      { metric: 'system_cpu_load', keep_days: 7 },
      { metric: 'systematic', keep_days: 30 },
    ]);
  });
});
