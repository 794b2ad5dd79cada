import net from 'node:net';
import type { CfObject, CoreFoundation } from '../ffi/core-foundation.ts';
import type { DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { withDynamicStore } from '../ffi/dynamic-store.ts';
import type { SplitResolvers } from './resolvers.ts';

/** What macOS asks for names, by SystemConfiguration. */
export interface DnsConfiguration {
  /** Of the primary service, in their order. */
  readonly servers: readonly string[];
  /** What the network calls itself: the primary service's first domain. */
  readonly domain: string | undefined;
  readonly split: readonly SplitResolvers[];
}

const GLOBAL = 'State:/Network/Global/DNS';
/** Keys of a service's DNS, such as a VPN's. */
const SERVICES = '(State|Setup):/Network/Service/[^/]+/DNS';

/** Throws a NativeCallError where the framework or the store is missing. */
export const readDnsConfiguration = (libraries: DarwinLibraries): DnsConfiguration =>
  withDynamicStore(libraries, (store) => {
    const primary = store.read(GLOBAL, (foundation, value) => ({
      servers: serversOf(foundation, value),
      domain: foundation.text(foundation.get(value, 'DomainName')) ?? foundation.texts(foundation.get(value, 'SearchDomains'))[0],
    }));
    const split = store.keys(SERVICES).flatMap((key) => store.read(key, splitOf) ?? []);
    return { servers: primary?.servers ?? [], domain: primary?.domain, split };
  });

const serversOf = (foundation: CoreFoundation, value: CfObject): string[] =>
  foundation.texts(foundation.get(value, 'ServerAddresses')).filter((server) => net.isIP(server) !== 0);

/** Servers for some domains alone: SupplementalMatchDomains. An empty domain stands for all names. */
function splitOf(foundation: CoreFoundation, value: CfObject): SplitResolvers[] {
  const domains = foundation.texts(foundation.get(value, 'SupplementalMatchDomains')).filter((domain) => domain !== '');
  const servers = serversOf(foundation, value);
  return domains.length > 0 && servers.length > 0 ? [{ domains, servers }] : [];
}
