import { describe, expect, it } from 'vitest';
import { BAD_DEPLOY, BAD_VERSION, incidentsAt, PROVIDER_SLOW } from './incidents.ts';
import type { HistogramPoint, InstanceMetrics, LogRecord, Metric, Span } from './signals.ts';
import { createWorld, LONGEST_TRACE_MS } from './world.ts';

const MINUTE = 60_000;
const ANCHOR = Date.UTC(2026, 5, 1, 15);
const hex = (id: Uint8Array): string => Buffer.from(id).toString('hex');

interface While {
  spans: Span[];
  logs: LogRecord[];
  measured: InstanceMetrics[];
}

/** All that begins within some minutes, counted from the anchor. */
function runShop(fromMin: number, toMin: number, weight = 1): While {
  const world = createWorld({ seed: 7, anchorMs: ANCHOR, weight });
  const [fromMs, toMs] = [ANCHOR + fromMin * MINUTE, ANCHOR + toMin * MINUTE];
  world.advance({ fromMs, toMs });
  const { spans, logs } = world.release(toMs + LONGEST_TRACE_MS, fromMs);
  return { spans, logs, measured: world.measure(toMs) };
}

const isOf = (service: string, kind: number) => (span: Span) => span.instance.service === service && span.kind === kind;
const durations = (spans: readonly Span[]): number[] => spans.map(({ startMs, endMs }) => endMs - startMs).sort((a, b) => a - b);
const median = (values: readonly number[]): number => values[Math.floor(values.length / 2)] ?? Number.NaN;
const findMetrics = ({ measured }: While, name: string): Metric[] =>
  measured.flatMap(({ metrics }) => metrics.filter((metric) => metric.name === name));

const calm = runShop(-300, -297);

