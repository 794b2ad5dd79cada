/**
 * What is wrong within a cause: a closed list, sent as attribute `endpoint.fault` (docs/contract/verdicts.md). A kind is added with a
 * new version and never changes its meaning; readers that do not know one show the cause alone.
 */
export const FAULT_KINDS_VERSION = 1;

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
};

/** Certificates that a service cannot mend: the device's clock is wrong, or does not know an authority of the company's. */
const CLOCK_CODES: readonly string[] = ['CERT_NOT_YET_VALID'];
const AUTHORITY_CODES: readonly string[] = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
];
const NAME_CODES: readonly string[] = ['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH'];

/** What is wrong with a certificate, by the code with which TLS refused it. */
export function certificateFlaw(code: string | null): 'expired' | 'not_yet_valid' | 'authority' | 'name' | 'other' {
  if (code === null) return 'other';
  if (code === 'CERT_HAS_EXPIRED') return 'expired';
  if (CLOCK_CODES.includes(code)) return 'not_yet_valid';
  if (AUTHORITY_CODES.includes(code)) return 'authority';
  return NAME_CODES.includes(code) ? 'name' : 'other';
}

export const isCertificateCode = (code: string): boolean =>
  certificateFlaw(code) !== 'other' || /^(CERT_|ERR_TLS_CERT|UNABLE_TO_(GET|VERIFY)|(EE|CA)_(KEY|MD)_|INVALID_CA)/.test(code);

/** Who can act on a fault; `code` tells certificates apart. */
export function actorOf(kind: FaultKind, code: string | null = null): Actor {
  if (kind !== 'certificate') return ACTOR_OF[kind];
  const flaw = certificateFlaw(code);
  if (flaw === 'not_yet_valid') return 'person';
  return flaw === 'authority' ? 'it' : 'service';
}
