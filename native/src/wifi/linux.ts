import { readFile } from 'node:fs/promises';
import type { UnavailableCode } from '@svc/contracts/verdict';
import { SystemCallError } from '../ffi/libc.ts';
import { findRoute, findUnderlay } from '../gateway/linux.ts';
import { measured, readingOf, readingValue, unavailable } from '../reading.ts';
import { listStations, type Nl80211, readRadioLink, withNl80211 } from './linux-link.ts';
import { radioReading } from './linux-reading.ts';
import type { WirelessInterface } from './nl80211.ts';
import { parseProcWireless, type WirelessExtensionsLink } from './proc-wireless.ts';
import { signalPercentOf, silentRadio } from './silent-radio.ts';
import type { CountedWifiReading, ReadCountedWifi, WifiReading } from './wifi.ts';

/** Addresses that exist only in documents: what routes them is the default route, and no packet is sent. */
const ANYWHERE = ['192.0.2.1', '2001:db8::1'] as const;

export interface DefaultInterface {
  readonly name: string;
  readonly tunnel: boolean;
}

/** nl80211 first; the wireless extensions' text only where that is missing. Never throws. */
export const readWifi: ReadCountedWifi = async ({ collectSsid }) => {
  const outgoing = await findDefaultInterface();
  try {
    return withNl80211((nl80211) => describeWifi(nl80211, outgoing, collectSsid));
  } catch (error) {
    const refused = error instanceof SystemCallError && (error.code === 'EPERM' || error.code === 'EACCES');
    return readWirelessExtensions(outgoing, refused ? 'permission' : 'not_supported');
  }
};

async function findDefaultInterface(): Promise<DefaultInterface | undefined> {
  for (const address of ANYWHERE) {
    const route = readingValue(await findRoute(address));
    if (route) return route.tunnel ? await beneath(route.interfaceName) : { name: route.interfaceName, tunnel: false };
  }
  return undefined;
}

/** The physical way out of a device all of whose traffic goes into a tunnel, where routes tell of one. */
async function beneath(tunnel: string): Promise<DefaultInterface> {
  const way = readingValue(await findUnderlay());
  return way ? { name: way.interfaceName, tunnel: false } : { name: tunnel, tunnel: true };
}

/** The radio that carries the default route, looked at below a tunnel; else why there is none to measure. */
export function describeWifi(nl80211: Nl80211, outgoing: DefaultInterface | undefined, collectSsid: boolean): CountedWifiReading {
  const stations = listStations(nl80211);
  const carrier = outgoing && !outgoing.tunnel ? stations.filter((s) => s.name === outgoing.name) : stations;
  if (outgoing && !outgoing.tunnel && carrier.length === 0) return silentRadio('wired', 'wired', outgoing.name);
  const linked = carrier.map((wireless) => ({ wireless, link: readRadioLink(nl80211, wireless, collectSsid) }));
  const associated = linked.find(({ wireless, link }) => link.station !== undefined || isLinked(wireless));
  if (associated) return radioReading(associated.wireless, associated.link, collectSsid);
  if (outgoing?.tunnel) return silentRadio('unknown', 'tunnel', outgoing.name);
  return silentRadio('unknown', stations.length > 0 ? 'not_connected' : 'not_supported', stations[0]?.name);
}

const isLinked = (wireless: WirelessInterface): boolean => wireless.ssid !== undefined && wireless.frequencyMhz !== undefined;

async function readWirelessExtensions(outgoing: DefaultInterface | undefined, code: UnavailableCode): Promise<WifiReading> {
  const links = parseProcWireless(await readFile('/proc/net/wireless', 'utf8').catch(() => ''));
  return describeWirelessExtensions(links, outgoing, code);
}

/** Signal and noise are all that the old interface tells; everything else is unavailable with `code`. */
export function describeWirelessExtensions(
  links: readonly WirelessExtensionsLink[],
  outgoing: DefaultInterface | undefined,
  code: UnavailableCode,
): WifiReading {
  const link = links.find((candidate) => !outgoing || outgoing.tunnel || candidate.name === outgoing.name);
  if (!link) {
    return outgoing && !outgoing.tunnel ? silentRadio('wired', 'wired', outgoing.name) : silentRadio('unknown', code);
  }
  const { rssiDbm, noiseDbm } = link;
  return {
    ...silentRadio('wifi', code, link.name),
    interfaceName: measured(link.name),
    rssiDbm: readingOf(rssiDbm, code),
    signalPercent: rssiDbm === undefined ? unavailable(code) : measured(signalPercentOf(rssiDbm)),
    noiseDbm: readingOf(noiseDbm, code),
    snrDb: rssiDbm === undefined || noiseDbm === undefined ? unavailable(code) : measured(rssiDbm - noiseDbm),
  };
}
