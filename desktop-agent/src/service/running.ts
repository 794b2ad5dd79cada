import type { TestView } from '@svc/contracts/agent/ipc';
import type { MissingPermission } from '@svc/contracts/verdict';
import type { ContextReader } from '@svc/native/context/context';
import type { Consent } from '../choices/consent.ts';
import type { Pause } from '../choices/pause.ts';
import type { Scope } from '../choices/scope.ts';
import type { Switches } from '../choices/switches.ts';
import type { RunChore } from '../chores/run-chore.ts';
import type { AgentClock } from '../clock.ts';
import type { AgentConfig } from '../config.ts';
import type { History } from '../history/history.ts';
import type { Observed } from '../history/observed.ts';
import type { HostFacts } from '../identity/bare-facts.ts';
import type { ControlPlaneFacts } from '../identity/control-plane-facts.ts';
import type { Keeper } from '../identity/keeper.ts';
import type { ProxyFinder } from '../ipc/proxy-finder.ts';
import type { Activity } from '../measure/activity.ts';
import type { Judged } from '../measure/attribution-result.ts';
import type { DeviceContext } from '../measure/device-context.ts';
import type { Measurer } from '../measure/measurer.ts';
import type { ProbeSet } from '../measure/probe-set.ts';
import type { AgentCost } from '../measure/results.ts';
import type { SentBytes } from '../measure/sent-bytes.ts';
import type { PolicyStore } from '../policy-store.ts';
import type { Ledger } from '../publish/ledger.ts';
import type { LedgerIndex } from '../publish/ledger-index.ts';
import type { Link, LinkState } from '../publish/link.ts';
import type { Spool, SpoolStatus } from '../publish/spool.ts';
import type { Settings } from '../settings.ts';
import type { Installation } from '../update/installation.ts';

export interface ServiceDeps {
  config: Readonly<AgentConfig>;
  version: string;
  runChore: RunChore;
  probes: ProbeSet;
  readContext: ContextReader;
  clock: AgentClock;
  /** The control plane that a handed-over token belongs to. */
  server?: string;
  takeToken(): Promise<{ server: string; token: string } | undefined>;
  /** One line for a person; never a secret. */
  log(message: string): void;
  /** Prints what is collected where no window shows it; true where that reaches a person, and so counts as shown. Else a face has to. */
  disclose?(settings: Settings, server: string | null): boolean;
  /** A service of the machine: where faces of whoever sits at it connect. */
  seat?: { address: string; readSeatUser(): number | undefined };
  protocol?: number;
  installation?: Installation;
}

/** Everything that lives as long as the service. */
export interface Running {
  deps: ServiceDeps;
  facts: HostFacts;
  policy: PolicyStore;
  plane: ControlPlaneFacts;
  keeper: Keeper;
  spool: Spool;
  ledger: Ledger;
  /** For faces; holds nothing while there is none. */
  ledgerIndex: LedgerIndex;
  measurer: Measurer;
  link: Link | undefined;
  linkState: LinkState | undefined;
  sent: SentBytes;
  pause: Pause;
  consent: Consent;
  switches: Switches;
  history: History;
  activity: Activity;
  context: DeviceContext;
  observed: Observed;
  judged: { judged: Judged; atMs: number; steadyMs: number } | undefined;
  cost: AgentCost | undefined;
  missing: ReadonlySet<MissingPermission>;
  test: TestView | undefined;
  /** What a face asked to show last: an answer is to that. */
  disclosed: Scope | undefined;
  proxies: ProxyFinder;
  lossWords(status: SpoolStatus): string | undefined;
  rounds: Promise<unknown>;
  /** Faces that watch hear of it. */
  changed(): void;
  /** A window is there. */
  hasWindow(): boolean;
  /** When it woke up last. */
  wokeSteadyMs: number;
  stopped: boolean;
}
