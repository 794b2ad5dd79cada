import type { Reading } from '../reading.ts';

/** Wi-Fi bands in GHz. */
export type Band = '2.4' | '5' | '6' | '60';

/** What carries the device's traffic: the interface of the default route, looked at below a tunnel. */
export type Connection = 'wifi' | 'wired' | 'unknown';

/**
 * The radio link at this moment. No field can hold the access point's hardware address; neighbouring networks are never decoded.
 * On a wired machine every radio field is unavailable with `wired`; a radio that is not associated answers `asleep`.
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
}

export interface WifiRequest {
  /** False: the SSID reads `withheld`, and nothing is opened for its sake. */
  readonly collectSsid: boolean;
}

/** Reads the radio without scanning, unprivileged. Never throws: what cannot be read is unavailable with a code. */
export type ReadWifi = (request: WifiRequest) => Promise<WifiReading>;
