import type { Cause } from '@svc/contracts/verdict';

/** What goes wrong for some devices, by what a person would say of it. */
export type FaultKind =
  | 'weak_wifi'
  | 'lossy_gateway'
  | 'slow_isp'
  | 'slow_saas'
  | 'slow_unseen'
  | 'slow_names'
  | 'expired_certificate'
  | 'lossy_path';

/**
 * The layer that each fault lies in: what attribution must find. Behind a tunnel nobody can tell, and loss on a path that nothing in use
 * takes makes nobody slow.
 */
export const TRUE_CAUSE: Readonly<Record<FaultKind, Cause>> = {
  weak_wifi: 'wifi',
  lossy_gateway: 'local',
  slow_isp: 'isp',
  slow_saas: 'network',
  slow_unseen: 'unknown',
  slow_names: 'network',
  expired_certificate: 'network',
  lossy_path: 'none',
};

/** Times of the scenario are milliseconds from its anchor, the moment it is shown first; before it they are negative. */
export interface Fault {
  kind: FaultKind;
  fromMs: number;
  /** Comes and goes instead of staying. */
  intermittent: boolean;
}

/** What a device is like while nothing is wrong with it. */
export interface Baseline {
  rssiDbm: number;
  gatewayRttMs: number;
  ispRttMs: number;
  sessionMs: number;
}

/** One simulated device: who it is, where it stands and what happens to it. */
export interface Device {
  index: number;
  name: string;
  owner: string;
  site: string;
  /** The gateway's address; null where all traffic goes into a tunnel. */
  gateway: string | null;
  ispEdge: string;
  connection: 'wifi' | 'wired';
  ssid: string;
  os: string;
  osVersion: string;
  arch: string;
  model: string;
  agentVersion: string;
  /** How many protocol versions the agent is behind. */
  protocolsBehind: number;
  /** From here on it speaks a protocol two versions behind and is refused. */
  refusedFromMs: number | null;
  /** Asleep from `fromMs` to `toMs` in each day of the scenario; null: always on. */
  sleep: { fromMs: number; toMs: number } | null;
  paused: { fromMs: number; untilMs: number } | null;
  /** Says nothing more from here on. */
  silentFromMs: number | null;
  fault: Fault | null;
  /** The person there declined: nothing is measured, and IT sees it. */
  declined: boolean;
  /** Its system does not let the agent look at the Wi-Fi. */
  withoutLocation: boolean;
  /** Whether anything on it shows what is measured. */
  face: 'window' | 'headless';
  /** Withholds every identifier. */
  strict: boolean;
  /** The radio tells percent only. */
  percentOnly: boolean;
  targets: readonly string[];
  baseline: Baseline;
}
