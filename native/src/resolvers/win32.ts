import { type Adapter, listAdapters } from '../ffi/adapter-addresses.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { failureCode } from '../ffi/library.ts';
import { measured, type Reading, unavailable } from '../reading.ts';
import { isLocalStub } from './resolv-conf.ts';
import type { ReadResolvers, Resolvers } from './resolvers.ts';

const MAX_SERVERS = 8;
/** What Windows names where nobody configured an IPv6 server: site-local addresses that nothing answers at. */
const PLACEHOLDER = /^fec0:/i;

export const readResolvers: ReadResolvers = async () => {
  try {
    return resolversOf(listAdapters());
  } catch (error) {
    return unavailable(failureCode(error));
  }
};

/** The servers of the adapters that are up, the preferred adapter's first; stubs on this machine only where there is nothing else. */
export function resolversOf(adapters: readonly Adapter[]): Reading<Resolvers> {
  const up = adapters
    .filter((adapter) => adapter.up && adapter.type !== WIN32.constants.IF_TYPE_SOFTWARE_LOOPBACK)
    .toSorted((a, b) => a.metric - b.metric);
  const all = [...new Set(up.flatMap((adapter) => adapter.dnsServers))].filter((server) => !PLACEHOLDER.test(server));
  const remote = all.filter((server) => !isLocalStub(server));
  const servers = (remote.length > 0 ? remote : all).slice(0, MAX_SERVERS);
  return servers.length > 0 ? measured({ servers, source: 'GetAdaptersAddresses' }) : unavailable('no_target');
}
