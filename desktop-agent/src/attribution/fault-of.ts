import type { FaultKind } from '@svc/contracts/fault-kinds';
import { faultFact } from '@svc/contracts/judged/fault';
import type { Thresholds } from '@svc/contracts/verdict';
import { beyondFault } from './beyond-fault.ts';
import type { Found } from './found.ts';
import type { LayerState } from './layers.ts';
import { worstSession } from './network-layer.ts';
import { type Delay, isMeasured, type Readings } from './readings.ts';
import { sessionFault } from './session-fault.ts';

const found = (kind: FaultKind, value: number, sureness: number): Found => ({ fault: faultFact({ kind, value }), sureness });

/** The probes of one reading differ this much where a queue fills and drains, in ms and as a share of the delay. */
const QUEUE_SPREAD_MS = 20;
const QUEUE_SPREAD_SHARE = 0.5;

/** A longer way delays every probe alike; a queue does not. */
function delayFault(kind: 'gateway_delay' | 'isp_delay', value: number, { spreadMs, usualMs }: Delay): Found {
  const isQueue = spreadMs !== undefined && spreadMs >= Math.max(QUEUE_SPREAD_MS, value * QUEUE_SPREAD_SHARE);
  if (!isQueue) return found(kind, value, 0.9);
  const quiet = usualMs ?? Math.max(0, value - spreadMs);
  return { fault: faultFact({ kind: 'queueing', value, usual: quiet }), sureness: 0.75 };
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
  // On Wi-Fi probes differ for other reasons than a queue.
  const isWireless = isMeasured(readings.wifi);
  const { spreadMs: _, ...steady } = readings.gateway;
  return delayFault('gateway_delay', decided.value, isWireless ? steady : readings.gateway);
}

function ispFault({ decided }: LayerState, readings: Readings): Found | undefined {
  if (!decided || !isMeasured(readings.path)) return undefined;
  if (decided.measure === 'isp_loss_ratio') return found('isp_loss', decided.value, 0.95);
  return delayFault('isp_delay', decided.value, readings.path.isp ?? {});
}

/**
 * What is wrong within the cause. With `none` it is what is off while nothing is slow: a loss behind the ISP's edge that every later hop
 * confirms, or a delay far over the usual one.
 */
export function faultOf(layer: LayerState | undefined, readings: Readings, t: Thresholds): Found | undefined {
  if (layer?.layer === 'wifi') return wifiFault(layer);
  if (layer?.layer === 'local') return localFault(layer, readings);
  if (layer?.layer === 'isp') return ispFault(layer, readings);
  if (!layer) return beyondFault(readings, t, { isSlow: false });
  const session = worstSession(readings, t);
  return session && sessionFault(session, readings, t);
}
