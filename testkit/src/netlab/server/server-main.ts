/** What the lab's server offers: HTTPS on 443, HTTP on 80, an HTTP proxy with CONNECT on 3128 and DNS on 53, over IPv4 and IPv6. */
import type { CertificateSet } from '../certificates.ts';
import { serveControl } from '../control.ts';
import { SERVER, SERVER_NAMES } from '../topology.ts';
import { startConnectProxy } from './connect-proxy.ts';
import { startDns } from './dns-server.ts';
import type { ServerSettings } from './server-settings.ts';
import { startSites } from './sites.ts';

const sites = startSites();
const proxy = startConnectProxy(SERVER.v4);
const table = Object.fromEntries(SERVER_NAMES.map((name) => [name, SERVER]));
const dns = startDns(table, () => serveControl(applySetting));

/** The first setting brings the certificates: they go over standard input, not through the environment. */
function applySetting(setting: object): void {
  const { pairs, dnsDelayMs, dns: dns4, dns6, proxy: proxied, ...rest } = setting as ServerSettings & Partial<CertificateSet>;
  if (pairs) sites.useCertificates(pairs);
  if (dnsDelayMs !== undefined) for (const family of [4, 6] as const) dns.set(family, { delayMs: dnsDelayMs });
  if (dns4) dns.set(4, dns4);
  if (dns6) dns.set(6, dns6);
  if (proxied) proxy.set(proxied);
  sites.set(rest);
}
