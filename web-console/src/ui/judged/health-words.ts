import type { EndpointRow } from '@svc/contracts/endpoint/view';
import type { FaultKind } from '@svc/contracts/fault-kinds';
import { type Health, healthOf } from '@svc/contracts/judged/healths';
import { CAUSES, type Layer } from '@svc/contracts/verdict';
import { verdictWord } from '../devices/verdict-words.ts';

/** How well a device is, as tiles and filters name it. */
export const HEALTH_NAMES: Readonly<Record<Health, string>> = {
  healthy: 'Healthy',
  measuring: 'Measuring',
  partial: 'Partly measured',
  off: 'Something is off',
  slow: 'Slow',
};

/** A kind of fault in two or three words. */
export const FAULT_NAMES: Readonly<Record<FaultKind, string>> = {
  wifi_signal: 'Weak Wi-Fi signal',
  wifi_noise: 'Noisy Wi-Fi',
  wifi_airtime: 'Crowded Wi-Fi channel',
  gateway_unreachable: 'Gateway does not answer',
  gateway_loss: 'Loss at the gateway',
  gateway_delay: 'Delay at the gateway',
  isp_loss: 'Loss at the ISP',
  isp_delay: 'Delay at the ISP',
  queueing: 'Line is full',
  dns_slow: 'Slow name lookup',
  dns_failing: 'Name lookup fails',
  dns_lying: 'Wrong name answers',
  captive_portal: 'Sign-in page',
  certificate: 'Certificate refused',
  proxy: 'Proxy',
  service_error: 'Service answers with errors',
  service_unreachable: 'Service unreachable',
  service_slow: 'Slow service',
  path_loss: 'Loss on the path',
  path_delay: 'Delay on the path',
  mtu: 'Packet size (MTU)',
  vpn: 'VPN',
  lan_loss: 'Loss in the site’s network',
  lan_delay: 'Delay in the site’s network',
  distance: 'Far away',
  ipv6_broken: 'IPv6 does not work',
};

/** The same in the middle of a sentence; names and abbreviations keep their letters. */
export function faultInSentence(kind: FaultKind): string {
  const name = FAULT_NAMES[kind];
  return /^[A-Z][a-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

/** The layer that a kind is about; null where it is of none, such as a full line. */
export function layerOfFault(kind: FaultKind): Layer | null {
  if (kind === 'queueing') return null;
  if (kind.startsWith('wifi_')) return 'wifi';
  if (kind.startsWith('gateway_') || kind.startsWith('lan_')) return 'local';
  return kind.startsWith('isp_') ? 'isp' : 'network';
}

/** How well the device of a row is; null where its verdict is a state. */
export function healthOfRow({ verdict, fault, coverage }: Pick<EndpointRow, 'verdict' | 'fault' | 'coverage'>): Health | null {
  const cause = CAUSES.find((one) => one === verdict);
  return cause === undefined ? null : healthOf({ cause, fault, coverage });
}

type Judged = Pick<EndpointRow, 'verdict' | 'fault' | 'coverage' | 'paused_until'>;

/** Layers measured and needed, where a device is measured only in part. */
function partOf(row: Judged): { seen: number; of: number } | null {
  if (row.coverage === null || healthOfRow(row) !== 'partial') return null;
  const { measured, needed } = row.coverage;
  return { seen: needed.filter((layer) => measured.includes(layer)).length, of: needed.length };
}

function wholeWord(row: Judged): string {
  const health = healthOfRow(row);
  return health === 'off' || health === 'measuring' ? HEALTH_NAMES[health] : verdictWord(row.verdict, row.paused_until);
}

/** The verdict of a row as its column has room for: "Healthy" is said only where all was measured and nothing is off. */
export function rowVerdictShort(row: Judged): string {
  const part = partOf(row);
  return part ? `${part.seen} of ${part.of} measured` : wholeWord(row);
}

/** The same in full. */
export function rowVerdictWord(row: Judged): string {
  const part = partOf(row);
  return part ? `Nothing slow, ${part.seen} of ${part.of} layers measured` : wholeWord(row);
}

const GAINS: Readonly<Record<Layer, string | null>> = {
  wifi: null,
  local: null,
  isp: 'A trace target would show the way to the provider, and whether it is slow',
  network: 'A service to measure would show whether what people use is slow',
};

/** What choosing a target would add for a layer that was not measured. */
export const targetGain = (layer: Layer): string | null => GAINS[layer];
