import { certificateFlaw } from './session-failure.ts';

/**
 * What is wrong within a cause: a closed list, sent as attribute `endpoint.fault` (docs/contract/verdicts.md). A kind is added with a
 * new version and never changes its meaning; readers that do not know one show the cause alone.
 */
export const FAULT_KINDS_VERSION = 2;

export const FAULT_KINDS = [
  'wifi_signal',
  'wifi_noise',
  'wifi_airtime',
  'gateway_unreachable',
  'gateway_loss',
  'gateway_delay',
  'isp_loss',
  'isp_delay',
  'queueing',
  'dns_slow',
  'dns_failing',
  'dns_lying',
  'captive_portal',
  'certificate',
  'proxy',
  'service_error',
  'service_unreachable',
  'service_slow',
  'path_loss',
  'path_delay',
  'mtu',
  'vpn',
  // Version 2.
  'lan_loss',
  'lan_delay',
  'distance',
  'ipv6_broken',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Who can do something about a fault; `nobody` where waiting is all that is left. */
export const ACTORS = ['person', 'it', 'provider', 'service', 'nobody'] as const;
export type Actor = (typeof ACTORS)[number];

const ACTOR_OF: Readonly<Record<FaultKind, Actor>> = {
  wifi_signal: 'person',
  wifi_noise: 'person',
  wifi_airtime: 'it',
  gateway_unreachable: 'person',
  gateway_loss: 'person',
  gateway_delay: 'person',
  isp_loss: 'provider',
  isp_delay: 'provider',
  queueing: 'person',
  dns_slow: 'it',
  dns_failing: 'it',
  dns_lying: 'it',
  captive_portal: 'person',
  certificate: 'service',
  proxy: 'it',
  service_error: 'service',
  service_unreachable: 'service',
  service_slow: 'service',
  path_loss: 'provider',
  path_delay: 'provider',
  mtu: 'it',
  vpn: 'it',
  lan_loss: 'it',
  lan_delay: 'it',
  distance: 'nobody',
  ipv6_broken: 'it',
};

/** Who can act on a fault; `code` tells certificates apart. */
export function actorOf(kind: FaultKind, code: string | null = null): Actor {
  if (kind !== 'certificate') return ACTOR_OF[kind];
  const flaw = certificateFlaw(code);
  if (flaw === 'not_yet_valid') return 'person';
  return flaw === 'authority' ? 'it' : 'service';
}
