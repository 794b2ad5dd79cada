import { ATTRIBUTES } from '@svc/contracts/results/endpoint-results';
import { targetOf } from '@svc/contracts/results/result-target';
import type { UnavailableCode } from '@svc/contracts/verdict';
import type { Reading } from '@svc/native/reading';
import type { WifiReading } from '@svc/native/wifi/wifi';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import type { SessionMeasurement } from '@svc/probes/session';
import { createLossWindow, type LossWindow } from '../attribution/loss-window.ts';
import type {
  GatewayReading,
  Maybe,
  PathReading,
  Readings,
  SessionReading,
  WifiReading as WifiInput,
} from '../attribution/readings.ts';
import type { SessionRole } from './results.ts';

export interface IntervalsMs {
  wifi: number;
  gateway: number;
  path: number;
  session: number;
}

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
  /** The newest trace of each target, as far as it still counts. */
  paths(nowMs: number): PathMeasurement[];
  /** Forgets targets that nobody chooses any more. */
  keepTargets(traceTargets: readonly string[], sessionUrls: readonly string[]): void;
  readings(nowMs: number): Readings;
}

interface Timed<T> {
  atMs: number;
  value: T;
}

const maybe = <T>(reading: Reading<T>): T | undefined => ('value' in reading ? reading.value : undefined);
const missing = (unavailable: UnavailableCode): { unavailable: UnavailableCode } => ({ unavailable });
const isFresh = (timed: Timed<unknown>, nowMs: number, intervalMs: number): boolean => nowMs - timed.atMs <= 2 * intervalMs;

function wifiInput(reading: WifiReading): Maybe<WifiInput> {
  const rssiDbm = maybe(reading.rssiDbm);
  const signalPercent = maybe(reading.signalPercent);
  const noiseDbm = maybe(reading.noiseDbm);
  if (rssiDbm === undefined && signalPercent === undefined) {
    return missing('unavailable' in reading.rssiDbm ? reading.rssiDbm.unavailable : 'not_supported');
  }
  return {
    ...(rssiDbm === undefined ? {} : { rssiDbm }),
    ...(signalPercent === undefined ? {} : { signalPercent }),
    ...(noiseDbm === undefined ? {} : { noiseDbm }),
  };
}

/** A router that is slow to answer for itself yet passes on quickly delays nobody: what lies behind it bounds its delay. */
function edgeRttMs(path: PathMeasurement, edgeHop: number): number | undefined {
  const rtts = path.hops.filter((hop) => hop.hop >= edgeHop && hop.rttAvgMs !== null).map((hop) => hop.rttAvgMs ?? 0);
  return rtts.length > 0 ? Math.min(...rtts) : undefined;
}

const edgeOf = (path: PathMeasurement) => path.segments.find((segment) => segment.segment === 'isp-edge');
const seesBeyond = (path: PathMeasurement): boolean => path.reached || path.hops.some((hop) => hop.isPublic && hop.received > 0);

/** Answers of this machine itself, such as a control plane at localhost, prove no network. */
const isOwnMachine = (url: string): boolean => /^(localhost|127\.|\[::1\])/.test(new URL(url).hostname);

interface Kept {
  wifi: Timed<WifiReading> | undefined;
  gateway: Timed<Reading<GatewayMeasurement>> | undefined;
  gatewayAddress: string | undefined;
  egressAtMs: number;
  paths: Map<string, Timed<Reading<PathMeasurement>>>;
  sessions: Map<string, Timed<{ session: SessionMeasurement; role: SessionRole }>>;
  gatewayLoss: LossWindow;
  edgeLoss: LossWindow;
}

interface Moment {
  nowMs: number;
  intervals: IntervalsMs;
}

const freshPaths = (kept: Kept, { nowMs, intervals }: Moment): PathMeasurement[] =>
  [...kept.paths.values()]
    .filter((timed) => isFresh(timed, nowMs, intervals.path))
    .map((timed) => maybe(timed.value))
    .filter((path) => path !== undefined);

function pathInput(kept: Kept, moment: Moment): Maybe<PathReading> {
  const seen = freshPaths(kept, moment);
  if (seen.length === 0) {
    const newest = [...kept.paths.values()].at(-1)?.value;
    return missing(newest && 'unavailable' in newest ? newest.unavailable : 'no_target');
  }
  const edges = seen.flatMap((path) => {
    const edge = edgeOf(path);
    return edge ? [edgeRttMs(path, edge.hop)] : [];
  });
  const rtts = edges.filter((rtt) => rtt !== undefined);
  const visible = seen.some(seesBeyond);
  if (edges.length === 0) return { visible };
  return { visible, isp: { loss: kept.edgeLoss.total(), ...(rtts.length > 0 ? { rttMs: Math.min(...rtts) } : {}) } };
}

