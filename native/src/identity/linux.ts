import { readFile } from 'node:fs/promises';
import { SystemCallError } from '../ffi/libc.ts';
import { findRoute, findUnderlay } from '../gateway/linux.ts';
import { listStations, readRadioLink, withNl80211 } from '../wifi/linux-link.ts';
import type { ReadNetworkIdentity } from './identity.ts';
import { readIdentity } from './read-identity.ts';
import { parseSearchDomain } from './search-domain.ts';

/** Where resolvers keep what DHCP gave; the second is in use where the first is of another's making. */
const CONFIGURED = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf', '/run/NetworkManager/no-stub-resolv.conf'] as const;

export const readNetworkIdentity: ReadNetworkIdentity = () =>
  readIdentity({ findRoute, findUnderlay, readSsid, readDomain: readSearchDomain });

async function readSsid(interfaceName: string): Promise<string | undefined> {
  try {
    return withNl80211((nl80211) => {
      const radio = listStations(nl80211).find((station) => station.name === interfaceName);
      return radio && (radio.ssid ?? readRadioLink(nl80211, radio, true).cell?.ssid);
    });
  } catch (error) {
    if (error instanceof SystemCallError) return undefined;
    throw error;
  }
}

async function readSearchDomain(): Promise<string | undefined> {
  for (const file of CONFIGURED) {
    const domain = parseSearchDomain(await readFile(file, 'utf8').catch(() => ''));
    if (domain !== undefined) return domain;
  }
  return undefined;
}
