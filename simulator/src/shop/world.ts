import { createRandom, hashOf } from '../domain/random.ts';
import { ordersOf } from './checkout.ts';
import { readGauges } from './gauges.ts';
import { BAD_VERSION, incidentsAt, loadAt } from './incidents.ts';
import { createMeter } from './meter.ts';
import { type Instance, nodeInstance, SERVICES } from './services.ts';
import { type InstanceMetrics, KIND, type LogRecord, type Span } from './signals.ts';
import { createTrace, isEntry } from './trace.ts';
import { visitShop } from './visit.ts';

const SLOT_MS = 1000;
/** The slowest trace is over by then. */
export const LONGEST_TRACE_MS = 30_000;

const PLACED = { name: 'shop.orders.placed', unit: '{order}', description: 'Orders that were paid.' };
const REVENUE = { name: 'shop.orders.revenue', unit: 'EUR', description: 'What they were worth.' };
const FLOW = {
  name: 'obi.network.flow.bytes',
  unit: 'By',
  description: 'Bytes observed of a flow between two endpoints.',
};

export interface Released {
  spans: Span[];
  logs: LogRecord[];
}

export interface WorldOptions {
  seed: number;
  /** Unix ms that incidents are counted from. */
  anchorMs: number;
  /**
   * One request of so many is kept, a power of two. The same at every moment: log records carry no weight, so that their counts
   * would jump wherever it changed.
   */
  weight: number;
}

/** The shop over time. The same seed and anchor give the same requests in the same second, whenever they are asked for. */
export function createWorld({ seed, anchorMs, weight }: WorldOptions) {
  let pending: Released = { spans: [], logs: [] };
  const meter = createMeter();
  const checkoutVersionAt = (atMs: number): string =>
    incidentsAt(atMs - anchorMs).isBadDeploy ? BAD_VERSION : SERVICES.checkout.version;

  function makeSlot(slot: number): void {
    const random = createRandom(hashOf('slot', seed, slot));
    const startMs = slot * SLOT_MS;
    const incidents = incidentsAt(startMs - anchorMs);
    const count = Math.floor((loadAt(startMs) * SLOT_MS) / 1000 / weight + random.next());
    for (let place = 0; place < count; place += 1) {
      const trace = createTrace({ seed, slot, place, incidents, weight, checkoutVersion: checkoutVersionAt(startMs) });
      visitShop(trace, startMs + random.next() * SLOT_MS);
      for (const span of trace.spans) pending.spans.push(span);
      for (const log of trace.logs) pending.logs.push(log);
      const checkout = trace.spans.find((span) => span.instance.service === 'checkout' && isEntry(span));
      for (const cents of checkout ? ordersOf(trace) : []) {
        const { instance, endMs } = checkout as Span;
        meter.count(instance, PLACED, { attributes: {}, amount: weight, atMs: endMs });
        meter.count(instance, REVENUE, { attributes: {}, amount: (cents / 100) * weight, atMs: endMs });
      }
    }
  }

  /** OBI on the caller's node sees both directions of a call. */
  function countFlow(span: Span): void {
    const { instance, attributes, endMs, weight } = span;
    const address = attributes['server.address'];
    if ((span.kind !== KIND.client && span.kind !== KIND.producer) || typeof address !== 'string') return;
    const obi = nodeInstance(String(instance.resource['k8s.node.name']), 'obi');
    const here = { owner: instance.service as string, namespace: 'shop' };
    const there = { owner: address, namespace: address in SERVICES ? 'shop' : '' };
    const size = 400 + (hashOf(span.name, attributes['url.full'] as string) % 900);
    for (const [source, target, direction, bytes] of [
      [here, there, 'request', size],
      [there, here, 'response', size * 6],
    ] as const)
      meter.count(obi, FLOW, {
        attributes: {
          direction,
          'k8s.src.owner.name': source.owner,
          'k8s.src.namespace': source.namespace,
          'k8s.dst.owner.name': target.owner,
          'k8s.dst.namespace': target.namespace,
          'k8s.cluster.name': 'demo',
        },
        amount: bytes * weight,
        atMs: endMs,
      });
  }

  return {
    /** Lets the requests begin whose second begins in this while. */
    advance({ fromMs, toMs }: { fromMs: number; toMs: number }): void {
      for (let slot = Math.ceil(fromMs / SLOT_MS); slot * SLOT_MS < toMs; slot += 1) makeSlot(slot);
    },
    /** What is over by a moment and was not given before. Drops what ended before `fromMs`, which somebody has already. */
    release(untilMs: number, fromMs: number): Released {
      const { spans, logs } = pending;
      pending = { spans: spans.filter(({ endMs }) => endMs > untilMs), logs: logs.filter(({ atMs }) => atMs > untilMs) };
      const over = {
        spans: spans.filter(({ endMs }) => endMs <= untilMs && endMs > fromMs),
        logs: logs.filter(({ atMs }) => atMs <= untilMs && atMs > fromMs),
      };
      for (const span of over.spans) {
        meter.observe(span);
        countFlow(span);
      }
      return over;
    },
    /** What every instance exports at a moment. */
    measure(atMs: number): InstanceMetrics[] {
      const checkoutVersion = checkoutVersionAt(atMs);
      const runs = ({ resource }: Instance): boolean =>
        resource['service.name'] !== 'checkout' || resource['service.version'] === checkoutVersion;
      return [...meter.read(atMs, runs), ...readGauges({ atMs, seed, checkoutVersion })];
    },
  };
}

export type World = ReturnType<typeof createWorld>;
