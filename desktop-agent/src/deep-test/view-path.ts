import type { PingsView, TraceView } from '@svc/contracts/agent/deep-test';
import type { Reading } from '@svc/native/reading';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import { medianOf } from '@svc/probes/round-trips';

/** Fewer lost probes may be chance, as in every verdict. */
const FEWEST_LOST = 2;

export function viewPings(reading: Reading<GatewayMeasurement>): PingsView {
  if ('unavailable' in reading) return { sent: 0, received: 0, medianMs: null, worstMs: null, unavailable: reading.unavailable };
  const { sent, lost, rttsMs, rttMaxMs } = reading.value;
  return { sent, received: sent - lost, medianMs: medianOf(rttsMs), worstMs: rttMaxMs, unavailable: null };
}

/** The hop at which the delay that later hops confirm grows most, where that is at least half of the whole way's. */
function steepest({ hops }: PathMeasurement): { delayHop: number; delayMs: number } | undefined {
  let before = 0;
  let most = { delayHop: 0, delayMs: 0 };
  for (const { hop, confirmedDelayMs } of hops) {
    if (confirmedDelayMs === null || confirmedDelayMs === undefined) continue;
    const delayMs = confirmedDelayMs - before;
    if (delayMs > most.delayMs) most = { delayHop: hop, delayMs };
    before = confirmedDelayMs;
  }
  return most.delayMs > 0 && most.delayMs * 2 >= before ? most : undefined;
}

const EMPTY = {
  hops: 0,
  reached: false,
  edgeHop: null,
  rttMs: null,
  lossHop: null,
  lossRatio: null,
  delayHop: null,
  delayMs: null,
};

export function viewTrace(target: string, reading: Reading<PathMeasurement>): TraceView {
  if ('unavailable' in reading) return { target, ...EMPTY, unavailable: reading.unavailable };
  const path = reading.value;
  const lossy = path.hops.find((hop) => hop.countedLost >= FEWEST_LOST);
  const last = path.hops.findLast((hop) => hop.received > 0);
  const delay = steepest(path);
  return {
    target,
    hops: path.hops.length,
    reached: path.reached,
    edgeHop: path.edgeHop ?? null,
    rttMs: last?.rttMedianMs ?? null,
    lossHop: lossy?.hop ?? null,
    lossRatio: lossy ? (lossy.confirmedLossRatio ?? null) : null,
    delayHop: delay?.delayHop ?? null,
    delayMs: delay?.delayMs ?? null,
    unavailable: null,
  };
}
