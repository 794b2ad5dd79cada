import type { FaultKind } from '@svc/contracts/fault-kinds';
import { faultFact } from '@svc/contracts/judged/fault';
import type { Thresholds } from '@svc/contracts/verdict';
import { beyondFault } from './beyond-fault.ts';
import type { Found } from './found.ts';
import type { LayerState } from './layers.ts';
import { worstSession } from './network-layer.ts';
import { type Delay, isMeasured, type Readings } from './readings.ts';
import { sessionFault, slowNames } from './session-fault.ts';

const found = (kind: FaultKind, value: number, sureness: number): Found => ({ fault: faultFact({ kind, value }), sureness });

/** This device's own traffic fills a line that is slow; half a megabit a second is more than any program needs that waits. */
const BUSY_BYTES_PER_S = 64_000;
/** Where nobody counts traffic: probes of one reading differ this much where a queue fills and drains, in ms and as a share. */
const QUEUE_SPREAD_MS = 20;
const QUEUE_SPREAD_SHARE = 0.5;
const SETTLED_READINGS = 3;

interface Delayed {
  kind: 'gateway_delay' | 'isp_delay';
  value: number;
  delay: Delay;
  readings: Readings;
}

/** A longer way delays every probe alike; a queue grows with what is sent. */
function delayFault({ kind, value, delay, readings }: Delayed): Found {
  const { spreadMs = 0, usualMs, quietMs } = delay;
  const rate = readings.ownBytesPerS;
  const isBusy = rate !== undefined && rate >= BUSY_BYTES_PER_S;
  // One late answer makes a reading wide; that most readings are is a queue.
  const isSettled = (delay.readings ?? 0) >= SETTLED_READINGS;
  const isDraining = isSettled && kind === 'isp_delay' && spreadMs >= Math.max(QUEUE_SPREAD_MS, value * QUEUE_SPREAD_SHARE);
  if (!isBusy && !isDraining) return found(kind, value, quietMs === undefined || quietMs * 3 > value ? 0.9 : 0.7);
  const usual = usualMs ?? quietMs ?? Math.max(0, value - spreadMs);
  // A line that is as slow while nothing is sent has no queue.
  if (usual * 2 > value) return found(kind, value, 0.7);
  return { fault: faultFact({ kind: 'queueing', value, usual }), sureness: isBusy ? 0.75 : 0.6 };
}

function wifiFault({ decided }: LayerState): Found | undefined {
  if (!decided) return undefined;
  switch (decided.measure) {
    case 'wifi_snr_db':
      return found('wifi_noise', decided.value, 0.95);
    case 'wifi_busy_ratio':
    case 'wifi_retry_ratio':
      return found('wifi_airtime', decided.value, 0.8);
    default:
      return found('wifi_signal', decided.value, 0.95);
  }
}

function localFault({ decided }: LayerState, readings: Readings): Found | undefined {
  if (!decided || !isMeasured(readings.gateway)) return undefined;
  if (decided.measure === 'gateway_answers') return { fault: faultFact({ kind: 'gateway_unreachable' }), sureness: 0.95 };
  if (decided.measure === 'gateway_loss_ratio') return found('gateway_loss', decided.value, 0.95);
  return delayFault({ kind: 'gateway_delay', value: decided.value, delay: readings.gateway, readings });
}

function ispFault({ decided }: LayerState, readings: Readings): Found | undefined {
  if (!decided || !isMeasured(readings.path)) return undefined;
  if (decided.measure === 'isp_loss_ratio') return found('isp_loss', decided.value, 0.95);
  return delayFault({ kind: 'isp_delay', value: decided.value, delay: readings.path.isp ?? {}, readings });
}

/**
 * What is wrong within the cause. With `none` it is what is off while nothing is slow: a loss behind the ISP's edge that every later hop
 * confirms, or a delay far over the usual one.
 */
export function faultOf(layer: LayerState | undefined, readings: Readings, t: Thresholds): Found | undefined {
  if (layer?.layer === 'wifi') return wifiFault(layer);
  if (layer?.layer === 'local') return localFault(layer, readings);
  if (layer?.layer === 'isp') return ispFault(layer, readings);
  if (!layer) return beyondFault(readings, t, { isSlow: false }) ?? slowNames(readings);
  const session = worstSession(readings, t);
  return session && sessionFault(session, readings, t);
}
