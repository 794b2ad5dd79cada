import type { HopReading } from './path.ts';
import type { Probe } from './probe-run.ts';
import { endOf } from './trace-rounds.ts';

/** Hops from distance 1 to the path's end, or to the last that answered. */
export function summariseHops(probes: readonly Probe[]): HopReading[] {
  const byTtl = Map.groupBy(probes, (probe) => probe.ttl);
  const answered = probes.filter((probe) => probe.rttMs !== undefined).map((probe) => probe.ttl);
  const last = endOf(probes) ?? Math.max(0, ...answered);
  return Array.from({ length: last }, (_, i) => summariseHop(i + 1, byTtl.get(i + 1) ?? []));
}

function summariseHop(ttl: number, probes: readonly Probe[]): HopReading {
  const back = probes.filter((probe) => probe.rttMs !== undefined);
  const addresses = new Set(back.flatMap((probe) => probe.answer?.address ?? []));
  const kinds = new Set(back.map((probe) => probe.answer?.kind));
  return {
    ttl,
    addresses: [...addresses],
    sent: probes.length,
    received: back.length,
    rttsMs: back.flatMap((probe) => probe.rttMs ?? []),
    kind: kinds.has('destination') ? 'destination' : kinds.has('unreachable') ? 'unreachable' : kinds.size > 0 ? 'hop' : 'silent',
  };
}
