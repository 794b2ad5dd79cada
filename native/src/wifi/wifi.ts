import type { Reading } from '../reading.ts';
import type { RadioCounters } from './radio-counters.ts';

/** Wi-Fi bands in GHz. */
export type Band = '2.4' | '5' | '6' | '60';

/** What carries the device's traffic: the interface of the default route, looked at below a tunnel. */
export type Connection = 'wifi' | 'wired' | 'unknown';

/**
 * The radio link at this moment. No field can hold the access point's hardware address; neighbouring networks are never decoded.
 * On a wired machine every radio field is unavailable with `wired`; a radio that is not associated answers `not_connected`.
 */
export interface WifiReading {
  readonly connection: Connection;
  readonly interfaceName: Reading<string>;
  readonly rssiDbm: Reading<number>;
  /** 0 to 100. */
  readonly signalPercent: Reading<number>;
  readonly noiseDbm: Reading<number>;
  readonly snrDb: Reading<number>;
  /** Transmit rate, Mbit/s. */
  readonly linkRateMbps: Reading<number>;
  readonly channel: Reading<number>;
  readonly frequencyMhz: Reading<number>;
  readonly band: Reading<Band>;
  readonly ssid: Reading<string>;
  /** Frames that were sent again, of all that were sent since the reading before; 0 to 1. These five are absent where nothing tells. */
  readonly retryRatio?: Reading<number>;
  /** Frames that were given up. */
  readonly failedRatio?: Reading<number>;
  /** Beacons of the access point that were missed since the reading before. */
  readonly beaconsLost?: Reading<number>;
  /** Time in which the channel was in use by anybody, this device included, since the reading before; 0 to 1. */
  readonly channelBusyRatio?: Reading<number>;
  /** The part of that time in which this device itself was sending. */
  readonly channelTransmitRatio?: Reading<number>;
}

/** With what the radio has counted so far; `createRadioWatch` makes the last five values above of two of these. */
export interface CountedWifiReading extends WifiReading {
  readonly counters?: RadioCounters;
}

export interface WifiRequest {
  /** False: the SSID reads `withheld`, and nothing is opened for its sake. */
  readonly collectSsid: boolean;
}

/** Reads the radio without scanning, unprivileged. Never throws: what cannot be read is unavailable with a code. */
export type ReadWifi = (request: WifiRequest) => Promise<WifiReading>;
export type ReadCountedWifi = (request: WifiRequest) => Promise<CountedWifiReading>;
