import type { UnavailableCode } from '@svc/contracts/verdict';

/** Probes sent and lost over the newest LOSS_WINDOW_PROBES of one thing. */
export interface Loss {
  sent: number;
  lost: number;
}

/** What the first layer is judged by. A field that could not be measured is absent. */
export interface WifiReading {
  rssiDbm?: number;
  /** Judged only where no dBm is available. */
  signalPercent?: number;
  noiseDbm?: number;
}

export interface GatewayReading {
  /** False: no probe of the newest reading was answered. */
  answered: boolean;
  rttMs?: number;
  loss: Loss;
}

/** The first public hop of the traces, as far as it holds for the hops behind it. */
export interface IspReading {
  rttMs?: number;
  loss: Loss;
}

export interface PathReading {
  /** Absent where no public hop answered. */
  isp?: IspReading;
  /** True where some trace arrived at its target or a public hop answered: slowness behind the gateway can be localized. */
  visible: boolean;
}

export interface SessionReading {
  /** Host as a person knows it. */
  target: string;
  /** The control plane's own session is shown and never judged. */
  role: 'target' | 'control_plane';
  success: boolean;
  totalMs?: number;
}

/** A reading, or why there is none. */
export type Maybe<T> = T | { unavailable: UnavailableCode };

export const isMeasured = <T extends object>(reading: Maybe<T>): reading is T => !('unavailable' in reading);

/** One device at one moment: each layer's newest reading, those older than two of its intervals already left out. */
export interface Readings {
  wifi: Maybe<WifiReading>;
  gateway: Maybe<GatewayReading>;
  path: Maybe<PathReading>;
  sessions: readonly SessionReading[];
  /** Something behind the gateway answered lately, so a gateway that answers no probe still forwards. */
  egressProven: boolean;
}
