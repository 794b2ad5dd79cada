import { DARWIN_LIBRARIES, type DarwinLibraries } from '../ffi/darwin-libraries.ts';
import { NativeCallError } from '../ffi/library.ts';
import { openObjectiveC } from '../ffi/objc.ts';
import { createFindRoute, createFindUnderlay } from '../gateway/darwin.ts';
import { readDnsConfiguration } from '../resolvers/dns-configuration.ts';
import { readCoreWlan } from '../wifi/core-wlan.ts';
import type { ReadNetworkIdentity } from './identity.ts';
import { readIdentity } from './read-identity.ts';
import { normalDomain } from './search-domain.ts';

export const createReadNetworkIdentity =
  (libraries: DarwinLibraries): ReadNetworkIdentity =>
  ({ collectSsid }) =>
    readIdentity({
      findRoute: createFindRoute(libraries),
      findUnderlay: createFindUnderlay(libraries),
      readSsid: async (name) => (collectSsid ? ssidOf(libraries, name) : undefined),
      readDomain: async () => normalDomain(domainOf(libraries)),
    });

export const readNetworkIdentity: ReadNetworkIdentity = createReadNetworkIdentity(DARWIN_LIBRARIES);

function ssidOf(libraries: DarwinLibraries, interfaceName: string): string | undefined {
  try {
    const link = readCoreWlan(openObjectiveC(libraries.objc, libraries.wifiFrameworks), true);
    return link?.name === interfaceName ? link.ssid : undefined;
  } catch (error) {
    if (error instanceof NativeCallError) return undefined;
    throw error;
  }
}

function domainOf(libraries: DarwinLibraries): string | undefined {
  try {
    return readDnsConfiguration(libraries).domain;
  } catch (error) {
    if (error instanceof NativeCallError) return undefined;
    throw error;
  }
}
