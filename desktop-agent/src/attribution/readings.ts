import type { SessionPhase } from '@svc/contracts/session-failure';
import type { UnavailableCode } from '@svc/contracts/verdict';

/** Probes sent and lost over the newest LOSS_WINDOW_PROBES of one thing. */
export interface Loss {
  sent: number;
  lost: number;
  /** All of it was lost in one single reading: a stray moment, unless it is much. */
  atOnce?: true;
}

/** What the first layer is judged by: medians of the newest readings. A field that could not be measured is absent. */
export interface WifiReading {
  rssiDbm?: number;
  /** Judged only where no dBm is available. */
  signalPercent?: number;
  noiseDbm?: number;
  /** Share of the time in which the channel was taken, 0 to 1. */
  busyRatio?: number;
  /** Share of frames that had to be sent again, 0 to 1. */
  retryRatio?: number;
}

/** A delay as it is judged: the median of the newest readings, and what is known around it. */
export interface Delay {
  rttMs?: number;
  /** How far the probes of one reading lie apart, the median of the newest readings: a queue makes them differ, distance does not. */
  spreadMs?: number;
  /** What is usual on this network; absent while not enough is known. */
  usualMs?: number;
  /** The least of the newest readings: what it takes while nothing queues. */
  quietMs?: number;
  /** How many readings the median is of. */
  readings?: number;
}

export interface GatewayReading extends Delay {
  /** False: no probe of the newest reading was answered. */
  answered: boolean;
  loss: Loss;
}

/** The first public hop of the traces, as far as it holds for the hops behind it. */
export interface IspReading extends Delay {
  loss: Loss;
}

/** Private routers behind the gateway, up to the last before the provider's edge. */
export interface LanReading extends IspReading {
  hop: number;
  hops: number;
}

/** The worst that a trace shows behind the ISP's edge, confirmed by every later hop that answers. */
export interface BeyondReading {
  /** Where the trace goes. */
  target: string;
  /** Numeric address of the target, as far as it was found. */
  address?: string;
  /** The target itself answered: then it is confirmed by the far end. */
  reached: boolean;
  /** Where the loss begins, and over how many probes; absent where nothing is lost. */
  lossAt?: { hop: number; loss: Loss };
  /** Where most of the delay begins, and the delay from there on. */
  delayAt?: { hop: number; rttMs: number; addedMs: number; usualMs?: number };
  /** The trace ended here, and nothing behind answered. */
  endsAt?: number;
  hops: number;
}

export interface PathReading {
  /** Absent where no public hop answered. */
  isp?: IspReading;
  /** Absent where the gateway is the only private router. */
  lan?: LanReading;
  /** True where some trace arrived at its target or a public hop answered: slowness behind the gateway can be localized. */
  visible: boolean;
  beyond?: readonly BeyondReading[];
}

/** The phases of a cold session, milliseconds; a phase that was not part is absent. */
export interface Phases {
  dns?: number;
  connect?: number;
  tls?: number;
  ttfb?: number;
}

export interface SessionReading {
  /** Host as a person knows it. */
  target: string;
  /** The control plane's own session is shown and never judged. */
  role: 'target' | 'control_plane';
  /** False: the newest two failed, or three of the newest five, or all there are. */
  success: boolean;
  /** The newest one failed, and nobody knows yet whether that stays. */
  unsure?: boolean;
  /** Median of the newest that succeeded. */
  totalMs?: number;
  phases?: Phases;
  usual?: Phases & { total?: number };
  /** How the newest failed, where it did. */
  failure?: { phase: SessionPhase; code: string };
  /** How many readings it is judged by. */
  readings?: number;
  host?: string;
  addresses?: readonly string[];
  viaProxy?: boolean;
  /** Connected over IPv6. */
  overIpv6?: boolean;
  /** How long it waited for IPv6 before it connected over IPv4, the median. */
  fallbackMs?: number;
  /** Answered by a redirect to another site, as sign-in pages of networks do. */
  ledAway?: boolean;
  isSecure?: boolean;
  /** Small packets arrived and large ones did not, without a word; false: they do; absent: nobody looked. */
  largeLost?: boolean;
  /** What its host said to plain http after HTTPS had failed. */
  plainHttp?: 'led_away' | 'own_answer' | 'silent';
}

/** One of the system's name servers, by the newest readings. */
export interface ResolverReading {
  server: string;
  answered: boolean;
  rttMs?: number;
  /** Response code of its last answer. */
  code?: string;
  /** What is wrong with its answers, as far as that shows. */
  lies?: 'nxdomain' | 'wildcard' | 'private';
  /** It gives one private address for every name, as networks do before one has signed in. */
  captures?: boolean;
}

/** A reading, or why there is none. */
export type Maybe<T> = T | { unavailable: UnavailableCode };

export const isMeasured = <T extends object>(reading: Maybe<T>): reading is T => !('unavailable' in reading);

/** One device at one moment: each layer's newest readings, those older than two of its intervals already left out. */
export interface Readings {
  wifi: Maybe<WifiReading>;
  gateway: Maybe<GatewayReading>;
  path: Maybe<PathReading>;
  sessions: readonly SessionReading[];
  /** Not every service that was chosen has a reading yet, for measuring has only just begun. */
  sessionsToCome?: true;
  /** Services were chosen, and no reading of any is left. */
  sessionsStale?: true;
  /** Something behind the gateway answered lately, so a gateway that answers no probe still forwards. */
  egressProven: boolean;
  resolvers?: readonly ResolverReading[];
  /** What this device sent and received lately, bytes a second; absent where the system does not tell. */
  ownBytesPerS?: number;
  /** All or some goes through a VPN. */
  vpn?: boolean;
  /** The newest reading alone: it counts for a layer where a layer behind it is impaired. */
  newest?: { wifi: Maybe<WifiReading>; gateway: Maybe<GatewayReading> };
}
