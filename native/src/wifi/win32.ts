import type { UnavailableCode } from '@svc/contracts/verdict';
import { type Adapter, isTunnel, listAdapters } from '../ffi/adapter-addresses.ts';
import { WIN32 } from '../ffi/layout/win32.ts';
import { failureCode } from '../ffi/library.ts';
import { guidText, type Wlan, type WlanInterface, withWlan } from '../ffi/wlanapi.ts';
import { findRoute } from '../gateway/win32.ts';
import { type Reading, readingOf, readingValue, unavailable } from '../reading.ts';
import { bandOf, channelOf } from './channel.ts';
import { silentRadio } from './silent-radio.ts';
import type { CountedWifiReading, ReadCountedWifi } from './wifi.ts';
import {
  CHANNEL,
  CURRENT_CONNECTION,
  REALTIME_QUALITY,
  RSSI,
  STATISTICS,
  type WlanBlock,
  type WlanFields,
} from './wlan-blocks.ts';

const { ERROR_ACCESS_DENIED, wlan_interface_state_connected } = WIN32.constants;
/** Addresses that exist only in documents: what routes them is the default route, and no packet is sent. */
const ANYWHERE = ['192.0.2.1', '2001:db8::1'] as const;

/** Reads the radio through `library`, which is `wlanapi.dll` but in tests. */
export const createReadWifi =
  (library: string): ReadCountedWifi =>
  async ({ collectSsid }) => {
    const network = await describeNetwork();
    try {
      return withWlan(library, (wlan) => describeRadio(wlan, network, collectSsid));
    } catch (error) {
      const { outgoing } = network;
      if (outgoing && !isTunnel(outgoing) && failureCode(error) !== 'permission')
        return silentRadio('wired', 'wired', outgoing.name);
      return silentRadio('unknown', failureCode(error));
    }
  };

export const readWifi: ReadCountedWifi = createReadWifi('wlanapi.dll');

export interface Network {
  readonly adapters: readonly Adapter[];
  /** What carries the default route. */
  readonly outgoing: Adapter | undefined;
}

async function describeNetwork(): Promise<Network> {
  let adapters: Adapter[] = [];
  try {
    adapters = listAdapters();
    for (const address of ANYWHERE) {
      const route = readingValue(await findRoute(address));
      const outgoing = route && adapters.find((one) => one.name === route.interfaceName);
      if (outgoing) return { adapters, outgoing };
    }
  } catch {
    // Without the list nothing says what carries the traffic; the radio is read all the same.
  }
  return { adapters, outgoing: undefined };
}

/** The radio that carries the default route, looked at below a tunnel; else why there is none to measure. */
export function describeRadio(wlan: Wlan, { adapters, outgoing }: Network, collectSsid: boolean): CountedWifiReading {
  const radios = wlan.interfaces();
  const direct = outgoing && !isTunnel(outgoing) ? outgoing : undefined;
  const carriers = direct ? radios.filter((radio) => guidText(radio.guid) === direct.guid) : radios;
  if (direct && carriers.length === 0) return silentRadio('wired', 'wired', direct.name);
  const connected = carriers.find((radio) => radio.state === wlan_interface_state_connected);
  if (connected) {
    const name = adapters.find((one) => one.guid === guidText(connected.guid))?.name;
    return radioReading(wlan, connected, { collectSsid, name });
  }
  if (outgoing && !direct) return silentRadio('unknown', 'tunnel', outgoing.name);
  return silentRadio('unknown', radios.length > 0 ? 'not_connected' : 'not_supported');
}

interface RadioOptions {
  readonly collectSsid: boolean;
  readonly name: string | undefined;
}

function radioReading(wlan: Wlan, radio: WlanInterface, { collectSsid, name }: RadioOptions): CountedWifiReading {
  const refused = new Set<number>();
  const read = (block: WlanBlock): WlanFields => {
    const answer = wlan.query(radio.guid, block);
    if ('parts' in answer) return block.parse(answer.parts);
    if (answer.status === ERROR_ACCESS_DENIED) refused.add(block.opcode);
    return {};
  };
  const plain = { ...read(CHANNEL), ...read(REALTIME_QUALITY), ...read(RSSI), ...read(STATISTICS) };
  // Asking for the connection shows the location sign on newer systems: only for the SSID, or where an older system tells no other way.
  const connection = collectSsid || plain.signalPercent === undefined ? read(CURRENT_CONNECTION) : {};
  const fields = { ...connection, ...plain };
  const codeOf = (...blocks: WlanBlock[]): UnavailableCode =>
    blocks.some((block) => refused.has(block.opcode)) ? 'permission' : 'not_supported';
  // Each is missing for the reason that those gave who could have told it.
  const told = <T>(value: T | undefined): Reading<T> => readingOf(value, codeOf(CURRENT_CONNECTION, REALTIME_QUALITY));
  const measuredBy = <T>(value: T | undefined, ...blocks: WlanBlock[]): Reading<T> => readingOf(value, codeOf(...blocks));
  const { frequencyMhz } = fields;
  const byFrequency = <T>(derive: (mhz: number) => T | undefined) =>
    frequencyMhz === undefined ? undefined : derive(frequencyMhz);
  return {
    connection: 'wifi',
    interfaceName: readingOf(name, 'not_supported'),
    rssiDbm: measuredBy(fields.rssiDbm, RSSI, REALTIME_QUALITY),
    signalPercent: told(fields.signalPercent),
    // Windows has no noise figure.
    noiseDbm: unavailable('not_supported'),
    snrDb: unavailable('not_supported'),
    linkRateMbps: told(fields.linkRateMbps),
    channel: measuredBy(fields.channel ?? byFrequency(channelOf), CHANNEL, REALTIME_QUALITY),
    frequencyMhz: measuredBy(frequencyMhz, REALTIME_QUALITY),
    band: measuredBy(byFrequency(bandOf), REALTIME_QUALITY),
    ssid: collectSsid ? told(fields.ssid) : unavailable('withheld'),
    counters: {
      link: `${guidText(radio.guid)} ${fields.channel}`,
      connectedSeconds: undefined,
      frames: fields.frames,
      // Windows has no figure of the channel's airtime.
      airtime: undefined,
    },
  };
}
