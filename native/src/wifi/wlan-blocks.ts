import { WIN32 } from '../ffi/layout/win32.ts';
import type { WlanQuestion } from '../ffi/wlanapi.ts';
import type { FrameCounters } from './radio-counters.ts';

const { structs, constants } = WIN32;
const QUALITY = structs.WLAN_REALTIME_CONNECTION_QUALITY;
const CONNECTION = structs.WLAN_CONNECTION_ATTRIBUTES;
const KBIT_PER_MBIT = 1000;

/** What one question told; a field that the driver leaves out is undefined. */
export interface WlanFields {
  rssiDbm?: number;
  signalPercent?: number;
  linkRateMbps?: number;
  channel?: number;
  frequencyMhz?: number;
  ssid?: string;
  frames?: FrameCounters;
}

export interface WlanBlock extends WlanQuestion {
  readonly parse: (parts: readonly Buffer[]) => WlanFields;
}

const u32 = (bytes: Buffer | undefined): number | undefined => (bytes && bytes.length >= 4 ? bytes.readUInt32LE(0) : undefined);
const i32 = (bytes: Buffer | undefined): number | undefined => (bytes && bytes.length >= 4 ? bytes.readInt32LE(0) : undefined);

const dbm = (value: number | undefined): WlanFields =>
  value !== undefined && value < 0 && value > -120 ? { rssiDbm: value } : {};
const percent = (value: number | undefined): WlanFields => (value !== undefined && value <= 100 ? { signalPercent: value } : {});
const rate = (kbit: number | undefined): WlanFields => (kbit ? { linkRateMbps: kbit / KBIT_PER_MBIT } : {});

/** LONG, dBm. */
export const RSSI: WlanBlock = {
  opcode: constants.wlan_intf_opcode_rssi,
  ranges: [[0, 4]],
  parse: ([value]) => dbm(i32(value)),
};

/** ULONG; above 14 it names channels of two bands, so that no band comes of it. */
export const CHANNEL: WlanBlock = {
  opcode: constants.wlan_intf_opcode_channel_number,
  ranges: [[0, 4]],
  parse: ([value]) => {
    const channel = u32(value);
    return channel !== undefined && channel > 0 && channel < 256 ? { channel } : {};
  },
};

/** WLAN_REALTIME_CONNECTION_QUALITY: Windows 11 24H2 and later, without the location permission. The first of its links. */
export const REALTIME_QUALITY: WlanBlock = {
  opcode: constants.wlan_intf_opcode_realtime_connection_quality,
  ranges: [
    [QUALITY.ulLinkQuality, QUALITY.ulLinkQuality + 4],
    [QUALITY.ulTxRate, QUALITY.ulTxRate + 4],
    [QUALITY.ulNumLinks, QUALITY.ulNumLinks + 4],
    [QUALITY.ulChannelCenterFrequencyMhz, QUALITY.ulChannelCenterFrequencyMhz + 4],
    [QUALITY.lRssi, QUALITY.lRssi + 4],
  ],
  parse([quality, transmit, links, frequency, rssi]) {
    const common = { ...percent(u32(quality)), ...rate(u32(transmit)) };
    if ((u32(links) ?? 0) === 0) return common;
    const given = u32(frequency) ?? 0;
    // Drivers fill the field in MHz, as it is named, or in kHz.
    const frequencyMhz = given > 100_000 ? given / 1000 : given;
    return { ...common, ...dbm(i32(rssi)), ...(frequencyMhz > 0 ? { frequencyMhz } : {}) };
  },
};

/** WLAN_CONNECTION_ATTRIBUTES without what lies between the SSID and the signal: the access point's address. */
export const CURRENT_CONNECTION: WlanBlock = {
  opcode: constants.wlan_intf_opcode_current_connection,
  ranges: [
    [CONNECTION.uSSIDLength, CONNECTION.uSSIDLength + 4],
    [CONNECTION.ucSSID, CONNECTION.ucSSID + 32],
    [CONNECTION.wlanSignalQuality, CONNECTION.wlanSignalQuality + 4],
    [CONNECTION.ulTxRate, CONNECTION.ulTxRate + 4],
  ],
  parse: ([length, ssid, quality, transmit]) => ({
    ...percent(u32(quality)),
    ...rate(u32(transmit)),
    ...ssidField(u32(length) ?? 0, ssid ?? Buffer.alloc(0)),
  }),
};

const { PhyCounters: FIRST_PHY, dwNumberOfPhys: PHY_COUNT } = structs.WLAN_STATISTICS;
const PHY = structs.WLAN_PHY_FRAME_STATISTICS;
/** A radio has one for each generation of 802.11 that it speaks. */
const MAX_PHYS = 8;
const PHY_FIELDS = [PHY.ullTransmittedFrameCount, PHY.ullFailedCount, PHY.ullRetryCount] as const;

const u64 = (bytes: Buffer | undefined): number | undefined =>
  bytes && bytes.length >= 8 ? Number(bytes.readBigUInt64LE(0)) : undefined;

/** WLAN_STATISTICS, its counters of frames alone: sent, given up, and those that arrived only after they were sent again. */
export const STATISTICS: WlanBlock = {
  opcode: constants.wlan_intf_opcode_statistics,
  ranges: [
    [PHY_COUNT, PHY_COUNT + 4],
    ...Array.from({ length: MAX_PHYS }, (_, i) => FIRST_PHY + i * PHY.sizeof).flatMap((at) =>
      PHY_FIELDS.map((field) => [at + field, at + field + 8] as const),
    ),
  ],
  parse([count, ...fields]) {
    const phys = Math.min(u32(count) ?? 0, MAX_PHYS);
    const sum = (field: number): number | undefined => {
      const found = Array.from({ length: phys }, (_, i) => u64(fields[i * PHY_FIELDS.length + field]));
      const told = found.filter((one) => one !== undefined);
      return told.length > 0 ? told.reduce((total, one) => total + one, 0) : undefined;
    };
    const [sent, failed, retried] = [sum(0), sum(1), sum(2)];
    return sent === undefined ? {} : { frames: { sent, failed, retried, tries: sent, beaconsLost: undefined } };
  },
};

/** A hidden network's SSID is empty or all zero. */
function ssidField(length: number, bytes: Buffer): WlanFields {
  if (length === 0 || length > bytes.length) return {};
  const ssid = bytes.subarray(0, length);
  return ssid.every((byte) => byte === 0) ? {} : { ssid: ssid.toString('utf8') };
}
