/** Causes, layers and their default thresholds (docs/contract/verdicts.md). */
export const CAUSES = ['wifi', 'local', 'isp', 'network', 'none', 'unknown'] as const;
export type Cause = (typeof CAUSES)[number];

/** The layers in the order in which they are walked, outward from the device. */
export const LAYERS = ['wifi', 'local', 'isp', 'network'] as const;
export type Layer = (typeof LAYERS)[number];

export interface Thresholds {
  /** Weak Wi-Fi at or below, dBm. */
  wifiRssiDbm: number;
  /** Weak Wi-Fi at or below, percent; used only where no dBm is available. */
  wifiSignalPercent: number;
  /** Noisy Wi-Fi below this distance between signal and noise, dB. */
  wifiSnrDb: number;
  gatewayRttMs: number;
  /** Ratio, 0 to 1. */
  gatewayLoss: number;
  ispRttMs: number;
  /** Ratio, 0 to 1. */
  ispLoss: number;
  /** A session is slow from this total on, milliseconds. */
  sessionTotalMs: number;
}

export const DEFAULT_THRESHOLDS: Readonly<Thresholds> = {
  wifiRssiDbm: -75,
  wifiSignalPercent: 35,
  wifiSnrDb: 15,
  gatewayRttMs: 25,
  gatewayLoss: 0.02,
  ispRttMs: 80,
  ispLoss: 0.02,
  sessionTotalMs: 1500,
};

/** Loss is judged over this many newest probes and needs at least MIN_LOST_PROBES lost. */
export const LOSS_WINDOW_PROBES = 50;
export const MIN_LOST_PROBES = 2;

/** What a device is up to when it gives no verdict, or beside it; sent in its status from the start. */
export const AGENT_STATES = ['running', 'paused', 'needs_permission', 'declined', 'update_required'] as const;
export type AgentState = (typeof AGENT_STATES)[number];

/** What a system refuses to tell an agent until the person at it, or MDM, permits it. */
export const MISSING_PERMISSIONS = ['location', 'local_network'] as const;
export type MissingPermission = (typeof MISSING_PERMISSIONS)[number];

/** How far the person at a device got with what is collected; a headless agent's printed banner counts as shown. */
export const DISCLOSURE_STATES = ['not_shown', 'shown', 'accepted', 'declined'] as const;
export type DisclosureState = (typeof DISCLOSURE_STATES)[number];

/** Silence after which a device counts as "no contact". */
export const NO_CONTACT_AFTER_MS = 10 * 60_000;

/** Why a field has no value though its result is present (docs/contract/results.md); `measuring`: there is no reading yet. */
export const UNAVAILABLE_CODES = [
  'not_supported',
  'permission',
  'withheld',
  'no_target',
  'wired',
  'tunnel',
  /** The radio is on no network. */
  'not_connected',
  /** None came yet, or none that still counts: after a start, a sleep, a change of network, or of what failed only once. */
  'no_reading',
  /** What agents before these two said for either. */
  'asleep',
  'not_built',
  'measuring',
] as const;
export type UnavailableCode = (typeof UNAVAILABLE_CODES)[number];
