import { readFile } from 'node:fs/promises';
import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { NativeCallError } from '../ffi/library.ts';
import { measured, unavailable } from '../reading.ts';
import { type DnsConfiguration, readDnsConfiguration } from './dns-configuration.ts';
import { isLocalStub, parseResolvConf } from './resolv-conf.ts';
import type { ReadResolvers } from './resolvers.ts';

const MAX_SERVERS = 8;
/** Kept by configd: the servers of the primary service alone. Those that a VPN adds for its own domains are not in it. */
const FALLBACK = '/etc/resolv.conf';

/** SystemConfiguration, and the file where that does not answer. */
export const createReadResolvers =
  (libraries: DarwinLibraries): ReadResolvers =>
  async () => {
    const configured = tryRead(libraries);
    const own = configured?.servers ?? [];
    const primary = own.length > 0 ? own : parseResolvConf(await readFile(FALLBACK, 'utf8').catch(() => ''));
    const split = configured?.split ?? [];
    const all = [...new Set([...primary, ...split.flatMap((one) => one.servers)])];
    const remote = all.filter((server) => !isLocalStub(server));
    const servers = (remote.length > 0 ? remote : all).slice(0, MAX_SERVERS);
    if (servers.length === 0) return unavailable('no_target');
    const source = own.length > 0 ? 'SystemConfiguration' : FALLBACK;
    return measured({ servers, source, ...(split.length > 0 ? { split } : {}) });
  };

export const readResolvers: ReadResolvers = createReadResolvers(DARWIN_LIBRARIES);

function tryRead(libraries: DarwinLibraries): DnsConfiguration | undefined {
  try {
    return readDnsConfiguration(libraries);
  } catch (error) {
    if (error instanceof NativeCallError) return undefined;
    throw error;
  }
}
