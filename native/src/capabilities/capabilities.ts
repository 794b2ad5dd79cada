import type { UnavailableCode } from '@svc/contracts/verdict';

export const CAPABILITIES = [
  'wifi',
  'ssid',
  'noise',
  'gateway',
  'gateway_icmp',
  'path_ipv4',
  'path_ipv6',
  'path_icmp',
  'resolvers',
  'on_battery',
  'metered',
  'vpn',
  'roams',
  'cellular',
] as const;
export type CapabilityName = (typeof CAPABILITIES)[number];

/** What can be measured on this device, and where not, why: a code for the faces and the system's own words for a helpdesk. */
export interface Capability {
  readonly name: CapabilityName;
  readonly available: boolean;
  readonly unavailable?: UnavailableCode;
  /** How it is read or what stood in the way, in English, without identifiers. */
  readonly detail: string;
}

/** Tries each reading once, sends no packet. Never throws: what throws is named in its own place. */
export type ReportCapabilities = () => Promise<readonly Capability[]>;
