import { LINUX } from '../ffi/layout/linux.ts';
import { type Attributes, decodeAttributes, i8, i32, nested, text, u8, u16, u32, u64 } from '../ffi/netlink/netlink-message.ts';
import type { AirtimeCounters, FrameCounters } from './radio-counters.ts';

/** Parsers of nl80211's replies (what follows the netlink header). Hardware addresses are never read, neighbours never decoded. */

const C = LINUX.constants;
const GENL_HEADER = LINUX.structs.genlmsghdr.sizeof;
const ATTR = {
  ifindex: C.NL80211_ATTR_IFINDEX,
  ifname: C.NL80211_ATTR_IFNAME,
  iftype: C.NL80211_ATTR_IFTYPE,
  staInfo: C.NL80211_ATTR_STA_INFO,
  frequency: C.NL80211_ATTR_WIPHY_FREQ,
  bss: C.NL80211_ATTR_BSS,
  ssid: C.NL80211_ATTR_SSID,
  survey: C.NL80211_ATTR_SURVEY_INFO,
  mloLinks: C.NL80211_ATTR_MLO_LINKS,
} as const;
const STATION = {
  signal: C.NL80211_STA_INFO_SIGNAL,
  transmitRate: C.NL80211_STA_INFO_TX_BITRATE,
  signalAverage: C.NL80211_STA_INFO_SIGNAL_AVG,
  packets: C.NL80211_STA_INFO_TX_PACKETS,
  retried: C.NL80211_STA_INFO_TX_RETRIES,
  failed: C.NL80211_STA_INFO_TX_FAILED,
  beaconLoss: C.NL80211_STA_INFO_BEACON_LOSS,
  connectedSeconds: C.NL80211_STA_INFO_CONNECTED_TIME,
} as const;
const RATE = { rate16: C.NL80211_RATE_INFO_BITRATE, rate32: C.NL80211_RATE_INFO_BITRATE32 } as const;
const SURVEY = {
  frequency: C.NL80211_SURVEY_INFO_FREQUENCY,
  noise: C.NL80211_SURVEY_INFO_NOISE,
  inUse: C.NL80211_SURVEY_INFO_IN_USE,
  activeMs: C.NL80211_SURVEY_INFO_TIME,
  busyMs: C.NL80211_SURVEY_INFO_TIME_BUSY,
  transmitMs: C.NL80211_SURVEY_INFO_TIME_TX,
} as const;
const BSS = {
  frequency: C.NL80211_BSS_FREQUENCY,
  elements: C.NL80211_BSS_INFORMATION_ELEMENTS,
  signalMbm: C.NL80211_BSS_SIGNAL_MBM,
  signalPercent: C.NL80211_BSS_SIGNAL_UNSPEC,
  status: C.NL80211_BSS_STATUS,
  beaconElements: C.NL80211_BSS_BEACON_IES,
} as const;
export const STATION_MODE = C.NL80211_IFTYPE_STATION;
const SSID_ELEMENT = 0;

const body = (message: Buffer): Attributes => decodeAttributes(message.subarray(GENL_HEADER));

/** A generic netlink message: command, version 1, attributes. */
export const encodeGeneric = (command: number, attributes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([command, 1, 0, 0]), attributes]);

/** The family's number out of the controller's answer. */
export const parseFamilyId = (message: Buffer): number | undefined => u16(body(message), C.CTRL_ATTR_FAMILY_ID);

export interface WirelessInterface {
  readonly index: number;
  readonly name: string;
  readonly mode: number | undefined;
  readonly ssid: string | undefined;
  readonly frequencyMhz: number | undefined;
}

/** One interface; undefined for a device without one (peer-to-peer) or a message cut short. */
export function parseInterface(message: Buffer): WirelessInterface | undefined {
  const a = body(message);
  const index = u32(a, ATTR.ifindex);
  const name = text(a, ATTR.ifname);
  if (index === undefined || !name) return undefined;
  return { index, name, mode: u32(a, ATTR.iftype), ssid: ssidText(a.get(ATTR.ssid)), frequencyMhz: frequencyOf(a) };
}

