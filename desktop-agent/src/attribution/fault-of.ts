import type { FaultKind } from '@svc/contracts/fault-kinds';
import { faultFact } from '@svc/contracts/judged/fault';
import type { Thresholds } from '@svc/contracts/verdict';
import { beyondFault } from './beyond-fault.ts';
import type { Found } from './found.ts';
import type { LayerState } from './layers.ts';
import { type Delay, isMeasured, type Readings } from './readings.ts';
import { almostSlow, brokenIpv6, isOfTheWay, slowNames } from './session-fault.ts';
import type { Spoken } from './spoken.ts';

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

/** At home a private router may be the provider's own: the addresses alone do not tell. */
const LAN_SURENESS = 0.7;

function lanFault(kind: 'lan_loss' | 'lan_delay', value: number, { path }: Readings): Found | undefined {
  const lan = isMeasured(path) ? path.lan : undefined;
  if (!lan) return undefined;
  const usual = kind === 'lan_delay' ? (lan.usualMs ?? null) : null;
  return { fault: faultFact({ kind, value, usual, hop: lan.hop, hops: lan.hops }), sureness: LAN_SURENESS };
}

function localFault({ decided }: LayerState, readings: Readings): Found | undefined {
  if (decided?.measure === 'lan_loss_ratio') return lanFault('lan_loss', decided.value, readings);
  if (decided?.measure === 'lan_rtt_ms') return lanFault('lan_delay', decided.value, readings);
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

/** What is off while nothing is slow as a whole: the first, and what is off beside it. */
function calmFaults(readings: Readings, t: Thresholds): Found[] {
  const beyond = beyondFault(readings, t, { isSlow: false });
  const names = slowNames(readings);
  const found = [beyond, names, almostSlow(readings, t)].filter((one) => one !== undefined);
  // Names that take longer than the way explains are waited for each time, and by everything.
  if (beyond && names && !isOfTheWay(readings, beyond, names.fault.value ?? 0)) return [names, beyond];
  if (beyond && names) return [beyond];
  const family = brokenIpv6(readings);
  return found.length > 0 || !family ? found.slice(0, 1) : [family];
}

export interface Judged {
  readings: Readings;
  thresholds: Thresholds;
  /** The session that the far layer is about. */
  spoken: Spoken | undefined;
}

/**
 * What is wrong within the cause, and then what else is. With `none` it is what is off while nothing is slow: a loss behind the ISP's
 * edge that every later hop confirms, a delay far over the usual one, or a phase that takes nearly all that a session may.
 */
export function faultsOf(layer: LayerState | undefined, { readings, thresholds, spoken }: Judged): Found[] {
  const first = {
    wifi: () => layer && wifiFault(layer),
    local: () => layer && localFault(layer, readings),
    isp: () => layer && ispFault(layer, readings),
    network: () => spoken?.found,
  };
  if (!layer) return calmFaults(readings, thresholds);
  // Behind a nearer layer only what tells by itself where it is can be told apart from it.
  const isFar = layer.layer === 'network';
  const second = isFar ? spoken?.also : spoken && tellsItself(spoken.found) ? spoken.found : undefined;
  return [first[layer.layer](), second].filter((one) => one !== undefined);
}

/** Faults that tell by themselves where they are: somebody at the far end, or the network's own servers, answered. */
const SELF_LOCATED: readonly FaultKind[] = [
  'certificate',
  'service_error',
  'proxy',
  'captive_portal',
  'dns_slow',
  'dns_failing',
  'dns_lying',
];
const SURE_ENOUGH = 0.6;

export const tellsItself = ({ fault, sureness }: Found): boolean => SELF_LOCATED.includes(fault.kind) && sureness >= SURE_ENOUGH;

/** Those of the service itself, or of large packets alone, where that is as good as proved: no late answer of the gateway makes them. */
const OF_THE_FAR_END: readonly FaultKind[] = ['service_unreachable', 'service_slow', 'mtu'];
const PROVED = 0.7;

/** Whether what is wrong could come of a nearer layer that is bad at this moment. */
export const mayComeOfNearer = ({ fault, sureness }: Found): boolean =>
  !SELF_LOCATED.includes(fault.kind) && !(OF_THE_FAR_END.includes(fault.kind) && sureness > PROVED);
