import type { Config } from '../config.ts';

type Part = Pick<Config, 'database' | 'telemetry' | 'bus' | 'otlpExport' | 'server'>;

const bare = (host: string): string => host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
const hostOf = (url: string | undefined): string[] => (url === undefined ? [] : [URL.parse(url)?.hostname ?? ''].filter(Boolean));

/**
 * Hosts that are parts of this service, which no test may reach: its stores, the collector that its metrics go to, and itself as others see it,
 * which no interface of this machine may say. Behind a proxy its public addresses are the proxy's, and others' too: there the names alone count.
 */
export function findOwnHosts({ database, telemetry, bus, otlpExport, server }: Part): {
  forbiddenHosts: string[];
  forbiddenNames: string[];
} {
  const urls = [database.url, database.ownerUrl, telemetry.clickhouseUrl].map((url) => url?.reveal());
  const stores = [...urls.flatMap(hostOf), ...bus.brokers.map(({ host }) => host), ...hostOf(otlpExport.url)];
  const agents = server.agentPublicAddr ? [server.agentPublicAddr.host] : [];
  const itself = [...hostOf(server.publicUrl), ...agents];
  const isBehindProxy = server.trustedProxies.length > 0;
  const clean = (hosts: readonly string[]): string[] => [...new Set(hosts.map(bare))];
  return {
    forbiddenHosts: clean(isBehindProxy ? stores : [...stores, ...itself]),
    forbiddenNames: clean(isBehindProxy ? itself : []),
  };
}
