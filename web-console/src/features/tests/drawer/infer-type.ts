import { splitHostPort } from '@svc/contracts/tests/target';
import type { TestType } from '@svc/contracts/tests/test-types';
import { hostOf } from '../target-host.ts';

/** Ports on which UDP is spoken rather than TCP: DNS, NTP, SNMP, syslog. */
const UDP_PORTS: ReadonlySet<number> = new Set([53, 123, 161, 514]);
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/i;
const BY_SCHEME: Readonly<Record<string, TestType>> = {
  ...{ http: 'http', https: 'https', dns: 'dns', icmp: 'icmp', ping: 'icmp', tcp: 'tcp', tls: 'tcp', udp: 'udp' },
};

/** The type that a target speaks of: a URL, a host with a path, a host and port, a host or address. */
export function inferType(text: string): TestType | undefined {
  const target = text.trim();
  if (target === '') return undefined;
  const scheme = SCHEME.exec(target)?.[1]?.toLowerCase();
  if (scheme !== undefined) return BY_SCHEME[scheme];
  if (/^[A-Za-z0-9_.-]+(:\d+)?\//.test(target)) return 'https';
  const parts = splitHostPort(target);
  if (!parts) return undefined;
  if (parts.port === undefined) return 'icmp';
  if (parts.port === 443) return 'https';
  return UDP_PORTS.has(parts.port) ? 'udp' : 'tcp';
}

const bracketed = (host: string): string => (host.includes(':') ? `[${host}]` : host);
const USUAL_PORT: Readonly<Record<'tcp' | 'udp', number>> = { tcp: 443, udp: 53 };

function portOf(target: string): number | undefined {
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  if (url) return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return splitHostPort(target)?.port;
}

const asUrl = (scheme: 'http' | 'https', target: string): string =>
  /^https?:\/\//i.test(target) ? target.replace(/^https?/i, scheme) : `${scheme}://${target.replace(/:443(?=\/|$)/, '')}`;

/** The same thing as a test of another type names it: a URL for the web, `host:port`, or the host alone. What cannot be read stays. */
export function fitTarget(type: TestType, text: string): string {
  const target = text.trim();
  const scheme = SCHEME.exec(target)?.[1]?.toLowerCase();
  // No test speaks it: it stays, so that the person is told.
  if (scheme !== undefined && !Object.hasOwn(BY_SCHEME, scheme)) return target;
  const bare = /^https?:/i.test(target) ? target : (SCHEME.exec(target)?.[2] ?? target);
  if (bare === '') return bare;
  if (type === 'http' || type === 'https') return asUrl(type, bare);
  if (type === 'browser') return /^https?:\/\//i.test(bare) ? bare : asUrl('https', bare);
  const host = hostOf(bare) ?? (/^[^/]+/.exec(bare)?.[0] || undefined);
  if (host === undefined) return bare;
  if (type === 'tcp' || type === 'udp') return `${bracketed(host)}:${portOf(bare) ?? USUAL_PORT[type]}`;
  return host;
}

/** What a test is called until somebody names it: the host and the last part of the path, or the target itself. */
export function suggestName(target: string): string {
  const host = hostOf(target);
  if (!host) return '';
  const path = /^https?:/i.test(target) ? (URL.parse(target)?.pathname.split('/').filter(Boolean).at(-1) ?? '') : '';
  const port = /^https?:/i.test(target) ? undefined : splitHostPort(target)?.port;
  return `${host}${path ? ` ${path}` : ''}${port === undefined ? '' : `:${port}`}`.slice(0, 200);
}
