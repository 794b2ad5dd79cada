import { DARWIN } from '../ffi/layout/darwin.ts';
import type { ObjectiveC } from '../ffi/objc.ts';
import { readingOf, unavailable } from '../reading.ts';
import { signalPercentOf, silentRadio } from './silent-radio.ts';
import type { Band, WifiReading } from './wifi.ts';

const { kCWChannelBand2GHz, kCWChannelBand5GHz, kCWChannelBand6GHz } = DARWIN.constants;
const BANDS: Readonly<Record<number, Band>> = {
  [kCWChannelBand2GHz]: '2.4',
  [kCWChannelBand5GHz]: '5',
  [kCWChannelBand6GHz]: '6',
};

/** What CWInterface told; zero is its word for "not measured". */
export interface CoreWlanLink {
  readonly name: string;
  readonly powerOn: boolean;
  readonly rssiDbm: number;
  readonly noiseDbm: number;
  readonly transmitMbps: number;
  readonly channel: { readonly number: number; readonly band: number } | undefined;
  /** Undefined without the location permission, or where it was not asked for. */
  readonly ssid: string | undefined;
}

/** Asks the default interface; undefined on a Mac without Wi-Fi. The message for the access point's address is never sent. */
export function readCoreWlan(objc: ObjectiveC, collectSsid: boolean): CoreWlanLink | undefined {
  return objc.withPool(() => {
    const client = objc.object(objc.getClass('CWWiFiClient'), 'sharedWiFiClient');
    const radio = objc.object(client, 'interface');
    if (radio === 0n) return undefined;
    const channel = objc.object(radio, 'wlanChannel');
    return {
      name: objc.text(objc.object(radio, 'interfaceName')) ?? '',
      powerOn: objc.boolean(radio, 'powerOn'),
      rssiDbm: objc.integer(radio, 'rssiValue'),
      noiseDbm: objc.integer(radio, 'noiseMeasurement'),
      transmitMbps: objc.double(radio, 'transmitRate'),
      channel:
        channel === 0n
          ? undefined
          : { number: objc.integer(channel, 'channelNumber'), band: objc.integer(channel, 'channelBand') },
      ssid: collectSsid ? objc.text(objc.object(radio, 'ssid')) : undefined,
    };
  });
}

export interface Outgoing {
  readonly name: string;
  readonly tunnel: boolean;
}

/** The radio that carries the default route, looked at below a tunnel; else why there is none to measure. */
export function describeLink(link: CoreWlanLink | undefined, outgoing: Outgoing | undefined, collectSsid: boolean): WifiReading {
  const direct = outgoing && !outgoing.tunnel ? outgoing : undefined;
  if (direct && direct.name !== link?.name) return silentRadio('wired', 'wired', direct.name);
  if (!link) return outgoing ? silentRadio('unknown', 'tunnel', outgoing.name) : silentRadio('unknown', 'not_supported');
  // A radio that is on and hears nobody has neither channel nor signal.
  if (!link.powerOn || link.rssiDbm === 0)
    return silentRadio('unknown', outgoing?.tunnel ? 'tunnel' : 'not_connected', link.name);
  const told = <T>(value: T | undefined) => readingOf(value, 'not_supported');
  const { rssiDbm } = link;
  const noiseDbm = link.noiseDbm === 0 ? undefined : link.noiseDbm;
  return {
    connection: 'wifi',
    interfaceName: told(link.name || undefined),
    rssiDbm: told(rssiDbm),
    signalPercent: told(signalPercentOf(rssiDbm)),
    noiseDbm: told(noiseDbm),
    snrDb: told(noiseDbm === undefined ? undefined : rssiDbm - noiseDbm),
    linkRateMbps: told(link.transmitMbps > 0 ? link.transmitMbps : undefined),
    channel: told(link.channel?.number || undefined),
    // CoreWLAN names channel and band, no frequency.
    frequencyMhz: unavailable('not_supported'),
    band: told(link.channel && BANDS[link.channel.band]),
    ssid: collectSsid ? readingOf(link.ssid || undefined, 'permission') : unavailable('withheld'),
  };
}