/** The channel's centre, of the first link that has one where Wi-Fi 7 keeps several. */
function frequencyOf(a: Attributes): number | undefined {
  const own = u32(a, ATTR.frequency);
  if (own !== undefined) return own;
  for (const link of nested(a, ATTR.mloLinks)?.values() ?? []) {
    const frequency = u32(decodeAttributes(link), ATTR.frequency);
    if (frequency !== undefined) return frequency;
  }
  return undefined;
}

export interface StationLink {
  readonly rssiDbm: number | undefined;
  readonly linkRateMbps: number | undefined;
  readonly frames: FrameCounters;
  /** How long this association lasts. */
  readonly connectedSeconds: number | undefined;
}

/** The link to the access point. Its hardware address stands in the message and is not read. */
export function parseStation(message: Buffer): StationLink | undefined {
  const station = nested(body(message), ATTR.staInfo);
  if (!station) return undefined;
  const rate = nested(station, STATION.transmitRate);
  const sent = u32(station, STATION.packets);
  const retried = u32(station, STATION.retried);
  const tenths = rate && (u32(rate, RATE.rate32) ?? u16(rate, RATE.rate16));
  return {
    rssiDbm: i8(station, STATION.signal) ?? i8(station, STATION.signalAverage),
    linkRateMbps: tenths === undefined ? undefined : tenths / 10,
    frames: {
      sent,
      retried,
      tries: sent === undefined || retried === undefined ? undefined : sent + retried,
      failed: u32(station, STATION.failed),
      beaconsLost: u32(station, STATION.beaconLoss),
    },
    connectedSeconds: u32(station, STATION.connectedSeconds),
  };
}

export interface SurveyChannel {
  readonly frequencyMhz: number;
  readonly noiseDbm: number | undefined;
  readonly inUse: boolean;
  readonly airtime: AirtimeCounters;
}

export function parseSurvey(message: Buffer): SurveyChannel | undefined {
  const survey = nested(body(message), ATTR.survey);
  const frequencyMhz = survey && u32(survey, SURVEY.frequency);
  if (!survey || frequencyMhz === undefined) return undefined;
  const airtime = {
    activeMs: u64(survey, SURVEY.activeMs),
    busyMs: u64(survey, SURVEY.busyMs),
    transmitMs: u64(survey, SURVEY.transmitMs),
  };
  return { frequencyMhz, noiseDbm: i8(survey, SURVEY.noise), inUse: survey.has(SURVEY.inUse), airtime };
}

export interface AssociatedCell {
  readonly ssid: string | undefined;
  readonly frequencyMhz: number | undefined;
  readonly rssiDbm: number | undefined;
  readonly signalPercent: number | undefined;
}

/** The cell this device is associated with, from the cached scan; undefined for every other one. */
export function parseAssociatedCell(message: Buffer): AssociatedCell | undefined {
  const bss = nested(body(message), ATTR.bss);
  if (!bss || u32(bss, BSS.status) !== C.NL80211_BSS_STATUS_ASSOCIATED) return undefined;
  const mbm = i32(bss, BSS.signalMbm);
  return {
    ssid: ssidElement(bss.get(BSS.elements) ?? bss.get(BSS.beaconElements)),
    frequencyMhz: u32(bss, BSS.frequency),
    rssiDbm: mbm === undefined ? undefined : mbm / 100,
    signalPercent: u8(bss, BSS.signalPercent),
  };
}

function ssidElement(elements: Buffer | undefined): string | undefined {
  for (let at = 0; elements && at + 2 <= elements.length; ) {
    const end = at + 2 + elements.readUInt8(at + 1);
    if (end > elements.length) return undefined;
    if (elements.readUInt8(at) === SSID_ELEMENT) return ssidText(elements.subarray(at + 2, end));
    at = end;
  }
  return undefined;
}

/** A hidden network's SSID is empty or all zero. */
function ssidText(bytes: Buffer | undefined): string | undefined {
  if (!bytes || bytes.length === 0 || bytes.length > 32 || bytes.every((byte) => byte === 0)) return undefined;
  return bytes.toString('utf8');
}
