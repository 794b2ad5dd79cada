import type { UnavailableCode } from '@svc/contracts/verdict';
import type { Reading } from '@svc/native/reading';
import type { WifiReading } from '@svc/native/wifi/wifi';
import type { GatewayMeasurement } from '@svc/probes/gateway';
import type { PathMeasurement } from '@svc/probes/path';
import type { ResolverMeasurement } from '@svc/probes/resolver';
import { capturedBy } from '@svc/probes/resolver-lies';
import type { LossWindow } from '../../attribution/loss-window.ts';
import type {
  GatewayReading,
  Maybe,
  PathReading,
  Readings,
  ResolverReading,
  SessionReading,
  WifiReading as WifiInput,
} from '../../attribution/readings.ts';
import { medianHigh, medianLow, READINGS_JUDGED } from '../../attribution/series.ts';
import type { IntervalsMs } from '../../settings.ts';
import { type PathHistory, readBeyond, readIsp, readLan } from './path-history.ts';
import { readSessions, type SessionHistory } from './session-history.ts';
import { isFresh, type Timed, type TimedSeries } from './timed-series.ts';
import type { UsualValues } from './usual-values.ts';

export const maybe = <T>(reading: Reading<T>): T | undefined => ('value' in reading ? reading.value : undefined);
const missing = (unavailable: UnavailableCode): { unavailable: UnavailableCode } => ({ unavailable });
const defined = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);

/** Medians of the newest readings; what the newest does not have is not taken from older ones. */
function wifiInput(readings: readonly WifiReading[], otherwise: UnavailableCode): Maybe<WifiInput> {
  const newest = readings.at(-1);
  if (!newest) return missing(otherwise);
  const median = (field: 'rssiDbm' | 'signalPercent' | 'noiseDbm', middle: typeof medianLow): number | undefined =>
    maybe(newest[field]) === undefined ? undefined : middle(defined(readings.map((one) => maybe(one[field]))));
  const rssiDbm = median('rssiDbm', medianHigh);
  const signalPercent = median('signalPercent', medianHigh);
  const noiseDbm = median('noiseDbm', medianLow);
  if (rssiDbm === undefined && signalPercent === undefined) {
    return missing('unavailable' in newest.rssiDbm ? newest.rssiDbm.unavailable : 'not_supported');
  }
  return {
    ...(rssiDbm === undefined ? {} : { rssiDbm }),
    ...(signalPercent === undefined ? {} : { signalPercent }),
    ...(noiseDbm === undefined ? {} : { noiseDbm }),
    ...ratioOf(
      'busyRatio',
      readings.map(({ channelBusyRatio }) => channelBusyRatio),
    ),
    ...ratioOf(
      'retryRatio',
      readings.map(({ retryRatio }) => retryRatio),
    ),
  };
}

/** The median of a share that not every system tells. */
function ratioOf(name: 'busyRatio' | 'retryRatio', readings: readonly (Reading<number> | undefined)[]): Partial<WifiInput> {
  const median = medianLow(defined(readings.map((one) => one && maybe(one))));
  return median === undefined ? {} : { [name]: median };
}

const seesBeyond = (path: PathMeasurement): boolean => path.reached || path.hops.some((hop) => hop.isPublic && hop.received > 0);

/** Answers of this machine itself, such as a control plane at localhost, prove no network. */
const isOwnMachine = (url: string): boolean => /^(localhost|127\.|\[::1\])/.test(new URL(url).hostname);

/** What was chosen to be measured. */
export interface Expected {
  traces: boolean;
  sessionUrls: readonly string[];
}

/** So long after a beginning a layer without a reading is one that is measured yet; later it is one that could not be. */
const BEGINNING_MS = 5 * 60_000;

const isBeginning = ({ beganMs }: Kept, { nowMs }: Moment): boolean => beganMs === undefined || nowMs - beganMs <= BEGINNING_MS;

/** The newest readings of each layer on the present network. */
export interface Kept {
  usual: UsualValues;
  wifi: TimedSeries<WifiReading>;
  gateway: Timed<Reading<GatewayMeasurement>> | undefined;
  gatewayRtts: TimedSeries<GatewayMeasurement>;
  gatewayAddress: string | undefined;
  /** When the gateway answered last, and how many readings it has been silent since. */
  gatewayAnswers: { answeredMs: number | undefined; silent: number };
  egressAtMs: number;
  /** Why the newest trace of a target was none. */
  pathGaps: Map<string, Timed<UnavailableCode>>;
  paths: Map<string, PathHistory>;
  sessions: Map<string, SessionHistory>;
  resolvers: Map<string, TimedSeries<ResolverMeasurement>>;
  gatewayLoss: LossWindow;
  /** Of the probes sent while no public hop answered that had. */
  edgeSilence: LossWindow;
  /** Traces to the VPN's own server. */
  underlay: PathHistory;
  tunnelEndpoint: string | undefined;
  /** Bytes sent and received since the start. */
  traffic: TimedSeries<number>;
  /** A public hop answered lately: its silence is then a loss. */
  edgeSeenMs: number;
  /** When measuring began in this network, or after a sleep; undefined until it is read or judged. */
  beganMs: number | undefined;
  expects(): Expected;
  /** When anything was read last. */
  touchedMs: number;
  intervals(): IntervalsMs;
  /** All goes into a VPN. */
  isTunnelled(): boolean;
}

