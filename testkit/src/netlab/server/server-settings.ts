import type { CertificateKind } from '../certificates.ts';

/** How one name behaves that the lab's server answers for. */
export interface SiteSettings {
  /** Until the first byte of an answer. */
  readonly delayMs?: number;
  /** HTTP status of `/`. */
  readonly status?: number;
  /** Between the first half of an answer and the second. */
  readonly bodyMs?: number;
  readonly bytes?: number;
  readonly certificate?: CertificateKind;
  /** Takes the request and hangs up. */
  readonly hangsUp?: boolean;
}

export interface DnsSettings {
  readonly delayMs?: number;
  /** `lying` gives `answer` for every name; `dns64` gives IPv6 addresses that a NAT64 makes IPv4 of. */
  readonly mode?: 'ok' | 'silent' | 'nxdomain' | 'servfail' | 'lying' | 'dns64';
  readonly answer?: string;
  /** 0 to 1: queries that get no answer. */
  readonly lossRatio?: number;
}

export interface ProxySettings {
  readonly delayMs?: number;
  /** HTTP status that CONNECT is answered with; only 200 opens a tunnel. */
  readonly status?: number;
  readonly listening?: boolean;
}

/** What is not named stays. */
export interface ServerSettings extends SiteSettings {
  readonly dnsDelayMs?: number;
  /** By name: what differs there from the rest. */
  readonly sites?: Readonly<Record<string, SiteSettings>>;
  /** What the resolver does at its IPv4 address, and at its IPv6 address. */
  readonly dns?: DnsSettings;
  readonly dns6?: DnsSettings;
  readonly proxy?: ProxySettings;
  /** HTTPS: `closed` refuses, `reset` hangs up as soon as TLS begins. */
  readonly https?: 'open' | 'closed' | 'reset';
}
