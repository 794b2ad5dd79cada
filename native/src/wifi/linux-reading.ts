import { measured, readingOf, unavailable } from '../reading.ts';
import { bandOf, channelOf } from './channel.ts';
import type { RadioLink } from './linux-link.ts';
import type { WirelessInterface } from './nl80211.ts';
import { signalPercentOf } from './silent-radio.ts';
import type { CountedWifiReading } from './wifi.ts';

/** One associated radio as a reading; what the driver does not tell is `not_supported`. */
export function radioReading(wireless: WirelessInterface, link: RadioLink, collectSsid: boolean): CountedWifiReading {
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
    counters: {
      link: `${wireless.name} ${frequencyMhz}`,
      connectedSeconds: link.station?.connectedSeconds,
      frames: link.station?.frames,
      airtime: link.survey?.airtime,
    },
  };
}