export interface Moment {
  nowMs: number;
  intervals: IntervalsMs;
}

/** The newest traces of each target, as far as they still count. */
const freshTraces = (kept: Kept, { nowMs, intervals }: Moment): { history: PathHistory; paths: PathMeasurement[] }[] =>
  [...kept.paths.values()]
    .map((history) => ({ history, paths: history.series.fresh(nowMs, intervals.path) }))
    .filter(({ paths }) => paths.length > 0);

export const freshPaths = (kept: Kept, moment: Moment): PathMeasurement[] =>
  defined(freshTraces(kept, moment).map(({ paths }) => paths.at(-1)));

function pathInput(kept: Kept, moment: Moment): Maybe<PathReading> {
  const traces = freshTraces(kept, moment);
  const beneath = kept.underlay.series.fresh(moment.nowMs, moment.intervals.path);
  if (traces.length === 0 && beneath.length === 0) {
    const gap = [...kept.pathGaps.values()].at(-1)?.value;
    const isToCome = kept.paths.size === 0 && kept.expects().traces && isBeginning(kept, moment);
    return missing(gap ?? (isToCome ? 'measuring' : 'no_target'));
  }
  const visible = freshPaths(kept, moment).some(seesBeyond);
  // Inside a tunnel the first public hop is not the provider's: the line beneath is judged by the way to the VPN's server.
  const line = beneath.length > 0 ? [{ history: kept.underlay, paths: beneath }] : [];
  const isp = readIsp(kept.isTunnelled() ? line : traces, kept.edgeSilence, kept.usual);
  const beyond = defined(traces.map(({ history, paths }) => readBeyond(history, paths, kept.usual)));
  const lan = kept.isTunnelled() ? undefined : readLan(traces, kept.usual);
  return { visible, beyond, ...(isp ? { isp } : {}), ...(lan ? { lan } : {}) };
}

const LEAST_SPAN_MS = 100;

/** What this device sent and received between the newest looks, bytes a second: the median of those that lie apart enough. */
function ownTraffic({ traffic }: Kept, { nowMs, intervals }: Moment): number | undefined {
  const looks = traffic.timed().filter(({ atMs }) => nowMs - atMs <= 2 * Math.max(intervals.gateway, intervals.path));
  const rates = looks.slice(1).flatMap(({ atMs, value }, index) => {
    const before = looks[index];
    if (!before || atMs - before.atMs < LEAST_SPAN_MS || value < before.value) return [];
    return [((value - before.value) * 1000) / (atMs - before.atMs)];
  });
  return medianLow(rates);
}

/** Half of the probes of one reading were quicker than this; null where none came back. */
export const middleRtt = ({ rttsMs, rttAvgMs }: GatewayMeasurement): number | undefined =>
  medianLow(rttsMs) ?? (rttAvgMs === null ? undefined : rttAvgMs);

export const GATEWAY_KEY = 'gateway';

function gatewayInput(kept: Kept, moment: Moment, newest = READINGS_JUDGED): Maybe<GatewayReading> {
  const { nowMs, intervals } = moment;
  if (!kept.gateway && isBeginning(kept, moment)) return missing('measuring');
  if (!kept.gateway || !isFresh(kept.gateway, nowMs, intervals.gateway)) return missing('no_reading');
  const { value } = kept.gateway;
  if ('unavailable' in value) return missing(value.unavailable);
  const readings = kept.gatewayRtts.fresh(nowMs, intervals.gateway).slice(-newest);
  const rttMs = medianLow(defined(readings.map(middleRtt)));
  const spreads = readings
    .filter(({ rttsMs }) => rttsMs.length > 1)
    .map(({ rttsMs }) => Math.max(...rttsMs) - Math.min(...rttsMs));
  const spreadMs = medianLow(spreads);
  const rtts = readings.flatMap(({ rttsMs }) => rttsMs);
  const usualMs = kept.usual.usual(GATEWAY_KEY);
  return {
    answered: value.value.reachable,
    loss: kept.gatewayLoss.total(),
    readings: readings.length,
    ...(rttMs === undefined ? {} : { rttMs }),
    ...(spreadMs === undefined ? {} : { spreadMs }),
    ...(rtts.length > 0 ? { quietMs: Math.min(...rtts) } : {}),
    ...(usualMs === undefined ? {} : { usualMs }),
  };
}

