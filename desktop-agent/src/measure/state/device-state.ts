import type { Reading } from '@svc/native/reading';
import type { WifiReading } from '@svc/native/wifi/wifi';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import type { SessionMeasurement } from '@svc/probes/session';
import { createLossWindow } from '../../attribution/loss-window.ts';
import type { Readings } from '../../attribution/readings.ts';
import type { IntervalsMs } from '../../settings.ts';
import type { SessionRole } from '../results.ts';
import { addTrace, isEdgeSilent, learnPath, roundsOf, seesEdge, startPathHistory } from './path-history.ts';
import { isDoubtful, learnSession, startSessionHistory } from './session-history.ts';
import { type Expected, freshPaths, GATEWAY_KEY, type Kept, maybe, middleRtt, readingsOf } from './state-readings.ts';
import { createTimedSeries, type Timed } from './timed-series.ts';
import { createUsualValues, type UsualValues } from './usual-values.ts';

/**
 * The newest reading of each layer, with which attribution is done. Times are of a clock that never jumps and goes on while the
 * machine sleeps (milliseconds); readings older than two of their intervals are left out.
 */
export interface DeviceState {
  addWifi(reading: WifiReading, atMs: number): void;
  addGateway(reading: Reading<GatewayMeasurement>, atMs: number): void;
  /** The gateway answered nothing, yet something behind it did: it stays unjudged by this turn, and no loss is counted. */
  addSilentGateway(reading: GatewayMeasurement, atMs: number): void;
  addPath(target: string, reading: Reading<PathMeasurement>, atMs: number): void;
  addSession(session: SessionMeasurement, role: SessionRole, atMs: number): void;
  addResolver(reading: ResolverMeasurement, atMs: number): void;
  /** Bytes that this device sent and received since its start. */
  addTraffic(bytes: number, atMs: number): void;
  /** The way to the VPN's own server: what it shows of the ISP is the line beneath. */
  addUnderlay(reading: Reading<PathMeasurement>, atMs: number): void;
  /** Numeric address of the VPN's server, as far as routes tell. */
  tunnelEndpoint(): string | undefined;
  /**
   * The network that is joined now, by a fingerprint that only this device can make. `changed`: what belonged to the former one ends at
   * once, also where the new gateway has the same address.
   */
  enterNetwork(fingerprint: string | undefined, changed: boolean): void;
  /** The machine slept: what was measured before says nothing of now. */
  slept(): void;
  /** The newest session to a URL is far worse than those before it: another one soon tells whether that stays. */
  isDoubtful(url: string): boolean;
  /** The newest trace of each target, as far as it still counts. */
  paths(nowMs: number): PathMeasurement[];
  /** Forgets targets that nobody chooses any more. */
  keepTargets(traceTargets: readonly string[], sessionUrls: readonly string[]): void;
  readings(nowMs: number): Readings;
}

/** Another network: what was seen on the old one says nothing about this one. */
function forgetNetwork(kept: Kept): void {
  kept.wifi.clear();
  kept.gateway = undefined;
  kept.gatewayRtts.clear();
  kept.gatewayLoss.clear();
  kept.gatewayAnswers = { answeredMs: undefined, silent: 0 };
  kept.edgeSilence.clear();
  kept.paths.clear();
  kept.pathGaps.clear();
  kept.sessions.clear();
  kept.resolvers.clear();
  kept.underlay.series.clear();
  kept.underlay.losses.clear();
  kept.traffic.clear();
  kept.tunnelEndpoint = undefined;
  kept.beganMs = undefined;
  kept.egressAtMs = Number.NEGATIVE_INFINITY;
  kept.edgeSeenMs = Number.NEGATIVE_INFINITY;
}

/** After a sleep or a pause the earlier readings say nothing of now. */
function noteTime(kept: Kept, atMs: number): void {
  if (atMs - kept.touchedMs > Math.max(LONGEST_GAP_MS, 3 * Math.max(...Object.values(kept.intervals())))) forgetNetwork(kept);
  kept.touchedMs = atMs;
  kept.beganMs ??= atMs;
}

const LONGEST_GAP_MS = 15 * 60_000;

function addGateway(kept: Kept, reading: Reading<GatewayMeasurement>, atMs: number): void {
  noteTime(kept, atMs);
  const measured = maybe(reading);
  const isOther = measured && kept.gatewayAddress !== undefined && kept.gatewayAddress !== measured.address;
  if (isOther) {
    const wifi = kept.wifi.newest();
    forgetNetwork(kept);
    // The Wi-Fi of the new network may have been read a moment before its gateway.
    if (wifi) kept.wifi.add(wifi.value, wifi.atMs);
  }
  kept.gateway = { value: reading, atMs };
  if (!measured) return;
  kept.gatewayAddress = measured.address;
  const { answeredMs, silent } = kept.gatewayAnswers;
  kept.gatewayAnswers = measured.reachable ? { answeredMs: atMs, silent: 0 } : { answeredMs, silent: silent + 1 };
  kept.tunnelEndpoint = measured.beneathTunnel && maybe(measured.beneathTunnel.endpoint);
  kept.gatewayLoss.add({ sent: measured.sent, lost: measured.lost });
  const rtt = middleRtt(measured);
  if (rtt === undefined) return;
  kept.gatewayRtts.add(measured, atMs);
  kept.usual.note(GATEWAY_KEY, rtt);
}

/** A target that is silent behind the router is no fault of the provider's while the way to another one goes on. */
const othersSeeEdge = (kept: Kept, target: string): boolean =>
  [...kept.paths].some(([other, { series }]) => {
    const newest = series.newest()?.value;
    return other !== target && newest !== undefined && !isEdgeSilent(newest);
  });

/** An edge that answered so long ago may have learned to be silent. */
const EDGE_REMEMBERED_MS = 3_600_000;

