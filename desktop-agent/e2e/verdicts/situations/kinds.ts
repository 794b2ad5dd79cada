/** Stands in until contracts has the list. */
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
export type Actor = 'person' | 'it' | 'provider' | 'service' | 'nobody';