function gatewayInput(kept: Kept, { nowMs, intervals }: Moment): Maybe<GatewayReading> {
  if (!kept.gateway || !isFresh(kept.gateway, nowMs, intervals.gateway)) return missing('asleep');
  const { value } = kept.gateway;
  if ('unavailable' in value) return missing(value.unavailable);
  const rttMs = value.value.rttAvgMs;
  return { answered: value.value.reachable, loss: kept.gatewayLoss.total(), ...(rttMs === null ? {} : { rttMs }) };
}

/** As results and pages name it: two URLs of one host stay apart. */
function targetName({ url, serverPort }: SessionMeasurement): string {
  const { hostname, port } = new URL(url);
  const given = port === '' ? undefined : Number(port);
  return targetOf({
    server_address: hostname.replace(/^\[|\]$/g, ''),
    server_port: serverPort ?? given,
    attributes: { [ATTRIBUTES.urlFull]: url },
  });
}

const sessionInputs = (kept: Kept, { nowMs, intervals }: Moment): SessionReading[] =>
  [...kept.sessions.values()]
    .filter((timed) => isFresh(timed, nowMs, intervals.session))
    .map(({ value: { session, role } }) => ({
      target: targetName(session),
      role,
      success: session.success,
      totalMs: session.totalMs,
    }));

function isEgressProven(kept: Kept, { nowMs, intervals }: Moment): boolean {
  const byPath = freshPaths(kept, { nowMs, intervals }).some(seesBeyond);
  const bySession = [...kept.sessions.values()].some(
    (timed) => isFresh(timed, nowMs, intervals.session) && timed.value.session.success && !isOwnMachine(timed.value.session.url),
  );
  return byPath || bySession || nowMs - kept.egressAtMs <= 2 * intervals.gateway;
}

/** Another network: what was seen on the old one says nothing about this one. */
function forgetNetwork(kept: Kept): void {
  kept.gatewayLoss.clear();
  kept.edgeLoss.clear();
  kept.paths.clear();
  kept.sessions.clear();
  kept.egressAtMs = Number.NEGATIVE_INFINITY;
}

function addGateway(kept: Kept, reading: Reading<GatewayMeasurement>, atMs: number): void {
  kept.gateway = { value: reading, atMs };
  const measured = maybe(reading);
  if (!measured) return;
  if (kept.gatewayAddress !== undefined && kept.gatewayAddress !== measured.address) forgetNetwork(kept);
  kept.gatewayAddress = measured.address;
  kept.gatewayLoss.add({ sent: measured.sent, lost: measured.lost });
}

function addPath(kept: Kept, target: string, timed: Timed<Reading<PathMeasurement>>): void {
  kept.paths.delete(target);
  kept.paths.set(target, timed);
  const measured = maybe(timed.value);
  const edge = measured ? edgeOf(measured) : undefined;
  if (edge) kept.edgeLoss.add({ sent: edge.sent, lost: edge.lost });
}

function readingsOf(kept: Kept, moment: Moment): Readings {
  const { wifi } = kept;
  return {
    wifi: wifi && isFresh(wifi, moment.nowMs, moment.intervals.wifi) ? wifiInput(wifi.value) : missing('asleep'),
    gateway: gatewayInput(kept, moment),
    path: pathInput(kept, moment),
    sessions: sessionInputs(kept, moment),
    egressProven: isEgressProven(kept, moment),
  };
}

export function createDeviceState(intervals: () => IntervalsMs): DeviceState {
  const kept: Kept = {
    wifi: undefined,
    gateway: undefined,
    gatewayAddress: undefined,
    egressAtMs: Number.NEGATIVE_INFINITY,
    paths: new Map(),
    sessions: new Map(),
    gatewayLoss: createLossWindow(),
    edgeLoss: createLossWindow(),
  };
  return {
    addWifi: (value, atMs) => {
      kept.wifi = { value, atMs };
    },
    addGateway: (reading, atMs) => addGateway(kept, reading, atMs),
    addSilentGateway(value, atMs) {
      addGateway(kept, { value: { ...value, sent: 0, lost: 0 } }, atMs);
      kept.egressAtMs = atMs;
    },
    addPath: (target, value, atMs) => addPath(kept, target, { value, atMs }),
    addSession: (session, role, atMs) => {
      kept.sessions.set(session.url, { value: { session, role }, atMs });
    },
    paths: (nowMs) => freshPaths(kept, { nowMs, intervals: intervals() }),
    keepTargets(traceTargets, sessionUrls) {
      for (const target of kept.paths.keys()) if (!traceTargets.includes(target)) kept.paths.delete(target);
      for (const url of kept.sessions.keys()) if (!sessionUrls.includes(url)) kept.sessions.delete(url);
    },
    readings: (nowMs) => readingsOf(kept, { nowMs, intervals: intervals() }),
  };
}
