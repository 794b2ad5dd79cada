import { setTimeout as sleep } from 'node:timers/promises';
import { createCauseChanges, isStillPresent } from '../attribution/onset.ts';
import { type Judged, judge } from './attribution-result.ts';
import { type Depth, type MeasurerDeps, type Measuring, stampNow } from './parts/measuring.ts';
import { measureGateway, measurePaths, measureRoute } from './parts/route.ts';
import { measureResolvers, measureSessions } from './parts/sessions.ts';
import { wifiResult } from './results.ts';
import { createDeviceState } from './state/device-state.ts';
import { createTurns, type Turns } from './turns.ts';

export type { Depth, MeasurerDeps };

/** A part of a full round. */
export type RoundPart = 'wifi' | 'route' | 'sessions' | 'resolvers';

export interface Measurer {
  wifi(): Promise<void>;
  gateway(depth: Depth): Promise<void>;
  paths(depth: Depth): Promise<void>;
  sessions(): Promise<void>;
  resolvers(): Promise<void>;
  /** The verdict over the newest reading of each layer. */
  attribution(): Promise<Judged>;
  /** Another network, be its gateway's address the same: what was measured in the former one is forgotten. */
  networkChanged(): void;
  /** The machine slept: what was measured before is forgotten. */
  slept(): void;
  /** The name of the present network, under which its usual values are kept; undefined while it has none. */
  enterNetwork(fingerprint: string | undefined): void;
  /** For probes of others that expire at routers: a turn among those of this one. */
  takeTurn: Turns['take'];
  /** The gateway answers echoes, as far as is known. */
  hasEcho(): boolean;
  /** Everything once, then the verdict. */
  all(depth: Depth, onPart?: (part: RoundPart) => void): Promise<Judged>;
}

export const USUAL_DEPTH: Depth = { probes: 10, quick: false };
/** For `once`, "test now" and run-now: enough probes for a loss to mean something, in under 30 s. */
export const FULL_DEPTH: Depth = { probes: 25, quick: true };
/** A router's burst of six answers is full again after as many seconds. */
const QUIET_MS = 6000;
async function measureWifi(m: Measuring): Promise<void> {
  const stamp = stampNow(m);
  const { networksLeft } = m;
  const reading = await m.probes.readWifi({ collectSsid: m.settings().collect.ssid });
  // A reading that was begun in a former network does not speak for the next.
  if (networksLeft === m.networksLeft) m.state.addWifi(reading, m.clock.steady());
  await m.emit([wifiResult(reading, stamp)]);
}

async function attributeNow(m: Measuring): Promise<Judged> {
  const nowMs = m.clock.now();
  const previous = isStillPresent(m.onsetSeenMs, nowMs) ? m.onset : undefined;
  const judging = { thresholds: m.settings().thresholds, previous, flips: m.changes.count(m.clock.steady()) };
  const judged = judge(m.state.readings(m.clock.steady()), judging, stampNow(m));
  // A moment in which nothing could be judged, as right after a start, ends no cause.
  if (judged.onset) {
    if (previous && previous.cause !== judged.onset.cause) m.changes.note(m.clock.steady());
    m.onset = judged.onset;
    m.onsetSeenMs = nowMs;
    await m.onsets?.keep(judged.onset);
  }
  await m.usual?.keep();
  await m.emit([judged.result]);
  m.onJudged?.(judged);
  return judged;
}

async function measureAll(m: Measuring, depth: Depth, onPart?: (part: RoundPart) => void): Promise<Judged> {
  const parts: Record<RoundPart, () => Promise<void>> = {
    wifi: () => measureWifi(m),
    route: () => measureRoute(m, depth),
    // Somebody waits for a full round.
    sessions: () => measureSessions(m, { confirms: false }),
    resolvers: () => measureResolvers(m),
  };
  const turns = Object.entries(parts).map(async ([part, run]) => {
    await run();
    onPart?.(part as RoundPart);
  });
  // One part that fails leaves the others their say.
  const done = await Promise.allSettled(turns);
  m.signal().throwIfAborted();
  const failed = done.filter((part) => part.status === 'rejected');
  if (failed.length === turns.length) throw failed[0]?.reason;
  return await attributeNow(m);
}

/** Measures on demand and keeps the newest reading of each layer; knows nothing of when. */
export function createMeasurer(deps: MeasurerDeps): Measurer {
  const newTurns = (): Turns =>
    createTurns({
      quietMs: () => (m.gatewayMethod === 'icmp' ? 0 : QUIET_MS),
      steady: deps.clock.steady,
      signal: deps.signal,
      sleep: (ms, signal) => sleep(ms, undefined, { signal }),
    });
  const m: Measuring = {
    ...deps,
    state: createDeviceState(() => deps.settings().intervals, {
      ...(deps.usual ? { usual: deps.usual.values } : {}),
      isTunnelled: () => deps.isTunnelled?.() === true,
      expects: () => {
        const { traceTargets, sessionTargets } = deps.settings();
        return { traces: traceTargets.length > 0, sessionUrls: sessionTargets };
      },
    }),
    onset: deps.onsets?.earlier,
    onsetSeenMs: deps.clock.now(),
    changes: createCauseChanges(),
    gatewayMethod: undefined,
    networksLeft: 0,
    turns: newTurns(),
  };
  return {
    wifi: () => measureWifi(m),
    gateway: (depth) => measureGateway(m, depth),
    paths: (depth) => measurePaths(m, depth),
    sessions: () => measureSessions(m, { confirms: deps.confirms !== false }),
    resolvers: () => measureResolvers(m),
    takeTurn: (work, longestQuietMs) => m.turns.take(work, longestQuietMs),
    hasEcho: () => m.gatewayMethod === 'icmp',
    attribution: () => attributeNow(m),
    networkChanged() {
      m.networksLeft += 1;
      m.state.enterNetwork(undefined, true);
      m.gatewayMethod = undefined;
      m.turns = newTurns();
    },
    slept: () => m.state.slept(),
    enterNetwork: (fingerprint) => m.state.enterNetwork(fingerprint, false),
    all: (depth, onPart) => measureAll(m, depth, onPart),
  };
}
