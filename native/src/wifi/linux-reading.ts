import type { UnavailableCode } from '@svc/contracts/verdict';
import { measured, readingOf, unavailable } from '../reading.ts';
import type { RadioLink } from './linux-link.ts';
import { bandOf, channelOf, type WirelessInterface } from './nl80211.ts';
import type { Connection, WifiReading } from './wifi.ts';

/** A reading whose radio fields are all unavailable for one reason. */
export function silentRadio(connection: Connection, code: UnavailableCode, interfaceName?: string): WifiReading {
  const none = unavailable(code);
  return {
    connection,
    interfaceName: readingOf(interfaceName, code),
    rssiDbm: none,
    signalPercent: none,
    noiseDbm: none,
    snrDb: none,
    linkRateMbps: none,
    channel: none,
    frequencyMhz: none,
    band: none,
    ssid: none,
  };
}

/** 0 at -100 dBm, 100 at -50 dBm, linear between: the scale that Windows documents, so that fleets compare. */
export const signalPercentOf = (rssiDbm: number): number => Math.max(0, Math.min(100, Math.round(2 * (rssiDbm + 100))));

/** One associated radio as a reading; what the driver does not tell is `not_supported`. */
export function radioReading(wireless: WirelessInterface, link: RadioLink, collectSsid: boolean): WifiReading {
  const rssiDbm = link.station?.rssiDbm ?? link.cell?.rssiDbm;
  const noiseDbm = link.survey?.noiseDbm;
  const frequencyMhz = link.frequencyMhz;
  const snrDb = rssiDbm === undefined || noiseDbm === undefined ? undefined : rssiDbm - noiseDbm;
  const percent = link.cell?.signalPercent ?? (rssiDbm === undefined ? undefined : signalPercentOf(rssiDbm));
  const told = <T>(value: T | undefined) => readingOf(value, 'not_supported');
  return {
    connection: 'wifi',
    interfaceName: measured(wireless.name),
    rssiDbm: told(rssiDbm),
    signalPercent: told(percent),
    noiseDbm: told(noiseDbm),
    snrDb: told(snrDb),
    linkRateMbps: told(link.station?.linkRateMbps),
    channel: told(frequencyMhz === undefined ? undefined : channelOf(frequencyMhz)),
    frequencyMhz: told(frequencyMhz),
    band: told(frequencyMhz === undefined ? undefined : bandOf(frequencyMhz)),
    ssid: collectSsid ? told(wireless.ssid ?? link.cell?.ssid) : unavailable('withheld'),
  };
}