function addPath(kept: Kept, target: string, { value, atMs }: Timed<Reading<PathMeasurement>>): void {
  noteTime(kept, atMs);
  const measured = maybe(value);
  kept.pathGaps.delete(target);
  if (!measured) {
    // A name that was not found this time takes away nothing of what was traced before; a VPN does, for it is another way.
    if ('unavailable' in value && value.unavailable === 'tunnel') kept.paths.delete(target);
    kept.pathGaps.set(target, { atMs, value: 'unavailable' in value ? value.unavailable : 'not_supported' });
    return;
  }
  const history = kept.paths.get(target) ?? startPathHistory();
  kept.paths.set(target, history);
  addTrace(history, measured, atMs);
  // Inside a tunnel the first public hop is not the provider's.
  if (kept.isTunnelled()) return;
  learnPath(kept.usual, measured);
  noteEdge(kept, measured, atMs);
}

function noteEdge(kept: Kept, measured: PathMeasurement, atMs: number): void {
  if (seesEdge(measured)) {
    kept.edgeSeenMs = atMs;
    // Silent rounds leave the window as ones that are answered come in.
    kept.edgeSilence.add({ sent: roundsOf(measured), lost: 0 });
  } else if (isEdgeSilent(measured) && !othersSeeEdge(kept, measured.target) && atMs - kept.edgeSeenMs <= EDGE_REMEMBERED_MS) {
    // It answered on this network a while ago: where the way ends in front of it now, everything sent there is lost.
    kept.edgeSilence.add({ sent: roundsOf(measured), lost: roundsOf(measured) });
  }
}

function addUnderlay(kept: Kept, reading: Reading<PathMeasurement>, atMs: number): void {
  noteTime(kept, atMs);
  const measured = maybe(reading);
  if (!measured) return;
  addTrace(kept.underlay, measured, atMs);
  noteEdge(kept, measured, atMs);
}

function addSession(kept: Kept, session: SessionMeasurement, { role, atMs }: { role: SessionRole; atMs: number }): void {
  noteTime(kept, atMs);
  const known = kept.sessions.get(session.url);
  const history = known?.role === role ? known : startSessionHistory(role);
  kept.sessions.set(session.url, history);
  history.series.add(session, atMs);
  learnSession(kept.usual, session);
}

function addResolver(kept: Kept, reading: ResolverMeasurement, atMs: number): void {
  noteTime(kept, atMs);
  const series = kept.resolvers.get(reading.server) ?? createTimedSeries<ResolverMeasurement>();
  kept.resolvers.set(reading.server, series);
  series.add(reading, atMs);
}

export interface DeviceStateDeps {
  usual?: UsualValues;
  /** All goes into a VPN. */
  isTunnelled?(): boolean;
  /** What was chosen to be measured. */
  expects?(): Expected;
}

const expectNothing = (): Expected => ({ traces: false, sessionUrls: [] });

export function createDeviceState(
  intervals: () => IntervalsMs,
  { usual = createUsualValues(Date.now), isTunnelled = () => false, expects = expectNothing }: DeviceStateDeps = {},
): DeviceState {
  const kept: Kept = {
    usual,
    wifi: createTimedSeries(),
    gateway: undefined,
    gatewayRtts: createTimedSeries(),
    gatewayAddress: undefined,
    gatewayAnswers: { answeredMs: undefined, silent: 0 },
    egressAtMs: Number.NEGATIVE_INFINITY,
    edgeSeenMs: Number.NEGATIVE_INFINITY,
    beganMs: undefined,
    expects,
    touchedMs: Number.POSITIVE_INFINITY,
    intervals,
    isTunnelled,
    pathGaps: new Map(),
    paths: new Map(),
    sessions: new Map(),
    resolvers: new Map(),
    underlay: startPathHistory(),
    traffic: createTimedSeries(),
    tunnelEndpoint: undefined,
    gatewayLoss: createLossWindow(),
    edgeSilence: createLossWindow(),
  };
  return {
    addWifi(value, atMs) {
      noteTime(kept, atMs);
      kept.wifi.add(value, atMs);
    },
    addGateway: (reading, atMs) => addGateway(kept, reading, atMs),
    addSilentGateway(value, atMs) {
      addGateway(kept, { value: { ...value, sent: 0, lost: 0 } }, atMs);
      kept.egressAtMs = atMs;
    },
    addPath: (target, value, atMs) => addPath(kept, target, { value, atMs }),
    addSession: (session, role, atMs) => addSession(kept, session, { role, atMs }),
    addResolver: (reading, atMs) => addResolver(kept, reading, atMs),
    addTraffic(bytes, atMs) {
      noteTime(kept, atMs);
      kept.traffic.add(bytes, atMs);
    },
    addUnderlay: (reading, atMs) => addUnderlay(kept, reading, atMs),
    tunnelEndpoint: () => kept.tunnelEndpoint,
    enterNetwork(fingerprint, changed) {
      if (changed) {
        forgetNetwork(kept);
        kept.gatewayAddress = undefined;
      }
      kept.usual.enter(fingerprint);
    },
    slept: () => forgetNetwork(kept),
    isDoubtful: (url) => isDoubtful(kept.sessions.get(url)),
    paths: (nowMs) => freshPaths(kept, { nowMs, intervals: intervals() }),
    keepTargets(traceTargets, sessionUrls) {
      for (const kind of [kept.paths, kept.pathGaps])
        for (const target of kind.keys()) if (!traceTargets.includes(target)) kind.delete(target);
      for (const url of kept.sessions.keys()) if (!sessionUrls.includes(url)) kept.sessions.delete(url);
    },
    readings: (nowMs) => readingsOf(kept, { nowMs, intervals: intervals() }),
  };
}
