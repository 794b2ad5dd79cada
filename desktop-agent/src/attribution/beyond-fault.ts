import { faultFact } from '@svc/contracts/judged/fault';
import type { Thresholds } from '@svc/contracts/verdict';
import type { Found } from './found.ts';
import { isLossy } from './layers.ts';
import { BEYOND_DELAY_MS, delayLimit } from './limits.ts';
import { beyondOf } from './network-layer.ts';
import type { BeyondReading, Readings } from './readings.ts';

interface Wanted {
  /** A session is slow: then a long way explains it also where nobody knows what is usual. */
  isSlow: boolean;
  /** Only this trace, where the session's own host is traced. */
  trace?: BeyondReading;
}

function lossFault({ lossAt, hops, reached, target }: BeyondReading, t: Thresholds): Found | undefined {
  if (!lossAt || !isLossy(lossAt.loss, t.ispLoss)) return undefined;
  const ratio = lossAt.loss.lost / lossAt.loss.sent;
  const fault = faultFact({ kind: 'path_loss', target, value: ratio, hop: lossAt.hop, hops });
  // Where the far end does not confirm it, routers may only be slow to answer for themselves.
  // A host that alone loses may limit its answers, as routers do.
  const isConfirmed = reached && lossAt.hop < hops;
  return { fault, sureness: isConfirmed ? 0.9 : 0.65 };
}

function delayFault({ delayAt, hops, reached, target }: BeyondReading, isSlow: boolean): Found | undefined {
  if (!delayAt) return undefined;
  const { hop, rttMs, addedMs, usualMs } = delayAt;
  const isLong = usualMs === undefined ? isSlow && addedMs >= BEYOND_DELAY_MS : rttMs >= delayLimit(BEYOND_DELAY_MS, usualMs);
  if (!isLong) return undefined;
  const fault = faultFact({ kind: 'path_delay', target, value: rttMs, usual: usualMs ?? null, hop, hops });
  return { fault, sureness: reached ? 0.8 : 0.6 };
}

/** The worst that is confirmed behind the ISP's edge; undefined where nothing is. */
export function beyondFault(readings: Readings, t: Thresholds, { isSlow, trace }: Wanted): Found | undefined {
  const traces = trace ? [trace] : beyondOf(readings);
  const losses = traces.flatMap((one) => lossFault(one, t) ?? []);
  const [worst] = losses.toSorted((a, b) => (b.fault.value ?? 0) - (a.fault.value ?? 0));
  return worst ?? traces.map((one) => delayFault(one, isSlow)).find((one) => one !== undefined);
}
