import { listAdapters } from '../ffi/adapter-addresses.ts';
import { NativeCallError } from '../ffi/library.ts';
import { findRoute, findUnderlay } from '../gateway/win32.ts';
import { readingValue } from '../reading.ts';
import { readWifi } from '../wifi/win32.ts';
import type { ReadNetworkIdentity } from './identity.ts';
import { readIdentity } from './read-identity.ts';
import { normalDomain } from './search-domain.ts';

export const readNetworkIdentity: ReadNetworkIdentity = ({ collectSsid }) =>
  readIdentity({
    findRoute,
    findUnderlay,
    readSsid: async (interfaceName) => {
      // Asking for it shows the location sign.
      if (!collectSsid) return undefined;
      const wifi = await readWifi({ collectSsid });
      return readingValue(wifi.interfaceName) === interfaceName ? readingValue(wifi.ssid) : undefined;
    },
    readDomain: async (interfaceName) => normalDomain(suffixOf(interfaceName)),
  });

function suffixOf(interfaceName: string): string | undefined {
  try {
    return listAdapters().find((adapter) => adapter.name === interfaceName)?.dnsSuffix;
  } catch (error) {
    if (error instanceof NativeCallError) return undefined;
    throw error;
  }
}
