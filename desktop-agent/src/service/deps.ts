import type { ContextReader } from '@svc/native/context/context';
import type { ReadNetworkIdentity } from '@svc/native/identity/identity';
import type { WatchNetwork } from '@svc/native/network/network';
import type { RunChore } from '../chores/run-chore.ts';
import type { AgentClock } from '../clock.ts';
import type { AgentConfig } from '../config.ts';
import type { ProbeSet } from '../measure/probe-set.ts';
import type { Settings } from '../settings.ts';
import type { Installation } from '../update/installation.ts';

/** What a service is started with. */
export interface ServiceDeps {
  config: Readonly<AgentConfig>;
  version: string;
  runChore: RunChore;
  probes: ProbeSet;
  readContext: ContextReader;
  /** Hears of changes of the network; without it only a new gateway address tells of one. */
  watchNetwork?: WatchNetwork;
  /** Reads what tells one network from another; without it no usual values are kept. */
  readNetworkIdentity?: ReadNetworkIdentity;
  clock: AgentClock;
  /** The control plane that a handed-over token belongs to. */
  server?: string;
  takeToken(): Promise<{ server: string; token: string } | undefined>;
  /** One line for a person; never a secret. */
  log(message: string): void;
  /** Prints what is collected where no window shows it; gives the text where it reaches a person, and so counts as shown. Else a face has to. */
  disclose?(settings: Settings, server: string | null): string | undefined;
  /** A service of the machine: where faces of whoever sits at it connect. */
  seat?: { address: string; readSeatUser(): number | undefined };
  protocol?: number;
  installation?: Installation;
}