const sessionInputs = (kept: Kept, { nowMs, intervals }: Moment): SessionReading[] =>
  defined(
    [...kept.sessions.values()].map(({ role, series }) => readSessions(role, series.fresh(nowMs, intervals.session), kept.usual)),
  );

/** What is known of the services that were chosen beyond their readings. */
function sessionGaps(kept: Kept, moment: Moment): Pick<Readings, 'sessionsToCome' | 'sessionsStale'> {
  const { sessionUrls } = kept.expects();
  if (sessionUrls.length === 0) return {};
  const isToCome = isBeginning(kept, moment) && sessionUrls.some((url) => !kept.sessions.has(url));
  return isToCome ? { sessionsToCome: true } : { sessionsStale: true };
}

/** Resolvers are asked with the sessions. */
function resolverInputs(kept: Kept, { nowMs, intervals }: Moment): ResolverReading[] {
  return [...kept.resolvers].flatMap(([server, series]) => {
    const readings = series.fresh(nowMs, intervals.session);
    const newest = readings.at(-1);
    if (!newest) return [];
    const rttMs = medianLow(defined(readings.map(({ rttsMs }) => medianLow(rttsMs))));
    const answered = readings.filter((one) => one.success).length * 2 >= readings.length;
    const { responseCode: code, lies } = newest;
    return [
      {
        server,
        answered,
        ...(rttMs === undefined ? {} : { rttMs }),
        ...(code === null ? {} : { code }),
        ...(lies === null ? {} : { lies }),
        ...(capturedBy(newest) === undefined ? {} : { captures: true }),
      },
    ];
  });
}

/** The next answer from behind the gateway may come so much later than its interval says. */
const LATE_MS = 5 * 60_000;

/** When something behind the gateway answered last, as far as that still speaks for now; undefined where nothing did. */
function egressSeenMs(kept: Kept, { nowMs, intervals }: Moment): number | undefined {
  const paths = defined([...kept.paths.values()].map(({ series }) => series.newest()));
  const sessions = defined([...kept.sessions.values()].map(({ series }) => series.newest()));
  const lasts = (interval: number): number => Math.min(2 * interval, interval + LATE_MS);
  const seen = [
    ...paths.filter(({ value, atMs }) => seesBeyond(value) && nowMs - atMs <= lasts(intervals.path)),
    ...sessions.filter(
      ({ value, atMs }) => value.success && !isOwnMachine(value.url) && nowMs - atMs <= lasts(intervals.session),
    ),
    ...(nowMs - kept.egressAtMs <= 2 * intervals.gateway ? [{ atMs: kept.egressAtMs }] : []),
  ].map(({ atMs }) => atMs);
  return seen.length > 0 ? Math.max(...seen) : undefined;
}

/** Two silent readings are a moment; of a gateway that has answered, what lies before a longer silence proves nothing any more. */
const SILENT_READINGS = 3;

function isEgressProven(kept: Kept, moment: Moment): boolean {
  const seenMs = egressSeenMs(kept, moment);
  if (seenMs === undefined) return false;
  const { answeredMs, silent } = kept.gatewayAnswers;
  return answeredMs === undefined || silent < SILENT_READINGS || seenMs > answeredMs;
}

/** All that a verdict is made of at one moment. */
export function readingsOf(kept: Kept, moment: Moment): Readings {
  kept.beganMs ??= moment.nowMs;
  const otherwise = !kept.wifi.newest() && isBeginning(kept, moment) ? 'measuring' : 'no_reading';
  const ownBytesPerS = ownTraffic(kept, moment);
  const newestWifi = kept.wifi.fresh(moment.nowMs, moment.intervals.wifi).slice(-1);
  return {
    newest: { wifi: wifiInput(newestWifi, otherwise), gateway: gatewayInput(kept, moment, 1) },
    ...(kept.isTunnelled() ? { vpn: true } : {}),
    ...(ownBytesPerS === undefined ? {} : { ownBytesPerS }),
    wifi: wifiInput(kept.wifi.fresh(moment.nowMs, moment.intervals.wifi), otherwise),
    gateway: gatewayInput(kept, moment),
    path: pathInput(kept, moment),
    sessions: sessionInputs(kept, moment),
    ...sessionGaps(kept, moment),
    egressProven: isEgressProven(kept, moment),
    resolvers: resolverInputs(kept, moment),
  };
}
