import { isIP } from 'node:net';
import type { ProbeMethod } from '@svc/native/path/path';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import type { SessionMeasurement } from '@svc/probes/session';
import type { CauseChanges } from '../../attribution/onset.ts';
import type { AgentClock } from '../../clock.ts';
import type { EndpointResult, Stamp } from '../../result.ts';
import type { Settings } from '../../settings.ts';
import type { Judged } from '../attribution-result.ts';
import type { OnsetStore } from '../onset-store.ts';
import type { ProbeSet } from '../probe-set.ts';
import type { DeviceState } from '../state/device-state.ts';
import type { UsualStore } from '../state/usual-store.ts';
import type { Turns } from '../turns.ts';

export interface MeasurerDeps {
  probes: ProbeSet;
  settings(): Settings;
  clock: AgentClock;
  /** UUIDv7. */
  newId(): string;
  /** Takes each result as measured, before minimising. */
  emit(results: readonly EndpointResult[]): Promise<void>;
  /** The control plane's own address, whose session is shown and never judged. */
  controlPlane(): { url: string; authority?: string } | undefined;
  /** Carries the onset of the cause over restarts; without it each run begins anew. */
  onsets?: OnsetStore;
  /** What is usual by network; without it only the policy's thresholds are known. */
  usual?: UsualStore;
  /** The proxy that this device uses for a URL; without it sessions go direct. */
  proxyFor?(url: string): Promise<string | null>;
  /** Whether all goes into a VPN: the first hops of traces then lie inside of it. */
  isTunnelled?(): boolean;
  /** Hears of each session before its result is emitted. */
  onSession?(session: SessionMeasurement): void;
  /** Hears of each round of resolvers before its results are emitted. */
  onResolvers?(resolvers: readonly ResolverMeasurement[]): void;
  /** False: a session that differs is not looked at again before the next turn; default true. */
  confirms?: boolean;
  /** Hears of each verdict. */
  onJudged?(judged: Judged): void;
  /** Asked at the begin of each measurement; ends it when it is aborted. */
  signal(): AbortSignal;
}

export interface Depth {
  /** Probes to the gateway, and rounds of one trace. */
  probes: number;
  /** In a full round: rounds of all traces together, and the gateway is read from them. */
  quick: boolean;
}

/** What the parts of a round share. */
export interface Measuring extends MeasurerDeps {
  state: DeviceState;
  onset: Judged['onset'];
  /** When `onset` was last that of a verdict, Unix milliseconds. */
  onsetSeenMs: number;
  changes: CauseChanges;
  /** Probes that expire at routers take turns. */
  turns: Turns;
  /** How many networks were left in this run. */
  networksLeft: number;
  /** ICMP echo has no such limit. */
  gatewayMethod: ProbeMethod | undefined;
}

export const stampNow = (m: Measuring): Stamp => ({ resultId: m.newId(), startedAtMs: m.clock.now() });

/** At most `width` at once; stops at the first failure like Promise.all. */
export async function eachOf<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items];
  const lane = async (): Promise<void> => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}

/** A name that the asked server answers by itself or that this device looks up anyway: nobody new is contacted for it. */
export function nameToAsk(m: Measuring): string {
  const host = new URL(m.controlPlane()?.url ?? 'https://localhost').hostname;
  return isIP(host.replace(/^\[|\]$/g, '')) ? 'localhost' : host;
}
