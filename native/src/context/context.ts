import type { Reading } from '../reading.ts';

/** Reference signals of the mobile cell in use. */
export interface CellularReading {
  readonly rsrpDbm: Reading<number>;
  readonly rsrqDb: Reading<number>;
  readonly sinrDb: Reading<number>;
}

/** What the system says around a measurement. Codes: `not_supported` where this system does not tell, `permission`, `no_target`. */
export interface ContextReading {
  readonly onBattery: Reading<boolean>;
  readonly metered: Reading<boolean>;
  /** The route leaves by an interface of a kind that VPNs use: tun, WireGuard, IPsec, PPP, utun. `no_target`: no route. */
  readonly vpn: Reading<boolean>;
  /**
   * Changes of the access point within one network that were seen since this reader was made. Only the count ever leaves the
   * reader; `wired` or `not_connected` where no radio is associated.
   */
  readonly roams: Reading<number>;
  readonly cellular: CellularReading;
}

export interface ContextRequest {
  /** Numeric address whose route is looked at; default: the default route. */
  readonly towards?: string;
}

/** Keeps what has to be compared from reading to reading. Holds nothing open. */
export interface ContextReader {
  /** Unprivileged, sends no packet, at most three seconds. Never throws: what cannot be read is unavailable with a code. */
  read(request?: ContextRequest): Promise<ContextReading>;
}

export type CreateContextReader = () => ContextReader;