describe('the shop', () => {
  it('is the same for the same seed, and asked for second by second as well', () => {
    const again = runShop(-300, -297);
    expect(again.spans.map(({ spanId }) => hex(spanId))).toEqual(calm.spans.map(({ spanId }) => hex(spanId)));
    const world = createWorld({ seed: 7, anchorMs: ANCHOR, weight: 1 });
    const fromMs = ANCHOR - 300 * MINUTE;
    const ids: string[] = [];
    for (let atMs = fromMs; atMs < fromMs + 3 * MINUTE + LONGEST_TRACE_MS; atMs += 700) {
      if (atMs < fromMs + 3 * MINUTE) world.advance({ fromMs: atMs, toMs: Math.min(fromMs + 3 * MINUTE, atMs + 700) });
      ids.push(...world.release(atMs + 700, fromMs).spans.map(({ spanId }) => hex(spanId)));
    }
    expect(ids.toSorted()).toEqual(calm.spans.map(({ spanId }) => hex(spanId)).toSorted());
  });

  it('gives every span an id of its own and a parent of its own trace that encloses it, or hands it a message', () => {
    const byId = new Map(calm.spans.map((span) => [hex(span.spanId), span]));
    expect(byId.size).toBe(calm.spans.length);
    for (const span of calm.spans) {
      expect(span.endMs).toBeGreaterThanOrEqual(span.startMs);
      if (!span.parentId) continue;
      const parent = byId.get(hex(span.parentId)) as Span;
      expect(hex(parent.traceId)).toBe(hex(span.traceId));
      expect(parent.startMs).toBeLessThanOrEqual(span.startMs);
      if (span.kind !== 5) expect(parent.endMs).toBeGreaterThanOrEqual(span.endMs);
    }
    expect(new Set(calm.spans.map(({ instance }) => instance.service)).size).toBe(9);
  });

  it('writes log records inside the spans that they name', () => {
    expect(calm.logs.length).toBeGreaterThan(100);
    for (const { span, atMs, instance } of calm.logs) {
      expect(span?.instance).toBe(instance);
      expect(atMs).toBeGreaterThanOrEqual(span?.startMs ?? Number.NaN);
      expect(atMs).toBeLessThanOrEqual(span?.endMs ?? Number.NaN);
    }
  });

  it.each([1, 64])('counts in histograms exactly what the spans say, their weight included (%i)', (weight) => {
    const hour = weight > 1 ? runShop(-300, -240, weight) : calm;
    const served = hour.spans.filter(({ kind, attributes }) => kind === 2 && 'http.route' in attributes);
    const points = findMetrics(hour, 'http.server.request.duration').flatMap(({ points }) => points as HistogramPoint[]);
    const total = (read: (point: HistogramPoint) => number) => points.reduce((sum, point) => sum + read(point), 0);
    expect(total(({ count }) => count)).toBe(served.reduce((sum, { weight }) => sum + weight, 0));
    expect(total(({ sum }) => sum)).toBeCloseTo(
      served.reduce((sum, span) => sum + ((span.endMs - span.startMs) / 1000) * span.weight, 0),
      6,
    );
    for (const { count, counts, exemplars } of points) {
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(count);
      const span = hour.spans.find(({ spanId }) => hex(spanId) === hex(exemplars[0]?.spanId ?? Buffer.alloc(8)));
      expect(((span?.endMs ?? 0) - (span?.startMs ?? 0)) / 1000).toBeCloseTo(exemplars[0]?.value ?? Number.NaN, 9);
    }
  });

  it('keeps of a sampled while the traces that consistent probability sampling would keep', () => {
    const hour = runShop(-300, -240, 64);
    expect(new Set(hour.spans.map(({ weight }) => weight))).toEqual(new Set([64]));
    for (const { traceId } of hour.spans) expect((traceId[9] as number) >= 0xfc).toBe(true);
  });

  it('keeps as large a share while something is wrong as before it', () => {
    const perMinute = (fromMin: number, toMin: number) => {
      const { spans, logs } = runShop(fromMin, toMin, 8);
      return {
        requests: spans.filter(({ parentId }) => !parentId).length / (toMin - fromMin),
        logs: logs.length / (toMin - fromMin),
      };
    };
    for (const { fromMin } of [PROVIDER_SLOW, BAD_DEPLOY]) {
      const [before, then] = [perMinute(fromMin - 40, fromMin - 10), perMinute(fromMin, fromMin + 12)];
      expect(then.requests / before.requests).toBeGreaterThan(0.8);
      expect(then.requests / before.requests).toBeLessThan(1.25);
      expect(then.logs / before.logs).toBeLessThan(1.6);
    }
  });

  it('shows the slow provider in the provider alone, and in all who wait for it', () => {
    const slow = runShop(PROVIDER_SLOW.fromMin, PROVIDER_SLOW.fromMin + 6);
    expect(incidentsAt((PROVIDER_SLOW.fromMin + 1) * MINUTE)).toEqual({ isProviderSlow: true, isBadDeploy: false });
    const isProvider = ({ attributes }: Span) => attributes['server.address'] === 'api.pay.example';
    expect(median(durations(calm.spans.filter(isProvider)))).toBeLessThan(400);
    expect(median(durations(slow.spans.filter(isProvider)))).toBeGreaterThan(1500);
    expect(median(durations(slow.spans.filter(isOf('payment', 2))))).toBeGreaterThan(1500);
    expect(median(durations(slow.spans.filter(isOf('inventory', 2))))).toBeLessThan(20);
  });

  it('fails at the provider often enough to be marked on a map of 24 hours, begun even when the shop has least to do', () => {
    const anchorMs = Date.UTC(2026, 5, 1, 3);
    const [fromMs, toMs] = [anchorMs - 24 * 60 * MINUTE, anchorMs];
    const world = createWorld({ seed: 1, anchorMs, weight: 16 });
    world.advance({ fromMs, toMs });
    const asked = world
      .release(toMs, fromMs)
      .spans.filter(({ attributes }) => attributes['server.address'] === 'api.pay.example');
    expect(asked.filter(({ fault }) => fault !== undefined).length / asked.length).toBeGreaterThan(0.01);
  });

  it('calls what is not there no fault of who was asked for it', () => {
    const served = runShop(-300, -240, 8).spans.filter(({ kind }) => kind === 2);
    const gone = served.filter(
      ({ attributes }) => attributes['http.response.status_code'] === 404 || attributes['rpc.grpc.status_code'] === 5,
    );
    expect(new Set(gone.map(({ instance }) => instance.service))).toEqual(new Set(['web', 'catalogue']));
    expect(gone.filter(({ fault }) => fault !== undefined)).toEqual([]);
  });

  it('fails in the bad version of checkout alone, with exceptions in spans and logs, and as new instances', () => {
    const bad = runShop(BAD_DEPLOY.fromMin, BAD_DEPLOY.toMin);
    const faulty = bad.spans.filter((span) => isOf('checkout', 2)(span) && span.attributes['http.response.status_code'] === 500);
    const all = bad.spans.filter(isOf('checkout', 2)).length;
    expect(faulty.length / all).toBeGreaterThan(0.2);
    expect(
      faulty.every(({ instance, events }) => instance.resource['service.version'] === BAD_VERSION && events.length === 1),
    ).toBe(true);
    const traces = new Set(faulty.map(({ traceId }) => hex(traceId)));
    const told = bad.logs.filter(({ body }) => body.includes('Voucher.discount()'));
    expect(new Set(told.map(({ span }) => hex(span?.traceId ?? Buffer.alloc(0))))).toEqual(traces);
    expect(calm.spans.some((span) => span.attributes['http.response.status_code'] === 500)).toBe(false);
  });

  it('lets both directions of each call be seen as a flow', () => {
    const flows = findMetrics(calm, 'obi.network.flow.bytes').flatMap(({ points }) => points.map(({ attributes }) => attributes));
    const edges = new Set(flows.map((one) => `${one['k8s.src.owner.name']} > ${one['k8s.dst.owner.name']}`));
    for (const edge of [
      'web > checkout',
      'checkout > payment',
      'payment > api.pay.example',
      'inventory > postgres',
      'checkout > kafka',
    ]) {
      expect(edges).toContain(edge);
      expect(edges).toContain(edge.split(' > ').toReversed().join(' > '));
    }
  });
});
