import type { UnavailableCode } from '@svc/contracts/verdict';
import type { Reading } from '@svc/native/reading';
import type { WifiReading } from '@svc/native/wifi/wifi';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import type { SessionMeasurement } from '@svc/probes/session';
import { createLossWindow } from '../attribution/loss-window.ts';
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
  addPath(target: string, reading: Reading<PathMeasurement>, atMs: number): void;
  addSession(session: SessionMeasurement, role: SessionRole, atMs: number): void;
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

export function createDeviceState(intervals: () => IntervalsMs): DeviceState {
  let wifi: Timed<WifiReading> | undefined;
  let gateway: Timed<Reading<GatewayMeasurement>> | undefined;
  const paths = new Map<string, Timed<Reading<PathMeasurement>>>();
  const sessions = new Map<string, Timed<{ session: SessionMeasurement; role: SessionRole }>>();
  const gatewayLoss = createLossWindow();
  const edgeLoss = createLossWindow();
  let gatewayAddress: string | undefined;

  const freshPaths = (nowMs: number): PathMeasurement[] =>
    [...paths.values()]
      .filter((timed) => isFresh(timed, nowMs, intervals().path))
      .map((timed) => maybe(timed.value))
      .filter((path) => path !== undefined);

  function pathInput(nowMs: number): Maybe<PathReading> {
    const seen = freshPaths(nowMs);
    if (seen.length === 0) {
      const newest = [...paths.values()].at(-1)?.value;
      return missing(newest && 'unavailable' in newest ? newest.unavailable : 'no_target');
    }
    const edges = seen.flatMap((path) => {
      const edge = edgeOf(path);
      return edge ? [edgeRttMs(path, edge.hop)] : [];
    });
    const rtts = edges.filter((rtt) => rtt !== undefined);
    const visible = seen.some(seesBeyond);
    if (edges.length === 0) return { visible };
    return { visible, isp: { loss: edgeLoss.total(), ...(rtts.length > 0 ? { rttMs: Math.min(...rtts) } : {}) } };
  }

  function gatewayInput(nowMs: number): Maybe<GatewayReading> {
    if (!gateway || !isFresh(gateway, nowMs, intervals().gateway)) return missing('asleep');
    const { value } = gateway;
    if ('unavailable' in value) return missing(value.unavailable);
    const rttMs = value.value.rttAvgMs;
    return { answered: value.value.reachable, loss: gatewayLoss.total(), ...(rttMs === null ? {} : { rttMs }) };
  }

  function sessionInputs(nowMs: number): SessionReading[] {
    return [...sessions.values()]
      .filter((timed) => isFresh(timed, nowMs, intervals().session))
      .map(({ value: { session, role } }) => ({
        target: new URL(session.url).hostname,
        role,
        success: session.success,
        totalMs: session.totalMs,
      }));
  }

  /** Judged over what is as new as the gateway's own reading: an older answer proves nothing about now. */
  function isEgressProven(nowMs: number): boolean {
    const newest = intervals().gateway * 2;
    const byPath = [...paths.values()].some((timed) => {
      const path = maybe(timed.value);
      return nowMs - timed.atMs <= Math.max(newest, intervals().path) && path !== undefined && seesBeyond(path);
    });
    const bySession = [...sessions.values()].some(
      ({ atMs, value }) =>
        nowMs - atMs <= Math.max(newest, intervals().session) && value.session.success && !isOwnMachine(value.session.url),
    );
    return byPath || bySession;
  }

  return {
    addWifi: (reading, atMs) => {
      wifi = { value: reading, atMs };
    },
    addGateway(reading, atMs) {
      gateway = { value: reading, atMs };
      const measured = maybe(reading);
      if (!measured) return;
      // Another network: what was lost on the old one says nothing about this one.
      if (gatewayAddress !== undefined && gatewayAddress !== measured.address) {
        gatewayLoss.clear();
        edgeLoss.clear();
        paths.clear();
        sessions.clear();
      }
      gatewayAddress = measured.address;
      gatewayLoss.add({ sent: measured.sent, lost: measured.lost });
    },
    addPath(target, reading, atMs) {
      paths.delete(target);
      paths.set(target, { value: reading, atMs });
      const measured = maybe(reading);
      const edge = measured ? edgeOf(measured) : undefined;
      if (edge) edgeLoss.add({ sent: edge.sent, lost: edge.lost });
    },
    addSession(session, role, atMs) {
      sessions.set(session.url, { value: { session, role }, atMs });
    },
    keepTargets(traceTargets, sessionUrls) {
      for (const target of paths.keys()) if (!traceTargets.includes(target)) paths.delete(target);
      for (const url of sessions.keys()) if (!sessionUrls.includes(url)) sessions.delete(url);
    },
    readings: (nowMs) => ({
      wifi: wifi && isFresh(wifi, nowMs, intervals().wifi) ? wifiInput(wifi.value) : missing('asleep'),
      gateway: gatewayInput(nowMs),
      path: pathInput(nowMs),
      sessions: sessionInputs(nowMs),
      egressProven: isEgressProven(nowMs),
    }),
  };
}
